package main

import (
	"cmp"
	"fmt"
	"io"
	"maps"
	"slices"
	"strings"
	"unicode"

	"plumbline/experiments/formats"
	"plumbline/experiments/trace"
	"plumbline/models"
	"plumbline/runner/ingest"
)

// importReport is what import --json prints: a documented interface, see
// docs/run.md.
type importReport struct {
	ID             string                  `json:"id"`
	Dataset        string                  `json:"dataset"`
	DatasetID      string                  `json:"dataset_id"`
	State          string                  `json:"state"`
	Message        string                  `json:"message"`
	Files          []importFile            `json:"files"`
	Records        int                     `json:"records"`
	Traces         int                     `json:"traces"`
	Instances      int                     `json:"instances"`
	Joined         int                     `json:"joined"`
	Duplicates     int                     `json:"duplicates"`
	Outcomes       map[models.Imported]int `json:"outcomes"`
	Labels         map[trace.Label]int     `json:"labels"`
	Splits         map[string]int          `json:"splits"`
	Skipped        map[string]int          `json:"skipped"`
	UnknownOutcome map[string]int          `json:"unknown_outcome"`
	WithoutAttempt int                     `json:"outcomes_without_attempt"`
	Conflicts      []importConflict        `json:"conflicts"`
	Notes          []ingest.Note           `json:"notes"`
	Problems       int                     `json:"problems"`
	LabelColumn    *ingest.ColumnSummary   `json:"label_column,omitempty"`
	SameAs         string                  `json:"same_as,omitempty"`
}

type importFile struct {
	Path     string             `json:"path"`
	Format   formats.Format     `json:"format"`
	Records  *int               `json:"records"`
	Problems []*formats.Problem `json:"problems"`
	Dropped  int                `json:"problems_not_listed,omitempty"`
}

type importConflict struct {
	InstanceID string `json:"instance_id"`
	Where      string `json:"where"`
	Message    string `json:"message"`
}

func newImportReport(d models.Dataset, rep models.ImportReport, sum ingest.Summary) importReport {
	r := sum.Read
	out := importReport{
		ID: rep.ID, Dataset: d.Name, DatasetID: d.ID, State: rep.State, Message: rep.Message, Files: []importFile{},
		Records: r.Records, Traces: r.Attempts, Instances: r.Instances, Joined: r.Joined, Duplicates: r.Duplicates,
		Outcomes: sum.Outcomes, Labels: sum.Labels, Skipped: r.Skipped, UnknownOutcome: r.UnknownOutcome,
		WithoutAttempt: r.WithoutAttempt, Conflicts: []importConflict{}, Notes: sum.Notes, Problems: r.Problems,
		Splits: sum.Splits, LabelColumn: sum.Column, SameAs: sum.Same,
	}
	for _, f := range sum.Files {
		out.Files = append(out.Files, importFile{f.Path, f.Format, f.Records, f.Problems, f.Dropped})
	}
	for _, c := range r.Conflicts {
		out.Conflicts = append(out.Conflicts, importConflict(c))
	}
	return out
}

// maxListed bounds the lines of one kind in a text report; --json has them all.
const maxListed = 20

