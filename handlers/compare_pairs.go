package handlers

import (
	"cmp"
	"fmt"
	"net/url"
	"slices"
	"strings"

	"github.com/labstack/echo/v4"

	"plumbline/experiments/stats"
	"plumbline/experiments/trace"
	"plumbline/experiments/vote"
	"plumbline/models"
	"plumbline/web/components"
	"plumbline/web/pages"
)

// openedPairs is up to how many pairs are all shown in full.
const openedPairs = 3

// decided holds the decisions of all arms: by trace, then by the index of the arm.
type decided struct {
	cells  []decidedTrace
	counts []int // decisions by arm
}

type decidedTrace struct {
	defect   bool
	outcomes []int8   // of stats.Outcome; -1: no decision
	texts    []string // hash of the evidence
}

func (h *Handlers) decisions(c echo.Context, arms []comparedArm) (decided, error) {
	ids := make([]string, len(arms))
	index := map[string]int{}
	for i, a := range arms {
		ids[i], index[a.arm.ID] = a.arm.ID, i
	}
	rows, err := h.store.ArmDecisions(c.Request().Context(), viewer(c), ids)
	if err != nil {
		return decided{}, err
	}
	out := decided{counts: make([]int, len(arms))}
	last := ""
	for _, r := range rows {
		if r.TraceID != last || len(out.cells) == 0 {
			last = r.TraceID
			t := decidedTrace{defect: traceTruth(r.Label), outcomes: make([]int8, len(arms)), texts: make([]string, len(arms))}
			for i := range t.outcomes {
				t.outcomes[i] = -1
			}
			out.cells = append(out.cells, t)
		}
		i, t := index[r.ArmID], &out.cells[len(out.cells)-1]
		t.outcomes[i], t.texts[i] = int8(outcome(r.Decision)), r.EvidenceSHA256
		out.counts[i]++
	}
	return out, nil
}

// pair tabulates two arms; otherText counts common traces on which their reviewers
// were shown different texts.
func (d decided) pair(i, j int) (p stats.Pair, otherText int) {
	common := 0
	for _, t := range d.cells {
		a, b := t.outcomes[i], t.outcomes[j]
		if a < 0 || b < 0 {
			continue
		}
		common++
		p.Add(t.defect, stats.Outcome(a), stats.Outcome(b))
		if t.texts[i] != "" && t.texts[j] != "" && t.texts[i] != t.texts[j] {
			otherText++
		}
	}
	p.OnlyFirst, p.OnlySecond = d.counts[i]-common, d.counts[j]-common
	return p, otherText
}

// shared is the number of traces that every arm decided on, in any way.
func (d decided) shared() int {
	n := 0
	for _, t := range d.cells {
		if !slices.Contains(t.outcomes, -1) {
			n++
		}
	}
	return n
}

func (h *Handlers) comparePairs(c echo.Context, s compareState, view *pages.Compare) error {
	pairs := s.pairsOf(s.pairs)
	if len(pairs) > mostPairs {
		return models.Invalid("pairs", "compare all pairs of at most 28 arms")
	}
	d, err := h.decisions(c, s.arms)
	if err != nil {
		return err
	}
	view.Shared = d.shared()
	if least, most := slices.Min(d.counts), slices.Max(d.counts); view.Shared < most {
		view.Warnings = append(view.Warnings, fmt.Sprintf("The arms do not have the same traces: %s to %s each, %s in common. Rates above are over each arm’s own; pairs are compared on what both have.",
			components.Count(least), components.Count(most), components.Count(view.Shared)))
	}
	labelled := make([]stats.LabelledPair, len(pairs))
	texts := make([]int, len(pairs))
	for k, ij := range pairs {
		a, b := s.arms[ij[0]], s.arms[ij[1]]
		labelled[k].Label = a.label(view.Several) + "\x00" + b.label(view.Several)
		labelled[k].Pair, texts[k] = d.pair(ij[0], ij[1])
		if a.arm.Form != b.arm.Form {
			texts[k] = 0 // they are meant to be shown different texts
		}
	}
	o := stats.Options{Seed: uint64(s.arms[0].experiment.Seed)}
	compared := stats.CompareAll(labelled, o)
	view.Differences = deltas(s, d, o)
	opened := slices.IndexFunc(pairs, func(ij [2]int) bool { return s.key(ij) == s.focus })
	for k, r := range compared {
		a, b := s.arms[pairs[k][0]], s.arms[pairs[k][1]]
		line := pairView(a, b, view.Arms[pairs[k][0]], view.Arms[pairs[k][1]], labelled[k].Pair, r, len(compared) > 1, view.Several)
		line.OpenURL = s.address(s.arms, "pair", s.key(pairs[k])) + "#pair"
		if texts[k] > 0 {
			line.Warnings = append(line.Warnings, fmt.Sprintf("On %s of %s common traces the two were shown different texts in the same form: budget, trace or program changed between them.",
				components.Count(texts[k]), components.Count(r.Common)))
		}
		line.Opened = len(compared) <= openedPairs || k == max(opened, 0)
		if line.Opened {
			flips, err := h.store.Flips(c.Request().Context(), viewer(c), a.arm.ID, b.arm.ID, flipsShown)
			if err != nil {
				return err
			}
			fillFlips(&line, a, b, flips)
		}
		view.Pairs = append(view.Pairs, line)
	}
	return nil
}

