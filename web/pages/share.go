package pages

import (
	"plumbline/web/charts"
	"plumbline/web/components"
	"plumbline/web/layout"
)

// Share is the read-only result page behind a secret link. It has no navigation,
// no prices, no oracle data and no link to another page.
type Share struct {
	Title   string
	Badges  []components.Badge
	State   ExperimentState
	Result  Result
	Facts   []Fact // links are left out
	Expires string // "ends 3 Jan 2026", or empty
	Version string
}

func (s Share) frame() layout.Frame {
	return layout.Frame{
		Title: s.Title, Badges: s.Badges, Scripts: charts.Scripts, NoIndex: true, Bare: true, Version: s.Version,
	}
}

func (s Share) result() Result {
	r := s.Result
	r.Public = true
	r.SortURL, r.Switch, r.Choose = nil, nil, components.Chooser{}
	return r
}

func (s Share) facts() []Fact {
	out := append([]Fact(nil), s.Facts...)
	for i := range out {
		out[i].Href = ""
	}
	return out
}

// explained are the definitions a share page carries itself, since it links
// nowhere: those of its columns and charts.
func (s Share) explained() []components.Definition {
	want := map[string]bool{"decision": true, "risk_coverage": true, "composition": true, "unanimous": true, "scaling": true, "wilson": true, "bootstrap": true}
	for _, c := range armColumns {
		if !private[c.Key] {
			want[c.Metric] = true
		}
	}
	var out []components.Definition
	for _, d := range components.Definitions {
		if want[d.Key] {
			out = append(out, d)
		}
	}
	return out
}
