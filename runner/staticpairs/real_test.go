package staticpairs_test

import (
	"context"
	"encoding/json"
	"os"
	"path/filepath"
	"slices"
	"testing"

	"github.com/google/go-cmp/cmp"

	"plumbline/experiments/findings"
	"plumbline/experiments/stats"
	"plumbline/models/modelstest"
	"plumbline/runner/staticpairs"
)

// realFolder finds the published runs.
func realFolder(t *testing.T) string {
	t.Helper()
	root := os.Getenv("PLUMBLINE_SHARED")
	if root == "" {
		root = filepath.Join("..", "..", "..", "shared")
	}
	folder := filepath.Join(root, "data", "real")
	if _, err := os.Stat(filepath.Join(folder, "static-pairs", "index.json")); err != nil {
		modelstest.Need(t, "real pairs not found at "+folder+"; set PLUMBLINE_SHARED")
	}
	return folder
}

// The table that docs/static.md shows, from the stored output of three tools on 31
// real patches, and how many patches there are without stored output.
func TestRealTable(t *testing.T) {
	t.Parallel()
	folder := realFolder(t)
	set, err := staticpairs.Read(filepath.Join(folder, "static-pairs"))
	if err != nil {
		t.Fatal(err)
	}
	if diff := cmp.Diff([]string{"flake8", "pyflakes", "pylint"}, set.Tools()); diff != "" || len(set.Pairs) != 31 || len(set.Listed) != 555 {
		t.Fatalf("%d pairs of %d patches, tools %s", len(set.Pairs), len(set.Listed), diff)
	}
	o, err := staticpairs.ReadOutcomes(context.Background(), folder, append(set.From, set.Listed...))
	if err != nil {
		t.Fatal(err)
	}
	if n := set.Judge(o); n != 456 {
		t.Errorf("%d of the listed patches have an outcome, want 456", n)
	}
	for _, tt := range []struct {
		tools []string
		want  findings.Table
	}{
		{nil, findings.Table{Decisive: stats.RateOf(0, 7, ""), Other: stats.RateOf(2, 11, ""), None: stats.RateOf(1, 9, "")}},
		{[]string{"pyflakes"}, findings.Table{Decisive: stats.RateOf(0, 7, ""), Other: stats.RateOf(2, 11, ""), None: stats.RateOf(1, 9, "")}},
		{[]string{"pylint"}, findings.Table{Decisive: stats.RateOf(0, 7, ""), Other: stats.RateOf(0, 4, ""), None: stats.RateOf(3, 16, "")}},
	} {
		results := set.Compare(tt.tools...)
		if diff := cmp.Diff(tt.want, findings.TabulatePairs(results)); diff != "" {
			t.Errorf("%v (-want +got):\n%s", tt.tools, diff)
		}
		left := 0
		for _, r := range results {
			if r.LeftOut == findings.NoPairOutcome {
				left++
			} else if r.LeftOut != "" {
				t.Errorf("%s is left out: %s", r.Name, r.LeftOut)
			}
		}
		if left != 4 {
			t.Errorf("%d pairs have no outcome, want 4", left)
		}
	}
}

// The caused findings of pyflakes are those that were published with the pairs.
func TestRealFindings(t *testing.T) {
	t.Parallel()
	folder := filepath.Join(realFolder(t), "static-pairs")
	raw, err := os.ReadFile(filepath.Join(folder, "index.json"))
	if err != nil {
		t.Fatal(err)
	}
	var published []struct {
		Dir string   `json:"dir"`
		New []string `json:"pyflakes_new"`
	}
	if err := json.Unmarshal(raw, &published); err != nil {
		t.Fatal(err)
	}
	set, err := staticpairs.Read(folder)
	if err != nil {
		t.Fatal(err)
	}
	for i, r := range set.Compare("pyflakes") {
		got := []string{}
		for _, f := range r.Caused {
			got = append(got, f.File+": "+f.Message)
		}
		slices.Sort(got)
		want := append([]string{}, published[i].New...)
		slices.Sort(want)
		if diff := cmp.Diff(want, got); diff != "" {
			t.Errorf("%s (-published +got):\n%s", r.Name, diff)
		}
	}
}
