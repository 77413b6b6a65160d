package stats

import (
	"fmt"
	"math"
	"runtime"
	"slices"
	"testing"

	"github.com/google/go-cmp/cmp"
)

// heldOut is a set of 121 traces with every cell but two in use.
var heldOut = ReviewCounts{Defect: Class{15, 66, 6, 2}, Acceptable: Class{4, 21, 7, 0}}

// plainMeasure is the bootstrap as one would write it first: draw n traces,
// count them, compute every rate, sort.
func plainMeasure(label string, counts ReviewCounts, o Options) map[Metric][2]float64 {
	type row struct {
		defect  bool
		outcome Outcome
	}
	var rows []row
	for cell, n := range counts.cells() {
		for range n {
			rows = append(rows, row{cell < 4, Outcome(cell % 4)})
		}
	}
	rng := Rand(o.Seed, label, 0)
	replicates := map[Metric][]float64{}
	for range o.Resamples {
		var c ReviewCounts
		for range rows {
			r := rows[rng.IntN(len(rows))]
			c.Add(r.defect, r.outcome)
		}
		for _, d := range definitions {
			if r := d.rate(c.cells()); r.N > 0 {
				replicates[d.Metric] = append(replicates[d.Metric], *r.Value)
			}
		}
	}
	out := map[Metric][2]float64{}
	for m, values := range replicates {
		slices.Sort(values)
		out[m] = [2]float64{Quantile(values, 0.025), Quantile(values, 0.975)}
	}
	return out
}

// The multinomial bootstrap and the plain loop draw from the same distribution:
// their bounds differ by Monte-Carlo error only, which is about one step of the
// rate for so many resamples.
func TestMultinomialAgreesWithPlainLoop(t *testing.T) {
	t.Parallel()
	o := Options{Seed: 11, Resamples: 40_000}.filled()
	got := Measure(Arm{"arm", heldOut}, o)
	want := plainMeasure("plain", heldOut, o)
	for _, m := range got {
		if m.Bootstrap == nil {
			t.Fatalf("%s has no interval: %s", m.Metric, m.BootstrapReason)
		}
		w := want[m.Metric]
		step := 1.2 / float64(m.N)
		if math.Abs(m.Bootstrap.Lo-w[0]) > step || math.Abs(m.Bootstrap.Hi-w[1]) > step {
			t.Errorf("%s: [%.4f, %.4f], plain loop [%.4f, %.4f]", m.Metric, m.Bootstrap.Lo, m.Bootstrap.Hi, w[0], w[1])
		}
	}
}

// With a fixed denominator the bootstrap count is binomial, whose quantiles are known.
func TestCoverageBootstrapIsBinomial(t *testing.T) {
	t.Parallel()
	m := Measure(Arm{"arm", heldOut}, Options{Seed: 3, Resamples: 100_000}).Of(Coverage)
	quantile := func(q float64) float64 {
		p, sum := float64(m.K)/float64(m.N), 0.0
		for k := 0; ; k++ {
			sum += math.Exp(logFactorial(m.N) - logFactorial(k) - logFactorial(m.N-k) +
				float64(k)*math.Log(p) + float64(m.N-k)*math.Log1p(-p))
			if sum >= q {
				return float64(k) / float64(m.N)
			}
		}
	}
	if lo, hi := quantile(0.025), quantile(0.975); m.Bootstrap.Lo != lo || m.Bootstrap.Hi != hi {
		t.Errorf("[%v, %v], want [%v, %v]", m.Bootstrap.Lo, m.Bootstrap.Hi, lo, hi)
	}
}

// Not parallel: it changes the number of processors.
func TestSameSeedSameBits(t *testing.T) {
	var arms []Arm
	var clustered []ClusteredArm
	for i := range 7 {
		c := heldOut
		c.Defect.Reject += i
		arms = append(arms, Arm{fmt.Sprint("arm ", i), c})
		clustered = append(clustered, ClusteredArm{fmt.Sprint("arm ", i), []ReviewCounts{c, heldOut, {}, c}})
	}
	o := Options{Seed: 42, Resamples: 3000}
	defer runtime.GOMAXPROCS(runtime.GOMAXPROCS(1))
	one, oneC := MeasureAll(arms, o), MeasureClusters(clustered, o)
	for _, procs := range []int{2, 3, 8} {
		runtime.GOMAXPROCS(procs)
		if diff := cmp.Diff(one, MeasureAll(arms, o)); diff != "" {
			t.Fatalf("%d processors:\n%s", procs, diff)
		}
		if diff := cmp.Diff(oneC, MeasureClusters(clustered, o)); diff != "" {
			t.Fatalf("clusters, %d processors:\n%s", procs, diff)
		}
	}
	// The label, not the position, decides the draws.
	slices.Reverse(arms)
	reversed := MeasureAll(arms, o)
	slices.Reverse(reversed)
	if diff := cmp.Diff(one, reversed); diff != "" {
		t.Fatalf("another order of arms:\n%s", diff)
	}
	if cmp.Equal(one, MeasureAll(arms, Options{Seed: 43, Resamples: 3000})) {
		t.Error("another seed gives the same intervals")
	}
}

