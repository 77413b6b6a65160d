package runner

import (
	"cmp"
	"context"
	"encoding/json"
	"slices"

	"plumbline/experiments/evidence"
	"plumbline/experiments/ladder"
	"plumbline/experiments/stats"
	"plumbline/experiments/trace"
	"plumbline/experiments/vote"
	"plumbline/models"
	"plumbline/runner/reviewer"
)

// LadderOptions choose what a ladder compares.
type LadderOptions struct {
	Metric stats.Metric
	// Sizes are billions of parameters by reviewer version, as the reader says; a
	// version without one has the size its model's name states.
	Sizes map[string]float64
	// ByPrice takes the price of a million input tokens for the size.
	ByPrice bool
}

// Where the size of a rung comes from.
const (
	SizeGiven   = "given"
	SizeOfModel = "from the model’s name"
	SizePrice   = "price of the version"
)

// Rung is one arm of a ladder.
type Rung struct {
	Experiment models.Experiment
	Arm        ArmResult
	Index      int      // place among all arms of the ladder: its colour
	Size       *float64 // nil: not known
	SizeFrom   string   // one of Size…; empty where it is not known
	From       string   // id of the arm with structured evidence of the same reviewer, on official evidence
}

// Kinds of interventions, as they are named on a page.
const (
	AnotherReviewer = "another reviewer"
	MoreVotes       = "more votes"
	OtherEvidence   = "other evidence"
)

// Intervention is what one change of the review did to the rate, on the traces that
// both sides have a decision on.
type Intervention struct {
	Kind          string
	From, To      Rung
	FromK, ToK    int // for more votes
	First, Second *float64
	Difference    stats.Number
	Interval      *stats.Interval
	N             int // traces both sides have
}

// Ladder sets the arms of experiments side by side by the size of their reviewers.
type Ladder struct {
	Metric        stats.Metric
	Rungs         []Rung // by size; unknown sizes last, in their order
	Interventions []Intervention
	Trends        []FormTrend
}

// FormTrend is how size goes with the rate under one evidence form.
type FormTrend struct {
	Form string
	ladder.Trend
}

// Ladder compares the arms of measured experiments, in three ways: the smallest
// reviewer with each other one on the same evidence, one vote with all, structured
// evidence with every other form of the same reviewer (paper G §5.3, Fig. S7).
func (r *Runner) Ladder(ctx context.Context, v models.Viewer, results []Results, o LadderOptions) (Ladder, error) {
	out := Ladder{Metric: o.Metric}
	for _, res := range results {
		prices := pricesOf(res.Experiment)
		for _, a := range res.Arms {
			rung := Rung{Experiment: res.Experiment, Arm: a, Index: len(out.Rungs)}
			rung.Size, rung.SizeFrom = sizeOf(a.Arm, o, prices)
			out.Rungs = append(out.Rungs, rung)
		}
	}
	out.arrows()
	slices.SortStableFunc(out.Rungs, func(a, b Rung) int {
		switch {
		case a.Size == nil || b.Size == nil:
			return cmp.Compare(order(a.Size == nil), order(b.Size == nil))
		}
		return cmp.Compare(*a.Size, *b.Size)
	})
	out.trends()
	if err := r.otherReviewers(ctx, v, &out, o); err != nil {
		return out, err
	}
	out.moreVotes()
	return out, r.otherEvidence(ctx, v, &out, o)
}

func order(last bool) int {
	if last {
		return 1
	}
	return 0
}

// pricesOf are the prices of a million input tokens by reviewer version, as they
// were at the launch.
func pricesOf(e models.Experiment) map[string]float64 {
	var snap Snapshot
	out := map[string]float64{}
	if json.Unmarshal([]byte(e.Config), &snap) != nil {
		return out // an experiment without a configuration has no prices
	}
	for id, r := range snap.Reviewers {
		var spec reviewer.Spec
		if json.Unmarshal(r.Spec, &spec) == nil && spec.Price != nil && spec.Price.InputPerMTok != nil {
			out[id] = *spec.Price.InputPerMTok
		}
	}
	return out
}

func sizeOf(a models.Arm, o LadderOptions, prices map[string]float64) (*float64, string) {
	if o.ByPrice {
		if p, ok := prices[a.ReviewerVersionID]; ok && p > 0 {
			return &p, SizePrice
		}
		return nil, ""
	}
	if b, ok := o.Sizes[a.ReviewerVersionID]; ok {
		return &b, SizeGiven
	}
	for _, name := range []string{a.Model, a.ReviewerName} {
		if b, ok := ladder.SizeOf(name); ok {
			return &b, SizeOfModel
		}
	}
	return nil, ""
}

// arrows lead to official evidence from the structured evidence of the same
// reviewer version, whatever experiment has it.
func (l *Ladder) arrows() {
	structured := map[string]string{}
	for _, r := range l.Rungs {
		if r.Arm.Arm.Form == string(evidence.Structured) && structured[r.Arm.Arm.ReviewerVersionID] == "" {
			structured[r.Arm.Arm.ReviewerVersionID] = r.Arm.Arm.ID
		}
	}
	for i, r := range l.Rungs {
		if evidence.Form(r.Arm.Arm.Form).UpperBound() {
			l.Rungs[i].From = structured[r.Arm.Arm.ReviewerVersionID]
		}
	}
}

