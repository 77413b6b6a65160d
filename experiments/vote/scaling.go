package vote

import "math"

// Distribution is the probability of each decision; the four sum to 1.
type Distribution struct {
	Accept, Reject, Uncertain, Unparseable float64
}

// Array returns the probabilities in the order of Classes.
func (d Distribution) Array() [4]float64 {
	return [4]float64{d.Accept, d.Reject, d.Uncertain, d.Unparseable}
}

// Of is the probability of v; 0 for a string that is no class.
func (d Distribution) Of(v Vote) float64 {
	if i := v.Index(); i >= 0 {
		return d.Array()[i]
	}
	return 0
}

// Expected is the decision of k of the given votes, over all subsets of size k,
// each equally likely. It is exact: the counts of a subset are multivariate
// hypergeometric, and all of them are enumerated. k is clipped to 0..N; k = 0
// is uncertain and k = N is the decision itself.
func (c Counts) Expected(k int, rule Rule) Distribution {
	have := c.Array()
	k = min(max(k, 0), c.N())
	var p [4]float64
	all := choose(c.N(), k)
	compositions(k, func(part [4]int) {
		weight := 1.0
		for i := range part {
			if part[i] > have[i] {
				return
			}
			weight *= choose(have[i], part[i])
		}
		p[decisionIndex(part, rule)] += weight / all
	})
	return distribution(p)
}

// Scaling is Expected for 1, 2, …, N votes; element i belongs to i+1 votes.
func (c Counts) Scaling(rule Rule) []Distribution {
	curve := make([]Distribution, c.N())
	for i := range curve {
		curve[i] = c.Expected(i+1, rule)
	}
	return curve
}

// Planned is the distribution of the decision of k votes that are not yet
// asked for. single is the distribution of one vote on such a trace. correlation, in [0,1],
// is how alike two votes on the same trace are: 0 are independent votes, 1 a
// reviewer who always repeats the first answer. Between them the votes follow a
// Dirichlet-multinomial with total weight (1-correlation)/correlation
// (Mosimann 1962). single is normalised; negative entries count as 0. The result
// is uncertain for k ≤ 0 or when no entry is positive.
func Planned(single Distribution, correlation float64, k int, rule Rule) Distribution {
	q := single.Array()
	sum := 0.0
	for i := range q {
		q[i] = max(q[i], 0)
		sum += q[i]
	}
	if k <= 0 || !(sum > 0) {
		return Distribution{Uncertain: 1}
	}
	for i := range q {
		q[i] /= sum
	}
	if correlation >= 1 {
		// One vote, repeated: its class wins under both rules.
		return distribution(q)
	}
	var p [4]float64
	compositions(k, func(part [4]int) {
		p[decisionIndex(part, rule)] += dirichletMultinomial(part, k, q, max(correlation, 0))
	})
	return distribution(p)
}

// dirichletMultinomial multiplies the chances of the votes one after the other
// (Pólya's urn), which needs no gamma function and covers correlation 0.
func dirichletMultinomial(part [4]int, k int, q [4]float64, correlation float64) float64 {
	p, drawn := 1.0, 0
	for i, n := range part {
		for j := range n {
			// The multinomial coefficient is spread over the draws.
			p *= float64(drawn+1) / float64(j+1)
			p *= ((1-correlation)*q[i] + correlation*float64(j)) / (1 - correlation + correlation*float64(drawn))
			drawn++
		}
	}
	return p
}

// compositions visits every way to write k as an ordered sum of four parts ≥ 0.
func compositions(k int, visit func([4]int)) {
	for a := 0; a <= k; a++ {
		for b := 0; a+b <= k; b++ {
			for c := 0; a+b+c <= k; c++ {
				visit([4]int{a, b, c, k - a - b - c})
			}
		}
	}
}

func decisionIndex(part [4]int, rule Rule) int {
	return Counts{part[0], part[1], part[2], part[3]}.Decide(rule).Index()
}

func distribution(p [4]float64) Distribution {
	return Distribution{Accept: p[0], Reject: p[1], Uncertain: p[2], Unparseable: p[3]}
}

// choose is the binomial coefficient as a float64, exact while it fits into 53 bits.
func choose(n, k int) float64 {
	if k < 0 || k > n {
		return 0
	}
	k = min(k, n-k)
	c := 1.0
	for i := range k {
		c = c * float64(n-i) / float64(i+1)
	}
	if c < 1<<53 {
		return math.Round(c)
	}
	return c
}
