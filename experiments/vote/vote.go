// Package vote turns the answers of a reviewer into a decision and measures how
// far the answers agree. A provider error is never a vote.
//
// The road of the numbers:
//
//	votes      []Vote         what a reviewer said, in the order it was asked
//	CountOf    → Counts       how often each class was said
//	Counts.Tally → Tally      the decision, its share and whether it is a tie
//	Group      → []Pattern    many traces as distinct counts with multiplicity
//
// Everything after the first step needs counts only, so a page over hundreds of
// thousands of votes reads a few dozen distinct patterns. The exception is
// Prefix, which depends on the order of the votes.
//
// Agreement (Fleiss, Krippendorff, Cohen) takes patterns or tables and returns a
// value or the reason why there is none. Scaling answers "what would fewer votes
// have decided?" exactly, over all subsets, and Planned does the same before any
// vote is paid for.
package vote

// Vote is one answer of a reviewer.
type Vote string

// The four classes of an answer. Unparseable competes in the tally as a class of
// its own and is scored as decided and always wrong (paper G §3, S5.4).
const (
	Accept      Vote = "accept"
	Reject      Vote = "reject"
	Uncertain   Vote = "uncertain"
	Unparseable Vote = "unparseable"
)

// Decision is the tally of an arm's votes on a trace. It has the same four
// classes as a vote.
type Decision = Vote

// Classes lists the classes in their fixed order, the order of Index.
var Classes = [4]Vote{Accept, Reject, Uncertain, Unparseable}

// Index returns the position of v in Classes, or -1 for any other string.
func (v Vote) Index() int {
	for i, c := range Classes {
		if v == c {
			return i
		}
	}
	return -1
}

// Valid reports whether v is one of the four classes.
func (v Vote) Valid() bool { return v.Index() >= 0 }

// Decided reports whether v, read as a decision, covers its trace. An
// unparseable decision does: it is decided and always wrong (paper G S5.4).
func (v Vote) Decided() bool { return v == Accept || v == Reject || v == Unparseable }
