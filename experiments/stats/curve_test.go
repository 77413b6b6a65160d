package stats

import (
	"math"
	"math/rand/v2"
	"testing"

	"github.com/google/go-cmp/cmp"
	"github.com/google/go-cmp/cmp/cmpopts"
)

func randomItems(rng *rand.Rand, n, shares int) []Item {
	items := make([]Item, n)
	for i := range items {
		c := float64(1+rng.IntN(shares)) / float64(shares)
		items[i].Confidence = c
		if rng.Float64() > c {
			items[i].Loss = 1
		}
	}
	return items
}

// AUGRC = (1 - AUROC) r (1 - r) + r²/2 for losses 0 and 1 (Traub et al. 2024).
func TestAUGRCIdentity(t *testing.T) {
	t.Parallel()
	rng := rand.New(rand.NewPCG(1, 9))
	for range 300 {
		items := randomItems(rng, 2+rng.IntN(60), 1+rng.IntN(11))
		score, right := make([]float64, len(items)), make([]bool, len(items))
		for i, it := range items {
			score[i], right[i] = it.Confidence, it.Loss == 0
		}
		curve, auroc := RiskCoverage(items), AUROC(score, right)
		r := *curve.Risk.Value
		if auroc.Value == nil {
			if r != 0 && r != 1 {
				t.Fatalf("AUROC is undefined at risk %v: %s", r, auroc.Reason)
			}
			continue
		}
		want := (1-*auroc.Value)*r*(1-r) + r*r/2
		if got := *curve.AUGRC.Value; math.Abs(got-want) > 1e-12 {
			t.Fatalf("AUGRC %v, identity %v, for %v", got, want, items)
		}
	}
}

// No order of the items and no way of grouping them changes a curve.
func TestCurveIgnoresOrder(t *testing.T) {
	t.Parallel()
	rng := rand.New(rand.NewPCG(2, 9))
	near := cmpopts.EquateApprox(1e-12, 1e-12)
	for range 100 {
		items := randomItems(rng, 1+rng.IntN(40), 1+rng.IntN(6))
		abstained := 0
		groups := map[float64]*Group{}
		for i := range items {
			if items[i].Abstained = rng.IntN(5) == 0; items[i].Abstained {
				abstained++
				continue
			}
			g, ok := groups[items[i].Confidence]
			if !ok {
				g = &Group{Confidence: items[i].Confidence}
				groups[items[i].Confidence] = g
			}
			g.N++
			g.Wrong += int(items[i].Loss)
		}
		want := RiskCoverage(items)
		rng.Shuffle(len(items), func(i, j int) { items[i], items[j] = items[j], items[i] })
		if diff := cmp.Diff(want, RiskCoverage(items), near); diff != "" {
			t.Fatalf("shuffled (-want +got):\n%s", diff)
		}
		var gs []Group
		for _, g := range groups { // in any order
			gs = append(gs, *g)
		}
		if diff := cmp.Diff(want, RiskCoverageGroups(gs, abstained), near); diff != "" {
			t.Fatalf("grouped (-want +got):\n%s", diff)
		}
		for i := range items {
			items[i].Confidence += (rng.Float64() - 0.5) * 1e-13
		}
		got := RiskCoverage(items)
		if diff := cmp.Diff(want, got, near); diff != "" {
			t.Fatalf("with noise below the tie distance (-want +got):\n%s", diff)
		}
	}
}

// The areas of ties are means over all orders: compare with many shuffled
// strict orders.
func TestTiesAreMeansOverOrders(t *testing.T) {
	t.Parallel()
	rng := rand.New(rand.NewPCG(3, 9))
	items := randomItems(rng, 30, 3)
	want := RiskCoverage(items)
	mean := 0.0
	const orders = 4000
	for range orders {
		broken := make([]Item, len(items))
		for i, it := range items {
			it.Confidence += 1e-6 * rng.Float64()
			broken[i] = it
		}
		mean += *RiskCoverage(broken).AURC.Value / orders
	}
	if math.Abs(mean-*want.AURC.Value) > 0.002 {
		t.Errorf("AURC %v, mean over orders %v", *want.AURC.Value, mean)
	}
}

