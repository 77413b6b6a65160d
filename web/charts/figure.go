// Package charts turns results into figures: options built with go-echarts, sent
// as escaped JSON and drawn by static/js/charts.js, each with the table that
// holds the same numbers. It is the only package that knows go-echarts.
//
// Colours are named, not coded: "@accept" or "@arm-3" in an option stand for a
// token of the style sheet, which the script reads in the reader's scheme.
// A value that does not exist is nil and drawn as a gap, never as zero.
package charts

import (
	"plumbline/web/components"
)

// Script is the embedded file a page with figures loads, after the library.
var Scripts = []string{"vendor/echarts/echarts.min.js", "js/charts.js"}

// Figure is one chart with its table, ready to be rendered by Show.
type Figure struct {
	ID     string // unique on the page; stem of the names of downloads
	Title  string
	Says   string         // how to read it, one sentence
	Option map[string]any // nil: nothing to draw, Why says why
	Why    string
	Table  components.Table
	DefURL string // where the quantity is defined
	Badges []components.Badge
	Notes  []string // gaps and warnings, under the chart
	Height int      // in pixels; 320 when 0
	Zoom   bool     // offers to fit the axes to the data
}

func (f Figure) height() int {
	if f.Height > 0 {
		return f.Height
	}
	return 320
}

// Arm is one series of a chart. Index is its place in the experiment: the same
// arm has the same colour, dash and marker in every figure of a page.
type Arm struct {
	ID    string
	Name  string
	Index int
}

var (
	dashes  = [...]string{"solid", "dashed", "dotted"}
	symbols = [...]string{"circle", "diamond", "triangle"}
	colours = [...]string{"@arm-1", "@arm-2", "@arm-3", "@arm-4", "@arm-5", "@arm-6"}
)

// Colour, Dash and Symbol tell 18 arms apart; a nineteenth repeats the first.
func (a Arm) Colour() string { return colours[a.index()%len(colours)] }

// Dash is the line type of the arm's round of six.
func (a Arm) Dash() string { return dashes[a.index()/len(colours)%len(dashes)] }

// Symbol is the marker of the arm's round of six.
func (a Arm) Symbol() string { return symbols[a.index()/len(colours)%len(symbols)] }

func (a Arm) index() int { return max(0, a.Index) }

// Estimate is a rate with its interval; nil is undefined.
type Estimate struct {
	K, N          int
	Value, Lo, Hi *float64
}

func (e Estimate) text() string {
	s := components.Fraction(e.Value)
	if e.Value != nil && e.N > 0 {
		s += " (" + components.Count(e.K) + "/" + components.Count(e.N) + ")"
	}
	if e.Lo != nil && e.Hi != nil {
		s += ", " + components.Fraction(e.Lo) + "–" + components.Fraction(e.Hi)
	}
	return s
}
