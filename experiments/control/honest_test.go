package control_test

import (
	"flag"
	"fmt"
	"os"
	"strings"
	"testing"

	"github.com/google/go-cmp/cmp"
	"plumbline/experiments/belief"
	"plumbline/experiments/control"
	"plumbline/experiments/stats"
)

var update = flag.Bool("update", false, "rewrite golden files")

// golden compares text with testdata/name.
func golden(t *testing.T, name, got string) {
	t.Helper()
	path := "testdata/" + name
	if *update {
		if err := os.WriteFile(path, []byte(got), 0o644); err != nil {
			t.Fatal(err)
		}
	}
	want, err := os.ReadFile(path)
	if err != nil {
		t.Fatal(err)
	}
	if d := cmp.Diff(string(want), got); d != "" {
		t.Errorf("%s differs; run with -update if this is meant:\n%s", path, d)
	}
}

// TestHonestReplay replays the recorded critics of three cells by the rules of
// Replay beside the published ones: every critic once for each candidate,
// parameters from other tasks (leave one out), one price for a run of tests, and
// no generation beyond the records. The table is golden.
func TestHonestReplay(t *testing.T) {
	t.Parallel()
	var out strings.Builder
	for _, cell := range []struct{ benchmark, generator string }{{"lcb_hard", "gpt5_mini"}, {"lcb_hard", "haiku45"}, {"lcb_medium", "haiku45"}} {
		tab := readCell(t, cell.benchmark, cell.generator)
		pub, err := control.ReplayPublished(tab, control.PublishedOptions{})
		if err != nil {
			t.Fatal(err)
		}
		fmt.Fprintf(&out, "%s %s\n", cell.benchmark, cell.generator)
		for _, p := range pub {
			fmt.Fprintf(&out, "  published rules  %-22s %8.3f\n", p.Policy, *p.MeanUtility)
		}
		folds, err := belief.LeaveOneOut(tab)
		if err != nil {
			t.Fatal(err)
		}
		for _, o := range []struct {
			name   string
			kernel control.KernelSource
		}{{"iid kernel", control.FreshDraws}, {"sample kernel", control.FittedKernel}} {
			names := []string{"always_verify", "best_of_n_last", "gate:tests", "pipeline", "loop:tests", "greedy_prior", "greedy_kernel", "dp"}
			got, _, err := control.ReplayCrossFitted(names, tab, folds, control.CrossReplayOptions{
				Fit: belief.CrossOptions{Options: belief.Options{Scope: belief.AllCandidates}}, Kernel: o.kernel, Costs: control.DraftOracle(),
			})
			if err != nil {
				t.Fatal(err)
			}
			for _, r := range got {
				d, err := control.Compare(r, got[0], 70, stats.Options{Seed: 42})
				if err != nil {
					t.Fatal(err)
				}
				fmt.Fprintf(&out, "  %-16s %-22s %8.3f  Δ %7.3f [%7.3f, %7.3f]  solved %2d/%d, censored %d\n",
					o.name, r.Policy, *r.MeanUtility, *d.Mean, d.Interval.Lo, d.Interval.Hi, r.Solve.K, r.N, r.Censored)
			}
		}
	}
	golden(t, "honest.txt", out.String())
}
