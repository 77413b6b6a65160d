package stats

import (
	"math"
	"math/rand/v2"
	"testing"
)

// What is planned for a pair is what simulated experiments of it show on average,
// and the coupling of simulated pairs is the one they were drawn with.
func TestPlannedPairIsTheSimulatedPair(t *testing.T) {
	t.Parallel()
	better := assumed
	better.Acceptable = [4]float64{0.6, 0.18, 0.22, 0}
	for _, coupling := range []float64{0, 0.5, 1} {
		plan := PlanPair(assumed, better, coupling)
		sim := SimulatePower(rand.New(rand.NewPCG(9, 9)), assumed, better, coupling, 4000)
		if math.Abs(plan.Decided-sim.Decided) > 0.5 || math.Abs(plan.Discordant-sim.Discordant) > 0.5 {
			t.Errorf("coupling %v: planned %+v, simulated %+v", coupling, plan, sim)
		}
		if d := *plan.Difference.Value; math.Abs(d-(*plan.SecondAccuracy.Value-*plan.FirstAccuracy.Value)) > 1e-12 || d <= 0 {
			t.Errorf("coupling %v: difference %v", coupling, d)
		}
		if m := *plan.Detectable.Value; m <= 0 || m > 1 {
			t.Errorf("coupling %v: detectable %v", coupling, m)
		}
		var p Pair
		for i, w := range joint(assumed.Defect, better.Defect, coupling) {
			p.Defect[i/4][i%4] = int(math.Round(1e6 * w))
		}
		for i, w := range joint(assumed.Acceptable, better.Acceptable, coupling) {
			p.Acceptable[i/4][i%4] = int(math.Round(1e6 * w))
		}
		if got := Coupling(p); got.Value == nil || math.Abs(*got.Value-coupling) > 1e-4 {
			t.Errorf("coupling %v is measured as %+v", coupling, got)
		}
	}
	// Arms far apart are still alike or not.
	if c := Coupling(Pair{Defect: [4][4]int{Accepted: {Accepted: 11, Rejected: 28, Abstained: 10, Unparsed: 2}, Rejected: {Rejected: 3}, Abstained: {Abstained: 1}}}); c.Value == nil || *c.Value < 0.5 {
		t.Errorf("arms that differ only where they must: %+v", c)
	}
	none := assumed
	none.Defects, none.Acceptables = 0, 0
	if p := PlanPair(none, none, 0); p.Difference.Value != nil || p.Detectable.Value != nil || p.Detectable.Reason == "" {
		t.Errorf("no traces: %+v", p)
	}
	for _, p := range []Pair{{}, {Defect: [4][4]int{{0, 5}}}} {
		if c := Coupling(p); c.Value != nil || c.Reason == "" {
			t.Errorf("%+v: %+v", p, c)
		}
	}
}