// writeImport tells an import in words, with every reason and its count.
func writeImport(w io.Writer, r importReport) {
	fmt.Fprintf(w, "%s\n%d files, %d records: %d traces of %d instances", r.Message, len(r.Files), r.Records, r.Traces, r.Instances)
	fmt.Fprintf(w, " (%d records joined, %d repeated).\n", r.Joined, r.Duplicates)
	for _, c := range []struct{ title, one string }{
		{"acceptable", string(trace.Acceptable)}, {"defective", string(trace.Defective)}, {"unknown", string(trace.Unknown)},
	} {
		fmt.Fprintf(w, "  %6d %s\n", r.Labels[trace.Label(c.one)], c.title)
	}
	writeCounts(w, "In splits:", r.Splits)
	if c := r.LabelColumn; c != nil {
		writeCounts(w, fmt.Sprintf("Rows with the column %q:", printable(c.Name)), columnCounts(c))
	}
	writeCounts(w, "Outcome unknown because:", r.UnknownOutcome)
	writeCounts(w, "Not imported:", r.Skipped)
	if r.WithoutAttempt > 0 {
		fmt.Fprintf(w, "Outcomes of instances that nobody attempted in these files: %d\n", r.WithoutAttempt)
	}
	var conflicts []string
	for _, c := range r.Conflicts {
		conflicts = append(conflicts, fmt.Sprintf("%s (%s): %s", c.InstanceID, c.Where, c.Message))
	}
	for _, n := range r.Notes {
		conflicts = append(conflicts, fmt.Sprintf("%s by %s: %s", n.InstanceID, cmp.Or(n.Agent, "an unnamed agent"), n.Message))
	}
	writeList(w, "Conflicts and new attempts:", conflicts, len(conflicts))
	writeProblems(w, r.Files, r.Problems)
	if r.ID != "" {
		fmt.Fprintf(w, "Report %s of dataset %q.\n", r.ID, r.Dataset)
	}
}

// columnCounts are what the rows of a column of labels came to.
func columnCounts(c *ingest.ColumnSummary) map[string]int {
	out := map[string]int{}
	for what, n := range c.Outcomes {
		out[string(what)] = n
	}
	for what, n := range map[string]int{"blank": c.Blank, "no label": c.Unread} {
		if n > 0 {
			out[what] = n
		}
	}
	return out
}

// writeDryRun tells a dry run in words.
func writeDryRun(w io.Writer, res formats.DryRunResult) {
	states, labels := map[string]int{}, map[string]int{}
	for _, t := range res.Traces {
		state := "patch not stated"
		if t.PatchState != nil {
			state = "patch: " + *t.PatchState
		}
		states[state]++
		switch {
		case t.Resolved == nil:
			labels["outcome unknown"]++
		case *t.Resolved:
			labels["resolved"]++
		default:
			labels["not resolved"]++
		}
	}
	problems, files := 0, []importFile{}
	kinds := map[string]int{}
	for _, f := range res.Files {
		problems += len(f.Problems)
		kinds[string(f.Format)]++
		files = append(files, importFile{Path: f.Path, Format: f.Format, Records: f.Records, Problems: f.Problems})
	}
	fmt.Fprintf(w, "%d files read, %d traces found. Nothing was written.\n", len(res.Files), len(res.Traces))
	writeCounts(w, "Formats:", kinds)
	writeCounts(w, "Traces:", labels)
	writeCounts(w, "Patches:", states)
	writeProblems(w, files, problems)
}

func writeProblems(w io.Writer, files []importFile, total int) {
	var lines []string
	for _, f := range files {
		for _, p := range f.Problems {
			lines = append(lines, p.Error())
		}
	}
	writeList(w, "Problems:", lines, max(total, len(lines)))
}

func writeCounts(w io.Writer, title string, counts map[string]int) {
	if len(counts) == 0 {
		return
	}
	fmt.Fprintln(w, title)
	for _, name := range slices.SortedFunc(maps.Keys(counts), func(a, b string) int {
		return cmp.Or(cmp.Compare(counts[b], counts[a]), cmp.Compare(a, b))
	}) {
		fmt.Fprintf(w, "  %6d %s\n", counts[name], printable(name))
	}
}

func writeList(w io.Writer, title string, lines []string, total int) {
	if total == 0 {
		return
	}
	fmt.Fprintf(w, "%s %d\n", title, total)
	for _, l := range lines[:min(len(lines), maxListed)] {
		fmt.Fprintf(w, "  %s\n", printable(l))
	}
	if total > maxListed {
		fmt.Fprintf(w, "  … and %d more; --json lists them\n", total-maxListed)
	}
}

// printable keeps texts of strangers from steering a terminal.
func printable(s string) string {
	return strings.Map(func(r rune) rune {
		if unicode.IsControl(r) || unicode.Is(unicode.Bidi_Control, r) {
			return unicode.ReplacementChar
		}
		return r
	}, s)
}
