package pages

import (
	"strconv"
	"time"

	"plumbline/web/components"
	"plumbline/web/components/visible"
)

// VotesPane is the right column: every arm that looked at the trace, and the
// votes of the selected one.
type VotesPane struct {
	Groups []ArmGroup
	None   string // why there are no votes, when Groups is empty
	Cards  []VoteCard
	Arm    string // name of the selected arm
	Errors []CallFailure
	Usage  []Fact // tokens and cost of the selected arm on this trace
	Note   *Note  // of the selected arm; nil: no arm is selected
	Belief string // address of the trace's belief path; empty: no experiment looked at it
}

// ArmGroup is the arms of one experiment.
type ArmGroup struct {
	Name, Href string
	Badges     []components.Badge
	Current    bool // the experiment the reader came from
	Arms       []ArmDecision
}

// ArmDecision is one arm's decision on the trace.
type ArmDecision struct {
	Reviewer, Form string
	Href           string
	Current        bool
	Deployable     bool
	Squares        []components.Square
	Decision       components.Mark
	Wrong          bool
	Note           string // error, or why it is blocked or missing
}

// VoteCard is one vote in full.
type VoteCard struct {
	Number       int // from 1
	Mark         components.Mark
	Wrong        bool
	Confidence   *float64
	Rationale    string
	Problem      string // what was wrong with the reply
	Citations    []Citation
	Flags        []Flag             // what the audit found
	Badges       []components.Badge // cached, simulated, unknown price
	InputTokens  *int64
	OutputTokens *int64
	CachedTokens *int64
	CostUSD      *float64
	Price        string // version of the price
	Latency      time.Duration
	Attempts     int
	Seed         string
	When         time.Time
	Raw          string // the reply as it came
	RawURL       string // the same as text/plain
}

// Citation is a place the rationale rests on.
type Citation struct {
	Line    int    // 0: the reply gave none
	Href    string // the line in the evidence; empty when there is none
	Quote   string
	Invalid string // why it points to nothing
}

// CallFailure is a try that did not end in a vote.
type CallFailure struct {
	Vote     int // from 1
	Class    string
	Status   int
	Message  string
	Attempts int
	When     time.Time
}

// Limits of what a card shows; the rest is behind its raw link.
const (
	rationaleBytes = 6_000
	rawBytes       = 8_000
	quoteRunes     = 200
)

func (c VoteCard) anchor() string { return "vote-" + strconv.Itoa(c.Number) }

// lit is the class the style sheet joins with the lines the vote cites.
func (c VoteCard) lit() string { return "vote vote-" + strconv.Itoa(c.Number) }

func (c VoteCard) text() (shown string, rest int) {
	shown, cut := visible.Cut(c.Rationale, rationaleBytes)
	if cut {
		rest = len(c.Rationale) - len(shown)
	}
	return shown, rest
}

func (c VoteCard) raw() (shown string, rest int) {
	shown, cut := visible.Cut(c.Raw, rawBytes)
	if cut {
		rest = len(c.Raw) - len(shown)
	}
	return shown, rest
}