func (l *Ladder) forms() []string {
	var out []string
	for _, r := range l.Rungs {
		if !slices.Contains(out, r.Arm.Arm.Form) {
			out = append(out, r.Arm.Arm.Form)
		}
	}
	return out
}

func (l *Ladder) trends() {
	for _, form := range l.forms() {
		var rungs []ladder.Rung
		for _, r := range l.Rungs {
			if m := r.Arm.Measures.Of(l.Metric); r.Arm.Arm.Form == form && r.Size != nil && m.Value != nil {
				rungs = append(rungs, ladder.Rung{Size: *r.Size, Rate: *m.Value})
			}
		}
		l.Trends = append(l.Trends, FormTrend{Form: form, Trend: ladder.TrendOf(rungs)})
	}
}

func (r *Runner) otherReviewers(ctx context.Context, v models.Viewer, l *Ladder, o LadderOptions) error {
	for _, form := range l.forms() {
		var base *Rung
		for i := range l.Rungs {
			rung := &l.Rungs[i]
			if rung.Arm.Arm.Form != form {
				continue
			}
			if base == nil {
				base = rung
				continue
			}
			if rung.Arm.Arm.ReviewerVersionID == base.Arm.Arm.ReviewerVersionID {
				continue
			}
			if err := r.intervene(ctx, v, l, AnotherReviewer, *base, *rung, o); err != nil {
				return err
			}
		}
	}
	return nil
}

func (r *Runner) otherEvidence(ctx context.Context, v models.Viewer, l *Ladder, o LadderOptions) error {
	for i := range l.Rungs {
		from := l.Rungs[i]
		if from.Arm.Arm.Form != string(evidence.Structured) {
			continue
		}
		for _, to := range l.Rungs {
			if to.Arm.Arm.ReviewerVersionID != from.Arm.Arm.ReviewerVersionID || to.Arm.Arm.Form == from.Arm.Arm.Form {
				continue
			}
			if err := r.intervene(ctx, v, l, OtherEvidence, from, to, o); err != nil {
				return err
			}
		}
	}
	return nil
}

// intervene compares two arms on the traces that both have a decision on,
// abstentions included.
func (r *Runner) intervene(ctx context.Context, v models.Viewer, l *Ladder, kind string, from, to Rung, o LadderOptions) error {
	p, err := r.PairOf(ctx, v, from.Arm.Arm.ID, to.Arm.Arm.ID)
	if err != nil {
		return err
	}
	label := armLabel(from.Arm.Arm) + "\x00" + armLabel(to.Arm.Arm)
	for _, d := range stats.Differences(stats.LabelledPair{Label: label, Pair: p}, stats.Options{Seed: uint64(from.Experiment.Seed)}) {
		if d.Metric == o.Metric {
			first := p.First()
			l.Interventions = append(l.Interventions, Intervention{
				Kind: kind, From: from, To: to, First: d.First.Value, Second: d.Second.Value, Difference: d.Difference, Interval: d.Interval, N: first.N(),
			})
		}
	}
	return nil
}

// PairOf tabulates the decisions of two arms on the traces of known truth that both
// have one on, and counts those that only one has.
func (r *Runner) PairOf(ctx context.Context, v models.Viewer, first, second string) (stats.Pair, error) {
	cells, onlyFirst, onlySecond, err := r.store.PairCells(ctx, v, first, second)
	p := stats.Pair{OnlyFirst: onlyFirst, OnlySecond: onlySecond}
	for _, c := range cells {
		if c.Label == string(trace.Unknown) {
			continue
		}
		for range c.N {
			p.Add(c.Label == string(trace.Defective), outcomeOf(vote.Decision(c.First)), outcomeOf(vote.Decision(c.Second)))
		}
	}
	return p, err
}

// moreVotes compares one vote of every arm with all of them, in expectation over
// the recorded votes.
func (l *Ladder) moreVotes() {
	for _, rung := range l.Rungs {
		k := rung.Experiment.Votes
		if k < 2 {
			continue
		}
		arm := rung.Arm.Expected([]int{1, k})
		g := stats.MeasureExpectedGain(arm, l.Metric, 0, 1, stats.Options{Seed: uint64(rung.Experiment.Seed)})
		traces := 0
		for _, kind := range arm.Kinds {
			traces += kind.Traces
		}
		l.Interventions = append(l.Interventions, Intervention{
			Kind: MoreVotes, From: rung, To: rung, FromK: 1, ToK: k, First: g.First.Value, Second: g.Second.Value, Difference: g.Difference, Interval: g.Interval, N: traces,
		})
	}
}

// Expected is what the arm's votes would have decided at each of the numbers of
// votes, over all subsets, on the traces of known truth.
func (a ArmResult) Expected(steps []int) stats.ExpectedArm {
	arm := stats.ExpectedArm{Label: armLabel(a.Arm)}
	for _, cell := range a.Cells {
		if cell.Label != string(trace.Defective) && cell.Label != string(trace.Acceptable) {
			continue
		}
		counts := vote.Counts{Accept: cell.NAccept, Reject: cell.NReject, Uncertain: cell.NUncertain, Unparseable: cell.NUnparseable}
		kind := stats.Expected{Defect: cell.Label == string(trace.Defective), Traces: cell.N}
		for _, k := range steps {
			kind.P = append(kind.P, counts.Expected(k, vote.Plurality).Array())
		}
		arm.Kinds = append(arm.Kinds, kind)
	}
	return arm
}
