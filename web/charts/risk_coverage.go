package charts

import (
	"fmt"

	"github.com/go-echarts/go-echarts/v2/types"

	"plumbline/web/components"
)

// Curve is the risk–coverage curve of one arm and its operating point.
type Curve struct {
	Arm      Arm
	Points   []CurvePoint // working points by rising coverage; empty for an arm without confidence
	Coverage Estimate     // operating point
	Risk     Estimate
	Baseline bool   // drawn dashed, thin and square: rules alone, patch only
	Says     string // what kind of point a baseline is; empty: operating point
	Href     string // the decided traces
}

// colour is that of the arm; a baseline that is no arm is grey.
func (c Curve) colour() string {
	if c.Arm.ID == "" {
		return "@soft"
	}
	return c.Arm.Colour()
}

// CurvePoint is an achievable working point: everything at least this confident.
type CurvePoint struct {
	Coverage, Risk *float64
	Lo, Hi         *float64 // interval of the risk
	Confidence     *float64
	Wrong, Decided int
	Href           string // the traces it covers
}

// RiskCoverage draws selective risk over coverage: a line through the working
// points of every arm and a filled marker with intervals where the arm operates.
// Published points are laid over it.
func RiskCoverage(curves []Curve, over ...Published) Figure {
	f := Figure{
		ID: "risk-coverage", Title: "Risk and coverage", Zoom: true, Height: 380,
		Says:   "Lower and further right is better: fewer wrong decisions among more decided traces. Markers are where each arm operates.",
		DefURL: components.DefinitionURL("risk_coverage"),
		Table: components.Table{Plain: true, Compact: true, Caption: "Risk and coverage", Columns: []components.Column{
			{Head: "Arm"}, {Head: "Point"}, {Head: "Confidence ≥", Numeric: true}, {Head: "Coverage", Numeric: true},
			{Head: "Risk", Numeric: true}, {Head: "95% interval", Numeric: true}, {Head: "Wrong / decided", Numeric: true},
		}},
		Why: "No arm has decided a trace with a known label yet.",
	}
	d := newDrawing(rateX("coverage"), rateY("risk"), roomy())
	drawn, marked := 0, false
	for _, c := range curves {
		line := c.line(d, &f.Table, len(curves) > direct)
		marker := c.marker(d, &f.Table)
		marked = marked || marker
		if marker || line {
			drawn++
			d.named(c.Arm.Name)
		} else {
			f.Notes = append(f.Notes, fmt.Sprintf("%s is not drawn: it decided no trace.", short(c.Arm.Name)))
		}
	}
	if drawn == 0 {
		f.Notes = nil
		return f
	}
	if marked {
		d.pointLabels(types.ChartScatter, "label", d.labels("170", 22))
	} else { // curves alone all end in one point
		d.keys("16", 22, false)
	}
	if len(curves) > direct {
		f.Notes = append(f.Notes, noBands)
	}
	if overCurve(d, &f, over) > 0 {
		f.Notes = append(f.Notes, publishedNote)
	}
	f.Option = d.option()
	return f
}

func (c Curve) line(d *drawing, t *components.Table, crowded bool) bool {
	var line, band []point
	for _, p := range c.Points {
		if num(p.Coverage) == nil {
			continue
		}
		line = append(line, point{
			Value: []any{num(p.Coverage), num(p.Risk)}, Href: p.Href,
			Tip: fmt.Sprintf("%s\ncoverage %s, risk %s\n%d wrong of %d decided\nconfidence ≥ %s", short(c.Arm.Name),
				components.Fraction(p.Coverage), components.Fraction(p.Risk), p.Wrong, p.Decided, components.Fraction(p.Confidence)),
		})
		if p.Lo != nil && p.Hi != nil {
			band = append(band, point{Value: []any{num(p.Coverage), num(p.Lo), num(p.Hi)}})
		}
		addRow(t, c.Arm.Name, "curve", components.Fraction(p.Confidence), components.Fraction(p.Coverage),
			components.Fraction(p.Risk), interval(p.Lo, p.Hi), fmt.Sprintf("%d/%d", p.Wrong, p.Decided))
	}
	if len(line) == 0 {
		return false
	}
	if len(band) > 1 && !crowded {
		d.band(c.Arm, band)
	}
	s := armSeries(c.Arm, types.ChartLine, "curve")
	s.Data = line
	width, dash := 2.0, c.Arm.Dash()
	if c.Baseline {
		width, dash = 1, "dashed"
	}
	d.add(s, armExtra(c.Arm, map[string]any{
		"symbol": "circle", "symbolSize": 5, "showSymbol": true, "z": 3,
		"lineStyle": map[string]any{"color": c.colour(), "width": width, "type": dash},
		"itemStyle": map[string]any{"color": c.colour()},
	}))
	return true
}

func (c Curve) marker(d *drawing, t *components.Table) bool {
	x, y := num(c.Coverage.Value), num(c.Risk.Value)
	if x == nil || y == nil {
		return false
	}
	kind, symbol := "operating point", c.Arm.Symbol()
	if c.Baseline {
		symbol = "rect"
	}
	if c.Says != "" {
		kind = c.Says
	}
	addRow(t, c.Arm.Name, kind, "", components.Fraction(c.Coverage.Value), components.Fraction(c.Risk.Value),
		interval(c.Risk.Lo, c.Risk.Hi), fmt.Sprintf("%d/%d", c.Risk.K, c.Risk.N))
	d.whiskers(c.Arm, []point{{Value: []any{x, y, num(c.Coverage.Lo), num(c.Coverage.Hi), num(c.Risk.Lo), num(c.Risk.Hi)}}})
	s := armSeries(c.Arm, types.ChartScatter, "point")
	s.Data = []point{{
		Value: []any{x, y}, Say: short(c.Arm.Name), Href: c.Href,
		Tip: short(c.Arm.Name) + "\n" + kind + "\ncoverage " + c.Coverage.text() + "\nrisk " + c.Risk.text(),
	}}
	d.add(s, armExtra(c.Arm, map[string]any{
		"symbol": symbol, "symbolSize": 11, "z": 4,
		"itemStyle": map[string]any{"color": c.colour(), "opacity": 1, "borderColor": "@paper", "borderWidth": 1.5},
	}))
	return true
}

func interval(lo, hi *float64) string {
	if lo == nil || hi == nil {
		return components.Unknown
	}
	return components.Fraction(lo) + "–" + components.Fraction(hi)
}
