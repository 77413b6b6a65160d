package stats

import (
	"math"
	"math/rand/v2"
	"testing"
)

// Fast rank statistics against their definitions over all pairs.
func TestRankingIsPairCounting(t *testing.T) {
	t.Parallel()
	rng := rand.New(rand.NewPCG(8, 1))
	for range 200 {
		n := rng.IntN(30)
		x, y, right := make([]float64, n), make([]float64, n), make([]bool, n)
		for i := range n {
			x[i], y[i] = float64(rng.IntN(6))/5, float64(rng.IntN(5))
			right[i] = y[i] > 2
		}
		var want KendallResult
		above, pairs := 0.0, 0.0
		for i := range n {
			for j := range n {
				if right[i] && !right[j] {
					pairs++
					switch {
					case x[i] > x[j]:
						above++
					case x[i] == x[j]:
						above += 0.5
					}
				}
				if j <= i {
					continue
				}
				want.Pairs++
				if x[i] == x[j] {
					want.TiesX++
				}
				if y[i] == y[j] {
					want.TiesY++
				}
				switch s := (x[i] - x[j]) * (y[i] - y[j]); {
				case s > 0:
					want.Concordant++
				case s < 0:
					want.Discordant++
				}
			}
		}
		got := Kendall(x, y)
		got.TauB = Number{}
		if got != want {
			t.Fatalf("%v, %v: %+v, want %+v", x, y, got, want)
		}
		auroc := AUROC(x, right)
		if pairs == 0 {
			if auroc.Value != nil || auroc.Reason == "" {
				t.Fatalf("AUROC of one class: %+v", auroc)
			}
			continue
		}
		if math.Abs(*auroc.Value-above/pairs) > 1e-12 {
			t.Fatalf("AUROC %v, want %v", *auroc.Value, above/pairs)
		}
	}
}

func TestRankingEdges(t *testing.T) {
	t.Parallel()
	nan := []float64{math.NaN(), 1}
	for name, n := range map[string]Number{
		"AUROC, lengths":       AUROC([]float64{1}, nil),
		"AUROC, NaN":           AUROC(nan, []bool{true, false}),
		"Spearman, NaN":        Spearman(nan, nan),
		"Spearman, lengths":    Spearman(nan, nil),
		"Kendall, NaN":         Kendall(nan, nan).TauB,
		"PRR, NaN":             PRR(nan, nan, 1).PRR,
		"PRR, nothing":         PRR(nil, nil, 1).PRR,
		"PRR, no rejection":    PRR([]float64{1, 2}, []float64{1, 2}, 0).PRR,
		"PRR, constant":        PRR([]float64{1, 2}, []float64{3, 3}, 1).PRR,
		"Spearman, one point":  Spearman([]float64{1}, []float64{1}),
		"Kendall, constant x":  Kendall([]float64{1, 1}, []float64{1, 2}).TauB,
		"Spearman, constant y": Spearman([]float64{1, 2}, []float64{3, 3}),
	} {
		if n.Value != nil || n.Reason == "" {
			t.Errorf("%s: %+v", name, n)
		}
	}
	// Scores closer than the tie distance are equal.
	a := AUROC([]float64{0.3, 0.1 + 0.2}, []bool{true, false})
	if *a.Value != 0.5 {
		t.Errorf("0.3 against 0.1+0.2: %v", *a.Value)
	}
}
