package evidenceview

import (
	"bytes"
	"context"
	"fmt"
	"strings"
	"testing"

	"github.com/google/go-cmp/cmp"

	"plumbline/web/components/visible"
)

func TestNumbersAndCitations(t *testing.T) {
	t.Parallel()
	v := Build("   1# Issue\n   2| x <b>\n", Options{Cited: Cited{2: {1, 3}}})
	want := []Line{
		{Number: 1, Anchor: "e1", Href: "#e1", Own: true, Runs: []visible.Run{{Text: "Issue"}}},
		{Number: 2, Anchor: "e2", Href: "#e2", Runs: []visible.Run{{Text: "x <b>"}}, Cited: []int{1, 3}},
	}
	if diff := cmp.Diff(want, v.Lines); diff != "" {
		t.Error(diff)
	}
	var b bytes.Buffer
	if err := Evidence(v).Render(context.Background(), &b); err != nil {
		t.Fatal(err)
	}
	for _, part := range []string{`class="ev-line cited cited-1 cited-3" id="e2"`, `href="#vote-3"`, "<code>x &lt;b&gt;</code>"} {
		if !strings.Contains(b.String(), part) {
			t.Errorf("%s lacks %s", b.String(), part)
		}
	}
}

func TestForeignTextIsNumberedByRow(t *testing.T) {
	t.Parallel()
	v := Build("plain\n\ntext", Options{})
	if len(v.Lines) != 3 || v.Lines[2].Number != 3 || v.Lines[2].Runs[0].Text != "text" {
		t.Errorf("%+v", v.Lines)
	}
	if v := Build("", Options{}); v.Total != 0 {
		t.Errorf("empty text has %d lines", v.Total)
	}
}

func TestWindows(t *testing.T) {
	t.Parallel()
	var b strings.Builder
	for i := 1; i <= 4000; i++ {
		fmt.Fprintf(&b, "%4d| line\n", i)
	}
	url := func(from int) string { return fmt.Sprintf("?from=%d", from) }
	v := Build(b.String(), Options{From: 1501, URL: url})
	if v.Lines[0].Number != 1501 || v.Before != "?from=1" || v.After != "?from=3001" || !v.Shows(3000) || v.Shows(3001) {
		t.Errorf("first %d before %q after %q", v.Lines[0].Number, v.Before, v.After)
	}
	v = Build("   1| "+strings.Repeat("x", 5<<20), Options{From: 99})
	if v.Lines[0].CutBytes != 5<<20-CutLine {
		t.Errorf("cut %d", v.Lines[0].CutBytes)
	}
}
