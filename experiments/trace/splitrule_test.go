package trace_test

import (
	"fmt"
	"math"
	"strings"
	"testing"

	"github.com/google/go-cmp/cmp"

	"plumbline/experiments/trace"
)

func TestParseSplitRule(t *testing.T) {
	t.Parallel()
	tests := []struct {
		in, err string
		names   []string
	}{
		{in: ""},
		{in: "  "},
		{in: "held-out", names: []string{"held-out"}},
		{in: " my split ", names: []string{"my split"}},
		{in: "hash:design=30,held-out=70", names: []string{"design", "held-out"}},
		{in: "hash: design = 30% , held-out = 70%", names: []string{"design", "held-out"}},
		{in: "hash:a=0.5", names: []string{"a"}},
		{in: "design=30,held-out=70", err: "shares are written hash:"},
		{in: "hash:", err: "no ="},
		{in: "hash:design", err: "no ="},
		{in: "hash:=30", err: "needs a name"},
		{in: "hash:a=0", err: "above 0"},
		{in: "hash:a=-1", err: "above 0"},
		{in: "hash:a=NaN", err: "above 0"},
		{in: "hash:a=x", err: "above 0"},
		{in: "hash:a=1,a=2", err: "two shares"},
		{in: strings.Repeat("x", 101), err: "at most 100"},
		{in: "a\x00b", err: "control"},
	}
	for _, tt := range tests {
		r, err := trace.ParseSplitRule(tt.in)
		switch {
		case tt.err == "" && err != nil, tt.err != "" && (err == nil || !strings.Contains(err.Error(), tt.err)):
			t.Errorf("%q: error %v, want %q", tt.in, err, tt.err)
		case tt.err == "":
			if diff := cmp.Diff(tt.names, r.Names()); diff != "" {
				t.Errorf("%q: %s", tt.in, diff)
			}
		}
	}
}

func TestSplitRuleIsFixedByTheInstance(t *testing.T) {
	t.Parallel()
	r, err := trace.ParseSplitRule("hash:design=30,held-out=70")
	if err != nil {
		t.Fatal(err)
	}
	// These never change: a dataset split years ago must split alike today.
	want := map[string]string{
		"django__django-11099": "held-out", "sympy__sympy-13480": "held-out", "astropy__astropy-12907": "held-out", "psf__requests-10": "design", "": "held-out",
	}
	got := map[string]string{}
	for id := range want {
		got[id] = r.Of(id)
	}
	if diff := cmp.Diff(want, got); diff != "" {
		t.Error(diff)
	}
	const n = 20_000
	design := 0
	for i := range n {
		if r.Of(fmt.Sprintf("org__repo-%d", i)) == "design" {
			design++
		}
	}
	if sd := math.Sqrt(0.3 * 0.7 / n); math.Abs(float64(design)/n-0.3) > 5*sd {
		t.Errorf("%d of %d are in the design split, want about 30%%", design, n)
	}
	// A larger share keeps what a smaller one had.
	wider, err := trace.ParseSplitRule("hash:design=50,held-out=50")
	if err != nil {
		t.Fatal(err)
	}
	for i := range 1000 {
		id := fmt.Sprintf("org__repo-%d", i)
		if r.Of(id) == "design" && wider.Of(id) != "design" {
			t.Fatalf("%s left the design split when its share grew", id)
		}
	}
	if got := (trace.SplitRule{}).Of("x"); got != "" {
		t.Errorf("the zero rule names split %q", got)
	}
}
