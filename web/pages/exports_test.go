package pages

import (
	"bytes"
	"context"
	"strings"
	"testing"

	"plumbline/web/layout"
)

func rendered(t *testing.T, e Exports) string {
	t.Helper()
	var b bytes.Buffer
	if err := ExportsPage(e).Render(layout.WithCSRF(context.Background(), "token"), &b); err != nil {
		t.Fatal(err)
	}
	return b.String()
}

// The forms of a file stand on one line, each with a name of its own for a screen
// reader; names of strangers are text.
func TestExportsPage(t *testing.T) {
	t.Parallel()
	n := int64(1234567)
	e := Exports{
		Frame: layout.Frame{Title: "Exports of <script>alert(1)</script>\u202e"}, Command: "plumbline export '<b>\u202e'",
		Files: []ExportFile{
			{"votes.csv", "One vote a row.", "/x/votes.csv"}, {"votes.parquet", "One vote a row.", "/x/votes.parquet"}, {"inspect.json", "A log.", "/x/inspect.json"},
		},
	}
	page := rendered(t, e)
	for _, want := range []string{`href="/x/votes.csv" download aria-label="Votes as CSV"`, `aria-label="Votes as Parquet"`, `aria-label="Inspect log as JSON"`, "apostrophe"} {
		if !strings.Contains(page, want) {
			t.Errorf("the page lacks %s", want)
		}
	}
	if strings.Count(page, "One vote a row.") != 1 {
		t.Error("the forms of a file do not share a line")
	}
	for _, bad := range []string{"<script>alert", "<b>\u202e", "\u202e"} {
		if strings.Contains(page, bad) {
			t.Errorf("the page holds %q", bad)
		}
	}
	set := rendered(t, Exports{Traces: &n, Filtered: true, List: "/datasets/d/traces?label=x", Files: []ExportFile{{"traces.jsonl", "Traces.", "/t?label=%3Cx%3E&q=1"}}})
	for _, want := range []string{"1,234,567", "/datasets/d/traces?label=x", "filter selects", "without the filter", `/t?label=%3Cx%3E&amp;q=1`} {
		if !strings.Contains(set, want) {
			t.Errorf("the page of a dataset lacks %s", want)
		}
	}
	if strings.Contains(set, "apostrophe") {
		t.Error("a page without CSV speaks of it")
	}
}
