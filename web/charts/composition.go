package charts

import (
	"fmt"

	"github.com/go-echarts/go-echarts/v2/charts"
	"github.com/go-echarts/go-echarts/v2/opts"
	"github.com/go-echarts/go-echarts/v2/types"

	"plumbline/experiments/trace"
	"plumbline/web/components"
)

// Part is how many traces of a class ended in a mark.
type Part struct {
	Mark  components.Mark
	Count int
	Href  string // these traces
}

// Mix is the composition of one arm's decisions on one class of traces.
type Mix struct {
	Arm   Arm
	Label trace.Label
	Parts []Part
}

func (m Mix) total() int {
	n := 0
	for _, p := range m.Parts {
		n += p.Count
	}
	return n
}

func (m Mix) part(mark components.Mark) Part {
	for _, p := range m.Parts {
		if p.Mark == mark {
			return p
		}
	}
	return Part{Mark: mark}
}

var mixMarks = []components.Mark{
	components.Accept, components.Uncertain, components.Reject, components.Unparseable,
	components.Errored, components.Blocked, components.Missing,
}

// Composition draws, for each arm, the decisions on acceptable and on defective
// traces as two bars of full length, side by side.
func Composition(mixes []Mix) Figure {
	f := Figure{
		ID: "composition", Title: "Decisions", DefURL: components.DefinitionURL("composition"),
		Says: "Share of each decision, on acceptable traces (left) and defective ones (right). A good reviewer is all accept on the left and all reject on the right.",
		Table: components.Table{Plain: true, Compact: true, Caption: "Decisions by class", Columns: []components.Column{
			{Head: "Arm"}, {Head: "Class"}, {Head: "Traces", Numeric: true},
		}},
		Why: "The split holds no trace with a known label.",
	}
	for _, m := range mixMarks {
		f.Table.Columns = append(f.Table.Columns, components.Column{Head: string(m), Numeric: true})
	}
	var arms []Arm
	by := map[string]map[trace.Label]Mix{}
	for _, m := range mixes {
		if by[m.Arm.ID] == nil {
			by[m.Arm.ID] = map[trace.Label]Mix{}
			arms = append(arms, m.Arm)
		}
		by[m.Arm.ID][m.Label] = m
		cells := []string{m.Arm.Name, string(m.Label), components.Count(m.total())}
		for _, mark := range mixMarks {
			cells = append(cells, components.Count(m.part(mark).Count))
		}
		addRow(&f.Table, cells...)
	}
	any := false
	for _, m := range mixes {
		any = any || m.total() > 0
	}
	if !any {
		f.Table.Rows = nil
		return f
	}
	f.Option = drawMixes(arms, by)
	f.Height = 90 + 26*len(arms)
	return f
}

func drawMixes(arms []Arm, by map[string]map[trace.Label]Mix) map[string]any {
	names := make([]any, len(arms))
	for i, a := range arms {
		names[i] = a.Name
	}
	d := newDrawing(opts.XAxis{}, opts.YAxis{}, opts.Grid{})
	used := map[components.Mark]bool{}
	for side, label := range []trace.Label{trace.Acceptable, trace.Defective} {
		for _, mark := range mixMarks {
			data := make([]any, len(arms))
			some := false
			for i, a := range arms {
				mix := by[a.ID][label]
				part, n := mix.part(mark), mix.total()
				if n == 0 || part.Count == 0 {
					continue
				}
				some = true
				share := float64(part.Count) / float64(n)
				data[i] = point{Value: []any{share, i}, Href: part.Href, Say: sayCount(part.Count, share),
					Tip: fmt.Sprintf("%s\n%s: %d of %d %s traces (%s)", short(a.Name), mark, part.Count, n, label, components.Fraction(&share))}
			}
			if !some {
				continue
			}
			used[mark] = true
			s := charts.SingleSeries{Name: string(mark), Type: types.ChartBar, Stack: string(label), XAxisIndex: side, YAxisIndex: side,
				Id: "mix:" + string(label) + ":" + string(mark), Data: data, BarWidth: "16"}
			d.add(s, map[string]any{
				"itemStyle": fill(mark), "emphasis": map[string]any{"disabled": true},
				"label": map[string]any{"show": true, "formatter": "@label", "color": "@on-" + string(mark), "fontSize": 10.5},
			})
		}
	}
	for _, m := range mixMarks {
		if used[m] {
			d.named(string(m))
		}
	}
	value := func(i int, title string) map[string]any {
		return map[string]any{"type": "value", "gridIndex": i, "min": 0, "max": 1, "position": "top", "name": title, "nameLocation": "start",
			"nameGap": 8, "splitLine": map[string]any{"show": false}, "axisLabel": map[string]any{"show": false}, "axisLine": map[string]any{"show": false},
			"nameTextStyle": map[string]any{"align": "left", "verticalAlign": "bottom", "padding": []int{0, 0, 4, 0}}}
	}
	category := func(i int, show bool) map[string]any {
		return map[string]any{"type": "category", "gridIndex": i, "data": names, "inverse": true, "axisTick": map[string]any{"show": false},
			"axisLine":  map[string]any{"show": false},
			"axisLabel": map[string]any{"show": show, "formatter": "@short", "width": 168, "overflow": "truncate"}}
	}
	d.root["xAxis"] = []any{value(0, "○ acceptable"), value(1, "● defective")}
	d.root["yAxis"] = []any{category(0, true), category(1, false)}
	d.root["grid"] = []any{
		map[string]any{"left": 176, "right": "39%", "top": 34, "bottom": 34},
		map[string]any{"left": "63%", "right": 8, "top": 34, "bottom": 34},
	}
	d.root["legend"] = map[string]any{"show": true, "bottom": 0, "left": 0, "data": d.legend, "itemWidth": 12, "itemHeight": 12, "icon": "rect"}
	d.root["media"] = []any{
		map[string]any{"query": map[string]any{"minWidth": 560}, "option": map[string]any{"grid": []any{
			map[string]any{"left": 176, "right": "39%"}, map[string]any{"left": "63%"}}}},
		map[string]any{"query": map[string]any{"maxWidth": 559}, "option": map[string]any{
			"grid":  []any{map[string]any{"left": 104, "right": "37%"}, map[string]any{"left": "65%"}},
			"yAxis": []any{map[string]any{"axisLabel": map[string]any{"width": 96}}, map[string]any{}}}},
	}
	return d.option()
}

// sayCount writes the count into its bar where it fits.
func sayCount(n int, share float64) string {
	if share < 0.07 {
		return ""
	}
	return components.Count(n)
}

// fill is the look of a mark: its colour, hatched for an error, an outline for
// what is missing.
func fill(m components.Mark) map[string]any {
	switch m {
	case components.Errored, components.Blocked:
		return map[string]any{"color": "@hatch", "borderColor": "@error", "borderWidth": 1}
	case components.Missing:
		return map[string]any{"color": "@none", "borderColor": "@missing", "borderType": "dashed", "borderWidth": 1}
	}
	return map[string]any{"color": "@" + string(m), "borderColor": "@paper", "borderWidth": 1}
}
