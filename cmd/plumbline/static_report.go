package main

import (
	"fmt"
	"io"
	"maps"
	"slices"
	"strings"
	"text/tabwriter"

	"plumbline/experiments/findings"
	"plumbline/experiments/stats"
	"plumbline/runner/staticpairs"
)

// staticReport is what plumbline static prints, a documented interface, see
// docs/static.md.
type staticReport struct {
	Tools []string `json:"tools"` // counted in rows
	// Listed are the patches that the pairs were chosen from, ListedJudged those of
	// them with an outcome; null when nothing lists them.
	Listed       *int             `json:"listed"`
	ListedJudged *int             `json:"listed_judged"`
	Pairs        int              `json:"pairs"`
	Counted      int              `json:"counted"`
	Rows         []staticRow      `json:"rows"`
	ByTool       []staticTool     `json:"by_tool"`
	LeftOut      map[string]int   `json:"left_out"` // by reason
	Details      []staticPairLine `json:"details"`
}

// staticRow is how many of the patches in a row the official tests accept.
type staticRow struct {
	Row    string   `json:"row"` // decisive, other or none
	K      int      `json:"resolved"`
	N      int      `json:"n"`
	Value  *float64 `json:"value"`
	Lo     *float64 `json:"lo"`
	Hi     *float64 `json:"hi"`
	Method string   `json:"method,omitempty"`
	Why    string   `json:"why,omitempty"` // why value is null
}

type staticTool struct {
	Tool     string         `json:"tool"`
	Rows     []staticRow    `json:"rows"`
	Unusable map[string]int `json:"unusable"` // pairs without an output to compare, by reason
}

type staticPairLine struct {
	Pair     string   `json:"pair"`
	Instance string   `json:"instance_id"`
	Resolved *bool    `json:"resolved"`
	Decisive int      `json:"decisive"`
	Caused   int      `json:"caused"`
	Standing int      `json:"standing"`
	LeftOut  string   `json:"left_out,omitempty"`
	Findings []string `json:"findings"` // decisive ones first
}

func newStaticReport(set staticpairs.Set, listedJudged int, tools []string) (staticReport, error) {
	known := set.Tools()
	for _, t := range tools {
		if !slices.Contains(known, t) {
			return staticReport{}, fmt.Errorf("no pair has an output of %q; there are %s", t, strings.Join(known, ", "))
		}
	}
	if len(tools) == 0 {
		tools = known
	}
	results := set.Compare(tools...)
	rep := staticReport{Tools: tools, Pairs: len(results), Rows: staticRows(findings.TabulatePairs(results)), LeftOut: map[string]int{}}
	if set.Listed != nil {
		n := len(set.Listed)
		rep.Listed, rep.ListedJudged = &n, &listedJudged
	}
	for _, r := range results {
		if r.LeftOut != "" {
			rep.LeftOut[r.LeftOut]++
		} else {
			rep.Counted++
		}
		line := staticPairLine{
			Pair: r.Name, Instance: r.Instance, Resolved: r.Resolved, Decisive: r.Static.Decisive, Caused: r.Static.Caused, Standing: r.Static.Standing,
			LeftOut: r.LeftOut, Findings: []string{},
		}
		for _, f := range r.Caused {
			line.Findings = append(line.Findings, f.Tool+": "+f.String())
		}
		rep.Details = append(rep.Details, line)
	}
	for _, t := range tools {
		x := staticTool{Tool: t, Rows: staticRows(findings.TabulatePairs(set.Compare(t))), Unusable: map[string]int{}}
		for _, p := range set.Pairs {
			i := slices.IndexFunc(p.Tools, func(o findings.PairTool) bool { return o.Tool == t })
			switch {
			case i < 0:
				x.Unusable["there is no output of it"]++
			case p.Tools[i].Why != "":
				x.Unusable[p.Tools[i].Why]++
			}
		}
		rep.ByTool = append(rep.ByTool, x)
	}
	return rep, nil
}

func staticRows(t findings.Table) []staticRow {
	row := func(name string, r stats.Rate) staticRow {
		out := staticRow{Row: name, K: r.K, N: r.N, Value: r.Value, Why: r.Reason}
		if iv, _ := stats.Wilson(r.K, r.N, 0); iv != nil {
			out.Lo, out.Hi, out.Method = &iv.Lo, &iv.Hi, iv.Method
		}
		return out
	}
	return []staticRow{row("decisive", t.Decisive), row("other", t.Other), row("none", t.None)}
}

// staticRowWords say what a row holds.
var staticRowWords = map[string]string{
	"decisive": "caused a decisive finding", "other": "caused other findings alone", "none": "caused no finding",
}

func (r staticRow) rate() string {
	if r.Value == nil {
		return fmt.Sprintf("%d/%d\tundefined: %s", r.K, r.N, r.Why)
	}
	return fmt.Sprintf("%d/%d\t%.2f\t[%.2f, %.2f]", r.K, r.N, *r.Value, *r.Lo, *r.Hi)
}

// write prints the table for people. A write that fails shows at the end of the
// program.
func (r staticReport) write(w io.Writer) {
	if r.Listed != nil {
		fmt.Fprintf(w, "%d patches are listed, %d of them have an outcome; the output of tools is stored for %d.\n", *r.Listed, *r.ListedJudged, r.Pairs)
	} else {
		fmt.Fprintf(w, "The output of tools is stored for %d patches.\n", r.Pairs)
	}
	fmt.Fprintf(w, "%d are counted, by the findings of %s.\n\n", r.Counted, strings.Join(r.Tools, ", "))
	tw := tabwriter.NewWriter(w, 0, 4, 2, ' ', 0)
	fmt.Fprintln(tw, "the patch\taccepted by the official tests\trate\t95% Wilson")
	for _, row := range r.Rows {
		fmt.Fprintf(tw, "%s\t%s\n", staticRowWords[row.Row], row.rate())
	}
	_ = tw.Flush()
	if len(r.ByTool) > 1 {
		fmt.Fprintln(w, "\nBy one tool alone, caused a decisive finding:")
		tw = tabwriter.NewWriter(w, 0, 4, 2, ' ', 0)
		for _, t := range r.ByTool {
			fmt.Fprintf(tw, "%s\t%s\n", t.Tool, t.Rows[0].rate())
		}
		_ = tw.Flush()
	}
	if len(r.LeftOut) > 0 {
		fmt.Fprintln(w, "\nLeft out:")
		for _, why := range slices.Sorted(maps.Keys(r.LeftOut)) {
			fmt.Fprintf(w, "  %d: %s\n", r.LeftOut[why], why)
		}
	}
	for _, d := range r.Details {
		if d.Decisive > 0 {
			fmt.Fprintf(w, "\n%s: %s\n", d.Pair, pairOutcome(d.Resolved))
			for _, f := range d.Findings[:min(len(d.Findings), 5)] {
				fmt.Fprintf(w, "  %s\n", f)
			}
		}
	}
}

func pairOutcome(resolved *bool) string {
	switch {
	case resolved == nil:
		return "no outcome is known"
	case *resolved:
		return "accepted by the official tests"
	}
	return "not accepted by the official tests"
}
