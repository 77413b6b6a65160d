package tooluse

import (
	"context"
	"errors"
	"fmt"
	"time"

	"plumbline/experiments/review"
	"plumbline/experiments/toolreview"
	"plumbline/runner/reviewer"
)

// Model gives the next reply of a review. reviewer.Converser is one.
type Model interface {
	Reply(ctx context.Context, v reviewer.Conversation) (reviewer.Reply, error)
	RequestHash(v reviewer.Conversation) string
}

// Request is what a review is about.
type Request struct {
	Evidence  string // rendered and audited
	TraceID   string
	VoteIndex int
	Seed      int64
}

// Review is a review that ended in a vote, with all that is kept of it.
type Review struct {
	Record toolreview.Record
	Answer reviewer.Answer // Raw is the record as JSON
}

// ErrSandbox is wrapped when commands cannot be run here.
var ErrSandbox = errors.New("no command can be run here")

// Hold holds a review to its end. The error is a *reviewer.Error where the endpoint
// gave no reply, or wraps ErrSandbox; in both cases there is no vote, and the error
// says how far the review came. stop is asked before each turn: once it is true no
// further one begins, and the review ends with class canceled.
func Hold(ctx context.Context, m Model, d *Desk, r Request, stop func() bool) (Review, error) {
	h := holding{model: m, desk: d, usage: []toolreview.Usage{}}
	native, plain := toolreview.Prompt(r.Evidence, d.policy)
	v := reviewer.Conversation{Native: native, Plain: plain, Policy: d.policy, TraceID: r.TraceID, VoteIndex: r.VoteIndex, Seed: r.Seed}
	state := toolreview.Start(d.policy, native)
	for {
		a := toolreview.Next(state)
		var o toolreview.Outcome
		switch a.Kind {
		case toolreview.Stop:
			return h.end(state, a.End, m.RequestHash(v))
		case toolreview.AskModel:
			if stop() {
				return Review{}, &reviewer.Error{Class: reviewer.ClassCanceled, Message: "the experiment was stopped", Attempts: h.attempts, Failures: h.failures}
			}
			v.Turns, v.Last = a.Turns, a.Last
			reply, err := m.Reply(ctx, v)
			if err != nil {
				return Review{}, h.broken(state, err)
			}
			h.note(reply)
			o = toolreview.Replied{Text: reply.Text, Calls: reply.Calls, Stop: reply.Stop}
		case toolreview.Perform:
			results, err := d.Perform(ctx, a.Calls)
			if err != nil {
				return Review{}, fmt.Errorf("%w: %s: %w", ErrSandbox, h.far(state), err)
			}
			for _, x := range results {
				h.took += time.Duration(x.WallMS) * time.Millisecond
			}
			o = toolreview.Ran{Results: results}
		}
		next, err := state.Observe(o)
		if err != nil {
			return Review{}, fmt.Errorf("hold a review: %w", err)
		}
		state = next
	}
}

// holding sums up a review on its way.
type holding struct {
	model    Model
	desk     *Desk
	usage    []toolreview.Usage
	last     reviewer.Reply
	cost     float64
	unpriced bool
	took     time.Duration
	attempts int
	failures []reviewer.Failure
	cached   int64
	cachedNA bool
}

func (h *holding) note(r reviewer.Reply) {
	h.usage = append(h.usage, toolreview.Usage{
		Prompt: r.Usage.PromptTokens, Completion: r.Usage.CompletionTokens, LatencyMS: r.Latency.Milliseconds(), Model: r.Model, Protocol: r.Protocol,
	})
	h.last = r
	h.took += r.Latency
	h.attempts += r.Attempts
	h.failures = append(h.failures, r.Failures...)
	if r.CostUSD == nil {
		h.unpriced = true
	} else {
		h.cost += *r.CostUSD
	}
	if r.Usage.CachedTokens == nil {
		h.cachedNA = true
	} else {
		h.cached += *r.Usage.CachedTokens
	}
}

// far says how far a review came.
func (h *holding) far(s toolreview.State) string {
	c := toolreview.NewRecord(s, toolreview.Current, h.usage).Counts
	text := fmt.Sprintf("after %d turns and %d commands", c.Turns, c.Commands)
	if c.Prompt != nil && c.Turns > 0 {
		text += fmt.Sprintf(", with %d prompt tokens", *c.Prompt)
	}
	return text
}

// broken completes the error of an endpoint with what was done before.
func (h *holding) broken(s toolreview.State, err error) error {
	var e *reviewer.Error
	if !errors.As(err, &e) {
		return err
	}
	if len(s.Turns()) > 0 {
		e.Message = h.far(s) + ": " + e.Message
	}
	e.Attempts += h.attempts
	e.Failures = append(h.failures[:len(h.failures):len(h.failures)], e.Failures...)
	return e
}

func (h *holding) end(s toolreview.State, end toolreview.End, hash string) (Review, error) {
	rec := toolreview.NewRecord(s, toolreview.Current, h.usage)
	raw, err := rec.Text()
	if err != nil {
		return Review{}, err
	}
	a := reviewer.Answer{
		Reply: end.Reply, Raw: raw, Stop: review.StopDone, RequestHash: hash, Model: h.last.Model, Applied: h.last.Applied,
		Usage:        reviewer.Usage{PromptTokens: rec.Counts.Prompt, CompletionTokens: rec.Counts.Completion},
		PriceVersion: h.last.PriceVersion, Latency: h.took, Attempts: h.attempts, Failures: h.failures,
	}
	if !h.cachedNA {
		a.Usage.CachedTokens = &h.cached
	}
	if !h.unpriced {
		a.CostUSD = &h.cost
	}
	return Review{Record: rec, Answer: a}, nil
}
