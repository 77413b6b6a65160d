package stats

// Pair counts the traces that two arms both have a decision on, by truth and by
// both decisions: Defect[i][j] are the defects with outcome i from the first and
// j from the second arm. Every paired statistic depends on these cells alone.
type Pair struct {
	Defect, Acceptable [4][4]int
	// OnlyFirst and OnlySecond count traces that one arm alone has a decision on.
	// They enter no comparison; they are here to be shown.
	OnlyFirst, OnlySecond int
}

// Add counts one common trace. An outcome outside of the four is taken as Unparsed.
func (p *Pair) Add(defect bool, first, second Outcome) {
	table := &p.Acceptable
	if defect {
		table = &p.Defect
	}
	table[first.cell()][second.cell()]++
}

func (o Outcome) cell() int {
	if o < Accepted || o > Unparsed {
		return int(Unparsed)
	}
	return int(o)
}

// right reports whether o is the right decision for a trace of that truth.
func (o Outcome) right(defect bool) bool {
	return defect && o == Rejected || !defect && o == Accepted
}

// each visits the cells that are not empty in a fixed order.
func (p Pair) each(visit func(defect bool, first, second Outcome, n int)) {
	for _, defect := range []bool{true, false} {
		table := p.Acceptable
		if defect {
			table = p.Defect
		}
		for i := range table {
			for j, n := range table[i] {
				if n > 0 {
					visit(defect, Outcome(i), Outcome(j), n)
				}
			}
		}
	}
}

// N is the number of common traces.
func (p Pair) N() int {
	n := 0
	p.each(func(_ bool, _, _ Outcome, k int) { n += k })
	return n
}

// First and Second are the counts of the arms on the common traces.
func (p Pair) First() (c ReviewCounts) {
	p.each(func(defect bool, first, _ Outcome, n int) { c.AddN(defect, first, n) })
	return c
}

// Second is the counterpart of First.
func (p Pair) Second() (c ReviewCounts) {
	p.each(func(defect bool, _, second Outcome, n int) { c.AddN(defect, second, n) })
	return c
}

// Decisions is the table of both decisions whatever the truth, as agreement
// between the arms needs it.
func (p Pair) Decisions() (table [4][4]int) {
	p.each(func(_ bool, first, second Outcome, n int) { table[first][second] += n })
	return table
}

// Flips is the 2×2 table of right and wrong on the traces both arms decided.
type Flips struct {
	BothRight, RightWrong, WrongRight, BothWrong int
}

// N is the number of traces both arms decided.
func (f Flips) N() int { return f.BothRight + f.RightWrong + f.WrongRight + f.BothWrong }

// Flips tabulates the traces both arms decided (paper G S5.5).
func (p Pair) Flips() (f Flips) {
	p.each(func(defect bool, first, second Outcome, n int) {
		if first == Abstained || second == Abstained {
			return
		}
		switch a, b := first.right(defect), second.right(defect); {
		case a && b:
			f.BothRight += n
		case a:
			f.RightWrong += n
		case b:
			f.WrongRight += n
		default:
			f.BothWrong += n
		}
	})
	return f
}
