package charts

import (
	"fmt"
	"math"
	"strconv"

	"github.com/go-echarts/go-echarts/v2/charts"
	"github.com/go-echarts/go-echarts/v2/opts"
	"github.com/go-echarts/go-echarts/v2/types"

	"plumbline/web/components"
)

// Utility is what a policy is worth: under the model and by replay, each with its
// interval; nil is unknown.
type Utility struct {
	Arm           Arm
	Exact         *float64
	ExactLo       *float64
	ExactHi       *float64
	Replay        *float64
	ReplayLo      *float64
	ReplayHi      *float64
	ReplayUpper   *float64 // with the most that censored tasks could have brought
	Tasks, Absent int      // replayed, and left out
}

// Utilities draws both values of every policy on one axis. Zero is doing nothing.
func Utilities(all []Utility) Figure {
	f := Figure{
		ID: "utilities", Title: "Utility of the policies", DefURL: components.DefinitionURL("utility"),
		Says: "Diamond: expected under the fitted model. Circle: mean of the replay with parameters from other tasks. At 0 nothing is done.",
		Table: components.Table{Plain: true, Compact: true, Caption: "Utility of the policies", Columns: []components.Column{
			{Head: "Policy"}, {Head: "Model", Numeric: true}, {Head: "95% interval", Numeric: true}, {Head: "Replay", Numeric: true},
			{Head: "95% interval", Numeric: true}, {Head: "Upper bound", Numeric: true}, {Head: "Tasks", Numeric: true}, {Head: "Left out", Numeric: true},
		}},
		Why: "No policy has a value.",
	}
	names := make([]any, len(all))
	var exact, replay, exactWhiskers, replayWhiskers []point
	for i, u := range all {
		names[i] = u.Arm.Name
		addRow(&f.Table, u.Arm.Name, components.Decimal(u.Exact, 2), span(u.ExactLo, u.ExactHi), components.Decimal(u.Replay, 2), span(u.ReplayLo, u.ReplayHi),
			components.Decimal(u.ReplayUpper, 2), components.Count(u.Tasks), components.Count(u.Absent))
		if x := num(u.Exact); x != nil {
			exact = append(exact, point{Value: []any{x, i}, Tip: short(u.Arm.Name) + "\nmodel: " + components.Decimal(u.Exact, 2) + between(u.ExactLo, u.ExactHi)})
			exactWhiskers = append(exactWhiskers, point{Value: []any{x, i, num(u.ExactLo), num(u.ExactHi), nil, nil}})
		}
		if x := num(u.Replay); x != nil {
			replay = append(replay, point{Value: []any{x, i}, Tip: fmt.Sprintf("%s\nreplay of %d tasks: %s%s", short(u.Arm.Name), u.Tasks, components.Decimal(u.Replay, 2), between(u.ReplayLo, u.ReplayHi))})
			replayWhiskers = append(replayWhiskers, point{Value: []any{x, i, num(u.ReplayLo), num(u.ReplayHi), nil, nil}})
		}
	}
	if len(exact)+len(replay) == 0 {
		f.Table.Rows = nil
		return f
	}
	d := newDrawing(opts.XAxis{}, opts.YAxis{}, opts.Grid{})
	for _, s := range []struct {
		name, symbol, colour string
		size                 int
		points, whiskers     []point
		shift                int
	}{{"model", "diamond", "@arm-2", 11, exact, exactWhiskers, -5}, {"replay", "circle", "@arm-1", 9, replay, replayWhiskers, 5}} {
		if len(s.points) == 0 {
			continue
		}
		d.add(charts.SingleSeries{Type: types.ChartCustom, Id: "whisker:" + s.name, RenderItem: "@whisker", Data: s.whiskers}, map[string]any{
			"itemStyle": map[string]any{"color": s.colour}, "silent": true, "z": 2, "clip": true, "encode": map[string]any{"x": 0, "y": 1}, "tooltip": map[string]any{"show": false}})
		d.add(charts.SingleSeries{Name: s.name, Type: types.ChartScatter, Id: "value:" + s.name, Data: s.points}, map[string]any{
			"symbol": s.symbol, "symbolSize": s.size, "z": 3, "itemStyle": map[string]any{"color": s.colour, "borderColor": "@paper", "borderWidth": 1}})
		d.named(s.name)
	}
	lo, hi := reach(all)
	d.root["xAxis"] = map[string]any{"type": "value", "name": "utility a task", "nameLocation": "middle", "nameGap": 24, "splitLine": map[string]any{"show": true}, "min": lo, "max": hi}
	d.root["yAxis"] = map[string]any{"type": "category", "data": names, "inverse": true, "axisTick": map[string]any{"show": false},
		"splitLine": map[string]any{"show": true}, "axisLabel": map[string]any{"formatter": "@short", "width": 190, "overflow": "truncate"}}
	d.root["grid"] = map[string]any{"left": 202, "right": 20, "top": 8, "bottom": 66}
	d.root["legend"] = map[string]any{"show": true, "bottom": 0, "left": 0, "data": d.legend, "itemWidth": 12, "itemHeight": 10}
	d.root["media"] = []any{
		map[string]any{"query": map[string]any{"minWidth": 560}, "option": map[string]any{"grid": map[string]any{"left": 202}}},
		map[string]any{"query": map[string]any{"maxWidth": 559}, "option": map[string]any{"grid": map[string]any{"left": 122}, "yAxis": map[string]any{"axisLabel": map[string]any{"width": 114}}}},
	}
	f.Option = d.option()
	f.Height = 100 + 26*len(all)
	return f
}

