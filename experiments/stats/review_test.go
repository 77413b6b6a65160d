package stats

import (
	"math"
	"math/rand/v2"
	"testing"

	"github.com/google/go-cmp/cmp"
)

func randomCounts(rng *rand.Rand, most int) ReviewCounts {
	var cells [8]int
	for i := range cells {
		cells[i] = rng.IntN(most + 1)
	}
	return ofCells(cells)
}

// The identities of the rates: shares of a class add up to 1, complements too,
// and counts of numerators and denominators fit together.
func TestRateIdentities(t *testing.T) {
	t.Parallel()
	rng := rand.New(rand.NewPCG(3, 5))
	for range 500 {
		c := randomCounts(rng, 4) // small, so that empty denominators occur
		rate := c.Rate
		for name, sum := range map[string][]Metric{
			"defects":    {Catch, Miss, AbstainDefect},
			"acceptable": {OverRejection, CorrectAccept, AbstainAcceptable},
			"all":        {CorrectOverAll, ErrorOverAll, ShareUncertain},
			"shares":     {ShareAccept, ShareReject, ShareUncertain, ShareUnparseable},
			"coverage":   {Coverage, ShareUncertain},
			"decided":    {Risk, Accuracy},
			"decided D":  {CatchDecided, MissDecided},
		} {
			k, n := 0, rate(sum[0]).N
			for _, m := range sum {
				r := rate(m)
				k += r.K
				if r.N != n {
					t.Fatalf("%+v, %s: %s has base %d, not %d", c, name, m, r.N, n)
				}
				if (r.Value == nil) != (n == 0) || (r.Value == nil) != (r.Reason != "") {
					t.Fatalf("%+v: %s = %+v", c, m, r)
				}
			}
			if k != n {
				t.Errorf("%+v: %s add up to %d of %d", c, name, k, n)
			}
		}
		if got, want := rate(Risk).K, c.Wrong(); got != want {
			t.Errorf("%+v: risk counts %d wrong, want %d", c, got, want)
		}
		if got, want := rate(Risk).N, c.Decided(); got != want {
			t.Errorf("%+v: risk is over %d, want %d", c, got, want)
		}
	}
}

func TestRejectEverything(t *testing.T) {
	t.Parallel()
	c := ReviewCounts{Defect: Class{Reject: 89}, Acceptable: Class{Reject: 32}}
	for m, want := range map[Metric]float64{
		Catch: 1, Miss: 0, OverRejection: 1, Coverage: 1, Risk: 32.0 / 121, RejectPrecision: 89.0 / 121,
	} {
		if r := c.Rate(m); r.Value == nil || *r.Value != want {
			t.Errorf("%s = %+v, want %v", m, r, want)
		}
	}
	if r := c.Rate(AcceptPrecision); r.Value != nil || r.Reason != "nothing was accepted" {
		t.Errorf("accept precision = %+v, want undefined", r)
	}
}

func TestDefinitionsAreUnique(t *testing.T) {
	t.Parallel()
	seen := map[Metric]bool{}
	names := map[string]bool{}
	for _, d := range Definitions() {
		if seen[d.Metric] || names[d.Name] {
			t.Errorf("%s (%s) is defined twice", d.Metric, d.Name)
		}
		seen[d.Metric], names[d.Name] = true, true
		if d.num&^d.den != 0 {
			t.Errorf("%s counts what is not in its base", d.Metric)
		}
		if d.Formula == "" || d.Base == "" || d.Source == "" || d.empty == "" {
			t.Errorf("%s is not explained: %+v", d.Metric, d)
		}
	}
	if _, ok := Define("no such"); ok {
		t.Error("an unknown metric is defined")
	}
}

