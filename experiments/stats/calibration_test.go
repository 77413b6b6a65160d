package stats

import (
	"math"
	"math/rand/v2"
	"slices"
	"testing"
)

// forecasts that are calibrated for the map of p: right with probability truth(p).
func forecasts(rng *rand.Rand, n int, draw func() float64, truth func(float64) float64) []Forecast {
	fs := make([]Forecast, n)
	for i := range fs {
		p := draw()
		fs[i] = Forecast{p, rng.Float64() < truth(p)}
	}
	return fs
}

func same(p float64) float64 { return p }

// The decomposition adds up, and for one distinct forecast a bin it is Murphy's.
func TestBrierDecomposition(t *testing.T) {
	t.Parallel()
	rng := rand.New(rand.NewPCG(9, 1))
	for range 50 {
		fs := forecasts(rng, 1+rng.IntN(300), rng.Float64, same)
		b := Brier(fs, 10)
		sum := *b.Reliability.Value - *b.Resolution.Value + *b.Uncertainty.Value + *b.WithinBin.Value
		if math.Abs(sum-*b.Score.Value) > 1e-12 {
			t.Fatalf("parts %v, score %v", sum, *b.Score.Value)
		}
		// WithinBin from its definition: variance minus twice the covariance in bins.
		within := 0.0
		for _, bin := range EqualWidth(fs, 10).Bins {
			for _, f := range fs {
				if f.P > bin.Lo && f.P <= bin.Hi || bin.Index == 0 && f.P == 0 {
					d, y := f.P-bin.MeanP, f.y()-bin.Accuracy
					within += (d*d - 2*d*y) / float64(len(fs))
				}
			}
		}
		if math.Abs(within-*b.WithinBin.Value) > 1e-12 {
			t.Fatalf("within bins %v, want %v", *b.WithinBin.Value, within)
		}
	}
	shares := forecasts(rng, 400, func() float64 { return float64(rng.IntN(6)) / 5 }, same)
	if w := *Brier(shares, 10).WithinBin.Value; math.Abs(w) > 1e-12 {
		t.Errorf("distinct forecasts leave %v within bins", w)
	}
	constant := []Forecast{{0.3, true}, {0.9, true}}
	if b := Brier(constant, 10); b.Skill.Value != nil || b.Skill.Reason == "" || b.Score.Value == nil {
		t.Errorf("%+v", b)
	}
}

func TestEqualMass(t *testing.T) {
	t.Parallel()
	rng := rand.New(rand.NewPCG(9, 2))
	c := EqualMass(forecasts(rng, 1000, rng.Float64, same), 10)
	if len(c.Bins) != 10 {
		t.Fatalf("%d bins", len(c.Bins))
	}
	for _, b := range c.Bins {
		if b.Count != 100 {
			t.Errorf("bin %d holds %d", b.Index, b.Count)
		}
		if b.Interval == nil || b.MeanP < b.Lo || b.MeanP > b.Hi {
			t.Errorf("%+v", b)
		}
	}
	// Four distinct forecasts make at most four bins, and none is split.
	shares := EqualMass(forecasts(rng, 500, func() float64 { return float64(1+rng.IntN(4)) / 4 }, same), 10)
	total := 0
	for _, b := range shares.Bins {
		total += b.Count
		if math.Abs(b.MeanP*4-math.Round(b.MeanP*4)) > 1e-9 {
			t.Errorf("bin %d mixes forecasts: %v", b.Index, b.MeanP)
		}
	}
	if len(shares.Bins) > 4 || total != 500 {
		t.Errorf("%d bins with %d forecasts", len(shares.Bins), total)
	}
	one := EqualMass([]Forecast{{0.7, true}, {0.7, false}, {0.7, true}}, 15)
	if len(one.Bins) != 1 || one.Bins[0].Count != 3 || math.Abs(*one.ECE.Value-1.0/30) > 1e-12 {
		t.Errorf("%+v", one)
	}
	if few := EqualMass([]Forecast{{0.2, true}, {0.8, false}}, 15); len(few.Bins) != 2 {
		t.Errorf("%+v", few)
	}
}