// reach is the range of all values and intervals, widened to round numbers.
func reach(all []Utility) (lo, hi float64) {
	for _, u := range all {
		for _, v := range []*float64{u.Exact, u.ExactLo, u.ExactHi, u.Replay, u.ReplayLo, u.ReplayHi} {
			if x, ok := num(v).(float64); ok {
				lo, hi = math.Min(lo, x), math.Max(hi, x)
			}
		}
	}
	step := math.Pow(10, math.Floor(math.Log10(math.Max(hi-lo, 1e-9))))
	if (hi-lo)/step < 4 {
		step /= 2
	}
	return step * math.Floor(lo/step), step * math.Ceil(hi/step)
}

// SweepLine is one policy over a parameter.
type SweepLine struct {
	Arm    Arm
	Values []float64 // one for each value of the parameter
}

// Sweep draws the exact utility of policies as one parameter moves; at marks the
// reader's own value.
func Sweep(id, title, parameter string, xs []float64, lines []SweepLine, at *float64) Figure {
	f := Figure{
		ID: id, Title: title, DefURL: components.DefinitionURL("utility"), Height: 300,
		Says: "Expected under the fitted model; every policy is planned anew for each value.",
		Table: components.Table{Plain: true, Compact: true, Caption: title, Columns: []components.Column{
			{Head: "Policy"}, {Head: parameter, Numeric: true}, {Head: "Utility", Numeric: true},
		}},
		Why: "There is no problem to solve.",
	}
	if len(xs) == 0 || len(lines) == 0 {
		return f
	}
	d := newDrawing(opts.XAxis{Type: "value", Name: parameter, NameLocation: "middle", NameGap: 26, Scale: opts.Bool(true), SplitLine: &opts.SplitLine{Show: opts.Bool(false)}},
		opts.YAxis{Type: "value", Name: "utility a task", NameLocation: "end", NameGap: 12, SplitLine: &opts.SplitLine{Show: opts.Bool(true)}}, roomy())
	for _, l := range lines {
		var line []point
		for i, v := range l.Values {
			if i >= len(xs) || math.IsNaN(v) || math.IsInf(v, 0) {
				continue
			}
			line = append(line, point{Value: []any{xs[i], v}, Tip: fmt.Sprintf("%s\n%s %s: %s", short(l.Arm.Name), parameter, plainNumber(xs[i]), components.Decimal(&v, 2))})
			addRow(&f.Table, l.Arm.Name, plainNumber(xs[i]), components.Decimal(&v, 2))
		}
		if len(line) == 0 {
			continue
		}
		line[len(line)-1].Say = short(l.Arm.Name)
		s := armSeries(l.Arm, types.ChartLine, "line")
		s.Data = line
		d.add(s, armExtra(l.Arm, map[string]any{"symbol": l.Arm.Symbol(), "symbolSize": 6, "showSymbol": true, "z": 3,
			"lineStyle": map[string]any{"color": l.Arm.Colour(), "width": 1.75, "type": l.Arm.Dash()},
			"itemStyle": map[string]any{"color": l.Arm.Colour()}}))
		d.named(l.Arm.Name)
	}
	if len(d.legend) == 0 {
		f.Table.Rows = nil
		return f
	}
	if at != nil && num(at) != nil {
		f.Notes = append(f.Notes, fmt.Sprintf("This problem has %s %s.", parameter, plainNumber(*at)))
	}
	d.pointLabels(types.ChartLine, "endLabel", d.labels("190", 22))
	f.Option = d.option()
	return f
}

func plainNumber(x float64) string { return strconv.FormatFloat(x, 'g', 4, 64) }

func span(lo, hi *float64) string {
	if num(lo) == nil || num(hi) == nil {
		return components.Unknown
	}
	return components.Decimal(lo, 2) + " to " + components.Decimal(hi, 2)
}

func between(lo, hi *float64) string {
	if num(lo) == nil || num(hi) == nil {
		return ""
	}
	return "\n95% interval " + span(lo, hi)
}
