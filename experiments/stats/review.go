package stats

// Outcome is the decision on one trace as a number. The order is fixed: it is
// the order of the cells of a Class and of a vote's four classes.
type Outcome int

// The four outcomes. Abstained is the decision "uncertain"; Unparsed is decided
// and always wrong (paper G S5.4).
const (
	Accepted Outcome = iota
	Rejected
	Abstained
	Unparsed
)

// Class counts the decisions on the traces of one true class. Its fields match
// those of vote.Counts, so that one converts into the other.
type Class struct {
	Accept, Reject, Uncertain, Unparseable int
}

// N is the size of the class.
func (c Class) N() int { return c.Accept + c.Reject + c.Uncertain + c.Unparseable }

// ReviewCounts is all that the rates of a review depend on: eight cells, the
// decisions on the defects and on the acceptable patches (paper G §3). Traces
// of unknown truth, errors and missing decisions are in none of them; they are
// counted by the caller and shown apart.
type ReviewCounts struct {
	Defect, Acceptable Class
}

// Add counts one more trace. An outcome outside of the four is counted as Unparsed.
func (c *ReviewCounts) Add(defect bool, o Outcome) { c.AddN(defect, o, 1) }

// AddN counts n more traces with the same outcome.
func (c *ReviewCounts) AddN(defect bool, o Outcome, n int) {
	class := &c.Acceptable
	if defect {
		class = &c.Defect
	}
	switch o {
	case Accepted:
		class.Accept += n
	case Rejected:
		class.Reject += n
	case Abstained:
		class.Uncertain += n
	default:
		class.Unparseable += n
	}
}

// Plus adds the cells of another set of traces.
func (c ReviewCounts) Plus(d ReviewCounts) ReviewCounts {
	a, b := c.cells(), d.cells()
	for i := range a {
		a[i] += b[i]
	}
	return ofCells(a)
}

// N is the number of traces.
func (c ReviewCounts) N() int { return c.Defect.N() + c.Acceptable.N() }

// Decided is the number of traces that are not abstained on.
func (c ReviewCounts) Decided() int { return c.N() - c.Defect.Uncertain - c.Acceptable.Uncertain }

// Wrong is the number of wrong decisions: accepted defects, rejected acceptable
// patches and everything unparseable.
func (c ReviewCounts) Wrong() int {
	return c.Defect.Accept + c.Defect.Unparseable + c.Acceptable.Reject + c.Acceptable.Unparseable
}

// cells is the vector of the eight counts: defects first, each in the order of Outcome.
func (c ReviewCounts) cells() [8]int {
	d, a := c.Defect, c.Acceptable
	return [8]int{
		d.Accept, d.Reject, d.Uncertain, d.Unparseable,
		a.Accept, a.Reject, a.Uncertain, a.Unparseable,
	}
}

func ofCells(v [8]int) ReviewCounts {
	return ReviewCounts{
		Defect:     Class{v[0], v[1], v[2], v[3]},
		Acceptable: Class{v[4], v[5], v[6], v[7]},
	}
}
