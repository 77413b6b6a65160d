package pages

import (
	"bytes"
	"context"
	"reflect"
	"strings"
	"testing"

	"github.com/a-h/templ"
	"golang.org/x/net/html"

	"plumbline/experiments/patch"
	"plumbline/web/components/diffview"
	"plumbline/web/components/evidenceview"
	"plumbline/web/components/logview"
	"plumbline/web/components/visible"
	"plumbline/web/layout"
)

// evil is markup, a script address and characters nobody sees, in one text.
const evil = "javascript:alert(1)//\"'><script>alert(1)</script><img src=https://evil.test/x onerror=alert(1) style=x>\x00\u202e"

// fill sets every string it can reach to s, and makes slices, maps and pointers
// non-empty, so that a new field of a view model is under test at once.
func fill(v reflect.Value, s string, depth int) {
	if depth > 14 || !v.CanSet() {
		return
	}
	switch v.Kind() {
	case reflect.String:
		v.SetString(s)
	case reflect.Bool:
		v.SetBool(true)
	case reflect.Int, reflect.Int64:
		v.SetInt(3)
	case reflect.Pointer:
		v.Set(reflect.New(v.Type().Elem()))
		fill(v.Elem(), s, depth+1)
	case reflect.Slice:
		v.Set(reflect.MakeSlice(v.Type(), 2, 2))
		fallthrough
	case reflect.Array:
		for i := range v.Len() {
			fill(v.Index(i), s, depth+1)
		}
	case reflect.Struct:
		for i := range v.NumField() {
			fill(v.Field(i), s, depth+1)
		}
	case reflect.Map:
		m := reflect.MakeMap(v.Type())
		key, value := reflect.New(v.Type().Key()).Elem(), reflect.New(v.Type().Elem()).Elem()
		fill(key, s, depth+1)
		fill(value, s, depth+1)
		m.SetMapIndex(key, value)
		v.Set(m)
	}
}

// filled is a view model with every text set to s and a frame that still names
// real scripts.
func filled[T any](s string, frame func(*T) *layout.Frame) T {
	var v T
	fill(reflect.ValueOf(&v).Elem(), s, 0)
	*frame(&v) = layout.Frame{Title: s, Crumbs: []layout.Link{{Text: s, Href: s}}}
	return v
}

func renderPage(t testing.TB, c templ.Component) string {
	t.Helper()
	var b bytes.Buffer
	if err := c.Render(layout.WithCSRF(context.Background(), "token"), &b); err != nil {
		t.Fatal(err)
	}
	return b.String()
}

// safe fails when a page holds anything that a strict content policy would have
// to stop, or that could come from a text.
func safe(t *testing.T, page string) {
	t.Helper()
	root, err := html.Parse(strings.NewReader(page))
	if err != nil {
		t.Fatal(err)
	}
	for n := range root.Descendants() {
		if n.Type != html.ElementNode {
			continue
		}
		switch n.Data {
		case "script":
			if n.FirstChild != nil && attr(n, "type") != "application/json" {
				t.Errorf("inline script %q", n.FirstChild.Data)
			}
		case "img", "iframe", "object", "embed", "style", "base":
			t.Errorf("element %s", n.Data)
		}
		for _, a := range n.Attr {
			value := strings.ToLower(strings.TrimSpace(a.Val))
			switch {
			case a.Key == "style", strings.HasPrefix(a.Key, "on"):
				t.Errorf("<%s %s=%q>", n.Data, a.Key, a.Val)
			case a.Key == "href" || a.Key == "action" || a.Key == "formaction" || a.Key == "src":
				if strings.HasPrefix(value, "javascript:") {
					t.Errorf("<%s %s=%q>", n.Data, a.Key, a.Val)
				}
				if (a.Key == "src" || n.Data == "link") && !strings.HasPrefix(value, "/static/") {
					t.Errorf("<%s %s=%q> asks another place", n.Data, a.Key, a.Val)
				}
			}
		}
	}
}

func attr(n *html.Node, key string) string {
	for _, a := range n.Attr {
		if a.Key == key {
			return a.Val
		}
	}
	return ""
}

