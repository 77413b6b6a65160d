package charts

import (
	"fmt"

	"github.com/go-echarts/go-echarts/v2/opts"
	"github.com/go-echarts/go-echarts/v2/types"

	"plumbline/web/components"
)

// Scale is a rate of one arm as its number of votes grows.
type Scale struct {
	Arm    Arm
	Points []ScalePoint
}

// ScalePoint is the expected rate at K votes over all subsets of the recorded
// ones, with its bootstrap band. N is the number of traces.
type ScalePoint struct {
	K             int
	N             int
	Value, Lo, Hi *float64
}

// PublishedScale is a printed rate at K votes.
type PublishedScale struct {
	K            int
	Value        *float64
	Name, Source string
	Href         string
}

// Scaling draws one rate, named by the key of its definition, over K = 1…N votes.
// Printed rates are laid over it.
func Scaling(metric string, scales []Scale, over ...PublishedScale) Figure {
	name := metric
	if def, ok := components.Define(metric); ok {
		name = def.Name
	}
	f := Figure{
		ID: "scaling-" + metric, Title: "More votes: " + name, Zoom: true,
		Says:   "Expected value over all subsets of K recorded votes; the band is a percentile bootstrap over traces.",
		DefURL: components.DefinitionURL("scaling"),
		Table: components.Table{Plain: true, Compact: true, Caption: "Vote scaling, " + name, Columns: []components.Column{
			{Head: "Arm"}, {Head: "K", Numeric: true}, {Head: name, Numeric: true}, {Head: "95% interval", Numeric: true}, {Head: "Traces", Numeric: true},
		}},
		Why: "No arm has a trace with all its votes and a known label yet.",
	}
	x := opts.XAxis{Type: "value", Name: "votes K", NameLocation: "middle", NameGap: 26, MinInterval: 1, Min: 1,
		SplitLine: &opts.SplitLine{Show: opts.Bool(false)}}
	d := newDrawing(x, rateY(name), roomy())
	maxK := 1
	crowded := len(scales) > direct
	for _, s := range scales {
		var line, band []point
		some := false
		for _, p := range s.Points {
			maxK = max(maxK, p.K)
			some = some || num(p.Value) != nil
			line = append(line, point{Value: []any{p.K, num(p.Value)},
				Tip: fmt.Sprintf("%s\nK = %d: %s %s\n95%% interval %s, %d traces", short(s.Arm.Name), p.K, name, components.Fraction(p.Value), interval(p.Lo, p.Hi), p.N)})
			if num(p.Lo) != nil && num(p.Hi) != nil {
				band = append(band, point{Value: []any{p.K, num(p.Lo), num(p.Hi)}})
			}
			addRow(&f.Table, s.Arm.Name, components.Count(p.K), components.Fraction(p.Value), interval(p.Lo, p.Hi), components.Count(p.N))
		}
		if !some {
			f.Notes = append(f.Notes, fmt.Sprintf("%s is not drawn: %s is undefined at every K.", short(s.Arm.Name), name))
			continue
		}
		if len(band) > 1 && !crowded {
			d.band(s.Arm, band)
		}
		line[len(line)-1].Say = short(s.Arm.Name)
		series := armSeries(s.Arm, types.ChartLine, "line")
		series.Data = line
		d.add(series, armExtra(s.Arm, map[string]any{
			"symbol": s.Arm.Symbol(), "symbolSize": 7, "showSymbol": true, "z": 3, "connectNulls": false,
			"lineStyle": map[string]any{"color": s.Arm.Colour(), "width": 2, "type": s.Arm.Dash()},
			"itemStyle": map[string]any{"color": s.Arm.Colour()},
		}))
		d.named(s.Arm.Name)
	}
	if len(d.legend) == 0 {
		f.Notes, f.Table.Rows = nil, nil
		return f
	}
	d.pointLabels(types.ChartLine, "endLabel", d.labels("170", 22))
	d.chart.XAxisList[0].Max = max(maxK, 2)
	if len(scales) > direct {
		f.Notes = append(f.Notes, noBands)
	}
	for _, p := range over {
		if num(p.Value) == nil {
			continue
		}
		maxK = max(maxK, p.K)
		mark := Published{Key: fmt.Sprintf("scaling-%d", p.K), Name: p.Name, Source: p.Source, Href: p.Href}
		k := float64(p.K)
		mark.mark(d, Estimate{Value: &k}, Estimate{Value: p.Value}, fmt.Sprintf("%s\nas printed in %s\nK = %d: %s", short(p.Name), p.Source, p.K, components.Fraction(p.Value)))
		addRow(&f.Table, "published, "+p.Source+": "+p.Name, components.Count(p.K), fmt.Sprintf("%.3f", *p.Value), components.Unknown, components.Unknown)
	}
	if len(over) > 0 {
		d.chart.XAxisList[0].Max = max(maxK, 2)
		f.Notes = append(f.Notes, publishedNote)
	}
	f.Option = d.option()
	return f
}