func TestChooseForm(t *testing.T) {
	t.Parallel()
	form := func(catch, over, accept int) ReviewCounts {
		return ReviewCounts{
			Defect:     Class{Reject: catch, Accept: 20 - catch},
			Acceptable: Class{Reject: over, Accept: accept, Uncertain: 10 - over - accept},
		}
	}
	onlyDefects := ReviewCounts{Defect: Class{Reject: 20}}
	for _, c := range []struct {
		name  string
		forms []ReviewCounts
		want  int
	}{
		{"none", nil, -1},
		{"lower over-rejection first", []ReviewCounts{form(20, 5, 5), form(3, 4, 0)}, 1},
		{"then higher catch", []ReviewCounts{form(10, 4, 6), form(11, 4, 0)}, 1},
		{"then more correct", []ReviewCounts{form(10, 4, 2), form(10, 4, 6)}, 1},
		{"then the first", []ReviewCounts{form(10, 4, 2), form(10, 4, 2)}, 0},
		{"undefined loses", []ReviewCounts{onlyDefects, form(0, 10, 0)}, 1},
		{"also from the front", []ReviewCounts{form(0, 10, 0), onlyDefects}, 0},
	} {
		if got := ChooseForm(c.forms); got != c.want {
			t.Errorf("%s: form %d, want %d", c.name, got, c.want)
		}
	}
	for _, c := range []struct {
		name     string
		from, to ReviewCounts
		want     bool
	}{
		{"more catch", form(10, 4, 0), form(11, 4, 0), true},
		{"less over-rejection", form(10, 4, 0), form(10, 3, 0), true},
		{"the same", form(10, 4, 0), form(10, 4, 6), false},
		{"a trade", form(10, 4, 0), form(15, 5, 0), false},
		{"worse", form(10, 4, 0), form(9, 5, 0), false},
		{"undefined", onlyDefects, form(20, 0, 10), false},
	} {
		if got := Improves(c.from, c.to); got != c.want {
			t.Errorf("%s: %v, want %v", c.name, got, c.want)
		}
	}
}

// With probabilities 0 and 1 expected counts are counts.
func TestMeasureExpectedOfCertainDecisions(t *testing.T) {
	t.Parallel()
	var kinds []Expected
	for cell, n := range heldOut.cells() {
		var p [4]float64
		p[cell%4] = 1
		kinds = append(kinds, Expected{Defect: cell < 4, Traces: n, P: [][4]float64{p}})
	}
	o := Options{Seed: 2, Resamples: 20_000}
	want := Measure(Arm{"arm", heldOut}, o)
	for i, got := range MeasureExpected([]ExpectedArm{{"arm", kinds}}, nil, o)[0][0] {
		w := want[i]
		if got.Metric != w.Metric || got.K != float64(w.K) || got.N != float64(w.N) || *got.Value != *w.Value {
			t.Errorf("%s: %v/%v, want %s %d/%d", got.Metric, got.K, got.N, w.Metric, w.K, w.N)
		}
		if diff := cmp.Diff(*w.Bootstrap, *got.Interval); diff != "" {
			t.Errorf("%s: the intervals differ (-want +got):\n%s", got.Metric, diff)
		}
	}
}

func TestMeasureExpectedSteps(t *testing.T) {
	t.Parallel()
	arm := ExpectedArm{"arm", []Expected{
		{Defect: true, Traces: 10, P: [][4]float64{{0.5, 0.5, 0, 0}, {0, 1, 0, 0}}},
		{Traces: 5, P: [][4]float64{{0.2, 0.4, 0.4, 0}}}, // stays as it is
	}}
	metrics := []Metric{Catch, OverRejection, Coverage, Risk, RejectPrecision, "no such"}
	got := MeasureExpected([]ExpectedArm{arm, {Label: "empty"}}, metrics, Options{Resamples: 300})
	if len(got) != 2 || len(got[0]) != 2 || len(got[1]) != 0 {
		t.Fatalf("%d arms, %d and %d steps", len(got), len(got[0]), len(got[1]))
	}
	for step, want := range [][]float64{{0.5, 0.4, 13.0 / 15, 7.0 / 13, 5.0 / 7}, {1, 0.4, 13.0 / 15, 2.0 / 13, 10.0 / 12}} {
		for i, w := range want {
			r := got[0][step][i]
			if r.Metric != metrics[i] || math.Abs(*r.Value-w) > 1e-12 || r.Interval == nil {
				t.Errorf("step %d: %s = %v, want %v", step, r.Metric, *r.Value, w)
			}
		}
		if r := got[0][step][5]; r.Value != nil || r.Reason == "" || r.Interval != nil || r.IntervalReason == "" {
			t.Errorf("step %d: %+v", step, r)
		}
	}
	none := ExpectedArm{"arm", []Expected{{Traces: 3, P: [][4]float64{{0, 0, 1, 0}}}}}
	if r := MeasureExpected([]ExpectedArm{none}, []Metric{Risk}, Options{})[0][0][0]; r.Value != nil || r.Reason != "nothing was decided" {
		t.Errorf("%+v", r)
	}
}
