package charts

import (
	"encoding/json"
	"fmt"
	"maps"
	"math"
	"unicode/utf8"

	"github.com/go-echarts/go-echarts/v2/charts"
	"github.com/go-echarts/go-echarts/v2/opts"
	"github.com/go-echarts/go-echarts/v2/types"

	"plumbline/web/components"
	"plumbline/web/components/visible"
)

// direct is the largest number of series that are labelled at their end; more get
// a legend.
const direct = 6

// noBands is the note of a chart that would drown in its bands.
const noBands = "Bands are drawn for at most six arms; the table holds every interval."

// point is one datum of a series. The script shows Tip on hover, writes Say as
// its label and follows Href on click; a datum without Href selects its arm.
type point struct {
	Value []any  `json:"value"`
	Tip   string `json:"tip,omitempty"`
	Say   string `json:"say,omitempty"`
	Href  string `json:"href,omitempty"`
}

// drawing collects the axes and series of one chart.
type drawing struct {
	chart  *charts.Line
	extra  []map[string]any // what go-echarts has no field for, by series
	legend []string
	root   map[string]any // the same for the whole option
}

func newDrawing(x opts.XAxis, y opts.YAxis, grid opts.Grid) *drawing {
	c := charts.NewLine()
	c.SetGlobalOptions(
		charts.WithAnimation(false),
		charts.WithXAxisOpts(x),
		charts.WithYAxisOpts(y),
		charts.WithGridOpts(grid),
		charts.WithTooltipOpts(opts.Tooltip{Show: opts.Bool(true), Trigger: "item", Formatter: "@tip"}),
		charts.WithLegendOpts(opts.Legend{Show: opts.Bool(false)}),
	)
	return &drawing{chart: c, root: map[string]any{}}
}

// add appends a series; extra is merged over its JSON.
func (d *drawing) add(s charts.SingleSeries, extra map[string]any) {
	d.chart.MultiSeries = append(d.chart.MultiSeries, s)
	d.extra = append(d.extra, extra)
}

// named puts a series into the legend.
func (d *drawing) named(name string) { d.legend = append(d.legend, name) }

// option validates the chart and returns it as plain JSON values. An error means
// a value that JSON cannot hold, which the callers exclude by num.
func (d *drawing) option() map[string]any {
	d.chart.Validate()
	raw, err := json.Marshal(d.chart.JSON())
	if err != nil {
		panic(fmt.Sprintf("charts: encoding an option: %v", err))
	}
	var o map[string]any
	if err := json.Unmarshal(raw, &o); err != nil {
		panic(fmt.Sprintf("charts: decoding an option: %v", err))
	}
	delete(o, "title")
	delete(o, "toolbox")
	delete(o, "color")
	if series, ok := o["series"].([]any); ok {
		for i, s := range series {
			if m, ok := s.(map[string]any); ok {
				maps.Copy(m, d.extra[i])
			}
		}
	}
	maps.Copy(o, d.root)
	return o
}

// legendLine is the height of one line of a legend, in pixels.
const legendLine = 18

// lines estimates how many lines the legend takes in a chart of the given width.
func (d *drawing) lines(width int) int {
	lines, at := 1, 0
	for _, name := range d.legend {
		w := 46 + 6*utf8.RuneCountInString(short(name))
		if at > 0 && at+w > width {
			lines, at = lines+1, 0
		}
		at += w
	}
	return lines
}

// labels decides between labels at the lines and a legend, and gives narrow
// screens the legend in either case. A legend is not paged: the chart grows by
// "extra" pixels instead, which the script adds to its height. icon is the width
// of the sample in the legend: a line needs more than a marker.
func (d *drawing) labels(right string, icon int) (atLine bool) {
	atLine = len(d.legend) <= direct
	d.keys(right, icon, atLine)
	return atLine
}

