package handlers

import (
	"cmp"
	"math"
	"slices"
	"sort"
	"strconv"
	"strings"

	"plumbline/experiments/evidence"
	"plumbline/experiments/stats"
	"plumbline/experiments/trace"
	"plumbline/models"
	"plumbline/web/charts"
	"plumbline/web/components"
	"plumbline/web/pages"
)

// figures draws everything under the arm table.
func (m *measured) figures(r *pages.Result, o resultOptions) {
	over := publishedPoints(o.published)
	curves := m.curves(r.Arms)
	if base, ok := m.baselineCurve(o); ok {
		curves = append(curves, base)
	}
	r.RiskCoverage = charts.RiskCoverage(curves, over...)
	r.Tradeoff = charts.Tradeoff(m.trades(r.Arms), over...)
	r.Composition = charts.Composition(m.mixes(r.Arms))
	r.Agreement = charts.Agreement(m.splits(r.Arms))
	rates := m.scaling
	if o.prefix && o.prefixes != nil {
		rates = o.prefixes
	}
	for i, metric := range scalingMetrics[:scalingShown] {
		if m.scaling != nil {
			f := charts.Scaling(string(metric), m.scales(r.Arms, i, rates))
			if o.prefix {
				f.Says = saysPrefix
			}
			r.Scaling = append(r.Scaling, f)
		}
	}
	if m.scaling != nil {
		prefixSwitch(r, o)
	}
	for _, by := range wrongGroupings {
		if groups := m.groups(by.param, by.of); len(groups) > 1 {
			f := charts.Errors(by.name, groups)
			if f.Option != nil {
				r.ErrorsBy = append(r.ErrorsBy, f)
			}
		}
	}
}

func armOf(row pages.ArmRow) charts.Arm {
	return charts.Arm{ID: row.ID, Name: row.Name(), Index: row.Index}
}

func estimate(r components.Rate) charts.Estimate {
	return charts.Estimate{K: r.K, N: r.N, Value: r.Value, Lo: r.Lo, Hi: r.Hi}
}

func (m *measured) curves(rows []pages.ArmRow) []charts.Curve {
	out := make([]charts.Curve, len(rows))
	for i, row := range rows {
		c := charts.Curve{Arm: armOf(row), Coverage: estimate(row.Rates["coverage"]), Risk: estimate(row.Rates["risk"]),
			Baseline: row.Form == string(evidence.Patch), Href: outcomesURL(m.Experiment.ID, pages.KindDecided, "arm", row.ID)}
		if c.Baseline {
			c.Says = "operating point, patch only"
		}
		for _, p := range m.Arms[i].Curve.Points {
			wrong := int(math.Round(p.SelectiveRisk * float64(p.Covered)))
			point := charts.CurvePoint{Coverage: &p.Coverage, Risk: &p.SelectiveRisk, Confidence: &p.Threshold, Wrong: wrong, Decided: p.Covered,
				Href: outcomesURL(m.Experiment.ID, pages.KindDecided, "arm", row.ID, "share", strconv.FormatFloat(p.Threshold, 'g', -1, 64))}
			if iv, _ := stats.Wilson(wrong, p.Covered, 0); iv != nil {
				point.Lo, point.Hi = &iv.Lo, &iv.Hi
			}
			c.Points = append(c.Points, point)
		}
		out[i] = c
	}
	return out
}

// trades places the arms; an arrow leads to official evidence from the structured
// evidence of the same reviewer version.
func (m *measured) trades(rows []pages.ArmRow) []charts.Trade {
	structured := map[string]string{}
	for _, a := range m.Arms {
		if a.Arm.Form == string(evidence.Structured) {
			structured[a.Arm.ReviewerVersionID] = a.Arm.ID
		}
	}
	out := make([]charts.Trade, len(rows))
	for i, row := range rows {
		out[i] = charts.Trade{Arm: armOf(row), Catch: estimate(row.Rates["catch"]), Over: estimate(row.Rates["over_rejection"]), Href: outcomesURL(m.Experiment.ID, pages.KindWrong, "arm", row.ID)}
		if row.UpperBound {
			out[i].From = structured[m.Arms[i].Arm.ReviewerVersionID]
		}
	}
	return out
}

func (m *measured) mixes(rows []pages.ArmRow) []charts.Mix {
	kinds := map[trace.Label]map[components.Mark]pages.OutcomeKind{
		trace.Acceptable: {components.Accept: pages.KindGoodAccepts, components.Reject: pages.KindFalseRejections, components.Uncertain: pages.KindAbstentions,
			components.Unparseable: pages.KindUnparseable, components.Errored: pages.KindErrors, components.Missing: pages.KindMissing, components.Blocked: pages.KindBlocked},
		trace.Defective: {components.Accept: pages.KindMisses, components.Reject: pages.KindCatches, components.Uncertain: pages.KindAbstentions,
			components.Unparseable: pages.KindUnparseable, components.Errored: pages.KindErrors, components.Missing: pages.KindMissing, components.Blocked: pages.KindBlocked},
	}
	var out []charts.Mix
	for i, row := range rows {
		for _, label := range []trace.Label{trace.Acceptable, trace.Defective} {
			c := m.Arms[i].Counts.Acceptable
			if label == trace.Defective {
				c = m.Arms[i].Counts.Defect
			}
			counts := map[components.Mark]int{components.Accept: c.Accept, components.Reject: c.Reject, components.Uncertain: c.Uncertain, components.Unparseable: c.Unparseable}
			for _, u := range m.unfinished {
				if u.ArmID == row.ID && u.Label == string(label) {
					counts[markOfState(u.State)] += u.N
				}
			}
			mix := charts.Mix{Arm: armOf(row), Label: label}
			for mark, n := range counts {
				mix.Parts = append(mix.Parts, charts.Part{Mark: mark, Count: n, Href: outcomesURL(m.Experiment.ID, kinds[label][mark], "arm", row.ID, "label", string(label))})
			}
			out = append(out, mix)
		}
	}
	return out
}

