package handlers

import (
	"net/url"
	"slices"

	"plumbline/experiments/cascade"
	"plumbline/experiments/evidence"
	"plumbline/experiments/published"
	"plumbline/experiments/stats"
	"plumbline/runner"
	"plumbline/web/charts"
	"plumbline/web/pages"
)

// overlayLinks are the switches of the published results, in the order of the
// papers.
func overlayLinks(o resultOptions) []pages.OverlayLink {
	var out []pages.OverlayLink
	for _, x := range published.Overlays() {
		on := slices.Contains(o.published, x.Key)
		out = append(out, pages.OverlayLink{Text: x.Table.Cite(), Title: x.Table.Title, On: on, Href: toggled(o.path, o.query, "published", x.Key, !on)})
	}
	return out
}

// toggled is the address with one value of a parameter added or taken away.
func toggled(path string, query url.Values, name, value string, on bool) string {
	q := url.Values{}
	for k, v := range query {
		q[k] = slices.Clone(v)
	}
	q[name] = slices.DeleteFunc(q[name], func(v string) bool { return v == value })
	if on {
		q[name] = append(q[name], value)
	}
	if len(q[name]) == 0 {
		delete(q, name)
	}
	if len(q) == 0 {
		return path
	}
	return path + "?" + q.Encode()
}

// publishedPoints are the points of the chosen overlays as charts know them.
func publishedPoints(keys []string) []charts.Published {
	var out []charts.Published
	for _, key := range keys {
		o, ok := published.OverlayByKey(key)
		if !ok {
			continue
		}
		for _, p := range o.Points {
			c := charts.Published{Key: p.Key, Name: p.Name, Source: p.Table.Cite(), Href: publishedURL(p.Table.Key), From: p.From, Size: p.Size,
				Coverage: printedRate(p.Coverage), Risk: printedRate(p.Risk), Catch: printedRate(p.Catch), Over: printedRate(p.OverRejection)}
			if p.Counts != nil { // the value stays the printed one
				for metric, e := range map[stats.Metric]*charts.Estimate{stats.Coverage: &c.Coverage, stats.Risk: &c.Risk, stats.Catch: &c.Catch, stats.OverRejection: &c.Over} {
					r := p.Counts.Rate(metric)
					e.K, e.N = r.K, r.N
				}
			}
			out = append(out, c)
		}
	}
	return out
}

func printedRate(f *published.Figure) charts.Estimate {
	if f == nil {
		return charts.Estimate{}
	}
	return charts.Estimate{K: f.K, N: f.N, Value: &f.Value, Lo: f.Lo, Hi: f.Hi}
}

func publishedURL(key string) string { return "/published#" + url.PathEscape(key) }

// areas are the areas under the curves, arm by arm.
func (m *measured) areas(rows []pages.ArmRow) []pages.AreaRow {
	var out []pages.AreaRow
	for i, row := range rows {
		a := m.Arms[i]
		if a.Curve.N == 0 {
			continue
		}
		out = append(out, pages.AreaRow{
			Name: row.Name(), Index: row.Index, N: a.Curve.N, Decided: a.Curve.Decided,
			AURC: quantity(a.Curve.AURC, a.CurveCI.AURC), EAURC: quantity(a.Curve.EAURC, a.CurveCI.EAURC), AUGRC: quantity(a.Curve.AUGRC, a.CurveCI.AUGRC),
			AURCPartial: quantity(a.Curve.AURCPartial, a.CurveCI.AURCPartial), AUGRCPartial: quantity(a.Curve.AUGRCPartial, a.CurveCI.AUGRCPartial),
			AURCDecided: quantity(a.Curve.AURCDecided, a.CurveCI.AURCDecided),
		})
	}
	return out
}

// rulesName is how the baseline without a reviewer is called.
const rulesName = "rules alone"

// baselineCurve is the operating point of the rules without a reviewer; ok is false
// where there is none.
func (m *measured) baselineCurve(o resultOptions) (c charts.Curve, ok bool) {
	b := m.rules
	if b.Reason != "" || b.Measures == nil {
		return c, false
	}
	rate := func(metric stats.Metric) charts.Estimate { return estimate(measuredRate(b.Measures.Of(metric))) }
	c = charts.Curve{Arm: charts.Arm{Name: rulesName}, Coverage: rate(stats.Coverage), Risk: rate(stats.Risk), Baseline: true, Says: "baseline, no reviewer"}
	if b.From != "" && !o.public {
		c.Href = experimentURL(b.From) + "/funnel"
	}
	return c, true
}

// baselineNotes say which baseline is not on the curve, and why.
func (m *measured) baselineNotes() []string {
	var out []string
	switch {
	case m.rules.Reason != "":
		out = append(out, "Rules alone are not drawn: "+m.rules.Reason+".")
	case m.rules.Measures != nil && m.rules.Measures.Of(stats.Risk).Value == nil:
		out = append(out, "Rules alone are not drawn: "+cascade.RulesOnly().Name+" decides none of these traces.")
	}
	patch := slices.ContainsFunc(m.Arms, func(a runner.ArmResult) bool { return a.Arm.Form == string(evidence.Patch) })
	if !patch && len(m.Arms) > 0 {
		out = append(out, "Patch-only review is not drawn: no arm of this experiment sees the patch alone.")
	}
	return out
}
