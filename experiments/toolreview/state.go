package toolreview

import (
	"errors"
	"fmt"
	"strings"

	"plumbline/experiments/review"
	"plumbline/experiments/vote"
)

// ErrOrder is wrapped when an outcome is observed that answers no open action.
var ErrOrder = errors.New("the outcome answers no open action")

// Replied is a reply of the model. Calls are those of the server's own protocol; a
// text is read too.
type Replied struct {
	Text  string
	Calls []Call
	Stop  review.Stop
}

// Ran holds the results of the calls of an action, in their order.
type Ran struct{ Results []Result }

// Troubled says that an action could not be performed: the endpoint gave no reply,
// or no command can run. It ends the review without a vote.
type Troubled struct{ Detail string }

// Outcome is Replied, Ran or Troubled.
type Outcome interface{ outcome() }

func (Replied) outcome()  {}
func (Ran) outcome()      {}
func (Troubled) outcome() {}

// Turn is one reply and what was done about it.
type Turn struct {
	Text string `json:"text,omitempty"`
	// Native says that the calls came by the server's own protocol.
	Native  bool     `json:"native,omitempty"`
	Calls   []Call   `json:"calls,omitempty"`
	Results []Result `json:"results,omitempty"` // by call; empty until they are there
	// Answer is what the model is told about a reply that asks for nothing.
	Answer string `json:"answer,omitempty"`
}

// State of a review. Make one with Start; it is a value and never changed in place.
type State struct {
	policy Policy
	first  review.Messages
	turns  []Turn
	unread int // replies in a row without call or verdict
	end    *End
}

// Start begins a review with the messages that the model sees first.
func Start(p Policy, first review.Messages) State { return State{policy: p.Filled(), first: first} }

// Turns are the replies so far.
func (s State) Turns() []Turn { return s.turns }

// ActionKind says what the driver does next.
type ActionKind string

// The kinds of action.
const (
	AskModel ActionKind = "ask the model"
	Perform  ActionKind = "perform calls"
	Stop     ActionKind = "stop"
)

// Action is what the driver does next.
type Action struct {
	Kind ActionKind
	// AskModel: the conversation so far. Last says that no tool may be used any more.
	First review.Messages
	Turns []Turn
	Last  bool
	// Perform: the calls, each with the program that performs it. A problem stands in
	// place of the program where there is none.
	Calls []Planned
	// Stop.
	End End
}

// Planned is a call with the program that performs it.
type Planned struct {
	Call    Call
	Command Command
	Problem string
}

// Next says what to do.
func Next(s State) Action {
	if s.end != nil {
		return Action{Kind: Stop, End: *s.end}
	}
	if n := len(s.turns); n > 0 && len(s.turns[n-1].Calls) > 0 && len(s.turns[n-1].Results) == 0 {
		a := Action{Kind: Perform}
		for i, c := range s.turns[n-1].Calls {
			p := Planned{Call: c}
			switch {
			case c.Tool == Decide:
				p.Problem = "A verdict beside other calls does not count. Read their results, then call decide alone."
			case i >= MaxCalls:
				p.Problem = fmt.Sprintf("Not performed: at most %d calls are performed of one reply.", MaxCalls)
			default:
				p.Command, p.Problem = c.Command()
			}
			a.Calls = append(a.Calls, p)
		}
		return a
	}
	return Action{Kind: AskModel, First: s.first, Turns: s.turns, Last: len(s.turns)+1 >= s.policy.Turns}
}

// Observe is the state after the outcome of the action that Next named.
func (s State) Observe(o Outcome) (State, error) {
	a := Next(s)
	switch o := o.(type) {
	case Replied:
		if a.Kind != AskModel {
			return s, fmt.Errorf("observe a reply: %w", ErrOrder)
		}
		return s.replied(o, a.Last), nil
	case Ran:
		if a.Kind != Perform || len(o.Results) != len(a.Calls) {
			return s, fmt.Errorf("observe %d results: %w", len(o.Results), ErrOrder)
		}
		s.turns = append([]Turn(nil), s.turns...)
		s.turns[len(s.turns)-1].Results = o.Results
		return s, nil
	case Troubled:
		if a.Kind == Stop {
			return s, fmt.Errorf("observe trouble: %w", ErrOrder)
		}
		s.end = &End{Kind: Trouble, Detail: o.Detail}
		return s, nil
	}
	return s, fmt.Errorf("observe %T: %w", o, ErrOrder)
}

func (s State) replied(r Replied, last bool) State {
	t := Turn{Text: r.Text, Native: len(r.Calls) > 0}
	got := read(r)
	t.Calls = named(len(s.turns)+1, got.calls)
	if got.verdict != nil && len(r.Calls) > 0 {
		t.Calls = named(len(s.turns)+1, r.Calls) // the call that gave the verdict
	}
	stop := func(kind EndKind, detail string) {
		s.end = &End{Kind: kind, Detail: detail, Reply: review.Reply{Vote: vote.Unparseable, Problem: detail}}
	}
	switch {
	case r.Stop == review.StopRefusal || got.refused:
		stop(Refused, "the model refused to answer")
	case r.Stop == review.StopLength:
		stop(CutOff, "a reply was cut off at the token limit")
	case got.verdict != nil:
		s.end = &End{Kind: Decided, Reply: *got.verdict}
	case last && len(got.calls) > 0:
		stop(OutOfTurns, fmt.Sprintf("it asked for tools in all its %d turns and gave no verdict", s.policy.Turns))
	case last:
		stop(Unreadable, "the last reply holds no verdict: "+got.why)
	case len(got.calls) > 0:
		s.unread = 0
	case s.unread >= MaxUnread:
		stop(Unreadable, fmt.Sprintf("%d replies in a row hold neither a call nor a verdict: %s", s.unread+1, got.why))
	default:
		s.unread++
		t.Answer = "Your reply holds neither a call of a tool nor a verdict: " + got.why + ". Where no tools are offered to you, this is how to write them.\n" + file("plain")
	}
	s.turns = append(append([]Turn(nil), s.turns...), t)
	return s
}

// named gives every call an id of its own: some servers send none, or the same twice.
func named(turn int, calls []Call) []Call {
	seen := map[string]bool{}
	var out []Call
	for i, c := range calls {
		if strings.TrimSpace(c.ID) == "" || seen[c.ID] {
			c.ID = fmt.Sprintf("call_%d_%d", turn, i+1)
		}
		seen[c.ID] = true
		out = append(out, c)
	}
	return out
}