func TestCurveRefusesBadInput(t *testing.T) {
	t.Parallel()
	for name, c := range map[string]Curve{
		"no items":          RiskCoverage(nil),
		"no groups":         RiskCoverageGroups(nil, 0),
		"NaN confidence":    RiskCoverage([]Item{{Confidence: math.NaN()}}),
		"NaN loss":          RiskCoverage([]Item{{Loss: math.NaN()}}),
		"loss above 1":      RiskCoverage([]Item{{Loss: 1.5}}),
		"more wrong than n": RiskCoverageGroups([]Group{{Confidence: 1, N: 2, Wrong: 3}}, 0),
		"negative abstain":  RiskCoverageGroups([]Group{{Confidence: 1, N: 2}}, -1),
	} {
		if c.Reason == "" || c.AURC.Value != nil || c.AUGRC.Reason == "" || c.Risk.Value != nil {
			t.Errorf("%s: %+v", name, c)
		}
	}
	inf := RiskCoverage([]Item{{Confidence: math.Inf(1)}, {Confidence: math.Inf(1), Loss: 1}, {Confidence: math.Inf(-1)}})
	if len(inf.Points) != 2 || inf.Reason != "" {
		t.Errorf("infinite confidences: %+v", inf)
	}
}

// The closed form with harmonic numbers and the plain bootstrap over items agree.
func TestMeasureCurve(t *testing.T) {
	t.Parallel()
	groups := []Group{{1, 60, 6}, {0.8, 30, 8}, {0.6, 20, 9}, {0.4, 8, 5}}
	for _, abstained := range []int{0, 25} {
		o := Options{Seed: 4, Resamples: 20_000}
		got := MeasureCurve("arm", groups, abstained, o)
		var items []Item
		for _, g := range groups {
			for i := range g.N {
				it := Item{Confidence: g.Confidence}
				if i < g.Wrong {
					it.Loss = 1
				}
				items = append(items, it)
			}
		}
		for range abstained {
			items = append(items, Item{Abstained: true})
		}
		rng := Rand(5, "plain", 0)
		indices := make([][]int, 4000)
		for r := range indices {
			indices[r] = make([]int, len(items))
			for i := range indices[r] {
				indices[r][i] = rng.IntN(len(items))
			}
		}
		plain := func(area func(Curve) Number) *Interval {
			_, iv, _ := BootstrapIndices(indices, 0.95, func(units []int) (float64, bool) {
				sample := make([]Item, len(units))
				for i, u := range units {
					sample[i] = items[u]
				}
				v := area(RiskCoverage(sample)).Value
				if v == nil {
					return 0, false
				}
				return *v, true
			})
			return iv
		}
		check := func(name string, got, want *Interval) {
			if got == nil || math.Abs(got.Lo-want.Lo) > 0.006 || math.Abs(got.Hi-want.Hi) > 0.006 {
				t.Errorf("%s with %d abstained: %+v, plain %+v", name, abstained, got, want)
			}
		}
		check("AURC partial", got.AURCPartial, plain(func(c Curve) Number { return c.AURCPartial }))
		check("AUGRC partial", got.AUGRCPartial, plain(func(c Curve) Number { return c.AUGRCPartial }))
		check("AURC decided", got.AURCDecided, plain(func(c Curve) Number { return c.AURCDecided }))
		if abstained == 0 {
			check("AURC", got.AURC, plain(func(c Curve) Number { return c.AURC }))
			check("E-AURC", got.EAURC, plain(func(c Curve) Number { return c.EAURC }))
			check("AUGRC", got.AUGRC, plain(func(c Curve) Number { return c.AUGRC }))
		} else if got.AURC != nil || got.EAURC != nil || got.AUGRC != nil {
			t.Error("full areas in spite of abstentions")
		}
	}
	if got := MeasureCurve("arm", groups[:0], 3, Options{}); got.Reason == "" || got.AURCPartial != nil {
		t.Errorf("nothing decided: %+v", got)
	}
}
