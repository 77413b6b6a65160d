package charts

import (
	"fmt"

	"github.com/go-echarts/go-echarts/v2/charts"
	"github.com/go-echarts/go-echarts/v2/opts"
	"github.com/go-echarts/go-echarts/v2/types"

	"plumbline/web/components"
)

// FunnelStage is how many traces came to a stage and what became of them there.
// Parts are the verdicts given at the stage and the ends without one; what is left
// went on to the next.
type FunnelStage struct {
	Name    string
	Entered int
	Parts   []Part
	OnHref  string // the traces that went on
}

func (s FunnelStage) on() int {
	left := s.Entered
	for _, p := range s.Parts {
		left -= p.Count
	}
	return max(left, 0)
}

func (s FunnelStage) part(m components.Mark) Part {
	return Mix{Parts: s.Parts}.part(m)
}

// wentOn is how the part that goes on is called.
const wentOn = "goes on"

var funnelMarks = []components.Mark{components.Reject, components.Accept, components.Uncertain, components.Unparseable, components.Errored}

// Funnel draws the stages of a cascade from the top: a bar is as long as the traces
// that came to the stage, in the colours of the verdicts given there.
func Funnel(stages []FunnelStage) Figure {
	f := Figure{
		ID: "funnel", Title: "What each stage decided", DefURL: components.DefinitionURL("stage"),
		Says: "A bar is as long as the traces that came to the stage; the outlined rest went on to the next one.",
		Table: components.Table{Plain: true, Compact: true, Caption: "Stages", Columns: []components.Column{
			{Head: "Stage"}, {Head: "Came to it", Numeric: true},
		}},
		Why: "No trace has begun its way yet.",
	}
	for _, m := range funnelMarks {
		f.Table.Columns = append(f.Table.Columns, components.Column{Head: string(m), Numeric: true})
	}
	f.Table.Columns = append(f.Table.Columns, components.Column{Head: wentOn, Numeric: true})
	any := false
	for _, s := range stages {
		any = any || s.Entered > 0
		cells := []string{s.Name, components.Count(s.Entered)}
		for _, m := range funnelMarks {
			cells = append(cells, components.Count(s.part(m).Count))
		}
		addRow(&f.Table, append(cells, components.Count(s.on()))...)
	}
	if !any {
		f.Table.Rows = nil
		return f
	}
	f.Option = drawFunnel(stages)
	f.Height = 84 + 44*len(stages)
	return f
}

func drawFunnel(stages []FunnelStage) map[string]any {
	names := make([]any, len(stages))
	for i, s := range stages {
		names[i] = s.Name
	}
	d := newDrawing(
		opts.XAxis{Type: "value", Name: "traces", NameLocation: "middle", NameGap: 26, Min: 0, SplitLine: &opts.SplitLine{Show: opts.Bool(true)}},
		opts.YAxis{Type: "category", Data: names}, opts.Grid{Left: "20", Right: "24", Top: "12", Bottom: "64", ContainLabel: opts.Bool(true)})
	longest := stages[0].Entered
	for _, m := range funnelMarks {
		data := make([]any, len(stages))
		some := false
		for i, s := range stages {
			p := s.part(m)
			if p.Count == 0 {
				continue
			}
			some = true
			data[i] = point{Value: []any{p.Count, i}, Href: p.Href, Say: sayCount(p.Count, float64(p.Count)/float64(max(longest, 1))),
				Tip: fmt.Sprintf("%s\n%s: %d of %d", short(s.Name), m, p.Count, s.Entered)}
		}
		if some {
			d.funnelBar(string(m), data, map[string]any{
				"itemStyle": fill(m), "label": map[string]any{"show": true, "formatter": "@label", "color": "@on-" + string(m), "fontSize": 10.5},
			})
		}
	}
	rest := make([]any, len(stages))
	for i, s := range stages {
		if n := s.on(); n > 0 {
			rest[i] = point{Value: []any{n, i}, Href: s.OnHref, Say: sayCount(n, float64(n)/float64(max(longest, 1))), Tip: fmt.Sprintf("%s\ngoes on: %d of %d", short(s.Name), n, s.Entered)}
		}
	}
	d.funnelBar(wentOn, rest, map[string]any{
		"itemStyle": fill(components.Missing), "label": map[string]any{"show": true, "formatter": "@label", "color": "@ink", "fontSize": 10.5},
	})
	d.root["yAxis"] = []any{map[string]any{
		"type": "category", "data": names, "inverse": true, "axisTick": map[string]any{"show": false}, "axisLine": map[string]any{"show": false},
		"axisLabel": map[string]any{"formatter": "@short", "width": 150, "overflow": "truncate"},
	}}
	d.root["legend"] = map[string]any{"show": true, "bottom": 0, "left": 0, "data": d.legend, "itemWidth": 12, "itemHeight": 12, "icon": "rect"}
	return d.option()
}

func (d *drawing) funnelBar(name string, data []any, extra map[string]any) {
	d.named(name)
	extra["emphasis"] = map[string]any{"disabled": true}
	d.add(charts.SingleSeries{Name: name, Type: types.ChartBar, Stack: "stage", Id: "funnel:" + name, Data: data, BarWidth: "24"}, extra)
}
