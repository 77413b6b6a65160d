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

// RegimeMap is the best policy over the prior and the cost of a verification as a
// share of the reward.
type RegimeMap struct {
	Policies []Arm // in the order of the cells' winners
	Priors   []float64
	Ratios   []float64      // C_ver/R
	Cells    [][]RegimeCell // by prior, then ratio
	Epsilon  float64        // leads below it are hatched
	// Simulated: leads have an interval from simulated tasks, and a cell is hatched
	// where it includes zero; Epsilon is not used then.
	Simulated int
	// At marks the reader's own problem; nil: none.
	At *[2]float64
}

// RegimeCell is one problem of the map.
type RegimeCell struct {
	Winner, RunnerUp int // RunnerUp -1: no policy comes to anything else
	Value, Margin    *float64
	Lo, Hi           *float64 // of the margin, where simulated
}

// Close reports whether a cell is hatched: its lead is small, or not shown.
func (m RegimeMap) Close(c RegimeCell) bool {
	switch {
	case c.Margin == nil || c.RunnerUp < 0:
		return false
	case m.Simulated > 0:
		return c.Lo == nil || c.Hi == nil || (*c.Lo <= 0 && *c.Hi >= 0)
	}
	return *c.Margin < m.Epsilon
}

func (m RegimeMap) name(i int) string {
	if i < 0 || i >= len(m.Policies) {
		return components.Unknown
	}
	return m.Policies[i].Name
}

// Regimes draws the map: a colour for each policy, hatched where the lead is small.
func Regimes(m RegimeMap) Figure {
	f := Figure{
		ID: "regimes", Title: "Which policy is best where", Height: 380, DefURL: components.DefinitionURL("regime"),
		Says: fmt.Sprintf("Hatched: the best policy leads by less than %s units, so that the two are as good as equal.", strconv.FormatFloat(m.Epsilon, 'g', 3, 64)),
		Why:  "There is no problem to solve.",
	}
	if m.Simulated > 0 {
		f.Says = fmt.Sprintf("Hatched: on %s simulated tasks the interval of the lead includes zero.", components.Count(m.Simulated))
	}
	if len(m.Priors) == 0 || len(m.Ratios) == 0 || len(m.Policies) == 0 {
		return f
	}
	f.Table = m.table()
	d := newDrawing(
		opts.XAxis{Type: "value", Name: "prior: share of correct first candidates", NameLocation: "middle", NameGap: 26, SplitLine: &opts.SplitLine{Show: opts.Bool(false)}},
		opts.YAxis{Type: "value", Name: "C_ver / R", NameLocation: "end", NameGap: 12, SplitLine: &opts.SplitLine{Show: opts.Bool(false)}}, roomy())
	x0, x1 := edges(m.Priors)
	y0, y1 := edges(m.Ratios)
	byWinner := make([][]point, len(m.Policies))
	var hatched []point
	for i := range m.Cells {
		for j, c := range m.Cells[i] {
			if c.Winner < 0 || c.Winner >= len(m.Policies) || num(c.Value) == nil {
				continue
			}
			box := []any{m.Priors[i], m.Ratios[j], x0[i], x1[i], y0[j], y1[j]}
			tip := fmt.Sprintf("prior %.2f, C_ver/R %.2f\n%s: %s a task", m.Priors[i], m.Ratios[j], short(m.name(c.Winner)), components.Decimal(c.Value, 2))
			if c.RunnerUp >= 0 {
				tip += fmt.Sprintf("\nleads %s by %s", short(m.name(c.RunnerUp)), components.Decimal(c.Margin, 2))
			}
			if c.Lo != nil && c.Hi != nil {
				tip += ", " + components.Decimal(c.Lo, 2) + " to " + components.Decimal(c.Hi, 2)
			}
			byWinner[c.Winner] = append(byWinner[c.Winner], point{Value: box, Tip: tip})
			if m.Close(c) {
				hatched = append(hatched, point{Value: box, Tip: tip})
			}
		}
	}
	drawn := 0
	for i, cells := range byWinner {
		if len(cells) == 0 {
			continue
		}
		a := m.Policies[i]
		a.Index = drawn // few policies win anywhere: those that do get colours of their own
		drawn++
		d.add(charts.SingleSeries{Name: a.Name, Type: types.ChartCustom, Id: "regime:" + a.ID, RenderItem: "@cell", Data: cells}, map[string]any{
			"itemStyle": map[string]any{"color": a.Colour()}, "encode": map[string]any{"x": 0, "y": 1}, "z": 2, "clip": true})
		d.named(a.Name)
	}
	if len(hatched) > 0 {
		d.add(charts.SingleSeries{Name: "", Type: types.ChartCustom, Id: "regime-hatch", RenderItem: "@hatched", Data: hatched}, map[string]any{
			"itemStyle": map[string]any{"color": "@paper"}, "encode": map[string]any{"x": 0, "y": 1}, "z": 3, "silent": true, "clip": true,
			"tooltip": map[string]any{"show": false}})
	}
	if m.At != nil && inside(m.At[0], x0[0], x1[len(x1)-1]) && inside(m.At[1], y0[0], y1[len(y1)-1]) {
		d.add(charts.SingleSeries{Name: "this problem", Type: types.ChartScatter, Id: "here", Data: []point{{Value: []any{m.At[0], m.At[1]},
			Tip: fmt.Sprintf("this problem: prior %.2f, C_ver/R %.2f", m.At[0], m.At[1]), Say: "here"}}}, map[string]any{
			"symbol": "diamond", "symbolSize": 14, "z": 5, "itemStyle": map[string]any{"color": "@paper", "borderColor": "@ink", "borderWidth": 2},
			"label": map[string]any{"show": true, "formatter": "@label", "position": "right", "color": "@ink", "textBorderColor": "@paper", "textBorderWidth": 3}})
	} else if m.At != nil {
		f.Notes = append(f.Notes, fmt.Sprintf("This problem, with prior %.2f and C_ver/R %.2f, lies outside of the map.", m.At[0], m.At[1]))
	}
	d.root["legend"] = map[string]any{"show": true, "bottom": 0, "left": 0, "right": 0, "data": d.legend, "formatter": "@short", "itemWidth": 14, "itemHeight": 10, "icon": "rect"}
	lines := legendLine * d.lines(580)
	d.root["media"] = []any{
		map[string]any{"query": map[string]any{"minWidth": 560}, "option": map[string]any{"grid": map[string]any{"right": 16, "bottom": 32 + lines}}},
		map[string]any{"query": map[string]any{"maxWidth": 559}, "option": map[string]any{"grid": map[string]any{"right": 12, "bottom": 32 + legendLine*d.lines(350)}}},
	}
	d.root["extra"] = map[string]any{"wide": lines, "narrow": legendLine * d.lines(350)}
	d.root["wideLabels"] = false
	d.chart.XAxisList[0].Min, d.chart.XAxisList[0].Max = x0[0], x1[len(x1)-1]
	d.chart.YAxisList[0].Min, d.chart.YAxisList[0].Max = y0[0], y1[len(y1)-1]
	f.Option = d.option()
	return f
}

