package handlers

import (
	"net/http"
	"net/url"
	"strings"

	"github.com/labstack/echo/v4"

	"plumbline/experiments/evidence"
	"plumbline/experiments/stats"
	"plumbline/experiments/trace"
	"plumbline/experiments/vote"
	"plumbline/models"
	"plumbline/web/components"
	"plumbline/web/layout"
	"plumbline/web/pages"
)

const (
	mostCompared = 20 // arms at once
	flipsShown   = 10 // of each kind in the page; the counts lead to all
)

// comparedArm is an arm with what a comparison needs to know of it.
type comparedArm struct {
	arm        models.Arm
	experiment models.Experiment
}

func (a comparedArm) name() string { return a.arm.ReviewerName + " · " + a.arm.Form }

// compareShow sets arms side by side; the first "arm" of the address is the
// baseline.
func (h *Handlers) compareShow(c echo.Context) error {
	ctx, v := c.Request().Context(), viewer(c)
	view := pages.Compare{Frame: h.frame(c, "Compare"), Interval: intervalNames[intervalWilson]}
	view.Frame.Crumbs = []layout.Link{{Text: "Home", Href: "/"}}
	var arms []comparedArm
	seen := map[string]bool{}
	for _, id := range c.QueryParams()["arm"] {
		if seen[id] {
			continue
		}
		seen[id] = true
		if len(arms) == mostCompared {
			return models.Invalid("arm", "compare at most 20 arms at once")
		}
		a, e, err := h.store.Arm(ctx, v, id)
		if err != nil {
			return err
		}
		arms = append(arms, comparedArm{a, e})
	}
	choices, err := h.store.ArmChoices(ctx, v, 30)
	if err != nil {
		return err
	}
	view.Picker = picker(choices, seen)
	if len(arms) >= 2 {
		if err := h.compare(c, arms, &view); err != nil {
			return err
		}
	}
	return render(c, http.StatusOK, pages.ComparePage(view))
}

func picker(choices []models.ArmChoice, selected map[string]bool) pages.Picker {
	p := pages.Picker{Action: "/compare"}
	for _, x := range choices {
		p.Options = append(p.Options, pages.PickOption{ID: x.Arm.ID, Name: x.Arm.ReviewerName + " · " + x.Arm.Form, Group: x.Experiment.Name + " (" + x.DatasetName + ")", Selected: selected[x.Arm.ID]})
	}
	return p
}

func (h *Handlers) compare(c echo.Context, arms []comparedArm, view *pages.Compare) error {
	for i, a := range arms {
		m, err := h.results.get(c.Request().Context(), viewer(c), a.experiment, false)
		if err != nil {
			return err
		}
		line := pages.CompareArm{ID: a.arm.ID, Name: a.name(), Href: experimentURL(a.experiment.ID), Experiment: a.experiment.Name, RemoveURL: armsURL(arms, i, false)}
		if i > 0 {
			line.FirstURL = armsURL(arms, i, true)
		}
		for j, r := range m.Arms {
			if r.Arm.ID == a.arm.ID {
				row := armRow(a.experiment, j, r, optionsOf("", nil))
				line.Rates, line.Badges, line.Traces = row.Rates, row.Badges, r.Counts.N()
			}
		}
		view.Arms = append(view.Arms, line)
	}
	view.Warnings = mismatches(arms)
	return h.comparePairs(c, arms, view)
}

// armsURL is the comparison without arm i, or with it as the baseline.
func armsURL(arms []comparedArm, i int, first bool) string {
	q := url.Values{}
	if first {
		q.Add("arm", arms[i].arm.ID)
	}
	for j, a := range arms {
		if j != i {
			q.Add("arm", a.arm.ID)
		}
	}
	return "/compare?" + q.Encode()
}

// mismatches says in what the arms differ besides reviewer and evidence.
func mismatches(arms []comparedArm) []string {
	var out []string
	differ := func(what string, of func(comparedArm) string) {
		for _, a := range arms[1:] {
			if of(a) != of(arms[0]) {
				out = append(out, "The arms differ in "+what+"; part of a difference may come from that.")
				return
			}
		}
	}
	differ("dataset", func(a comparedArm) string { return a.experiment.DatasetID })
	differ("split", func(a comparedArm) string {
		if a.experiment.SplitID == nil {
			return ""
		}
		return *a.experiment.SplitID
	})
	differ("the number of votes K", func(a comparedArm) string { return components.Count(a.experiment.Votes) })
	differ("program version", func(a comparedArm) string { return a.experiment.CodeVersion })
	for _, a := range arms {
		if a.experiment.State != models.StateDone {
			out = append(out, a.name()+" belongs to an experiment that is not finished; its missing traces are left out.")
		}
	}
	bounds := 0
	for _, a := range arms {
		if !evidence.Form(a.arm.Form).Deployable() {
			bounds++
		}
	}
	if bounds > 0 && bounds < len(arms) {
		out = append(out, "Some arms see outcomes of the official tests, which nobody has at review time; they are upper bounds, not rivals.")
	}
	return out
}