// keys is labels with the choice made: names at the lines, or a legend.
func (d *drawing) keys(right string, icon int, atLine bool) {
	legend := map[string]any{
		"show": true, "bottom": 0, "left": 0, "right": 0, "data": d.legend,
		"formatter": "@short", "itemWidth": icon, "itemHeight": 9,
	}
	wide, narrow := legendLine*d.lines(580), legendLine*d.lines(350)
	shown := map[string]any{"legend": legend, "grid": map[string]any{"right": 16, "bottom": 32 + wide}}
	if atLine {
		wide = 0
		shown = map[string]any{"legend": map[string]any{"show": false}, "grid": map[string]any{"right": right, "bottom": 40}}
	}
	d.root["media"] = []any{
		map[string]any{"query": map[string]any{"minWidth": 560}, "option": shown},
		map[string]any{
			"query":  map[string]any{"maxWidth": 559},
			"option": map[string]any{"legend": legend, "grid": map[string]any{"right": 12, "bottom": 32 + narrow}},
		},
	}
	d.root["extra"] = map[string]any{"wide": wide, "narrow": narrow}
	d.root["wideLabels"] = atLine
}

// pointLabels writes the names of the arms beside the markers of a kind of
// series, in their colours.
func (d *drawing) pointLabels(kind, key string, show bool) {
	for i, s := range d.chart.MultiSeries {
		if s.Type != kind {
			continue
		}
		d.extra[i][key] = map[string]any{
			"show": show, "position": "right", "formatter": "@label", "color": colourOf(d.extra[i]), "opacity": 1,
			"textBorderColor": "@paper", "textBorderWidth": 3,
		}
		d.extra[i]["labelLayout"] = map[string]any{"moveOverlap": "shiftY"}
	}
}

func colourOf(extra map[string]any) any {
	if style, ok := extra["itemStyle"].(map[string]any); ok {
		return style["color"]
	}
	return nil
}

// num makes a datum of a value: nil where it is unknown or not finite.
func num(v *float64) any {
	if v == nil || math.IsNaN(*v) || math.IsInf(*v, 0) {
		return nil
	}
	return *v
}

// rateX and rateY are axes from 0 to 1 with a faint grid.
func rateX(name string) opts.XAxis {
	return opts.XAxis{
		Type: "value", Name: name, NameLocation: "middle", NameGap: 26, Min: 0, Max: 1, SplitNumber: 5,
		SplitLine: &opts.SplitLine{Show: opts.Bool(true)}, AxisLabel: &opts.AxisLabel{Formatter: "@rate"},
	}
}

func rateY(name string) opts.YAxis {
	return opts.YAxis{
		Type: "value", Name: name, NameLocation: "end", NameGap: 12, Min: 0, Max: 1, SplitNumber: 5,
		SplitLine: &opts.SplitLine{Show: opts.Bool(true)}, AxisLabel: &opts.AxisLabel{Formatter: "@rate"},
	}
}

// roomy is the grid of a chart with labels at its right edge.
func roomy() opts.Grid {
	return opts.Grid{Left: "8", Right: "16", Top: "34", Bottom: "64", ContainLabel: opts.Bool(true)}
}

func short(name string) string { return visible.String(components.FirstLine(name, 30)) }

func armSeries(a Arm, kind, role string) charts.SingleSeries {
	return charts.SingleSeries{Name: a.Name, Type: kind, Id: role + ":" + a.ID}
}

func armExtra(a Arm, more map[string]any) map[string]any {
	m := map[string]any{"arm": a.ID}
	maps.Copy(m, more)
	return m
}

// band adds the interval around a line; data are x, lo, hi.
func (d *drawing) band(a Arm, data []point) {
	s := armSeries(a, types.ChartCustom, "band")
	s.Name = "" // the legend takes its look from the line of that name
	s.RenderItem = "@band"
	s.Data = data
	d.add(s, armExtra(a, map[string]any{
		"itemStyle": map[string]any{"color": a.Colour(), "opacity": 0.12},
		"silent":    true, "z": 1, "clip": true, "tooltip": map[string]any{"show": false},
		"encode": map[string]any{"x": 0, "y": []int{1, 2}},
	}))
}

// whiskers adds intervals in both directions around points; data are x, y, xlo,
// xhi, ylo, yhi.
func (d *drawing) whiskers(a Arm, data []point) {
	s := armSeries(a, types.ChartCustom, "whisker")
	s.Name = ""
	s.RenderItem = "@whisker"
	s.Data = data
	d.add(s, armExtra(a, map[string]any{
		"itemStyle": map[string]any{"color": a.Colour(), "opacity": 0.55},
		"silent":    true, "z": 2, "clip": true, "tooltip": map[string]any{"show": false},
		"encode": map[string]any{"x": 0, "y": 1},
	}))
}
