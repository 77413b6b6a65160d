package stats

import (
	"math"
	"math/rand/v2"
	"slices"
	"testing"
)

func TestQuantilePairIsSorting(t *testing.T) {
	t.Parallel()
	rng := rand.New(rand.NewPCG(1, 1))
	draws := map[string]func() float64{
		"few values": func() float64 { return float64(rng.IntN(7)) / 6 },
		"normal":     func() float64 { return rng.NormFloat64() },
		"heavy":      func() float64 { return math.Tan(3 * (rng.Float64() - 0.5)) },
		"constant":   func() float64 { return 0.3 },
		"huge":       func() float64 { return math.Copysign(math.MaxFloat64, rng.NormFloat64()) },
		"tiny":       func() float64 { return 5e-324 * float64(rng.IntN(3)) },
	}
	for name, draw := range draws {
		for _, n := range []int{1, 2, 255, 256, 1000, 5001} {
			values := make([]float64, n)
			for i := range values {
				values[i] = draw()
			}
			sorted := slices.Sorted(slices.Values(values))
			for _, q := range [][2]float64{{0.025, 0.975}, {0, 1}, {0.5, 0.5}, {0.333, 0.9999}} {
				a, b := quantilePair(slices.Clone(values), q[0], q[1])
				if wa, wb := Quantile(sorted, q[0]), Quantile(sorted, q[1]); a != wa || b != wb {
					t.Errorf("%s, n=%d, q=%v: %v, %v; want %v, %v", name, n, q, a, b, wa, wb)
				}
			}
		}
	}
}
