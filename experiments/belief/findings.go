package belief

import "fmt"

// FindingKind names what is odd about a critic.
type FindingKind string

// Findings about a critic. Only Constant, Oracle and Inverse speak of the data
// as they are; OneClass says that half of the likelihoods is a guess.
const (
	Constant FindingKind = "constant"  // the same outcome on every candidate
	Oracle   FindingKind = "oracle"    // equal to the label on every candidate
	Inverse  FindingKind = "inverse"   // the opposite of the label on every candidate
	OneClass FindingKind = "one_class" // never seen on correct, or never on defective candidates
	Unseen   FindingKind = "unseen"    // no outcome recorded at all
)

// Finding is one of these in plain words.
type Finding struct {
	Kind FindingKind `json:"kind"`
	Text string      `json:"text"`
}

// findings looks at all candidates of the table, with or without a label, for
// constancy, and at the counted ones for the rest.
func findings(c CriticEstimate, t Table, at int) []Finding {
	var out []Finding
	add := func(kind FindingKind, format string, args ...any) {
		out = append(out, Finding{kind, c.Name + " " + fmt.Sprintf(format, args...)})
	}
	seen := make([]int, t.Critics[at].Outcomes)
	for _, k := range t.Tasks {
		for _, cand := range k.Candidates {
			if z := cand.Outcomes[at]; z.Observed() {
				seen[z]++
			}
		}
	}
	n, nc, nd := sum(seen), sum(c.CountCorrect), sum(c.CountDefect)
	if n == 0 {
		add(Unseen, "has no recorded outcome: its likelihoods are guesses")
		return out
	}
	for z, k := range seen {
		if k == n && n > 1 {
			add(Constant, "says %s on all %d candidates: it cannot change a belief and only costs", c.Label(Outcome(z)), n)
		}
	}
	switch {
	case nc == 0 && nd == 0:
		add(OneClass, "was never seen on a candidate with a known label: its likelihoods are guesses")
	case nc == 0:
		add(OneClass, "was never seen on a correct candidate: P(pass | correct) is a guess")
	case nd == 0:
		add(OneClass, "was never seen on a defective candidate: P(pass | defective) is a guess")
	case c.IsBinary() && c.CountCorrect[Fail] == 0 && c.CountDefect[Pass] == 0:
		add(Oracle, "agrees with the label on all %d candidates: make sure that it is not the label itself", nc+nd)
	case c.IsBinary() && c.CountCorrect[Pass] == 0 && c.CountDefect[Fail] == 0:
		add(Inverse, "says the opposite of the label on all %d candidates: pass and fail may be exchanged", nc+nd)
	}
	return out
}