func TestCalibrationRefusesBadInput(t *testing.T) {
	t.Parallel()
	for name, fs := range map[string][]Forecast{
		"none": nil, "NaN": {{math.NaN(), true}}, "above 1": {{1.1, true}}, "negative": {{-0.1, true}},
	} {
		for _, c := range []Calibration{EqualWidth(fs, 10), EqualMass(fs, 10)} {
			if c.Reason == "" || c.ECE.Value != nil || c.MCE.Reason == "" {
				t.Errorf("%s: %+v", name, c)
			}
		}
		if b := Brier(fs, 10); b.Score.Value != nil || b.Skill.Reason == "" {
			t.Errorf("%s: %+v", name, b)
		}
		if l := LogLoss(fs); l.Value != nil || l.Reason == "" {
			t.Errorf("%s: %+v", name, l)
		}
	}
	if c := EqualWidth([]Forecast{{0.5, true}}, 0); c.Reason == "" {
		t.Error("no bins are fine")
	}
}

// An isotonic fit is monotone, keeps the mean, and no small monotone change of it
// fits better.
func TestIsotonicIsTheBestMonotoneFit(t *testing.T) {
	t.Parallel()
	rng := rand.New(rand.NewPCG(9, 3))
	for range 50 {
		fs := forecasts(rng, 2+rng.IntN(80), func() float64 { return float64(rng.IntN(15)) }, func(x float64) float64 { return x / 15 })
		iso, reason := FitIsotonic(fs)
		if iso == nil {
			t.Fatal(reason)
		}
		if !slices.IsSorted(iso.P) || !slices.IsSorted(iso.Score) {
			t.Fatalf("not monotone: %+v", iso)
		}
		loss := func(m func(float64) float64) (sum float64) {
			for _, f := range fs {
				sum += (m(f.P) - f.y()) * (m(f.P) - f.y())
			}
			return sum
		}
		sum := 0.0
		for _, f := range fs {
			sum += iso.Map(f.P) - f.y()
		}
		if math.Abs(sum) > 1e-9 {
			t.Fatalf("the fit is off by %v in all", sum)
		}
		best := loss(iso.Map)
		for range 30 {
			// A mix with another monotone map is monotone and must not be better.
			cut, lo, hi, mix := rng.Float64()*15, rng.Float64()/2, 0.5+rng.Float64()/2, 0.2*rng.Float64()
			other := func(x float64) float64 {
				v := lo
				if x > cut {
					v = hi
				}
				return (1-mix)*iso.Map(x) + mix*v
			}
			if l := loss(other); l < best-1e-9 {
				t.Fatalf("a monotone map has loss %v, the fit %v", l, best)
			}
		}
	}
	iso, _ := FitIsotonic([]Forecast{{1, false}, {3, true}})
	for x, want := range map[float64]float64{0: 0, 1: 0, 2: 0.5, 3: 1, 9: 1} {
		if got := iso.Map(x); got != want {
			t.Errorf("map(%v) = %v, want %v", x, got, want)
		}
	}
	if iso, reason := FitIsotonic(nil); iso != nil || reason == "" {
		t.Error("a fit of nothing")
	}
}

func TestPlattRecoversALogisticMap(t *testing.T) {
	t.Parallel()
	rng := rand.New(rand.NewPCG(9, 4))
	truth := Platt{Slope: 1.7, Intercept: -0.6}
	fit, reason := FitPlatt(forecasts(rng, 20_000, rng.NormFloat64, truth.Map))
	if fit == nil || !fit.Converged {
		t.Fatalf("%+v %s", fit, reason)
	}
	if math.Abs(fit.Slope-1.7) > 0.1 || math.Abs(fit.Intercept+0.6) > 0.06 {
		t.Errorf("%+v, want %+v", fit, truth)
	}
	// Separated classes: targets inside 0..1 keep the slope finite.
	split, _ := FitPlatt([]Forecast{{-1, false}, {-2, false}, {1, true}, {2, true}})
	if !split.Converged || split.Slope <= 0 || split.Map(50) > 1 || split.Map(-50) < 0 {
		t.Errorf("%+v", split)
	}
	// Constant scores: the base rate, smoothed.
	flat, _ := FitPlatt([]Forecast{{0.5, false}, {0.5, true}, {0.5, true}})
	if !flat.Converged || math.Abs(flat.Map(0.5)-(2*0.75+1.0/3)/3) > 1e-6 {
		t.Errorf("%+v maps to %v", flat, flat.Map(0.5))
	}
	for name, fs := range map[string][]Forecast{
		"none": nil, "right alone": {{1, true}}, "wrong alone": {{1, false}}, "infinite": {{math.Inf(1), true}, {1, false}},
	} {
		if fit, reason := FitPlatt(fs); fit != nil || reason == "" {
			t.Errorf("%s: %+v", name, fit)
		}
	}
}
