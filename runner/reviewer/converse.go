package reviewer

import (
	"context"
	"fmt"
	"slices"
	"time"

	"plumbline/experiments/review"
	"plumbline/experiments/toolreview"
)

// Conversation asks for the next reply of a review with tools.
type Conversation struct {
	Native, Plain review.Messages // what the model sees first, by protocol
	Turns         []toolreview.Turn
	Policy        toolreview.Policy
	Last          bool // no tool may be used any more

	// TraceID, VoteIndex and Seed make the request what it is, as for a vote.
	TraceID   string
	VoteIndex int
	Seed      int64
}

// Reply is the next reply with what it cost.
type Reply struct {
	Text     string
	Calls    []toolreview.Call // by the server's own protocol
	Stop     review.Stop
	Protocol string // ProtocolNative or ProtocolPlain: how the tools were offered

	Model        string
	Applied      Applied
	Usage        Usage
	CostUSD      *float64 // nil: unknown price or unknown usage
	PriceVersion string
	Latency      time.Duration
	Attempts     int
	Failures     []Failure
}

// How tools are offered.
const (
	ProtocolNative = "native" // tool calls of the chat protocol
	ProtocolPlain  = "plain"  // JSON objects in the text
)

// Converser holds reviews with tools at one endpoint. It is safe for concurrent use.
type Converser struct{ endpoint *endpoint }

// minTurnTokens may be written in a reply at least: a command can be a whole test.
const minTurnTokens = 2048

// NewConverser makes a converser of an OpenAI-compatible endpoint. A spec whose
// answers are plain gets no tools of the protocol but the plain one of texts; so does
// an endpoint that was seen refusing tools.
func NewConverser(spec Spec, deps Deps) (*Converser, error) {
	if spec.Kind != KindOpenAI {
		return nil, fmt.Errorf("build a reviewer with tools: it needs an OpenAI-compatible endpoint, not a %s reviewer", spec.Kind)
	}
	spec.MaxTokens = max(spec.MaxTokens, minTurnTokens)
	deps.Cache = nil // what a command prints may differ the next time
	r, err := New(spec, deps)
	if err != nil {
		return nil, err
	}
	return &Converser{r.(*endpoint)}, nil
}

// RequestHash names a review by its beginning: model, settings, first messages, vote
// index and seed.
func (c *Converser) RequestHash(v Conversation) string {
	return hash(c.endpoint.spec, Request{TraceID: v.TraceID, VoteIndex: v.VoteIndex, Seed: v.Seed, Messages: v.Native})
}

// Reply asks for the next reply, with retries. The error is that of a Reviewer.
func (c *Converser) Reply(ctx context.Context, v Conversation) (Reply, error) {
	e := c.endpoint
	var got turnReading
	protocol := ""
	// Refusals of tools are remembered apart from those of answer shapes.
	x, fail := e.exchange(ctx, e.learned+"\x00tools", func(a accepted) ([]byte, Applied, error) {
		protocol = ProtocolNative
		if a.mode == StructuredPlain || e.spec.Structured == StructuredPlain {
			protocol = ProtocolPlain
		}
		return turnBody(e.spec, a, protocol, v)
	}, func(raw []byte) (fail *Error) {
		got, fail = readTurn(raw)
		return fail
	})
	if fail != nil {
		return Reply{}, fail
	}
	out := Reply{
		Text: got.text, Calls: got.calls, Stop: got.stop(), Protocol: protocol, Model: got.model, Applied: x.applied, Usage: got.usage,
		CostUSD: e.spec.Price.Cost(got.usage), Latency: x.took, Attempts: x.calls, Failures: x.failures,
	}
	if out.Model == "" {
		out.Model = e.spec.Model
	}
	if e.spec.Price != nil {
		out.PriceVersion = e.spec.Price.Version
	}
	return out, nil
}

// turnBody writes a request of the conversation.
func turnBody(s Spec, a accepted, protocol string, v Conversation) ([]byte, Applied, error) {
	r := turnRequest{
		Model: s.Model, Temperature: s.Temperature, TopP: s.TopP, MaxTokens: s.MaxTokens,
		Seed: sentSeed(s, Request{TraceID: v.TraceID, VoteIndex: v.VoteIndex, Seed: v.Seed}),
	}
	if a.renamed {
		r.MaxTokens, r.MaxCompletionTokens = 0, s.MaxTokens
	}
	applied := Applied{}
	drop := func(name string, sent bool, clear func()) {
		if sent && slices.Contains(a.dropped, name) {
			clear()
			applied.Dropped = append(applied.Dropped, name)
		}
	}
	drop("temperature", r.Temperature != nil, func() { r.Temperature = nil })
	drop("top_p", r.TopP != nil, func() { r.TopP = nil })
	drop("seed", r.Seed != nil, func() { r.Seed = nil })
	applied.Seed = r.Seed
	r.Messages = turnMessages(protocol, v)
	if protocol == ProtocolPlain {
		applied.Structured = StructuredPlain
	} else {
		r.offer(v.Last)
	}
	raw, err := encode(r)
	return raw, applied, err
}
