package stepsview

import (
	"bytes"
	"context"
	"fmt"
	"strings"
	"testing"

	"golang.org/x/net/html"

	"plumbline/experiments/trace"
)

func TestWindowStart(t *testing.T) {
	t.Parallel()
	for _, tt := range []struct{ current, total, want int }{
		{0, 0, 0}, {0, 10, 0}, {9, 10, 0}, {0, 33_000, 0}, {1000, 33_000, 975}, {32_999, 33_000, 32_800},
	} {
		if got := WindowStart(tt.current, tt.total); got != tt.want {
			t.Errorf("WindowStart(%d, %d) = %d, want %d", tt.current, tt.total, got, tt.want)
		}
		if got := WindowStart(tt.current, tt.total); tt.total > 0 && (tt.current < got || tt.current >= got+WindowRows) {
			t.Errorf("step %d is not in the window from %d", tt.current, got)
		}
	}
}

func render(t testing.TB, rows []Row, d Detail) string {
	t.Helper()
	var b bytes.Buffer
	if err := List(Outline{Rows: rows, Total: len(rows), Errors: 1}).Render(context.Background(), &b); err != nil {
		t.Fatal(err)
	}
	if err := Step(d).Render(context.Background(), &b); err != nil {
		t.Fatal(err)
	}
	return b.String()
}

func TestHostileStepStaysText(t *testing.T) {
	t.Parallel()
	evil := "<script>alert(1)</script>\x00\u202e\"><img src=x onerror=y>"
	code := 1
	row := Row{Kind: trace.StepKind(evil), Tool: evil, Title: evil, ExitCode: &code, Href: "javascript:alert(1)"}
	got := render(t, []Row{row}, Detail{Row: row, Thought: evil, Action: `{"` + "k" + `":"<script>"}`, Observation: evil, Link: "?step=1"})
	if strings.ContainsAny(got, "\x00\u202e") {
		t.Error("an invisible character reached the page")
	}
	root, err := html.Parse(strings.NewReader(got))
	if err != nil {
		t.Fatal(err)
	}
	for n := range root.Descendants() {
		if n.Data == "script" || n.Data == "img" {
			t.Errorf("element %s", n.Data)
		}
		for _, a := range n.Attr {
			if a.Key == "style" || strings.HasPrefix(a.Key, "on") || strings.Contains(a.Val, "javascript:") {
				t.Errorf("attribute %s=%q", a.Key, a.Val)
			}
		}
	}
}

func BenchmarkOutlineWindow(b *testing.B) {
	rows := make([]Row, WindowRows)
	for i := range rows {
		rows[i] = Row{Index: 32_000 + i, Kind: trace.StepAction, Tool: "bash", Title: fmt.Sprintf("python -m pytest tests/test_%d.py -x -q", i), Href: fmt.Sprintf("?step=%d", i)}
	}
	var out bytes.Buffer
	for b.Loop() {
		out.Reset()
		if err := List(Outline{Rows: rows, Total: 33_000}).Render(context.Background(), &out); err != nil {
			b.Fatal(err)
		}
	}
	b.ReportMetric(float64(out.Len()), "page-bytes")
}