// Clusters of one trace are traces.
func TestClustersOfOneAreTraces(t *testing.T) {
	t.Parallel()
	var clusters []ReviewCounts
	for cell, n := range heldOut.cells() {
		for range n {
			var one [8]int
			one[cell] = 1
			clusters = append(clusters, ofCells(one))
		}
	}
	o := Options{Seed: 5, Resamples: 20_000}
	byTrace := Measure(Arm{"arm", heldOut}, o)
	byInstance := MeasureClusters([]ClusteredArm{{"arm", clusters}}, o)[0]
	for i, m := range byInstance {
		if m.Rate.K != byTrace[i].K || m.Rate.N != byTrace[i].N {
			t.Errorf("%s: %d/%d, want %d/%d", m.Metric, m.K, m.N, byTrace[i].K, byTrace[i].N)
		}
		if step := 1.2 / float64(m.N); math.Abs(m.Bootstrap.Lo-byTrace[i].Bootstrap.Lo) > step ||
			math.Abs(m.Bootstrap.Hi-byTrace[i].Bootstrap.Hi) > step {
			t.Errorf("%s: [%v, %v] by instance, [%v, %v] by trace", m.Metric,
				m.Bootstrap.Lo, m.Bootstrap.Hi, byTrace[i].Bootstrap.Lo, byTrace[i].Bootstrap.Hi)
		}
	}
}

// Clusters of many shapes, against resampling instances one by one.
func TestClusterBootstrapAgreesWithPlainLoop(t *testing.T) {
	t.Parallel()
	s := source{pcg(6, "clusters", 0)}
	clusters := make([]ReviewCounts, 61)
	for i := range clusters {
		for range 1 + s.below(6) {
			clusters[i].Add(s.below(3) > 0, Outcome(s.below(100)/30))
		}
	}
	if kinds := clusterKinds(clusters); packUnits(kinds, len(clusters)) == nil || 8*len(kinds) <= len(clusters) {
		t.Fatal("the clusters do not take the packed path")
	}
	indices := make([][]int, 20_000)
	for r := range indices {
		indices[r] = make([]int, len(clusters))
		for i := range indices[r] {
			indices[r][i] = int(s.below(uint64(len(clusters))))
		}
	}
	for _, m := range MeasureClusters([]ClusteredArm{{"arm", clusters}}, Options{Seed: 2, Resamples: 20_000})[0] {
		_, want, _ := BootstrapIndices(indices, 0.95, func(units []int) (float64, bool) {
			var sum ReviewCounts
			for _, u := range units {
				sum = sum.Plus(clusters[u])
			}
			r := sum.Rate(m.Metric)
			if r.Value == nil {
				return 0, false
			}
			return *r.Value, true
		})
		if math.Abs(m.Bootstrap.Lo-want.Lo) > 0.008 || math.Abs(m.Bootstrap.Hi-want.Hi) > 0.008 {
			t.Errorf("%s: [%.4f, %.4f], plain loop [%.4f, %.4f]", m.Metric, m.Bootstrap.Lo, m.Bootstrap.Hi, want.Lo, want.Hi)
		}
	}
}

func TestPackedCells(t *testing.T) {
	t.Parallel()
	cells := [8]int{1, 2, 3, 4, 5, 6, 7, 800}
	packed := packUnits([]kind{{cells, 3}}, 3)
	if len(packed) != 3 || packed[1].unpack() != cells {
		t.Fatalf("%v", packed)
	}
	sum := sumUnits(source{pcg(1, "packed", 0)}, packed).unpack()
	for i := range cells {
		if sum[i] != 3*cells[i] {
			t.Errorf("cell %d: %d, want %d", i, sum[i], 3*cells[i])
		}
	}
	if packUnits([]kind{{cells, 3}}, 82) != nil {
		t.Error("82 times 800 fits into 16 bits")
	}
}

