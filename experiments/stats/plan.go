package stats

import "math"

// PlannedPair is what two arms on the same traces are expected to show.
type PlannedPair struct {
	// Decided traces are decided by both arms, Discordant ones of them rightly by
	// exactly one; both are expected numbers.
	Decided, Discordant float64
	// FirstAccuracy and SecondAccuracy are over Decided, and Difference is second
	// minus first: what is there to be found.
	FirstAccuracy, SecondAccuracy, Difference Number
	// Detectable is DetectableDifference at these numbers.
	Detectable Number
}

// PlanPair gives the expected paired comparison of two arms. coupling, in [0,1],
// is how alike the arms are, as in SimulatePower. The sizes of the classes are
// taken from first.
func PlanPair(first, second Assumption, coupling float64) PlannedPair {
	var p PlannedPair
	var right [2]float64
	for _, class := range []struct {
		defect bool
		n      int
		table  []float64
	}{
		{true, first.Defects, joint(first.Defect, second.Defect, coupling)},
		{false, first.Acceptables, joint(first.Acceptable, second.Acceptable, coupling)},
	} {
		for i := range 4 {
			for j := range 4 {
				a, b := Outcome(i), Outcome(j)
				if a == Abstained || b == Abstained {
					continue
				}
				w := float64(class.n) * class.table[4*i+j]
				p.Decided += w
				if a.right(class.defect) {
					right[0] += w
				}
				if b.right(class.defect) {
					right[1] += w
				}
				if a.right(class.defect) != b.right(class.defect) {
					p.Discordant += w
				}
			}
		}
	}
	if p.Decided < tie {
		u := unknown("no trace is expected to be decided by both")
		p.FirstAccuracy, p.SecondAccuracy, p.Difference, p.Detectable = u, u, u, u
		return p
	}
	p.FirstAccuracy, p.SecondAccuracy = known(right[0]/p.Decided), known(right[1]/p.Decided)
	p.Difference = known((right[1] - right[0]) / p.Decided)
	p.Detectable = DetectableDifference(int(math.Round(p.Decided)), min(p.Discordant/p.Decided, 1))
	return p
}

// Coupling is how alike two arms were on their common traces, on the scale of
// SimulatePower: 0 if they differ as often as independent arms with these
// decisions, 1 if only where they must; values outside are cut. It is undefined
// without common traces, and when both numbers are the same.
func Coupling(p Pair) Number {
	n := p.N()
	if n == 0 {
		return unknown("no common traces")
	}
	var observed, independent, alike float64
	for _, class := range [][4][4]int{p.Defect, p.Acceptable} {
		var first, second [4]float64
		total := 0.0
		for i := range class {
			for j, k := range class[i] {
				first[i] += float64(k)
				second[j] += float64(k)
				total += float64(k)
				if i != j {
					observed += float64(k)
				}
			}
		}
		if total == 0 {
			continue
		}
		for i := range 4 {
			first[i] /= total
			second[i] /= total
		}
		for i, w := range joint(first, second, 0) {
			if i/4 != i%4 {
				independent += total * w
			}
		}
		for i, w := range joint(first, second, 1) {
			if i/4 != i%4 {
				alike += total * w
			}
		}
	}
	if independent-alike < tie {
		return unknown("an arm that decides all traces of a class alike is as like one arm as another")
	}
	return known(min(max((independent-observed)/(independent-alike), 0), 1))
}