func inside(x, lo, hi float64) bool { return x >= lo && x <= hi }

// edges are the borders of cells half-way between neighbouring values.
func edges(values []float64) (lo, hi []float64) {
	n := len(values)
	lo, hi = make([]float64, n), make([]float64, n)
	for i, v := range values {
		left, right := 0.05, 0.05
		if i > 0 {
			left = (v - values[i-1]) / 2
		}
		if i+1 < n {
			right = (values[i+1] - v) / 2
		}
		if i == 0 && n > 1 {
			left = right
		}
		if i == n-1 && n > 1 {
			right = left
		}
		lo[i], hi[i] = round(v-left), round(v+right)
	}
	return lo, hi
}

func round(x float64) float64 { return math.Round(x*1e9) / 1e9 }

// table is the map as a matrix: one row for each ratio, one column for each prior.
func (m RegimeMap) table() components.Table {
	t := components.Table{Plain: true, Compact: true, Caption: "Best policy and its lead, by C_ver/R (rows) and prior (columns)", ShowName: true,
		Columns: []components.Column{{Head: "C_ver/R", Numeric: true, Primary: true}}}
	for _, p := range m.Priors {
		t.Columns = append(t.Columns, components.Column{Head: strconv.FormatFloat(p, 'f', 2, 64)})
	}
	for j := len(m.Ratios) - 1; j >= 0; j-- {
		row := []string{strconv.FormatFloat(m.Ratios[j], 'f', 2, 64)}
		for i := range m.Priors {
			if i >= len(m.Cells) || j >= len(m.Cells[i]) {
				row = append(row, components.Unknown)
				continue
			}
			c := m.Cells[i][j]
			text := m.name(c.Winner) + " +" + components.Decimal(c.Margin, 1)
			if m.Close(c) {
				text += " ~"
			}
			row = append(row, text)
		}
		addRow(&t, row...)
	}
	return t
}
