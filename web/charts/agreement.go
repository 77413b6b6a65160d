package charts

import (
	"fmt"

	"github.com/go-echarts/go-echarts/v2/charts"
	"github.com/go-echarts/go-echarts/v2/opts"
	"github.com/go-echarts/go-echarts/v2/types"

	"plumbline/web/components"
)

// Split counts the traces of one arm by how its votes fell, e.g. "4–1".
type Split struct {
	Text                 string // largest count first, joined by en dashes
	Right, Wrong, Undone int    // right and wrong decisions; abstained or unlabelled
	Href                 string
}

// VoteSplits is how far the votes of one arm agree.
type VoteSplits struct {
	Arm    Arm
	Splits []Split // from unanimous to most divided; all arms in the same order
}

// Agreement draws, for each arm, the share of traces by vote split, from unanimous
// to divided, in shades of one colour: how far the votes agree is not a meaning.
func Agreement(arms []VoteSplits) Figure {
	f := Figure{
		ID: "agreement", Title: "Vote agreement", DefURL: components.DefinitionURL("unanimous"),
		Says: "How the votes of each trace fell, from unanimous (dark) to divided (light).",
		Table: components.Table{Plain: true, Compact: true, Caption: "Traces by vote split", Columns: []components.Column{
			{Head: "Arm"}, {Head: "Split"}, {Head: "Traces", Numeric: true}, {Head: "Right", Numeric: true},
			{Head: "Wrong", Numeric: true}, {Head: "Abstained or unlabelled", Numeric: true},
		}},
		Why: "No trace has all its votes yet.",
	}
	var order []string
	seen := map[string]int{}
	names := make([]any, len(arms))
	totals := make([]int, len(arms))
	for i, a := range arms {
		names[i] = a.Arm.Name
		for _, s := range a.Splits {
			if _, ok := seen[s.Text]; !ok {
				seen[s.Text] = len(order)
				order = append(order, s.Text)
			}
			n := s.Right + s.Wrong + s.Undone
			totals[i] += n
			addRow(&f.Table, a.Arm.Name, s.Text, components.Count(n), components.Count(s.Right), components.Count(s.Wrong), components.Count(s.Undone))
		}
	}
	if len(order) == 0 {
		return f
	}
	d := newDrawing(opts.XAxis{}, opts.YAxis{}, opts.Grid{})
	for rank, text := range order {
		data := make([]any, len(arms))
		for i, a := range arms {
			for _, s := range a.Splits {
				n := s.Right + s.Wrong + s.Undone
				if s.Text != text || n == 0 {
					continue
				}
				share := float64(n) / float64(totals[i])
				data[i] = point{Value: []any{share, i}, Href: s.Href, Say: sayCount(n, share),
					Tip: fmt.Sprintf("%s\n%s: %d of %d traces\n%d right, %d wrong, %d abstained or unlabelled", short(a.Arm.Name), text, n, totals[i], s.Right, s.Wrong, s.Undone)}
			}
		}
		s := charts.SingleSeries{Name: text, Type: types.ChartBar, Stack: "split", Id: "split:" + text, Data: data, BarWidth: "16"}
		d.add(s, map[string]any{
			"itemStyle": map[string]any{"color": "@ink", "opacity": shade(rank, len(order)), "borderColor": "@paper", "borderWidth": 1},
			"emphasis":  map[string]any{"disabled": true},
			"label":     map[string]any{"show": true, "formatter": "@label", "fontSize": 10.5, "opacity": 1, "color": shadeText(rank, len(order))},
		})
		d.named(text)
	}
	d.root["xAxis"] = map[string]any{"type": "value", "min": 0, "max": 1, "axisLabel": map[string]any{"formatter": "@rate"}, "splitLine": map[string]any{"show": false}}
	d.root["yAxis"] = map[string]any{"type": "category", "data": names, "inverse": true, "axisTick": map[string]any{"show": false},
		"axisLine": map[string]any{"show": false}, "axisLabel": map[string]any{"formatter": "@short", "width": 168, "overflow": "truncate"}}
	d.root["grid"] = map[string]any{"left": 176, "right": 16, "top": 8, "bottom": 54}
	d.root["legend"] = map[string]any{"show": true, "type": "scroll", "bottom": 0, "left": 0, "data": d.legend, "itemWidth": 12, "itemHeight": 12, "icon": "rect"}
	d.root["media"] = []any{
		map[string]any{"query": map[string]any{"minWidth": 560}, "option": map[string]any{"grid": map[string]any{"left": 176}}},
		map[string]any{"query": map[string]any{"maxWidth": 559}, "option": map[string]any{"grid": map[string]any{"left": 104},
			"yAxis": map[string]any{"axisLabel": map[string]any{"width": 96}}}},
	}
	f.Option = d.option()
	f.Height = 80 + 26*len(arms)
	return f
}

// shade is the opacity of a rank: 0.85 for the first, 0.12 for the last.
func shade(rank, of int) float64 {
	if of < 2 {
		return 0.85
	}
	return 0.85 - 0.73*float64(rank)/float64(of-1)
}

func shadeText(rank, of int) string {
	if shade(rank, of) > 0.5 {
		return "@paper"
	}
	return "@ink"
}
