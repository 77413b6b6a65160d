package toolreview

import (
	"encoding/json"
	"fmt"
	"strings"
)

// recordVersion marks a text as a Record.
const recordVersion = "v1"

// Record is the transcript of a review as it is kept.
type Record struct {
	Version string  `json:"tool_review"`
	End     EndKind `json:"end"`
	Detail  string  `json:"detail,omitempty"`
	Policy  Policy  `json:"policy"`
	Prompt  string  `json:"prompt"` // version of the words
	Turns   []Turn  `json:"turns"`
	Usage   []Usage `json:"usage"` // by turn
	Counts  Counts  `json:"counts"`
}

// Usage is what one turn cost; nil tokens: the server did not say.
type Usage struct {
	Prompt     *int64 `json:"prompt_tokens,omitempty"`
	Completion *int64 `json:"completion_tokens,omitempty"`
	LatencyMS  int64  `json:"latency_ms"`
	Model      string `json:"model,omitempty"`
	// Protocol is how the tools were offered: native, or plain text.
	Protocol string `json:"protocol,omitempty"`
}

// Counts are sums over a review. Tokens are nil when a turn did not report them.
type Counts struct {
	Turns      int    `json:"turns"`
	Calls      int    `json:"calls"`    // uses of tools, the verdict not among them
	Commands   int    `json:"commands"` // calls that ran a program
	Reads      int    `json:"reads"`    // of these, calls that only look
	Prompt     *int64 `json:"prompt_tokens,omitempty"`
	Completion *int64 `json:"completion_tokens,omitempty"`
	WallMS     int64  `json:"command_wall_ms"`
}

// NewRecord writes down a review that ended.
func NewRecord(s State, prompt string, usage []Usage) Record {
	r := Record{Version: recordVersion, Policy: s.policy, Prompt: prompt, Turns: s.turns, Usage: usage, Counts: count(s.turns, usage)}
	if s.end != nil {
		r.End, r.Detail = s.end.Kind, s.end.Detail
	}
	return r
}

func count(turns []Turn, usage []Usage) Counts {
	c := Counts{Turns: len(turns), Prompt: new(int64), Completion: new(int64)}
	for _, t := range turns {
		for i, call := range t.Calls {
			if call.Tool == Decide {
				continue
			}
			c.Calls++
			if i < len(t.Results) && len(t.Results[i].Argv) > 0 {
				c.Commands++
				c.WallMS += t.Results[i].WallMS
				if call.Tool != RunTool {
					c.Reads++
				}
			}
		}
	}
	for _, u := range usage {
		c.Prompt, c.Completion = plus(c.Prompt, u.Prompt), plus(c.Completion, u.Completion)
	}
	return c
}

func plus(a, b *int64) *int64 {
	if a == nil || b == nil {
		return nil
	}
	sum := *a + *b
	return &sum
}

// Text is the record as JSON.
func (r Record) Text() (string, error) {
	raw, err := json.Marshal(r)
	if err != nil {
		return "", fmt.Errorf("write a tool review: %w", err)
	}
	return string(raw), nil
}

// ReadRecord reads what Text wrote; false for any other text.
func ReadRecord(text string) (Record, bool) {
	if !strings.HasPrefix(text, `{"tool_review":`) {
		return Record{}, false
	}
	var r Record
	if json.Unmarshal([]byte(text), &r) != nil || r.Version != recordVersion {
		return Record{}, false
	}
	return r, true
}