func (h *Handlers) comparePairs(c echo.Context, arms []comparedArm, view *pages.Compare) error {
	ctx, v := c.Request().Context(), viewer(c)
	base := arms[0]
	pairs := make([]stats.LabelledPair, 0, len(arms)-1)
	for _, a := range arms[1:] {
		cells, first, second, err := h.store.PairCells(ctx, v, base.arm.ID, a.arm.ID)
		if err != nil {
			return err
		}
		p := stats.LabelledPair{Label: base.name() + "\x00" + a.name(), Pair: stats.Pair{OnlyFirst: first, OnlySecond: second}}
		for _, cell := range cells {
			if cell.Label != string(trace.Acceptable) && cell.Label != string(trace.Defective) {
				continue
			}
			for range cell.N {
				p.Pair.Add(cell.Label == string(trace.Defective), outcome(cell.First), outcome(cell.Second))
			}
		}
		pairs = append(pairs, p)
	}
	compared := stats.CompareAll(pairs, stats.Options{Seed: uint64(base.experiment.Seed)})
	for i, r := range compared {
		flips, err := h.store.Flips(ctx, v, base.arm.ID, arms[i+1].arm.ID, flipsShown)
		if err != nil {
			return err
		}
		view.Pairs = append(view.Pairs, pairView(base, arms[i+1], view.Arms[i+1], pairs[i].Pair, r, flips, len(compared) > 1))
	}
	return nil
}

func outcome(decision string) stats.Outcome {
	if i := vote.Vote(decision).Index(); i >= 0 {
		return stats.Outcome(i)
	}
	return stats.Unparsed
}

func pairView(base, other comparedArm, line pages.CompareArm, p stats.Pair, r stats.Comparison, flips []models.Flip, several bool) pages.Pair {
	cell := func(n int, baseKind, otherKind pages.OutcomeKind) pages.FlipCount {
		return pages.FlipCount{N: n, Href: outcomesURL(base.experiment.ID, baseKind, "arm", base.arm.ID, "against", other.arm.ID, "against_kind", string(otherKind))}
	}
	out := pages.Pair{
		Other: line, Shared: r.Common, Both: r.Flips.N(), OnlyFirst: r.OnlyFirst, OnlySecond: r.OnlySecond,
		Sentence:   r.Sentence(base.name(), other.name()),
		RightRight: cell(r.Flips.BothRight, pages.KindCorrect, pages.KindCorrect), RightWrong: cell(r.Flips.RightWrong, pages.KindCorrect, pages.KindWrong),
		WrongRight: cell(r.Flips.WrongRight, pages.KindWrong, pages.KindCorrect), WrongWrong: cell(r.Flips.BothWrong, pages.KindWrong, pages.KindWrong),
		Difference: difference(r.Difference, r.Interval, r.IntervalReason), Coverage: difference(r.CoverageDifference, r.CoverageInterval, r.CoverageIntervalReason),
		CoverBase: components.Rate{Metric: "coverage", K: r.FirstCoverage.K, N: r.FirstCoverage.N, Value: r.FirstCoverage.Value, Why: r.FirstCoverage.Reason},
		CoverOther: components.Rate{Metric: "coverage", K: r.SecondCoverage.K, N: r.SecondCoverage.N, Value: r.SecondCoverage.Value,
			Why: r.SecondCoverage.Reason},
		Permuted: r.Permutation.P, Detectable: r.Detectable.Value, DetectableWhy: r.Detectable.Reason, Warnings: r.Warnings,
	}
	out.OnlyBase, out.OnlyOther, out.Neither = abstentions(p)
	if out.Both > 0 {
		out.McNemar, out.MidP = &r.McNemar.P, &r.McNemar.MidP
	}
	out.PermutedBy = "exact"
	if !r.Permutation.Exact && r.Permutation.P != nil {
		out.PermutedBy = components.Count(r.Permutation.Draws) + " draws"
	}
	if several {
		out.Q = r.Q.Value
	}
	kappa := vote.Cohen(p.Decisions())
	out.Kappa, out.KappaWhy = kappa.Value, kappa.Reason
	shown := map[bool]int{}
	for _, f := range flips {
		truth := components.Truth{Label: trace.Label(f.Label), Bucket: trace.Bucket(f.Bucket)}
		toWrong := !components.Wrong(components.Mark(f.First), truth.Label)
		shown[toWrong]++
		out.Flips = append(out.Flips, pages.Flip{Instance: f.InstanceID, Href: traceURL(f.TraceID, f.SecondItem, flipList(base, other, toWrong)), Truth: truth,
			Base: components.Mark(f.First), Other: components.Mark(f.Second), ToWrong: toWrong})
	}
	out.More = out.RightWrong.N - shown[true] + out.WrongRight.N - shown[false]
	return out
}

// flipList is the list a flip is walked in, from the other arm's side.
func flipList(base, other comparedArm, toWrong bool) string {
	kind, against := pages.KindWrong, pages.KindCorrect
	if !toWrong {
		kind, against = pages.KindCorrect, pages.KindWrong
	}
	return parseList(other.experiment.ID, url.Values{"kind": {string(kind)}, "arm": {other.arm.ID}, "against": {base.arm.ID}, "against_kind": {string(against)}}).text()
}

// abstentions counts the common traces that only one arm decided, and neither.
func abstentions(p stats.Pair) (onlyBase, onlyOther, neither int) {
	table := p.Decisions()
	u := int(stats.Abstained)
	for i := range table {
		if i != u {
			onlyBase += table[i][u]
			onlyOther += table[u][i]
		}
	}
	return onlyBase, onlyOther, table[u][u]
}

func difference(n stats.Number, iv *stats.Interval, why string) components.Rate {
	r := components.Rate{Value: n.Value, Why: strings.TrimSpace(n.Reason)}
	if iv != nil {
		r.Lo, r.Hi, r.Method, r.Warnings = &iv.Lo, &iv.Hi, iv.Method, iv.Warnings
	} else if r.Why == "" {
		r.Why = why
	}
	return r
}
