package charts

import (
	"fmt"
	"math"
	"strings"

	"github.com/go-echarts/go-echarts/v2/charts"
	"github.com/go-echarts/go-echarts/v2/types"

	"plumbline/web/components"
)

// Change is what one intervention did to a rate on the traces that both sides have.
type Change struct {
	Kind          string // "another reviewer", "more votes", "other evidence"
	Name          string // from → to
	Label         string // the same, short, at the axis; Name when empty
	First, Second *float64
	Value, Lo, Hi *float64 // the difference, second minus first
	N             int      // traces of both
	Why           string   // why there is no difference
	Href          string
}

// mostChanges are the lines a chart of interventions draws; the table holds all.
const mostChanges = 40

// Interventions draws changes of a rate side by side, kind after kind.
func Interventions(metric string, changes []Change) Figure {
	name := metric
	if def, ok := components.Define(metric); ok {
		name = def.Name
	}
	f := Figure{
		ID: "interventions", Title: "What changes " + name,
		Says:   "Difference on the traces both sides have, with its paired bootstrap interval: another reviewer, more votes, other evidence.",
		DefURL: components.DefinitionURL(metric),
		Table: components.Table{Plain: true, Compact: true, Caption: "Interventions, " + name, Columns: []components.Column{
			{Head: "Intervention"}, {Head: "From → to"}, {Head: "From", Numeric: true}, {Head: "To", Numeric: true}, {Head: "Difference", Numeric: true},
			{Head: "95% interval", Numeric: true}, {Head: "Traces", Numeric: true},
		}},
		Why: "Nothing to compare: it takes two reviewers with the same evidence, two votes, or one reviewer with two kinds of evidence.",
	}
	kinds := []string{}
	lowest, highest := 0.0, 0.0
	byKind := map[string][]point{}
	whiskers := map[string][]point{}
	var names []any
	left := 0
	for _, c := range changes {
		addRow(&f.Table, c.Kind, c.Name, components.Fraction(c.First), components.Fraction(c.Second), signed(c.Value), signedInterval(c.Lo, c.Hi), components.Count(c.N))
		if num(c.Value) == nil {
			f.Notes = append(f.Notes, fmt.Sprintf("%s is not drawn: %s.", short(c.Name), c.Why))
			continue
		}
		if len(names) == mostChanges {
			left++
			continue
		}
		for _, v := range []*float64{c.Value, c.Lo, c.Hi} {
			if num(v) != nil {
				lowest, highest = min(lowest, *v), max(highest, *v)
			}
		}
		at := len(names)
		if c.Label == "" {
			c.Label = c.Name
		}
		names = append(names, c.Label)
		if byKind[c.Kind] == nil {
			kinds = append(kinds, c.Kind)
		}
		byKind[c.Kind] = append(byKind[c.Kind], point{Value: []any{num(c.Value), at}, Href: c.Href,
			Tip: fmt.Sprintf("%s\n%s\n%s → %s: %s\n95%% interval %s, %d traces", c.Kind, short(c.Name), components.Fraction(c.First), components.Fraction(c.Second),
				signed(c.Value), signedInterval(c.Lo, c.Hi), c.N)})
		whiskers[c.Kind] = append(whiskers[c.Kind], point{Value: []any{num(c.Value), at, num(c.Lo), num(c.Hi), nil, nil}})
	}
	if len(names) == 0 {
		return f
	}
	if left > 0 {
		f.Notes = append(f.Notes, fmt.Sprintf("%d more are in the table.", left))
	}
	d := newDrawing(rateX(""), rateY(""), roomy())
	for i, kind := range kinds {
		line := Arm{ID: "kind-" + kind, Name: kind, Index: i}
		d.whiskers(line, whiskers[kind])
		d.add(charts.SingleSeries{Name: kind, Type: types.ChartScatter, Id: "change:" + kind, Data: byKind[kind]}, map[string]any{
			"symbol": symbols[i%len(symbols)], "symbolSize": 10, "z": 4, "itemStyle": map[string]any{"color": line.Colour(), "opacity": 1, "borderColor": "@paper", "borderWidth": 1},
			"markLine": map[string]any{"silent": true, "symbol": "none", "label": map[string]any{"show": false}, "data": []any{map[string]any{"xAxis": 0}},
				"lineStyle": map[string]any{"color": "@soft", "type": "solid", "width": 1}},
		})
		d.named(kind)
	}
	d.root["xAxis"] = map[string]any{"type": "value", "name": "difference of " + name, "nameLocation": "middle", "nameGap": 26, "splitNumber": 5, "splitLine": map[string]any{"show": true},
		"min": math.Floor(lowest*10-0.2) / 10, "max": math.Ceil(highest*10+0.2) / 10}
	d.root["yAxis"] = map[string]any{"type": "category", "data": names, "inverse": true, "axisTick": map[string]any{"show": false},
		"axisLine": map[string]any{"show": false}, "axisLabel": map[string]any{"formatter": "@short", "width": 240, "overflow": "truncate", "interval": 0}}
	d.root["legend"] = map[string]any{"show": true, "bottom": 0, "left": 0, "data": d.legend, "itemWidth": 12, "itemHeight": 10}
	d.root["grid"] = map[string]any{"left": 252, "right": 20, "top": 8, "bottom": 66}
	d.root["media"] = []any{
		map[string]any{"query": map[string]any{"minWidth": 560}, "option": map[string]any{"grid": map[string]any{"left": 252}}},
		map[string]any{"query": map[string]any{"maxWidth": 559}, "option": map[string]any{"grid": map[string]any{"left": 122},
			"yAxis": map[string]any{"axisLabel": map[string]any{"width": 114}}}},
	}
	f.Option = d.option()
	f.Height = 96 + 24*len(names)
	return f
}

// signed writes a difference with its sign.
func signed(v *float64) string {
	if num(v) == nil {
		return components.Unknown
	}
	return strings.Replace(fmt.Sprintf("%+.2f", *v), "-", "−", 1)
}

func signedInterval(lo, hi *float64) string {
	if lo == nil || hi == nil {
		return components.Unknown
	}
	return signed(lo) + " to " + signed(hi)
}
