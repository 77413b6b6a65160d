package vote

import (
	"math"
	"math/rand/v2"
	"testing"
)

func near(t *testing.T, what string, got *float64, want, tolerance float64) {
	t.Helper()
	if got == nil {
		t.Fatalf("%s is undefined, want %v", what, want)
	}
	if math.Abs(*got-want) > tolerance {
		t.Errorf("%s = %.12f, want %.12f", what, *got, want)
	}
}

// The table of Fleiss (1971) as it is often reprinted: 10 subjects, 14 raters, 5 classes.
func TestFleissKnownTable(t *testing.T) {
	t.Parallel()
	table := [][]int{
		{0, 0, 0, 0, 14}, {0, 2, 6, 4, 2}, {0, 0, 3, 5, 6}, {0, 3, 9, 2, 0}, {2, 2, 8, 1, 1},
		{7, 7, 0, 0, 0}, {3, 2, 6, 3, 0}, {2, 5, 3, 2, 2}, {6, 5, 2, 1, 0}, {0, 2, 2, 3, 7},
	}
	var rs []row
	for _, counts := range table {
		rs = append(rs, row{counts: counts, traces: 1})
	}
	a := fleiss(rs)
	near(t, "kappa", a.Value, 0.210, 5e-4)
	near(t, "observed", a.Observed, 0.378, 5e-4)
	near(t, "expected", a.Expected, 0.213, 5e-4)
	if a.Items != 10 || a.Votes != 140 {
		t.Errorf("items %d, votes %d", a.Items, a.Votes)
	}
}

// The nominal example of Krippendorff (2011): 4 observers, 12 units, missing values, alpha 0.743.
func TestKrippendorffKnownTable(t *testing.T) {
	t.Parallel()
	observers := []string{"123321412...", "1233224125.3", ".3332342251.", "12332441251."}
	var rs []row
	for unit := range 12 {
		counts := make([]int, 5)
		for _, o := range observers {
			if o[unit] != '.' {
				counts[o[unit]-'1']++
			}
		}
		rs = append(rs, row{counts: counts, traces: 1})
	}
	a := krippendorff(rs)
	near(t, "alpha", a.Value, 0.743, 5e-4)
	if a.Items != 11 || a.Votes != 40 || a.Skipped != 1 {
		t.Errorf("items %d, votes %d, skipped %d; want 11, 40, 1", a.Items, a.Votes, a.Skipped)
	}
}

// With the same number of votes everywhere, alpha = kappa + (1 - kappa)/votes.
func TestKrippendorffIsFleissCorrected(t *testing.T) {
	t.Parallel()
	rng := rand.New(rand.NewPCG(1, 2))
	for range 50 {
		var traces []Counts
		for range 5 + rng.IntN(20) {
			var c Counts
			for range 5 {
				c.Add(Classes[rng.IntN(4)])
			}
			traces = append(traces, c)
		}
		patterns := Group(traces)
		kappa, alpha := Fleiss(patterns), Krippendorff(patterns)
		k := *kappa.Value
		near(t, "alpha", alpha.Value, k+(1-k)/float64(kappa.Votes), 1e-12)
	}
}

func TestAgreementUndefined(t *testing.T) {
	t.Parallel()
	same := []Pattern{{Counts{Reject: 5}, 9}}
	uneven := []Pattern{{Counts{Reject: 5}, 1}, {Counts{Reject: 2, Accept: 1}, 1}}
	single := []Pattern{{Counts{Reject: 1}, 4}}
	for name, a := range map[string]Agreement{
		"fleiss, no traces":            Fleiss(nil),
		"fleiss, one class":            Fleiss(same),
		"fleiss, uneven":               Fleiss(uneven),
		"fleiss, single votes":         Fleiss(single),
		"krippendorff, no traces":      Krippendorff(nil),
		"krippendorff, one class":      Krippendorff(same),
		"krippendorff, single votes":   Krippendorff(single),
		"cohen, no common traces":      Cohen([4][4]int{}),
		"cohen, one decision for both": Cohen([4][4]int{1: {1: 7}}),
	} {
		if a.Value != nil || a.Reason == "" {
			t.Errorf("%s: value %v, reason %q; want undefined with a reason", name, a.Value, a.Reason)
		}
	}
	if a := Krippendorff(uneven); a.Value == nil {
		t.Errorf("krippendorff with missing votes is undefined: %s", a.Reason)
	}
}

func TestCohen(t *testing.T) {
	t.Parallel()
	// Observed 35/50, expected 0.5·0.6 + 0.5·0.4 = 0.5.
	a := Cohen([4][4]int{{20, 5}, {10, 15}})
	near(t, "kappa", a.Value, 0.4, 1e-12)
	// Perfect agreement on two classes.
	near(t, "kappa", Cohen([4][4]int{{3}, {0, 4}}).Value, 1, 1e-12)
	// One arm constant, the other not: agreement is what chance gives.
	near(t, "kappa", Cohen([4][4]int{{3, 4}}).Value, 0, 1e-12)
}
