package stats

// AUROC is the probability that a right item scores higher than a wrong one,
// ties counted 1/2 (Mann–Whitney). right[i] belongs to score[i]. It is undefined
// when all items are right or all wrong.
func AUROC(score []float64, right []bool) Number {
	y := make([]float64, len(right))
	n1 := 0
	for i, r := range right {
		if r {
			y[i] = 1
			n1++
		}
	}
	if reason := unusable(score, y); reason != "" {
		return unknown(reason)
	}
	n0 := len(right) - n1
	switch {
	case n1 == 0:
		return unknown("no right items")
	case n0 == 0:
		return unknown("no wrong items")
	}
	sum := 0.0
	for i, r := range averageRanks(score) {
		if right[i] {
			sum += r
		}
	}
	return known((sum - float64(n1)*float64(n1+1)/2) / (float64(n1) * float64(n0)))
}
