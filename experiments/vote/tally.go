package vote

// Rule says when the leading class decides.
type Rule string

// The rules. Plurality, the default, decides by the class with the unique
// largest count. Strict also wants more than half of the votes. Under both a
// shared lead is uncertain ("ties become uncertain", paper G §3).
const (
	Plurality Rule = "plurality"
	Strict    Rule = "strict"
)

// Tally is the outcome of counting the votes of one trace.
type Tally struct {
	// Decision is one of the four classes. Without votes it is Uncertain.
	Decision Decision
	// Tie says that at least two classes share the largest count.
	Tie bool
	// Counts are the votes behind the decision.
	Counts Counts
	// Top is the largest count.
	Top int
	// Share is Top over the number of votes, in (0,1]: the natural confidence of
	// the decision. It is nil without votes.
	Share *float64
}

// Tally decides by rule. The empty rule means Plurality; any other unknown rule
// is treated like Strict, the more careful one.
func (c Counts) Tally(rule Rule) Tally {
	t := Tally{Decision: Uncertain, Counts: c}
	n := c.N()
	if n == 0 {
		return t
	}
	var leader Vote
	leader, t.Top, t.Tie = lead(c.Array())
	share := float64(t.Top) / float64(n)
	t.Share = &share
	if decides(t.Top, n, t.Tie, rule) {
		t.Decision = leader
	}
	return t
}

// Decide is the decision of Tally alone, without allocation.
func (c Counts) Decide(rule Rule) Decision {
	n := c.N()
	leader, top, tie := lead(c.Array())
	if n > 0 && decides(top, n, tie, rule) {
		return leader
	}
	return Uncertain
}

// Prefix tallies the first k votes, or all of them if there are fewer; a
// negative k means none. Paper G scales votes this way.
func Prefix(votes []Vote, k int, rule Rule) Tally {
	k = min(max(k, 0), len(votes))
	return CountOf(votes[:k]...).Tally(rule)
}

func lead(counts [4]int) (leader Vote, top int, tie bool) {
	for i, n := range counts {
		switch {
		case n > top:
			leader, top, tie = Classes[i], n, false
		case n == top && n > 0:
			tie = true
		}
	}
	return leader, top, tie
}

func decides(top, n int, tie bool, rule Rule) bool {
	if tie {
		return false
	}
	if rule == Plurality || rule == "" {
		return true
	}
	return 2*top > n
}

// Ties counts the traces whose largest count is shared by two or more classes.
// They are decided uncertain, which is not the same as a reviewer who said so.
func Ties(patterns []Pattern) int {
	ties := 0
	for _, p := range patterns {
		if _, _, tie := lead(p.Counts.Array()); tie {
			ties += p.Traces
		}
	}
	return ties
}

// Decisions counts the decisions of many traces.
func Decisions(patterns []Pattern, rule Rule) Counts {
	var d [4]int
	for _, p := range patterns {
		d[p.Counts.Decide(rule).Index()] += p.Traces
	}
	return Counts{Accept: d[0], Reject: d[1], Uncertain: d[2], Unparseable: d[3]}
}
