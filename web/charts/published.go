package charts

import (
	"fmt"

	"github.com/go-echarts/go-echarts/v2/charts"
	"github.com/go-echarts/go-echarts/v2/types"

	"plumbline/web/components"
)

// Published is a point of a paper, laid over one's own. It is drawn hollow in the
// colour of the ink, never joined with a line of an arm, and its row in the table
// says where it is printed. Rates that are not printed are nil.
type Published struct {
	Key, Name string
	Source    string // "paper G, Table 3"
	Href      string // its row on the page of published results
	From      string // key of the point an arrow starts at
	Catch, Over,
	Coverage, Risk Estimate
	Size *float64 // billions of parameters
}

const publishedNote = "Hollow marks are printed in a paper, on other traces and by other reviewers; they enter no count of this page."

// text is a printed rate: without counts unless they are printed or derived.
func (p Published) text(e Estimate) string {
	s := components.Fraction(e.Value)
	if e.Value != nil && e.N > 0 {
		s += fmt.Sprintf(" (%d/%d)", e.K, e.N)
	}
	if e.Lo != nil && e.Hi != nil {
		s += ", " + interval(e.Lo, e.Hi)
	}
	return s
}

// said is how the point is called on a chart.
func (p Published) said() string { return "[" + p.Source + "] " + p.Name }

// mark adds the point at x, y with its whiskers.
func (p Published) mark(d *drawing, x, y Estimate, tip string) {
	d.add(charts.SingleSeries{Type: types.ChartCustom, Id: "published-whisker:" + p.Key, RenderItem: "@whisker",
		Data: []point{{Value: []any{num(x.Value), num(y.Value), num(x.Lo), num(x.Hi), num(y.Lo), num(y.Hi)}}}}, map[string]any{
		"itemStyle": map[string]any{"color": "@soft", "opacity": 0.55}, "silent": true, "z": 2, "clip": true,
		"tooltip": map[string]any{"show": false}, "encode": map[string]any{"x": 0, "y": 1},
	})
	d.add(charts.SingleSeries{Name: p.said(), Type: types.ChartScatter, Id: "published:" + p.Key,
		Data: []point{{Value: []any{num(x.Value), num(y.Value)}, Tip: tip, Href: p.Href, Say: short(p.Name)}}}, map[string]any{
		"symbol": "diamond", "symbolSize": 12, "z": 5, "published": true,
		"itemStyle": map[string]any{"color": "@paper", "borderColor": "@ink", "borderWidth": 1.5, "opacity": 1},
		"label": map[string]any{"show": true, "position": "right", "formatter": "@label", "color": "@soft", "fontSize": 10, "opacity": 1,
			"textBorderColor": "@paper", "textBorderWidth": 3},
		"labelLayout": map[string]any{"moveOverlap": "shiftY", "hideOverlap": true},
	})
}

// overCurve lays the points over coverage and risk.
func overCurve(d *drawing, f *Figure, points []Published) int {
	n := 0
	for _, p := range points {
		if num(p.Coverage.Value) == nil || num(p.Risk.Value) == nil {
			continue
		}
		n++
		p.mark(d, p.Coverage, p.Risk, fmt.Sprintf("%s\nas printed in %s\ncoverage %s\nrisk %s", short(p.Name), p.Source, p.text(p.Coverage), p.text(p.Risk)))
		wrong := components.Unknown
		if p.Risk.N > 0 {
			wrong = fmt.Sprintf("%d/%d", p.Risk.K, p.Risk.N)
		}
		addRow(&f.Table, p.Name, "published: "+p.Source, "", components.Fraction(p.Coverage.Value), components.Fraction(p.Risk.Value), interval(p.Risk.Lo, p.Risk.Hi), wrong)
	}
	return n
}

// overTrade lays the points over catch and over-rejection, with their arrows.
func overTrade(d *drawing, f *Figure, points []Published) int {
	at := map[string]Published{}
	for _, p := range points {
		if num(p.Catch.Value) == nil || num(p.Over.Value) == nil {
			continue
		}
		at[p.Key] = p
		p.mark(d, p.Over, p.Catch, fmt.Sprintf("%s\nas printed in %s\ncatch %s\nover-rejection %s", short(p.Name), p.Source, p.text(p.Catch), p.text(p.Over)))
		addRow(&f.Table, "published, "+p.Source+": "+p.Name, p.text(p.Catch), interval(p.Catch.Lo, p.Catch.Hi), p.text(p.Over), interval(p.Over.Lo, p.Over.Hi))
	}
	for _, p := range points {
		from, ok := at[p.From]
		if to, drawn := at[p.Key]; ok && drawn {
			hollowArrow(d, p.Key, "@hair-strong", []any{num(from.Over.Value), num(from.Catch.Value), num(to.Over.Value), num(to.Catch.Value)})
		}
	}
	return len(at)
}

func hollowArrow(d *drawing, key, colour string, ends []any) {
	d.add(charts.SingleSeries{Type: types.ChartCustom, Id: "published-arrow:" + key, RenderItem: "@arrow", Data: []point{{Value: ends}}}, map[string]any{
		"itemStyle": map[string]any{"color": colour}, "silent": true, "z": 2, "clip": true,
		"tooltip": map[string]any{"show": false}, "encode": map[string]any{"x": []int{0, 2}, "y": []int{1, 3}},
	})
}