// allPages renders every page of this part of the product with every text set to s.
func allPages(s string) map[string]templ.Component {
	pages := map[string]templ.Component{}
	for _, tab := range []TraceTab{TabIssue, TabDiff, TabEvidence, TabChecks, TabSteps, TabSummary, TabOracle} {
		v := filled(s, func(v *Trace) *layout.Frame { return &v.Frame })
		v.Tab, v.NoDiff, v.Evidence.None = tab, "", ""
		v.Oracle.Shown = true
		v.Diff = diffview.Build(&patch.Diff{Files: []patch.File{{Old: s, New: s + "2", Kind: patch.Renamed, Hunks: []patch.Hunk{{
			Section: s, Lines: []patch.Line{{Op: patch.Insert, Text: s, New: 1}},
		}}}}}, diffview.Options{URL: func(string) string { return s }, Raw: func(string) string { return s }})
		v.Oracle.Gold, v.Oracle.Test = v.Diff, v.Diff
		v.Evidence.Evidence = evidenceview.Build(s, evidenceview.Options{Raw: s})
		pages["trace/"+string(tab)] = TracePage(v)
	}
	traces := filled(s, func(v *Traces) *layout.Frame { return &v.Frame })
	row := filled(s, func(v *struct {
		Frame layout.Frame
		Row   TraceRow
	}) *layout.Frame {
		return &v.Frame
	}).Row
	traces.Table.Rows[0].Cells = TraceCells(row)
	pages["traces"] = TracesPage(traces)

	dataset := filled(s, func(v *Dataset) *layout.Frame { return &v.Frame })
	dataset.Composition = CompositionTable("agent", []CompositionRow{{Name: s, Cells: map[CompositionKey]CountLink{CompAll: {3, s}}}}, dataset.Splits.Empty)
	dataset.Splits = SplitTable([]SplitRow{{Name: s, Href: s, New: s}}, dataset.Splits.Empty)
	dataset.Imports = ImportTable([]ImportRow{{Origin: s, Href: s, State: s}}, dataset.Now, dataset.Splits.Empty)
	pages["dataset"] = DatasetPage(dataset)

	pages["import"] = ImportPage(filled(s, func(v *Import) *layout.Frame { return &v.Frame }))
	pages["import report"] = ImportReportPage(filled(s, func(v *ImportReport) *layout.Frame { return &v.Frame }))
	pages["reviewers"] = ReviewersPage(filled(s, func(v *Reviewers) *layout.Frame { return &v.Frame }))
	pages["reviewer"] = ReviewerPage(filled(s, func(v *Reviewer) *layout.Frame { return &v.Frame }))
	pages["new experiment"] = ExperimentNewPage(filled(s, func(v *ExperimentNew) *layout.Frame { return &v.Frame }))
	pages["login"] = LoginPage(filled(s, func(v *Login) *layout.Frame { return &v.Frame }))
	pages["label"] = LabelPage(filled(s, func(v *Label) *layout.Frame { return &v.Frame }))
	return pages
}

func TestHostileTextNeverBecomesMarkup(t *testing.T) {
	t.Parallel()
	for name, c := range allPages(evil) {
		t.Run(name, func(t *testing.T) {
			page := renderPage(t, c)
			safe(t, page)
			if !strings.Contains(page, "&lt;script&gt;") {
				t.Error("the text is not on the page: the test shows nothing")
			}
		})
	}
}

func TestEmptyPagesRender(t *testing.T) {
	t.Parallel()
	for name, c := range allPages("") {
		t.Run(name, func(t *testing.T) { safe(t, renderPage(t, c)) })
	}
	for name, c := range map[string]templ.Component{
		"trace": TracePage(Trace{}), "traces": TracesPage(Traces{}), "dataset": DatasetPage(Dataset{}), "import": ImportPage(Import{}),
		"report": ImportReportPage(ImportReport{}), "reviewers": ReviewersPage(Reviewers{}), "reviewer": ReviewerPage(Reviewer{}),
		"new": ExperimentNewPage(ExperimentNew{}), "login": LoginPage(Login{}), "label": LabelPage(Label{}),
	} {
		t.Run("zero/"+name, func(t *testing.T) { safe(t, renderPage(t, c)) })
	}
}

// A text of 5 MB on one line in every place that holds a stranger's text leaves
// the page small and says what was left off.
func TestHugeTextsAreCut(t *testing.T) {
	t.Parallel()
	huge := strings.Repeat("x", 5<<20)
	d := patch.Parse("--- /dev/null\n+++ b/a.py\n@@ -0,0 +1 @@\n+" + huge + "\n")
	v := Trace{
		Issue: huge, Summary: huge, Diff: diffview.Build(&d, diffview.Options{Raw: func(at string) string { return "/raw?row=" + at }}),
		Evidence: EvidencePane{Evidence: evidenceview.Build("   1| "+huge, evidenceview.Options{Raw: "/raw"})},
		Votes:    VotesPane{Cards: []VoteCard{{Number: 1, Rationale: huge, Raw: huge, RawURL: "/raw", Citations: []Citation{{Quote: huge}}}}},
	}
	for _, tab := range []TraceTab{TabIssue, TabDiff, TabEvidence, TabSummary} {
		v.Tab = tab
		if page := renderPage(t, TracePage(v)); len(page) > 900<<10 || !strings.Contains(page, "bytes") {
			t.Errorf("%s: page of %d bytes", tab, len(page))
		}
	}
	if n := len(logview.Window(huge, logview.Options{}).Lines[0].Runs[0].Text); n != logview.CutLine {
		t.Errorf("log line of %d bytes", n)
	}
	if s := visible.String(huge[:10]); s != huge[:10] {
		t.Error("plain text was changed")
	}
}
