package stats

import (
	"math"
	"math/rand/v2"
	"testing"
)

var assumed = Assumption{
	Defects: 89, Acceptables: 32,
	Defect:     [4]float64{0.17, 0.76, 0.07, 0},
	Acceptable: [4]float64{0.125, 0.655, 0.22, 0},
}

// The widths computed beforehand are those of simulated experiments.
func TestPlannedWidthsAreSimulatedWidths(t *testing.T) {
	t.Parallel()
	planned := PlannedRates(assumed, 0)
	simulated := Simulate(rand.New(rand.NewPCG(1, 1)), assumed, 2000)
	for i, p := range planned {
		s := simulated[i]
		if p.Value == nil || s.MeanWidth.Value == nil {
			t.Fatalf("%s: %+v, %+v", p.Metric, p, s)
		}
		if w := p.Hi - p.Lo; math.Abs(w-*s.MeanWidth.Value) > 0.03 {
			t.Errorf("%s: width %v planned, %v simulated", p.Metric, w, *s.MeanWidth.Value)
		}
		if *s.Lo.Value > *p.Value || *s.Hi.Value < *p.Value {
			t.Errorf("%s: %v is outside of the simulated [%v, %v]", p.Metric, *p.Value, *s.Lo.Value, *s.Hi.Value)
		}
	}
	none := assumed
	none.Defects = 0
	if p := PlannedRates(none, 0)[0]; p.Value != nil || p.Reason == "" {
		t.Errorf("catch without defects: %+v", p)
	}
	if s := Simulate(rand.New(rand.NewPCG(1, 1)), none, 20)[0]; s.Undefined != 20 || s.MeanWidth.Value != nil {
		t.Errorf("catch without defects: %+v", s)
	}
}

// Two arms that differ by the detectable difference are told apart in about 80%
// of the experiments, and equal arms in at most 5%.
func TestDetectableDifferenceHasPower(t *testing.T) {
	t.Parallel()
	const n, discordant = 411, 0.3
	delta := *DetectableDifference(n, discordant).Value
	gain, loss := (discordant+delta)/2, (discordant-delta)/2
	s := source{pcg(3, "power", 0)}
	trials := newTrials(n, []float64{1 - discordant, gain, loss})
	var counts [3]int
	found := 0
	const experiments = 4000
	for range experiments {
		trials.draw(s, counts[:])
		// The mid-p test is close to its level; the exact one is conservative.
		if McNemar(counts[1], counts[2]).MidP < 0.05 {
			found++
		}
	}
	if power := float64(found) / experiments; math.Abs(power-0.8) > 0.03 {
		t.Errorf("a difference of %v is found in %v of the experiments", delta, power)
	}
	for _, bad := range []Number{DetectableDifference(0, 0.3), DetectableDifference(9, 1.2), DetectableDifference(9, math.NaN())} {
		if bad.Value != nil || bad.Reason == "" {
			t.Errorf("%+v", bad)
		}
	}
}

func TestSimulatePower(t *testing.T) {
	t.Parallel()
	better := assumed
	better.Acceptable = [4]float64{0.6, 0.18, 0.22, 0}
	null := SimulatePower(rand.New(rand.NewPCG(4, 1)), assumed, assumed, 0, 2000)
	if *null.Power.Value > 0.05 {
		t.Errorf("equal arms differ in %v of the experiments", *null.Power.Value)
	}
	loose := SimulatePower(rand.New(rand.NewPCG(4, 2)), assumed, better, 0, 2000)
	tight := SimulatePower(rand.New(rand.NewPCG(4, 3)), assumed, better, 1, 2000)
	if *tight.Power.Value <= *loose.Power.Value || tight.Discordant >= loose.Discordant {
		t.Errorf("coupled %+v, independent %+v", tight, loose)
	}
	again := SimulatePower(rand.New(rand.NewPCG(4, 3)), assumed, better, 1, 2000)
	if again.Power.K != tight.Power.K {
		t.Errorf("the same seed gives %d and %d", tight.Power.K, again.Power.K)
	}
	if none := SimulatePower(rand.New(rand.NewPCG(4, 4)), assumed, better, 0, 0); none.Power.Value != nil || none.Interval != nil {
		t.Errorf("%+v", none)
	}
}

func TestMinimalDetectable(t *testing.T) {
	t.Parallel()
	got := MinimalDetectable(&Interval{Lo: -0.1, Hi: 0.292, Level: 0.95})
	if math.Abs(*got.Value-0.28) > 1e-12 {
		t.Errorf("%v, want 0.28", *got.Value)
	}
	for _, iv := range []*Interval{nil, {Lo: 0, Hi: 1, Level: 0.9}} {
		if n := MinimalDetectable(iv); n.Value != nil || n.Reason == "" {
			t.Errorf("%+v: %+v", iv, n)
		}
	}
}

func TestJointKeepsMargins(t *testing.T) {
	t.Parallel()
	a, b := [4]float64{0.1, 0.6, 0.25, 0.05}, [4]float64{0.4, 0.3, 0.3, 0}
	for _, coupling := range []float64{0, 0.4, 1, 7} {
		j := joint(a, b, coupling)
		for i := range 4 {
			row, column := 0.0, 0.0
			for k := range 4 {
				row += j[4*i+k]
				column += j[4*k+i]
			}
			if math.Abs(row-a[i]) > 1e-12 || math.Abs(column-b[i]) > 1e-12 {
				t.Errorf("coupling %v, outcome %d: margins %v and %v", coupling, i, row, column)
			}
		}
	}
}