// markOfState is the mark of an item without a decision.
func markOfState(state string) components.Mark {
	switch state {
	case models.ItemError:
		return components.Errored
	case models.ItemBlocked:
		return components.Blocked
	}
	return components.Missing
}

// splitName writes how votes fell, the largest count first: "4–1".
func splitName(accept, reject, uncertain, unparseable int) string {
	counts := []int{accept, reject, uncertain, unparseable}
	sort.Sort(sort.Reverse(sort.IntSlice(counts)))
	var parts []string
	for _, n := range counts {
		if n > 0 {
			parts = append(parts, strconv.Itoa(n))
		}
	}
	return strings.Join(parts, "–")
}

// splits counts traces by vote split, unanimous first and the same order for all
// arms.
func (m *measured) splits(rows []pages.ArmRow) []charts.VoteSplits {
	seen := map[string]bool{}
	var order []string
	tallies := make([]map[string]*charts.Split, len(rows))
	for i, a := range m.Arms {
		tallies[i] = map[string]*charts.Split{}
		for _, c := range a.Cells {
			name := splitName(c.NAccept, c.NReject, c.NUncertain, c.NUnparseable)
			if !seen[name] {
				seen[name] = true
				order = append(order, name)
			}
			s := tallies[i][name]
			if s == nil {
				s = &charts.Split{Text: name, Href: outcomesURL(m.Experiment.ID, pages.KindAll, "arm", a.Arm.ID, "votes", name)}
				tallies[i][name] = s
			}
			mark := components.Mark(c.Decision)
			switch {
			case components.Wrong(mark, trace.Label(c.Label)):
				s.Wrong += c.N
			case mark == components.Uncertain || c.Label == string(trace.Unknown):
				s.Undone += c.N
			default:
				s.Right += c.N
			}
		}
	}
	sort.Slice(order, func(i, j int) bool { return lessSplit(order[i], order[j]) })
	out := make([]charts.VoteSplits, len(rows))
	for i, row := range rows {
		out[i].Arm = armOf(row)
		for _, name := range order {
			if s := tallies[i][name]; s != nil {
				out[i].Splits = append(out[i].Splits, *s)
			} else {
				out[i].Splits = append(out[i].Splits, charts.Split{Text: name})
			}
		}
	}
	return out
}

// lessSplit orders splits from agreement to division: by their counts, larger first.
func lessSplit(a, b string) bool {
	x, y := strings.Split(a, "–"), strings.Split(b, "–")
	for i := range min(len(x), len(y)) {
		m, _ := strconv.Atoi(x[i])
		n, _ := strconv.Atoi(y[i])
		if m != n {
			return m > n
		}
	}
	return len(x) < len(y)
}

func (m *measured) scales(rows []pages.ArmRow, metric int, rates [][][]stats.ExpectedRate) []charts.Scale {
	out := make([]charts.Scale, len(rows))
	for i, row := range rows {
		out[i].Arm = armOf(row)
		for s, k := range m.steps {
			if s >= len(rates[i]) { // an arm without a decided trace has no steps
				break
			}
			r := rates[i][s][metric]
			p := charts.ScalePoint{K: k, N: int(math.Round(r.N)), Value: r.Value}
			if r.Interval != nil {
				p.Lo, p.Hi = &r.Interval.Lo, &r.Interval.Hi
			}
			out[i].Points = append(out[i].Points, p)
		}
	}
	return out
}

// wrongGroupings are the facts of a trace that mistakes are grouped by, with the
// parameter that narrows a list to one group.
var wrongGroupings = []struct {
	name, param string
	of          func(models.WrongGroup) string
}{
	{models.GroupRepo, "repo", func(g models.WrongGroup) string { return g.Repo }},
	{models.GroupAgent, "agent", func(g models.WrongGroup) string { return g.Agent }},
	{models.GroupBucket, "bucket", func(g models.WrongGroup) string { return g.Bucket }},
}

// groups adds up the wrong decisions by one fact, most mistakes first.
func (m *measured) groups(param string, of func(models.WrongGroup) string) []charts.Group {
	var out []charts.Group
	at := map[string]int{}
	for _, g := range m.wrong {
		value := of(g)
		if param == "bucket" && value == "" {
			continue // acceptable traces have no bucket
		}
		i, ok := at[value]
		if !ok {
			i = len(out)
			at[value] = i
			name := value
			switch {
			case value == "":
				name = "not known"
			case param == "bucket":
				name = components.BucketWord(trace.Bucket(value))
			}
			out = append(out, charts.Group{Name: name,
				MissHref:     outcomesURL(m.Experiment.ID, pages.KindMisses, param, value),
				RejectedHref: outcomesURL(m.Experiment.ID, pages.KindFalseRejections, param, value)})
		}
		out[i].Misses += g.Misses
		out[i].Rejections += g.Rejections
		out[i].Traces += g.Decided
	}
	slices.SortStableFunc(out, func(a, b charts.Group) int { return cmp.Compare(b.Misses+b.Rejections, a.Misses+a.Rejections) })
	return out
}
