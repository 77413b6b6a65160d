package published

import "plumbline/experiments/stats"

// Point is a published operating point of a reviewer or a cascade. Rates that are
// not printed are nil.
type Point struct {
	Key   string // unique among all points: "g-table-3/held-out"
	Table Table  // where the numbers are printed
	Name  string // "frozen cascade, held-out"
	Set   string
	// Traces, Defects and Acceptable are the sizes of the set; 0 where not printed.
	Traces, Defects, Acceptable int
	Size                        *float64 // of the reviewer, billions of parameters; nil: not published or no single reviewer
	Form                        string   // evidence form in the words of this project; empty for a cascade
	UpperBound                  bool     // saw outcomes of the official tests
	From                        string   // key of the same reviewer's point on structured evidence, for an arrow

	Coverage, Risk, Catch, OverRejection *Figure

	// Counts are derived integers that give every printed rate, nil where the
	// rates do not determine them.
	Counts *stats.ReviewCounts
}

// Overlay is a set of points that is drawn together.
type Overlay struct {
	Key    string // the table's key
	Table  Table
	Points []Point
}

// Overlays lists what can be laid over the charts of reviews.
func Overlays() []Overlay {
	var out []Overlay
	for _, list := range [][]Point{cascadePoints(), ladderPoints(), designPoints(), toolPoints()} {
		out = append(out, Overlay{Key: list[0].Table.Key, Table: list[0].Table, Points: list})
	}
	return out
}

// OverlayByKey is the overlay of that key, and whether there is one.
func OverlayByKey(key string) (Overlay, bool) {
	for _, o := range Overlays() {
		if o.Key == key {
			return o, true
		}
	}
	return Overlay{}, false
}

func table(key string) Table {
	t, ok := ByKey(key)
	if !ok {
		panic("published: no table " + key)
	}
	return t
}

// The integer solutions behind Table 3, from the rates, the class sizes and the
// counts of S4.1.
var (
	heldOutCounts = stats.ReviewCounts{Defect: stats.Class{Accept: 15, Reject: 68, Uncertain: 6}, Acceptable: stats.Class{Accept: 4, Reject: 21, Uncertain: 7}}
	geminiCounts  = stats.ReviewCounts{Defect: stats.Class{Accept: 3, Reject: 35, Uncertain: 6}, Acceptable: stats.Class{Accept: 3, Reject: 10, Uncertain: 2}}
)

func cascadePoints() []Point {
	t := table("g-table-3")
	var out []Point
	for _, x := range []struct {
		key, row, name string
		counts         stats.ReviewCounts
	}{{"held-out", "held-out (121)", "cascade, held-out", heldOutCounts}, {"gemini", "Gemini (59)", "cascade, Gemini", geminiCounts}} {
		out = append(out, Point{
			Key: t.Key + "/" + x.key, Table: t, Name: x.name, Set: x.row, Traces: x.counts.N(), Defects: x.counts.Defect.N(), Acceptable: x.counts.Acceptable.N(),
			Coverage: figure(t.cell("coverage", x.row)), Risk: figure(t.cell("risk", x.row)),
			Catch: figure(t.cell("catch", x.row)), OverRejection: figure(t.cell("over-rejection", x.row)), Counts: &x.counts,
		})
	}
	return out
}

func ladderPoints() []Point {
	t := table("g-table-2")
	sizes := map[string]float64{"8B": 8, "32B": 32, "72B": 72, "120B": 120, "235B": 235}
	var out []Point
	for _, r := range t.Rows {
		name, key := r.Heads[0], t.Key+"/"+r.Heads[0]
		if r.Heads[1] != "" {
			name, key = name+" "+r.Heads[1], key+"-"+r.Heads[1]
		}
		var size *float64
		if b, ok := sizes[r.Heads[1]]; ok {
			size = &b
		}
		official := "official"
		if r.Heads[2] == "kept" {
			official = "official-notes"
		}
		for _, x := range []struct{ column, form, from string }{{"structured", "structured", ""}, {"official", official, key + "/structured"}} {
			out = append(out, Point{
				Key: key + "/" + x.column, Table: t, Name: name + " · " + x.form, Set: "held-out (122)", Traces: 122, Defects: 90, Acceptable: 32,
				Size: size, Form: x.form, UpperBound: x.column == "official", From: x.from,
				Catch: figure(t.cell("catch, "+x.column, r.Heads...)), OverRejection: figure(t.cell("over-rejection, "+x.column, r.Heads...)),
			})
		}
	}
	return out
}

func designPoints() []Point {
	t := table("g-6-1")
	row := t.Rows[0].Heads[0]
	return []Point{{
		Key: t.Key + "/design", Table: t, Name: "cascade, design set", Set: row, Traces: 32, Defects: 11, Acceptable: 21,
		Coverage: figure(t.cell("coverage", row)), Risk: figure(t.cell("risk", row)), Catch: figure(t.cell("catch", row)),
	}}
}

func toolPoints() []Point {
	t := table("g-s4-2")
	var out []Point
	for _, x := range []struct {
		key, row, name string
		traces         int
	}{{"held-out", "held-out subset (40)", "tool-using GPT-4.1, held-out", 40}, {"gemini", "Gemini subset (20)", "tool-using GPT-4.1, Gemini", 20}} {
		out = append(out, Point{
			Key: t.Key + "/" + x.key, Table: t, Name: x.name, Set: x.row, Traces: x.traces,
			Coverage: figure(t.cell("coverage", x.row)), Risk: figure(t.cell("risk", x.row)),
		})
	}
	return out
}

// VotePoint is the published mean rate of correct decisions at K votes.
type VotePoint struct {
	K       int
	Correct Figure
}

// MoreVotes is the printed part of the vote scaling of paper G (S5.4): the mean
// over three reviewers with official evidence.
func MoreVotes() (Table, []VotePoint) {
	t := table("g-s5-4")
	var out []VotePoint
	for _, r := range t.Rows {
		out = append(out, VotePoint{K: int(figure(r.Heads[0]).Value), Correct: *figure(r.Cells[0])})
	}
	return t, out
}
