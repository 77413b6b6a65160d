package formats

import (
	"strings"

	"plumbline/experiments/trace"
)

// The task that a trajectory shows is the only place of the issue where no row of
// the dataset was imported. Every agent wraps it in its own words; the marks here
// are those of the formats read.

var taskMarks = []struct{ open, end string }{
	{"<pr_description>", "</pr_description>"},
	{"<issue_description>", "</issue_description>"},
	{"<problem_statement>", "</problem_statement>"},
	{"<task>", "</task>"},
	{"<issue>", "</issue>"},
	{"\nISSUE:\n", "\nINSTRUCTIONS:"},
}

// leadIns stand inside the marks in front of the issue.
var leadIns = []string{"Consider the following PR description:", "Consider the following issue description:"}

// issueIn cuts the issue out of a prompt, empty when no mark is there.
func issueIn(prompt string) string {
	for _, m := range taskMarks {
		_, rest, ok := strings.Cut(prompt, m.open)
		if !ok {
			continue
		}
		issue, _, ok := strings.Cut(rest, m.end)
		if !ok {
			continue
		}
		issue = strings.TrimSpace(issue)
		for _, l := range leadIns {
			issue = strings.TrimSpace(strings.TrimPrefix(issue, l))
		}
		if issue != "" {
			return issue
		}
	}
	return ""
}

// task emits the issue of a trajectory as an embedded row.
func (x *reading) task(id, repo, base, issue string) error {
	if id == "" || issue == "" {
		return nil
	}
	return x.put(&Row{Pos: x.at(0, "task"), Embedded: true, Instance: trace.Instance{ID: id, Repo: repo, BaseCommit: base, Issue: issue}})
}
