package reviewer

import (
	"strings"
	"testing"

	"plumbline/experiments/review"
	"plumbline/runner/reviewer/reviewertest"
)

// A completer sends the prompt as it is, asks for no shape, gives the raw text back
// and counts what it cost.
func TestComplete(t *testing.T) {
	for name, spec := range map[string]func(*reviewertest.Server) Spec{"openai": openAISpec, "anthropic": anthropicSpec} {
		t.Run(name, func(t *testing.T) {
			var seen []reviewertest.Body
			srv := reviewertest.New(t, reviewertest.Options{Answer: func(c reviewertest.Call) string {
				seen = append(seen, c.Body)
				return "FILE: x\n```python\nassert x\n```"
			}})
			d, _ := testDeps(t)
			s := spec(srv)
			s.Structured, s.Price = StructuredSchema, &Price{Version: "p", InputPerMTok: f64(1), OutputPerMTok: f64(1)}
			c, err := NewCompleter(s, 4096, d)
			if err != nil {
				t.Fatal(err)
			}
			got, err := c.Complete(t.Context(), Prompt{Messages: review.Messages{System: "be short", User: "write a test"}, Topic: "tr", Index: 2, Seed: 7})
			if err != nil {
				t.Fatal(err)
			}
			if !strings.HasPrefix(got.Text, "FILE: x") || got.Answer.CostUSD == nil || *got.Answer.CostUSD <= 0 || got.Answer.RequestHash == "" {
				t.Errorf("completion %+v", got)
			}
			if len(seen) != 1 || seen[0].User() != "write a test" || len(seen[0].ResponseFormat) > 0 || len(seen[0].Tools) > 0 || seen[0].MaxTokens+seen[0].MaxCompletion != 4096 {
				t.Errorf("sent %+v", seen)
			}
		})
	}
}

func TestCompleterRefuses(t *testing.T) {
	d, _ := testDeps(t)
	for _, k := range []Kind{KindSimulated, KindReplay, ""} {
		if _, err := NewCompleter(Spec{Kind: k}, 0, d); err == nil {
			t.Errorf("a %q reviewer is a completer", k)
		}
	}
}
