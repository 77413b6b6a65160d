package belief

import "fmt"

// KernelEstimate is a kernel counted from consecutive candidates.
type KernelEstimate struct {
	Kernel
	// Counts[a][b] pairs went from class a to class b, 0 defective, 1 correct.
	Counts    [2][2]int `json:"counts"`
	FixRate   Rate      `json:"fix"`   // Counts[0][1] of Counts[0]
	BreakRate Rate      `json:"break"` // Counts[1][0] of Counts[1]
	Warnings  []string  `json:"warnings"`
}

// Pairs is the number of consecutive pairs with two known labels.
func (k KernelEstimate) Pairs() int { return sum(k.Counts[0][:]) + sum(k.Counts[1][:]) }

// transitions counts the pairs inside one task; a pair with an unknown label is
// left out, and no pair is made across it.
func transitions(k Task) (n [2][2]int) {
	for j := 1; j < len(k.Candidates); j++ {
		a, b := k.Candidates[j-1].Y, k.Candidates[j].Y
		if a != Unknown && b != Unknown {
			n[a-Defective][b-Defective]++
		}
	}
	return n
}

func fitKernel(t Table, o Options) KernelEstimate {
	var est KernelEstimate
	for _, k := range t.Tasks {
		n := transitions(k)
		for a := range n {
			for b := range n[a] {
				est.Counts[a][b] += n[a][b]
			}
		}
	}
	est.FixRate = o.rate(est.Counts[0][1], sum(est.Counts[0][:]))
	est.BreakRate = o.rate(est.Counts[1][0], sum(est.Counts[1][:]))
	est.Kernel = Kernel{Fix: est.FixRate.Value, Break: est.BreakRate.Value}
	if est.FixRate.N == 0 {
		est.Warnings = append(est.Warnings, fmt.Sprintf(
			"no candidate was followed by another after a defective one: the fix probability falls back on %g", est.FixRate.Value))
	}
	if est.BreakRate.N == 0 {
		est.Warnings = append(est.Warnings, fmt.Sprintf(
			"no candidate was followed by another after a correct one: the break probability falls back on %g", est.BreakRate.Value))
	}
	return est
}
