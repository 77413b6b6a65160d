package stats

import (
	"fmt"
	"os"
	"strings"
	"testing"
)

// The figures of docs/statistics.md are those of the simulation, and every rate is
// in it with the formula it is computed by.
func TestTheManualIsTrue(t *testing.T) {
	t.Parallel()
	raw, err := os.ReadFile("../../docs/statistics.md")
	if err != nil {
		t.Fatal(err)
	}
	manual := string(raw)
	head := "| n |"
	for _, p := range coverageRates {
		head += fmt.Sprintf(" %v |", p)
	}
	for what, of := range map[string]func(cover) float64{
		"percentile bootstrap": func(c cover) float64 { return c.bootstrap },
		"Wilson":               func(c cover) float64 { return c.wilson },
	} {
		want := head + " mean |\n"
		want += strings.Repeat("| ---: ", len(coverageRates)+2) + "|\n"
		for _, n := range coverageSizes {
			want += fmt.Sprintf("| %d |", n)
			mean := 0.0
			for _, p := range coverageRates {
				v := of(simulatedCover(n, p))
				mean += v / float64(len(coverageRates))
				want += fmt.Sprintf(" %.1f |", 100*v)
			}
			want += fmt.Sprintf(" %.1f |\n", 100*mean)
		}
		if !strings.Contains(manual, want) {
			t.Errorf("the table of the %s is not\n%s", what, want)
		}
	}
	for _, d := range definitions {
		if !strings.Contains(manual, "| "+d.Name+" | `"+d.Formula+"` | ") {
			t.Errorf("%s is not in the manual with %s", d.Name, d.Formula)
		}
	}
}
