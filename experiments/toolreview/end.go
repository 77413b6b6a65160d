package toolreview

import "plumbline/experiments/review"

// EndKind says how a review ended.
type EndKind string

// The ends. Decided gives the verdict that the model gave; Trouble gives no vote;
// all others give an unparseable vote whose problem says why.
const (
	Decided    EndKind = "decided"
	Refused    EndKind = "refused"
	CutOff     EndKind = "cut off"
	OutOfTurns EndKind = "out of turns"
	Unreadable EndKind = "unreadable"
	Trouble    EndKind = "trouble"
)

// EndKinds lists every end.
var EndKinds = [6]EndKind{Decided, OutOfTurns, Unreadable, CutOff, Refused, Trouble}

// End is how a review ended. Reply is of no meaning after Trouble.
type End struct {
	Kind   EndKind
	Detail string // empty when decided
	Reply  review.Reply
}

// Explain is one sentence about an end; empty for an unknown one.
func (k EndKind) Explain() string {
	switch k {
	case Decided:
		return "The model gave a verdict; uncertain is one."
	case Refused:
		return "The model declined to review; the vote is unparseable."
	case CutOff:
		return "A reply reached the token limit of the reviewer; the vote is unparseable."
	case OutOfTurns:
		return "The model asked for tools until its turns were used up; the vote is unparseable."
	case Unreadable:
		return "Replies held neither a call nor a verdict; the vote is unparseable."
	case Trouble:
		return "The endpoint or the sandbox failed; there is no vote."
	}
	return ""
}
