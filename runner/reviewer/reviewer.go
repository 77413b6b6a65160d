package reviewer

import (
	"context"
	"time"

	"plumbline/experiments/evidence"
	"plumbline/experiments/review"
	"plumbline/experiments/trace"
)

// Reviewer answers one request with one vote. Implementations are safe for
// concurrent use. The error is an *Error, or ctx.Err() wrapped in one with class
// Canceled when the caller gave up.
type Reviewer interface {
	Ask(ctx context.Context, req Request) (Answer, error)
}

// Request asks for vote VoteIndex on one evidence text.
type Request struct {
	TraceID   string
	Form      evidence.Form
	VoteIndex int   // 0-based
	Seed      int64 // seed of the experiment; the seed of this vote derives from it
	Messages  review.Messages
	// Truth is read by simulated reviewers alone. Clients of endpoints never
	// look at it, and it is no part of the request hash.
	Truth trace.Label
}

// Answer is one vote with everything that is stored beside it.
type Answer struct {
	Reply       review.Reply
	Raw         string // the text as it arrived, always kept
	Stop        review.Stop
	RequestHash string // review.Hash of model, settings, prompt, vote index and seed

	Model   string  // as the server reports it; the requested one when it reports none
	Applied Applied // what was really sent
	Usage   Usage   // of the answer alone; failed attempts report none

	CostUSD      *float64 // nil: unknown price or unknown usage
	PriceVersion string   // version of the price table used; empty when none

	Latency  time.Duration // of the last attempt, from request to the end of the body
	Attempts int           // calls made, at least 1; 0 when cached, simulated or recorded
	Failures []Failure     // the attempts that failed before this answer

	Cached    bool // taken from the cache: bill nothing
	Simulated bool
	Recorded  bool
}

// Billed is what this answer added to the bill: nothing for a cached, simulated
// or recorded answer, nil when the cost is unknown.
func (a Answer) Billed() *float64 {
	if a.Cached || a.Simulated || a.Recorded {
		zero := 0.0
		return &zero
	}
	return a.CostUSD
}

// Applied says what of the settings reached the server: servers refuse some.
type Applied struct {
	Structured Structured `json:"structured,omitempty"`
	Seed       *int64     `json:"seed,omitempty"`
	Dropped    []string   `json:"dropped,omitempty"` // settings the server refused, for example temperature
}

// Failure is one failed attempt, sanitised.
type Failure struct {
	Class   Class         `json:"class"`
	Status  int           `json:"status,omitempty"`
	Message string        `json:"message"`
	Waited  time.Duration `json:"waited,omitempty"` // before the next attempt
}

// Usage counts tokens; nil means that the server did not say. CachedTokens are
// included in PromptTokens and ReasoningTokens in CompletionTokens, whatever the
// provider's own convention is.
type Usage struct {
	PromptTokens     *int64 `json:"prompt_tokens,omitempty"`
	CompletionTokens *int64 `json:"completion_tokens,omitempty"`
	CachedTokens     *int64 `json:"cached_tokens,omitempty"`
	ReasoningTokens  *int64 `json:"reasoning_tokens,omitempty"`
	CacheWriteTokens *int64 `json:"cache_write_tokens,omitempty"` // Anthropic; included in PromptTokens
}
