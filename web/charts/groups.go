package charts

import (
	"fmt"
	"strings"

	"github.com/go-echarts/go-echarts/v2/charts"
	"github.com/go-echarts/go-echarts/v2/opts"
	"github.com/go-echarts/go-echarts/v2/types"

	"plumbline/web/components"
)

// Group is the wrong decisions of one arm in one group of traces.
type Group struct {
	Name         string
	Misses       int
	Rejections   int // false rejections
	Traces       int // all traces of the group with a decision
	MissHref     string
	RejectedHref string
}

// Errors draws the wrong decisions by group: what kind names the grouping, e.g.
// "repository". Groups come in the order given; more than 20 are cut and counted.
func Errors(kind string, groups []Group) Figure {
	const most = 20
	f := Figure{
		ID: "errors-by-" + strings.ReplaceAll(kind, " ", "-"), Title: "Wrong decisions by " + kind, DefURL: components.DefinitionURL("risk"),
		Says: "Misses and false rejections; a click lists the traces.",
		Table: components.Table{Plain: true, Compact: true, Caption: "Wrong decisions by " + kind, Columns: []components.Column{
			{Head: kind}, {Head: "Misses", Numeric: true}, {Head: "False rejections", Numeric: true}, {Head: "Traces", Numeric: true},
		}},
		Why: "No decision is wrong.",
	}
	wrong := 0
	for _, g := range groups {
		wrong += g.Misses + g.Rejections
		addRow(&f.Table, g.Name, components.Count(g.Misses), components.Count(g.Rejections), components.Count(g.Traces))
	}
	if wrong == 0 {
		f.Table.Rows = nil
		return f
	}
	shown := groups
	if len(groups) > most {
		shown = groups[:most]
		f.Notes = append(f.Notes, fmt.Sprintf("The first %d of %d groups are drawn; the table holds all.", most, len(groups)))
	}
	names := make([]any, len(shown))
	misses, rejections := make([]any, len(shown)), make([]any, len(shown))
	for i, g := range shown {
		names[i] = g.Name
		tip := fmt.Sprintf("%s\n%d misses, %d false rejections of %d traces", short(g.Name), g.Misses, g.Rejections, g.Traces)
		if g.Misses > 0 {
			misses[i] = point{Value: []any{g.Misses, i}, Tip: tip, Href: g.MissHref, Say: components.Count(g.Misses)}
		}
		if g.Rejections > 0 {
			rejections[i] = point{Value: []any{g.Rejections, i}, Tip: tip, Href: g.RejectedHref, Say: components.Count(g.Rejections)}
		}
	}
	d := newDrawing(opts.XAxis{}, opts.YAxis{}, opts.Grid{})
	for _, s := range []struct {
		name string
		mark components.Mark
		data []any
	}{{"misses (accepted)", components.Accept, misses}, {"false rejections", components.Reject, rejections}} {
		d.add(charts.SingleSeries{Name: s.name, Type: types.ChartBar, Stack: "wrong", Id: "group:" + string(s.mark), Data: s.data, BarWidth: "14"},
			map[string]any{"itemStyle": fill(s.mark), "emphasis": map[string]any{"disabled": true},
				"label": map[string]any{"show": true, "formatter": "@label", "color": "@on-" + string(s.mark), "fontSize": 10.5}})
		d.named(s.name)
	}
	d.root["xAxis"] = map[string]any{"type": "value", "min": 0, "minInterval": 1, "name": "traces", "nameLocation": "middle", "nameGap": 24}
	d.root["yAxis"] = map[string]any{"type": "category", "data": names, "inverse": true, "axisTick": map[string]any{"show": false},
		"axisLine": map[string]any{"show": false}, "axisLabel": map[string]any{"formatter": "@short", "width": 160, "overflow": "truncate"}}
	d.root["grid"] = map[string]any{"left": 172, "right": 16, "top": 8, "bottom": 66}
	d.root["legend"] = map[string]any{"show": true, "bottom": 0, "left": 0, "data": d.legend, "itemWidth": 12, "itemHeight": 12, "icon": "rect"}
	d.root["media"] = []any{
		map[string]any{"query": map[string]any{"minWidth": 560}, "option": map[string]any{"grid": map[string]any{"left": 172}}},
		map[string]any{"query": map[string]any{"maxWidth": 559}, "option": map[string]any{"grid": map[string]any{"left": 112},
			"yAxis": map[string]any{"axisLabel": map[string]any{"width": 104}}}},
	}
	f.Option = d.option()
	f.Height = 90 + 24*len(shown)
	return f
}
