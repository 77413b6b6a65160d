package belief

import (
	"fmt"
	"math"
)

// Association is Pearson's test of independence in a table of counts.
type Association struct {
	Table [][]int  `json:"table"` // rows: outcomes of the first critic
	N     int      `json:"n"`
	Chi2  *float64 `json:"chi2"` // nil if a margin is empty or constant
	DF    int      `json:"df"`
	P     *float64 `json:"p"`
	V     *float64 `json:"cramers_v"` // Cramér's V in [0,1]
	Why   string   `json:"why,omitempty"`
	// Warning is set where the χ² approximation is poor (an expected count below 5).
	Warning string `json:"warning,omitempty"`
}

// Dependence is the association of two critics within one class.
type Dependence struct {
	A     string `json:"a"`
	B     string `json:"b"`
	Class string `json:"class"` // correct or defective
	Association
}

// classes in the order in which they are reported.
var classes = []struct {
	label Label
	name  string
}{{Defective, "defective"}, {Correct, "correct"}}

// Dependence tests every pair of critics within each class (paper B multiplies
// likelihoods, which needs independence given Y). Candidates on which either
// critic has no outcome are left out. No continuity correction is made.
func (t Table) Dependence(scope Scope) []Dependence {
	var out []Dependence
	for a := range t.Critics {
		for b := a + 1; b < len(t.Critics); b++ {
			for _, class := range classes {
				counts := make([][]int, t.Critics[a].Outcomes)
				for i := range counts {
					counts[i] = make([]int, t.Critics[b].Outcomes)
				}
				for _, k := range t.Tasks {
					for _, c := range k.scoped(scope) {
						if c.Y == class.label && c.Outcomes[a].Observed() && c.Outcomes[b].Observed() {
							counts[c.Outcomes[a]][c.Outcomes[b]]++
						}
					}
				}
				out = append(out, Dependence{
					A: t.Critics[a].Name, B: t.Critics[b].Name, Class: class.name,
					Association: Associate(counts),
				})
			}
		}
	}
	return out
}

// Associate is Pearson's χ² of a table of counts without continuity correction,
// with its p-value and Cramér's V = sqrt(χ²/(n·(min(r,c)-1))), where empty rows
// and columns do not count. With fewer than two rows or columns left everything
// is nil, with the reason.
func Associate(counts [][]int) Association {
	out := Association{Table: counts}
	if len(counts) == 0 {
		out.Why = "there are no counts"
		return out
	}
	rows, cols := make([]int, len(counts)), make([]int, len(counts[0]))
	for i, row := range counts {
		for j, n := range row {
			rows[i] += n
			cols[j] += n
			out.N += n
		}
	}
	r, c := nonZero(rows), nonZero(cols)
	if r < 2 || c < 2 {
		out.Why = "one of the critics gives the same outcome on all candidates of this class"
		if out.N == 0 {
			out.Why = "there is no candidate of this class with both outcomes"
		}
		return out
	}
	var x, least float64 = 0, math.Inf(1)
	for i, row := range counts {
		for j, n := range row {
			if e := float64(rows[i]) * float64(cols[j]) / float64(out.N); e > 0 {
				x += (float64(n) - e) * (float64(n) - e) / e
				least = math.Min(least, e)
			}
		}
	}
	out.DF = (r - 1) * (c - 1)
	p, v := ChiSquareTail(x, out.DF), math.Sqrt(x/(float64(out.N)*float64(min(r, c)-1)))
	out.Chi2, out.P, out.V = &x, &p, &v
	if least < 5 {
		out.Warning = fmt.Sprintf("the smallest expected count is %.2g: the p-value is rough", least)
	}
	return out
}

func nonZero(xs []int) int {
	n := 0
	for _, x := range xs {
		if x > 0 {
			n++
		}
	}
	return n
}

// ChiSquareTail is P(χ² with df degrees of freedom ≥ x), by the recurrence of
// the incomplete gamma function; 1 for x ≤ 0 and NaN for df < 1.
func ChiSquareTail(x float64, df int) float64 {
	if df < 1 || math.IsNaN(x) {
		return math.NaN()
	}
	if x <= 0 {
		return 1
	}
	h := x / 2
	a, q := 0.5, math.Erfc(math.Sqrt(h))
	if df%2 == 0 {
		a, q = 1, math.Exp(-h)
	}
	for ; a < float64(df)/2; a++ {
		lg, _ := math.Lgamma(a + 1)
		q += math.Exp(a*math.Log(h) - h - lg)
	}
	return math.Min(q, 1)
}

// JointTest compares the counts of all combinations of verdicts with the product
// of the single pass shares, within one class.
type JointTest struct {
	Critics []string `json:"critics"`
	Class   string   `json:"class"`
	N       int      `json:"n"`
	Chi2    float64  `json:"chi2"` // 0 when no combination is expected or nothing varies
	DF      int      `json:"df"`   // 2^k - k - 1 over the critics that vary
	P       *float64 `json:"p"`    // nil if fewer than two critics vary
	Counts  []int    `json:"counts"`
}

// JointDependence makes that test for binary critics in each class: Pearson's χ²
// of the 2^k joint verdicts, the first critic being the highest bit. Candidates
// without an outcome of every critic are left out.
func (t Table) JointDependence(scope Scope, critics ...string) ([]JointTest, error) {
	sub, err := t.Select(critics...)
	if err != nil {
		return nil, fmt.Errorf("joint dependence: %w", err)
	}
	joined, err := sub.Join("joint of all", critics...)
	if err != nil {
		return nil, fmt.Errorf("joint dependence: %w", err)
	}
	for _, c := range sub.Critics {
		if c.Outcomes != 2 {
			return nil, fmt.Errorf("joint dependence: %q has %d outcomes; only pass/fail critics can be tested", c.Name, c.Outcomes)
		}
	}
	var out []JointTest
	last := len(joined.Critics) - 1
	for _, class := range classes {
		test := JointTest{Critics: critics, Class: class.name, Counts: make([]int, joined.Critics[last].Outcomes)}
		for _, k := range joined.Tasks {
			for _, c := range k.scoped(scope) {
				if z := c.Outcomes[last]; c.Y == class.label && z.Observed() {
					test.Counts[z]++
					test.N++
				}
			}
		}
		test.fill(len(critics))
		out = append(out, test)
	}
	return out, nil
}

func (j *JointTest) fill(k int) {
	if j.N == 0 {
		return
	}
	share, vary := make([]float64, k), 0
	for i := range share {
		passes := 0
		for z, n := range j.Counts {
			if z>>(k-1-i)&1 == 1 {
				passes += n
			}
		}
		share[i] = float64(passes) / float64(j.N)
		if passes > 0 && passes < j.N {
			vary++
		}
	}
	for z, n := range j.Counts {
		e := float64(j.N)
		for i, p := range share {
			if z>>(k-1-i)&1 == 1 {
				e *= p
			} else {
				e *= 1 - p
			}
		}
		if e > 0 {
			j.Chi2 += (float64(n) - e) * (float64(n) - e) / e
		}
	}
	if vary >= 2 {
		j.DF = 1<<vary - vary - 1
		p := ChiSquareTail(j.Chi2, j.DF)
		j.P = &p
	}
}
