package control

import (
	"math"
	"testing"

	"github.com/google/go-cmp/cmp"
)

// TestPCG64 checks the generator against numpy's documented default_rng(42):
// ten integers below 10, and the first double 0.7739560485559633.
func TestPCG64(t *testing.T) {
	t.Parallel()
	g := newPCG64(42)
	var got []uint32
	for range 10 {
		got = append(got, g.below(10))
	}
	if d := cmp.Diff([]uint32{0, 7, 6, 4, 4, 8, 0, 6, 2, 0}, got); d != "" {
		t.Error(d)
	}
	if x := float64(newPCG64(42).uint64()>>11) / (1 << 53); math.Abs(x-0.7739560485559633) > 1e-16 {
		t.Errorf("first double %v", x)
	}
}
