package simulate

import (
	"fmt"
	"testing"

	"github.com/google/go-cmp/cmp"

	"plumbline/experiments/trace"
)

func TestCriticMarginals(t *testing.T) {
	t.Parallel()
	const n = 6000
	for _, rho := range []float64{0, 0.5, 1} {
		c := Critic{Name: "tests", PassAcceptable: 0.9, PassDefective: 0.3, Missing: 0.1, Correlation: rho}
		for label, pass := range map[trace.Label]float64{trace.Acceptable: 0.9, trace.Defective: 0.3} {
			counts := map[Outcome]int{}
			for i := range n {
				counts[c.Outcome(2, traceName(i), 0, label)]++
			}
			what := fmt.Sprintf("rho=%g %s ", rho, label)
			wantBinomial(t, what+"missing", counts[Missing], n, 0.1)
			wantBinomial(t, what+"pass", counts[Pass], n, 0.9*pass)
			wantBinomial(t, what+"fail", counts[Fail], n, 0.9*(1-pass))
		}
	}
}

func TestCriticRepeats(t *testing.T) {
	t.Parallel()
	const n = 6000
	for _, rho := range []float64{0, 0.4, 1} {
		c := Critic{Name: "tests", PassAcceptable: 0.7, PassDefective: 0.3, Correlation: rho}
		both := 0
		for i := range n {
			if c.Outcome(2, traceName(i), 0, trace.Acceptable) == Pass &&
				c.Outcome(2, traceName(i), 1, trace.Acceptable) == Pass {
				both++
			}
		}
		wantBinomial(t, fmt.Sprintf("rho=%g both pass", rho), both, n, rho*0.7+(1-rho)*0.49)
	}
}

func TestCriticEdges(t *testing.T) {
	t.Parallel()
	oracle := Critic{Name: "oracle", PassAcceptable: 1, PassDefective: 0}
	got := map[trace.Label]Outcome{}
	for _, label := range []trace.Label{trace.Acceptable, trace.Defective, trace.Unknown, ""} {
		got[label] = oracle.Outcome(1, "c", 3, label)
	}
	want := map[trace.Label]Outcome{
		trace.Acceptable: Pass, trace.Defective: Fail, trace.Unknown: Missing, "": Missing,
	}
	if diff := cmp.Diff(want, got); diff != "" {
		t.Errorf("outcomes of a perfect critic (-want +got):\n%s", diff)
	}
}

func TestCriticValidate(t *testing.T) {
	t.Parallel()
	tests := []struct {
		in   Critic
		want string
	}{
		{Critic{Name: "a", PassAcceptable: 1, Missing: 0.2}, ""},
		{Critic{}, "simulated critic without a name"},
		{Critic{Name: "a", PassDefective: -0.5}, `simulated critic "a": pass rate on defective candidates is -0.5, want a probability in [0,1]`},
		{Critic{Name: "a", Missing: 2}, `simulated critic "a": missing rate is 2, want a probability in [0,1]`},
	}
	for _, tc := range tests {
		got := ""
		if err := tc.in.Validate(); err != nil {
			got = err.Error()
		}
		if diff := cmp.Diff(tc.want, got); diff != "" {
			t.Errorf("error (-want +got):\n%s", diff)
		}
	}
}