// Four identical traces in every instance hold no more information than one, so
// the interval by instance is twice as wide as the one by trace.
func TestClusterBootstrapIsWider(t *testing.T) {
	t.Parallel()
	var clusters []ReviewCounts
	var pooled ReviewCounts
	for i := range 200 {
		c := ReviewCounts{Defect: Class{Reject: 4}}
		if i%2 == 0 {
			c = ReviewCounts{Defect: Class{Accept: 4}}
		}
		clusters = append(clusters, c)
		pooled = pooled.Plus(c)
	}
	o := Options{Seed: 9}
	wide := MeasureClusters([]ClusteredArm{{"arm", clusters}}, o)[0].Of(Catch)
	narrow := Measure(Arm{"arm", pooled}, o).Of(Catch)
	ratio := (wide.Bootstrap.Hi - wide.Bootstrap.Lo) / (narrow.Bootstrap.Hi - narrow.Bootstrap.Lo)
	if ratio < 1.9 || ratio > 2.1 {
		t.Errorf("by instance %v times as wide as by trace, want 2", ratio)
	}
	if wide.Bootstrap.N != 200 || wide.Bootstrap.Method != MethodCluster || len(wide.Wilson.Warnings) == 0 {
		t.Errorf("n %d, method %q, Wilson warnings %q", wide.Bootstrap.N, wide.Bootstrap.Method, wide.Wilson.Warnings)
	}
}

func TestMeasureEdges(t *testing.T) {
	t.Parallel()
	for _, m := range Measure(Arm{"empty", ReviewCounts{}}, Options{}) {
		if m.Value != nil || m.Wilson != nil || m.Bootstrap != nil || m.Reason == "" || m.BootstrapReason == "" {
			t.Errorf("%s of nothing: %+v", m.Metric, m)
		}
	}
	all := Measure(Arm{"five of five", ReviewCounts{Defect: Class{Reject: 5}}}, Options{})
	catch := all.Of(Catch)
	if catch.Wilson.Lo >= catch.Wilson.Hi {
		t.Errorf("the Wilson interval of 5/5 has no width: %+v", catch.Wilson)
	}
	if len(catch.Bootstrap.Warnings) == 0 {
		t.Error("the bootstrap interval of 5/5 does not warn")
	}
	if over := all.Of(OverRejection); over.Value != nil || over.Bootstrap != nil {
		t.Errorf("over-rejection without acceptable patches: %+v", over)
	}
	// One defect among 60: many resamples have none, and they are counted.
	rare := Measure(Arm{"rare", ReviewCounts{Defect: Class{Reject: 1}, Acceptable: Class{Accept: 59}}}, Options{}).Of(Catch)
	if share := float64(rare.Bootstrap.Dropped) / float64(rare.Bootstrap.Resamples); math.Abs(share-math.Pow(59.0/60, 60)) > 0.02 {
		t.Errorf("%v of the resamples dropped", share)
	}
	if got := all.Of("no such"); got.Reason == "" {
		t.Error("an unknown metric has no reason")
	}
}

func TestBootstrapOfAnyStatistic(t *testing.T) {
	t.Parallel()
	iv, reason := Bootstrap("arm", []int{30, 70, 0}, Options{Seed: 1}, func(counts []int) (float64, bool) {
		return float64(counts[0]) / float64(counts[0]+counts[1]), counts[2] == 0
	})
	if iv == nil || math.Abs(iv.Lo-0.21) > 0.011 || math.Abs(iv.Hi-0.39) > 0.011 || iv.Dropped != 0 {
		t.Errorf("%+v, %s", iv, reason)
	}
	if iv, reason := Bootstrap("arm", nil, Options{}, nil); iv != nil || reason == "" {
		t.Errorf("%+v, %q", iv, reason)
	}
	never := func([]int) (float64, bool) { return 0, false }
	if iv, reason := Bootstrap("arm", []int{3}, Options{}, never); iv != nil || reason == "" {
		t.Errorf("%+v, %q", iv, reason)
	}
}

func TestBootstrapMean(t *testing.T) {
	t.Parallel()
	values := make([]float64, 200)
	rng := Rand(1, "values", 0)
	mean, squares := 0.0, 0.0
	for i := range values {
		values[i] = 10 * rng.ExpFloat64()
		mean += values[i] / 200
		squares += values[i] * values[i] / 200
	}
	iv, reason := BootstrapMean("utility", values, Options{Seed: 1})
	half := 1.96 * math.Sqrt((squares-mean*mean)/200)
	if iv == nil || math.Abs(iv.Lo-(mean-half)) > 0.2 || math.Abs(iv.Hi-(mean+half)) > 0.3 || len(iv.Warnings) != 0 {
		t.Errorf("%+v %s, normal approximation %v ± %v", iv, reason, mean, half)
	}
	if iv, _ := BootstrapMean("utility", values[:9], Options{}); len(iv.Warnings) == 0 {
		t.Error("nine values do not warn")
	}
	if iv, reason := BootstrapMean("utility", nil, Options{}); iv != nil || reason == "" {
		t.Errorf("%+v", iv)
	}
}
