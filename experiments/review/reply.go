package review

import "plumbline/experiments/vote"

// Messages is a prompt: one system and one user message.
type Messages struct {
	System string `json:"system"`
	User   string `json:"user"`
}

// Citation is a place in the evidence that a rationale rests on. Line is 1-based
// and 0 when the reply gave none; Quote is the text as the reviewer wrote it and
// may be empty.
type Citation struct {
	Line  int    `json:"line,omitempty"`
	Quote string `json:"quote,omitempty"`
}

// Reply is what was read from the raw text of a reviewer. Vote is always one of
// the four classes; Unparseable is never a guess and Problem says why it could
// not be read. Problem of a readable reply is empty or names what was tolerated
// (for example "cut off after the verdict"). Confidence is in [0,1] and nil when
// the reply gives none or gives one that is out of range.
type Reply struct {
	Vote       vote.Vote  `json:"vote"`
	Rationale  string     `json:"rationale,omitempty"`
	Citations  []Citation `json:"citations,omitempty"`
	Confidence *float64   `json:"confidence,omitempty"`
	Problem    string     `json:"problem,omitempty"`
}

// Stop is why a provider ended its text.
type Stop string

// The stops. Unknown covers servers that report none.
const (
	StopUnknown Stop = ""
	StopDone    Stop = "done"
	StopLength  Stop = "length"  // the token limit cut the text off
	StopRefusal Stop = "refusal" // the model declined to answer
)
