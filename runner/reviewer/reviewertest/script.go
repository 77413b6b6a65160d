package reviewertest

import (
	"fmt"
	"net/http"
	"strings"
)

// Step is one reply of a conversation with tools.
type Step struct {
	Text    string
	Calls   []ToolCall
	Finish  string // finish_reason; default stop, or tool_calls beside calls
	Refusal string
	// Fault is given in place of a reply to the first tries of the step.
	Fault Fault
	Tries int // how many tries get the fault; 0: every one
}

// ToolCall is a use of a tool in a Step. An empty ID is left out, as some servers do.
type ToolCall struct{ ID, Name, Args string }

// Use is a step that uses one tool.
func Use(name, args string) Step { return Step{Calls: []ToolCall{{"call_" + name, name, args}}} }

// Script plays the steps of a conversation: which one is told by how many replies the
// request holds already. After the last step that step is played for ever. It stands
// for a server that calls tools; Plain is one that does not.
func Script(steps ...Step) func(Call) Fault {
	return func(c Call) Fault {
		said := 0
		for _, m := range c.Body.Messages {
			if m.Role == "assistant" {
				said++
			}
		}
		s := steps[min(said, len(steps)-1)]
		if s.Fault != nil && (s.Tries == 0 || c.Seen < s.Tries) {
			return s.Fault
		}
		return RawBody(http.StatusOK, "application/json", s.body(c))
	}
}

// Plain is a server that knows no tools: it refuses every request that offers some or
// holds the result of one, and plays the steps, which are texts, for all others.
func Plain(steps ...Step) func(Call) Fault {
	script := Script(steps...)
	return func(c Call) Fault {
		if len(c.Body.Tools) > 0 {
			return Status(http.StatusBadRequest, "tools is not supported by this model")
		}
		for _, m := range c.Body.Messages {
			if m.Role == "tool" {
				return Status(http.StatusBadRequest, "unknown role tool")
			}
		}
		return script(c)
	}
}

// body is the answer with usage as servers count it: the whole request again and
// again.
func (s Step) body(c Call) string {
	message := map[string]any{"role": "assistant", "content": nil, "refusal": nil}
	if s.Text != "" {
		message["content"] = s.Text
	}
	if s.Refusal != "" {
		message["refusal"] = s.Refusal
	}
	finish := "stop"
	var calls []any
	for i, x := range s.Calls {
		finish = "tool_calls"
		call := map[string]any{"type": "function", "index": i, "function": map[string]any{"name": x.Name, "arguments": x.Args}}
		if x.ID != "" {
			call["id"] = fmt.Sprintf("%s_%d", x.ID, len(c.Body.Messages))
		}
		calls = append(calls, call)
	}
	if calls != nil {
		message["tool_calls"] = calls
	}
	if s.Finish != "" {
		finish = s.Finish
	}
	in := 0
	for _, m := range c.Body.Messages {
		in += tokens(m.Content)
	}
	out := tokens(s.Text)
	for _, x := range s.Calls {
		out += tokens(x.Args) + 1
	}
	return mustJSON(map[string]any{
		"id": "chatcmpl-test", "object": "chat.completion", "model": strings.TrimSpace(c.Body.Model),
		"choices": []any{map[string]any{"index": 0, "finish_reason": finish, "message": message}},
		"usage":   map[string]any{"prompt_tokens": in, "completion_tokens": out, "total_tokens": in + out},
	})
}
