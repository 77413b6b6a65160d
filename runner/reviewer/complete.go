package reviewer

import (
	"context"
	"fmt"

	"plumbline/experiments/review"
)

// Prompt asks for a text that is no vote, such as a generated test.
type Prompt struct {
	Messages review.Messages
	// Topic, Index and Seed make the request what it is, as trace, vote index and
	// seed of the experiment do for a vote.
	Topic string
	Index int
	Seed  int64
}

// Completion is a text with what it cost. Answer.Reply is of no meaning here.
type Completion struct {
	Text   string
	Answer Answer
}

// Completer writes texts. Implementations are safe for concurrent use; errors are
// those of a Reviewer.
type Completer interface {
	Complete(ctx context.Context, p Prompt) (Completion, error)
}

// NewCompleter makes a completer of an endpoint. The answer's shape is not asked
// for, and at least minTokens may be written, whatever the spec says for votes. A
// simulated or replayed reviewer writes no texts.
func NewCompleter(spec Spec, minTokens int, deps Deps) (Completer, error) {
	switch spec.Kind {
	case KindOpenAI, KindAnthropic:
	default:
		return nil, fmt.Errorf("build completer: a %s reviewer writes no texts; choose an endpoint", spec.Kind)
	}
	spec.Structured, spec.Tools = StructuredPlain, nil
	spec.MaxTokens = max(spec.MaxTokens, minTokens)
	r, err := New(spec, deps)
	if err != nil {
		return nil, err
	}
	return completer{r}, nil
}

type completer struct{ asked Reviewer }

func (c completer) Complete(ctx context.Context, p Prompt) (Completion, error) {
	a, err := c.asked.Ask(ctx, Request{TraceID: p.Topic, VoteIndex: p.Index, Seed: p.Seed, Messages: p.Messages})
	if err != nil {
		return Completion{}, err
	}
	return Completion{Text: a.Raw, Answer: a}, nil
}
