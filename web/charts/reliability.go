package charts

import (
	"fmt"

	"github.com/go-echarts/go-echarts/v2/charts"
	"github.com/go-echarts/go-echarts/v2/types"

	"plumbline/web/components"
)

// Calibration is the bin table of one arm's scores.
type Calibration struct {
	Arm  Arm
	Bins []Bin
}

// Bin is one interval (From, To] of the score. Score and Outcome are means over
// its N traces, nil when it is empty; Lo and Hi bound the outcome.
type Bin struct {
	From, To       float64
	N              int
	Score, Outcome *float64
	Lo, Hi         *float64
	Href           string
}

// Reliability draws the share of correct patches over the mean score of each bin,
// with the diagonal of perfect calibration. Empty bins are gaps.
func Reliability(all []Calibration) Figure {
	f := Figure{
		ID: "reliability", Title: "Reliability", Height: 380, DefURL: components.DefinitionURL("ece"),
		Says: "On the diagonal a score of 0.8 is right four times out of five; below it the reviewer is too sure. The marker grows with the number of traces.",
		Table: components.Table{Plain: true, Compact: true, Caption: "Bins", Columns: []components.Column{
			{Head: "Arm"}, {Head: "Scores"}, {Head: "Traces", Numeric: true}, {Head: "Mean score", Numeric: true},
			{Head: "Share correct", Numeric: true}, {Head: "95% interval", Numeric: true},
		}},
		Why: "No trace has a score and a known label.",
	}
	d := newDrawing(rateX("mean score"), rateY("share correct"), roomy())
	largest := 1
	for _, c := range all {
		for _, b := range c.Bins {
			largest = max(largest, b.N)
		}
	}
	for _, c := range all {
		var line []map[string]any
		var whiskers []point
		for _, b := range c.Bins {
			addRow(&f.Table, c.Arm.Name, fmt.Sprintf("%.2f–%.2f", b.From, b.To), components.Count(b.N), components.Fraction(b.Score), components.Fraction(b.Outcome), interval(b.Lo, b.Hi))
			x, y := num(b.Score), num(b.Outcome)
			if x == nil || y == nil {
				continue
			}
			line = append(line, map[string]any{"value": []any{x, y}, "href": b.Href, "symbolSize": 5 + 9*float64(b.N)/float64(largest),
				"tip": fmt.Sprintf("%s\nscores %.2f–%.2f: mean %s\nshare correct %s, %s\n%d traces", short(c.Arm.Name), b.From, b.To,
					components.Fraction(b.Score), components.Fraction(b.Outcome), interval(b.Lo, b.Hi), b.N)})
			whiskers = append(whiskers, point{Value: []any{x, y, nil, nil, num(b.Lo), num(b.Hi)}})
		}
		if len(line) == 0 {
			continue
		}
		line[len(line)-1]["say"] = short(c.Arm.Name)
		d.whiskers(c.Arm, whiskers)
		s := armSeries(c.Arm, types.ChartLine, "line")
		s.Data = line
		d.add(s, armExtra(c.Arm, map[string]any{"symbol": c.Arm.Symbol(), "showSymbol": true, "z": 3,
			"lineStyle": map[string]any{"color": c.Arm.Colour(), "width": 1.5, "type": c.Arm.Dash()},
			"itemStyle": map[string]any{"color": c.Arm.Colour()}}))
		d.named(c.Arm.Name)
	}
	if len(d.legend) == 0 {
		f.Table.Rows = nil
		return f
	}
	d.pointLabels(types.ChartLine, "endLabel", d.labels("170", 22))
	d.add(charts.SingleSeries{Name: "perfect", Type: types.ChartLine, Id: "diagonal", Data: [][]float64{{0, 0}, {1, 1}}}, map[string]any{
		"symbol": "none", "silent": true, "z": 1, "lineStyle": map[string]any{"color": "@soft", "width": 1, "type": "dashed"}, "tooltip": map[string]any{"show": false}})
	f.Option = d.option()
	return f
}