// deltas compares every rate of the baseline with that of every other arm on the
// traces both have a decision on.
func deltas(s compareState, d decided, o stats.Options) []pages.DeltaRow {
	var out []pages.DeltaRow
	for j := 1; j < len(s.arms); j++ {
		p, _ := d.pair(0, j)
		lp := stats.LabelledPair{Label: s.arms[0].label(s.several()) + "\x00" + s.arms[j].label(s.several()), Pair: p}
		for k, m := range stats.Differences(lp, o) {
			if j == 1 {
				out = append(out, pages.DeltaRow{Metric: string(m.Metric)})
			}
			delta := pages.Delta{Difference: difference(m.Difference, m.Interval, m.IntervalReason), Base: deltaRate(m.Metric, m.First), Other: deltaRate(m.Metric, m.Second)}
			out[k].Deltas = append(out[k].Deltas, delta)
			out[k].Differs = out[k].Differs || m.Difference.Value == nil || *m.Difference.Value != 0
		}
	}
	return out
}

func deltaRate(m stats.Metric, r stats.Rate) components.Rate {
	return components.Rate{Metric: string(m), K: r.K, N: r.N, Value: r.Value, Why: r.Reason}
}

func outcome(decision string) stats.Outcome {
	if i := vote.Vote(decision).Index(); i >= 0 {
		return stats.Outcome(i)
	}
	return stats.Unparsed
}

func pairView(base, other comparedArm, first, second pages.CompareArm, p stats.Pair, r stats.Comparison, several, experiments bool) pages.Pair {
	cell := func(n int, baseKind, otherKind pages.OutcomeKind) pages.FlipCount {
		return pages.FlipCount{N: n, Href: outcomesURL(base.experiment.ID, baseKind, "arm", base.arm.ID, "against", other.arm.ID, "against_kind", string(otherKind))}
	}
	out := pages.Pair{
		Base: first, Other: second, Shared: r.Common, Both: r.Flips.N(), OnlyFirst: r.OnlyFirst, OnlySecond: r.OnlySecond,
		Sentence:   r.Sentence(base.label(experiments), other.label(experiments)),
		RightRight: cell(r.Flips.BothRight, pages.KindCorrect, pages.KindCorrect), RightWrong: cell(r.Flips.RightWrong, pages.KindCorrect, pages.KindWrong),
		WrongRight: cell(r.Flips.WrongRight, pages.KindWrong, pages.KindCorrect), WrongWrong: cell(r.Flips.BothWrong, pages.KindWrong, pages.KindWrong),
		Difference: difference(r.Difference, r.Interval, r.IntervalReason), Coverage: difference(r.CoverageDifference, r.CoverageInterval, r.CoverageIntervalReason),
		CoverBase: deltaRate(stats.Coverage, r.FirstCoverage), CoverOther: deltaRate(stats.Coverage, r.SecondCoverage),
		AccuracyBase: deltaRate(stats.Accuracy, r.FirstAccuracy), AccuracyOther: deltaRate(stats.Accuracy, r.SecondAccuracy),
		Permuted: r.Permutation.P, Detectable: r.Detectable.Value, DetectableWhy: r.Detectable.Reason, Warnings: r.Warnings,
	}
	if iv := r.Interval; iv != nil {
		out.Method = fmt.Sprintf("%s, %s resamples, seed %d", iv.Method, components.Count(iv.Resamples), iv.Seed)
		out.Warnings = append(out.Warnings, iv.Warnings...)
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
	return out
}

func fillFlips(out *pages.Pair, base, other comparedArm, flips []models.Flip) {
	shown := map[bool]int{}
	for _, f := range flips {
		truth := components.Truth{Label: trace.Label(f.Label), Bucket: trace.Bucket(f.Bucket)}
		toWrong := !components.Wrong(components.Mark(f.First), truth.Label)
		shown[toWrong]++
		out.Flips = append(out.Flips, pages.Flip{
			Instance: f.InstanceID, Href: traceURL(f.TraceID, f.SecondItem, flipList(base, other, toWrong)), Truth: truth,
			Base: components.Mark(f.First), Other: components.Mark(f.Second), ToWrong: toWrong,
		})
	}
	out.More = out.RightWrong.N - shown[true] + out.WrongRight.N - shown[false]
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
	r := components.Rate{Value: n.Value, Why: cmp.Or(strings.TrimSpace(n.Reason), why)}
	if iv != nil {
		r.Lo, r.Hi, r.Method, r.Warnings = &iv.Lo, &iv.Hi, iv.Method, iv.Warnings
	}
	return r
}
