package charts

import (
	"fmt"

	"github.com/go-echarts/go-echarts/v2/types"

	"plumbline/web/components"
)

// Trade is one arm in the plane of catch and over-rejection.
type Trade struct {
	Arm   Arm
	Catch Estimate
	Over  Estimate
	From  string // id of the arm an arrow starts at: the same reviewer with structured evidence
	Href  string
}

// Tradeoff draws catch against over-rejection with intervals, and an arrow for
// every reviewer from structured to official evidence. Published points are laid
// over it.
func Tradeoff(trades []Trade, over ...Published) Figure {
	f := Figure{
		ID: "tradeoff", Title: "Catch against over-rejection", Zoom: true, Height: 380,
		Says:   "Up and left is better: more defects caught, fewer good patches turned away. Arrows lead from structured to official evidence.",
		DefURL: components.DefinitionURL("catch"),
		Table: components.Table{Plain: true, Compact: true, Caption: "Catch and over-rejection", Columns: []components.Column{
			{Head: "Arm"}, {Head: "Catch", Numeric: true}, {Head: "95% interval", Numeric: true},
			{Head: "Over-rejection", Numeric: true}, {Head: "95% interval", Numeric: true},
		}},
		Why: "No arm has both a catch and an over-rejection yet: each needs a decided trace of its class.",
	}
	d := newDrawing(rateX("over-rejection"), rateY("catch"), roomy())
	at := map[string]Trade{}
	for _, t := range trades {
		x, y := num(t.Over.Value), num(t.Catch.Value)
		addRow(&f.Table, t.Arm.Name, counted(t.Catch), interval(t.Catch.Lo, t.Catch.Hi), counted(t.Over), interval(t.Over.Lo, t.Over.Hi))
		if x == nil || y == nil {
			f.Notes = append(f.Notes, fmt.Sprintf("%s is not drawn: catch or over-rejection is undefined.", short(t.Arm.Name)))
			continue
		}
		at[t.Arm.ID] = t
		d.named(t.Arm.Name)
		d.whiskers(t.Arm, []point{{Value: []any{x, y, num(t.Over.Lo), num(t.Over.Hi), num(t.Catch.Lo), num(t.Catch.Hi)}}})
		s := armSeries(t.Arm, types.ChartScatter, "point")
		s.Data = []point{{
			Value: []any{x, y}, Say: short(t.Arm.Name), Href: t.Href,
			Tip: short(t.Arm.Name) + "\ncatch " + t.Catch.text() + "\nover-rejection " + t.Over.text(),
		}}
		d.add(s, armExtra(t.Arm, map[string]any{
			"symbol": t.Arm.Symbol(), "symbolSize": 11, "z": 4,
			"itemStyle": map[string]any{"color": t.Arm.Colour(), "opacity": 1, "borderColor": "@paper", "borderWidth": 1.5},
		}))
	}
	if len(at) == 0 {
		f.Notes, f.Table.Rows = nil, nil
		return f
	}
	d.pointLabels(types.ChartScatter, "label", d.labels("170", 10))
	for _, t := range trades {
		from, ok := at[t.From]
		if _, drawn := at[t.Arm.ID]; !ok || !drawn || t.From == t.Arm.ID {
			continue
		}
		s := armSeries(t.Arm, types.ChartCustom, "arrow")
		s.Name = ""
		s.RenderItem = "@arrow"
		s.Data = []point{{Value: []any{num(from.Over.Value), num(from.Catch.Value), num(t.Over.Value), num(t.Catch.Value)}}}
		d.add(s, armExtra(t.Arm, map[string]any{
			"itemStyle": map[string]any{"color": t.Arm.Colour(), "opacity": 0.85},
			"silent":    true, "z": 3, "clip": true, "tooltip": map[string]any{"show": false},
			"encode": map[string]any{"x": []int{0, 2}, "y": []int{1, 3}},
		}))
	}
	if overTrade(d, &f, over) > 0 {
		f.Notes = append(f.Notes, publishedNote)
	}
	f.Option = d.option()
	return f
}

func counted(e Estimate) string {
	if e.Value == nil {
		return components.Unknown
	}
	return fmt.Sprintf("%s (%d/%d)", components.Fraction(e.Value), e.K, e.N)
}
