package stats

import "math"

// ChiSquareResult is Pearson's test of independence of a 2×2 table. All three
// are undefined, with the same reason, when a margin is zero.
type ChiSquareResult struct {
	ChiSquare, P, CramersV Number
	N                      int
}

// ChiSquare tests a 2×2 table, for example the outcomes of two critics on the
// traces of one true class, with one degree of freedom and without continuity
// correction.
func ChiSquare(table [2][2]int) ChiSquareResult {
	a, b, c, d := float64(table[0][0]), float64(table[0][1]), float64(table[1][0]), float64(table[1][1])
	r := ChiSquareResult{N: table[0][0] + table[0][1] + table[1][0] + table[1][1]}
	margins := (a + b) * (c + d) * (a + c) * (b + d)
	if margins == 0 || min(a, b, c, d) < 0 {
		u := unknown("a row or a column is empty")
		r.ChiSquare, r.P, r.CramersV = u, u, u
		return r
	}
	n := float64(r.N)
	det := a*d - b*c
	chi2 := n * det * det / margins
	r.ChiSquare = known(chi2)
	r.P = known(math.Erfc(math.Sqrt(chi2 / 2)))
	r.CramersV = known(math.Sqrt(chi2 / n))
	return r
}
