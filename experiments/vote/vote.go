// Package vote turns the answers of a reviewer into a decision (maths.md §2.1)
// and measures how far the answers agree. A provider error is never a vote.
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
