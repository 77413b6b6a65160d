package stats

import (
	"math"
	"testing"

	"github.com/google/go-cmp/cmp"
)

// The interval holds the estimate, agrees with the large-sample one of Fleiss, Cohen
// and Everitt (1969), and does not depend on the number of workers.
func TestMeasureCohen(t *testing.T) {
	t.Parallel()
	table := [4][4]int{{120, 30, 10, 0}, {20, 150, 10, 0}, {10, 10, 40, 0}, {0, 0, 0, 0}}
	iv, reason := MeasureCohen("a", table, Options{Seed: 1})
	if iv == nil {
		t.Fatal(reason)
	}
	// By hand: 310/400 agree, chance (160·150+180·190+60·60)/400² = 0.38625.
	kappa := (0.775 - 0.38625) / (1 - 0.38625)
	n, po, pe := 400.0, 0.775, 0.38625
	rows, cols := [4]float64{160. / 400, 180. / 400, 60. / 400}, [4]float64{150. / 400, 190. / 400, 60. / 400}
	a, b := 0.0, 0.0
	for i := range 4 {
		for j := range 4 {
			p := float64(table[i][j]) / n
			if i == j {
				d := 1 - (rows[i]+cols[i])*(1-kappa)
				a += p * d * d
			} else {
				b += p * (cols[i] + rows[j]) * (cols[i] + rows[j])
			}
		}
	}
	b *= (1 - kappa) * (1 - kappa)
	d := kappa - pe*(1-kappa)
	se := math.Sqrt((a+b-d*d)/n) / (1 - pe)
	if math.Abs(iv.Lo-(kappa-1.96*se)) > 0.01 || math.Abs(iv.Hi-(kappa+1.96*se)) > 0.01 {
		t.Errorf("[%.3f, %.3f], not about %.3f ± %.3f (agreement %.3f)", iv.Lo, iv.Hi, kappa, 1.96*se, po)
	}
	again, _ := MeasureCohen("a", table, Options{Seed: 1})
	if diff := cmp.Diff(iv, again); diff != "" {
		t.Error(diff)
	}
	for name, alone := range map[string][4][4]int{"nothing": {}, "one class": {{7}}} {
		if iv, reason := MeasureCohen("a", alone, Options{}); iv != nil || reason == "" {
			t.Errorf("%s: %v %q", name, iv, reason)
		}
	}
	if iv, _ := MeasureCohen("a", [4][4]int{{3, 1}, {1, 4}}, Options{}); iv == nil || len(iv.Warnings) == 0 {
		t.Errorf("few traces are no warning: %+v", iv)
	}
}
