package vote

// Behaviour is how an arm votes on the traces of one class, as far as recorded
// votes tell: what a plan for another number of votes starts from.
type Behaviour struct {
	// Single is the distribution of one vote, pooled over the traces.
	Single Distribution
	// Correlation, in [0,1], is how alike two votes on the same trace are: Fleiss'
	// kappa with the pairs of all traces pooled, cut at 0. It is the intraclass
	// correlation of Planned.
	Correlation float64
	// Why says why Correlation is no measurement; it is 1 then, the careful guess,
	// under which more votes change nothing. Empty when it is one.
	Why string
	// Traces and Votes are what was recorded.
	Traces, Votes int
	// Least is the smallest number of votes on a trace.
	Least int
}

// Observe sums up the votes recorded on the traces of one class. Without a vote
// Traces is 0 and nothing else is set.
func Observe(patterns []Pattern) Behaviour {
	var b Behaviour
	var perClass [4]int
	agreeing, pairs := 0.0, 0.0
	for _, p := range patterns {
		n := p.Counts.N()
		if n == 0 || p.Traces == 0 {
			continue
		}
		if b.Traces == 0 || n < b.Least {
			b.Least = n
		}
		b.Traces += p.Traces
		b.Votes += n * p.Traces
		for i, k := range p.Counts.Array() {
			perClass[i] += k * p.Traces
			agreeing += float64(k*(k-1)) * float64(p.Traces)
		}
		pairs += float64(n*(n-1)) * float64(p.Traces)
	}
	if b.Traces == 0 {
		return b
	}
	var single [4]float64
	chance := 0.0
	for i, k := range perClass {
		single[i] = float64(k) / float64(b.Votes)
		chance += single[i] * single[i]
	}
	b.Single, b.Correlation = distribution(single), 1
	switch {
	case pairs == 0:
		b.Why = "no trace has two votes"
	case oneClass(perClass[:]):
		b.Why = "all votes are the same"
	default:
		b.Correlation = max(0, (agreeing/pairs-chance)/(1-chance))
	}
	return b
}

// Foresee is the distribution of the decision of k votes on the traces of a class
// whose recorded votes are given. Up to the recorded number it is exact over all
// subsets, as Expected; beyond it, for all traces if one of them has too few, it
// is Planned with what Observe measured, and exact is false. ok is false without
// a recorded vote.
func Foresee(patterns []Pattern, k int, rule Rule) (d Distribution, exact, ok bool) {
	b := Observe(patterns)
	if b.Traces == 0 {
		return d, false, false
	}
	if k > b.Least {
		return Planned(b.Single, b.Correlation, k, rule), false, true
	}
	var p [4]float64
	for _, x := range patterns {
		if x.Traces == 0 || x.Counts.N() == 0 {
			continue
		}
		for i, v := range x.Counts.Expected(k, rule).Array() {
			p[i] += v * float64(x.Traces) / float64(b.Traces)
		}
	}
	return distribution(p), true, true
}
