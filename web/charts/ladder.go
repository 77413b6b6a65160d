package charts

import (
	"cmp"
	"fmt"
	"slices"

	"github.com/go-echarts/go-echarts/v2/opts"
	"github.com/go-echarts/go-echarts/v2/types"

	"plumbline/web/components"
)

// Rung is one arm on a ladder: the size of its reviewer and a rate.
type Rung struct {
	Arm   Arm
	Form  string   // arms of the same form are joined in the order of size
	Size  *float64 // above 0; nil: not known
	Value Estimate
	From  string // id of the arm an arrow starts at: the same reviewer, structured
	Href  string
}

// LadderFigure draws a rate of the rungs over the size of their reviewers, on a
// logarithmic axis named by size. rate picks the printed rate of a published point;
// nil lays none over.
func LadderFigure(metric, size string, rungs []Rung, over []Published, rate func(Published) Estimate) Figure {
	name := metric
	if def, ok := components.Define(metric); ok {
		name = def.Name
	}
	f := Figure{
		ID: "ladder-" + metric, Title: "Size against " + name, Height: 400,
		Says:   "One mark is a reviewer with one kind of evidence; lines join the same evidence by rising size, arrows lead from structured to official evidence.",
		DefURL: components.DefinitionURL(metric),
		Table: components.Table{Plain: true, Compact: true, Caption: "Size against " + name, Columns: []components.Column{
			{Head: "Arm"}, {Head: "Evidence"}, {Head: size, Numeric: true}, {Head: name, Numeric: true}, {Head: "95% interval", Numeric: true},
		}},
		Why: "No arm has both a size and a value of " + name + " yet. Sizes that the models’ names do not state can be given below.",
	}
	d := newDrawing(opts.XAxis{Type: "log", Name: size, NameLocation: "middle", NameGap: 26, SplitLine: &opts.SplitLine{Show: opts.Bool(true)}}, rateY(name), roomy())
	at := map[string]Rung{}
	var forms []string
	lines := map[string][]Rung{}
	for _, r := range rungs {
		addRow(&f.Table, r.Arm.Name, r.Form, sizeText(r.Size), counted(r.Value), interval(r.Value.Lo, r.Value.Hi))
		if !placed(r.Size) || num(r.Value.Value) == nil {
			why := "its size is not known"
			if placed(r.Size) {
				why = name + " is undefined"
			}
			f.Notes = append(f.Notes, fmt.Sprintf("%s is not drawn: %s.", short(r.Arm.Name), why))
			continue
		}
		at[r.Arm.ID] = r
		if lines[r.Form] == nil {
			forms = append(forms, r.Form)
		}
		lines[r.Form] = append(lines[r.Form], r)
	}
	if len(at) == 0 {
		f.Notes, f.Table.Rows = nil, nil
		return f
	}
	for i, form := range forms {
		slices.SortStableFunc(lines[form], func(a, b Rung) int { return cmp.Compare(*a.Size, *b.Size) })
		joined(d, Arm{Name: form, Index: i}, lines[form])
	}
	drawn := make([]Rung, 0, len(at))
	for _, r := range rungs {
		if _, ok := at[r.Arm.ID]; ok {
			drawn = append(drawn, r)
		}
	}
	for _, r := range drawn {
		if from, ok := at[r.From]; ok && r.From != r.Arm.ID {
			hollowArrow(d, r.Arm.ID, "@soft", []any{*from.Size, num(from.Value.Value), *r.Size, num(r.Value.Value)})
		}
	}
	d.labels("120", 22)
	d.pointLabels(types.ChartLine, "endLabel", true)
	n := 0
	if rate != nil {
		n = overLadder(d, &f, over, rate)
	}
	if n > 0 {
		f.Notes = append(f.Notes, publishedNote)
	}
	f.Option = d.option()
	return f
}

func placed(size *float64) bool { return size != nil && *size > 0 && num(size) != nil }

// joined adds the line of one form with its marks and intervals.
func joined(d *drawing, line Arm, rungs []Rung) {
	line.ID = "form-" + line.Name
	var data, marks []point
	for i, r := range rungs {
		say := ""
		if i == len(rungs)-1 {
			say = short(line.Name)
		}
		data = append(data, point{Value: []any{*r.Size, num(r.Value.Value)}, Href: r.Href, Say: say,
			Tip: fmt.Sprintf("%s\nsize %s\n%s", short(r.Arm.Name), sizeText(r.Size), r.Value.text())})
		marks = append(marks, point{Value: []any{*r.Size, num(r.Value.Value), nil, nil, num(r.Value.Lo), num(r.Value.Hi)}})
	}
	d.whiskers(line, marks)
	s := armSeries(line, types.ChartLine, "rungs")
	s.Data = data
	d.add(s, map[string]any{
		"symbol": line.Symbol(), "symbolSize": 10, "showSymbol": true, "z": 4, "connectNulls": false,
		"lineStyle": map[string]any{"color": line.Colour(), "width": 1.5, "type": line.Dash()},
		"itemStyle": map[string]any{"color": line.Colour(), "opacity": 1},
	})
	d.named(line.Name)
}

func overLadder(d *drawing, f *Figure, over []Published, rate func(Published) Estimate) int {
	at := map[string]Published{}
	for _, p := range over {
		v := rate(p)
		if num(v.Value) == nil {
			continue
		}
		addRow(&f.Table, p.Name, "published: "+p.Source, sizeText(p.Size), p.text(v), interval(v.Lo, v.Hi))
		if !placed(p.Size) {
			f.Notes = append(f.Notes, fmt.Sprintf("%s is not drawn: no size is published.", short(p.Name)))
			continue
		}
		at[p.Key] = p
		p.mark(d, Estimate{Value: p.Size}, v, fmt.Sprintf("%s\nas printed in %s\nsize %s, %s", short(p.Name), p.Source, sizeText(p.Size), p.text(v)))
	}
	for _, p := range over {
		if from, ok := at[p.From]; ok {
			if to, drawn := at[p.Key]; drawn {
				hollowArrow(d, p.Key, "@hair-strong", []any{*from.Size, num(rate(from).Value), *to.Size, num(rate(to).Value)})
			}
		}
	}
	return len(at)
}

func sizeText(v *float64) string {
	if num(v) == nil {
		return components.Unknown
	}
	return fmt.Sprintf("%.4g", *v)
}
