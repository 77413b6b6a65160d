package reviewer

import (
	"encoding/json"
	"net/http"
	"strings"

	"plumbline/experiments/review"
	"plumbline/experiments/toolreview"
)

// turnMessage is a message of a conversation with tools. Content is null in a
// message that holds nothing but calls.
type turnMessage struct {
	Role       string     `json:"role"`
	Content    *string    `json:"content"`
	ToolCalls  []toolCall `json:"tool_calls,omitempty"`
	ToolCallID string     `json:"tool_call_id,omitempty"`
}

type toolCall struct {
	ID       string       `json:"id"`
	Type     string       `json:"type"`
	Function toolFunction `json:"function"`
}

type toolFunction struct {
	Name      string `json:"name"`
	Arguments string `json:"arguments"`
}

type offeredTool struct {
	Type     string      `json:"type"`
	Function offeredFunc `json:"function"`
}

type offeredFunc struct {
	Name        string          `json:"name"`
	Description string          `json:"description"`
	Parameters  json.RawMessage `json:"parameters"`
}

type turnRequest struct {
	Model               string        `json:"model"`
	Messages            []turnMessage `json:"messages"`
	Temperature         *float64      `json:"temperature,omitempty"`
	TopP                *float64      `json:"top_p,omitempty"`
	MaxTokens           int           `json:"max_tokens,omitempty"`
	MaxCompletionTokens int           `json:"max_completion_tokens,omitempty"`
	Seed                *int64        `json:"seed,omitempty"`
	Tools               []offeredTool `json:"tools,omitempty"`
}

// offer lists the tools; in the last turn the verdict alone is left.
func (r *turnRequest) offer(last bool) {
	for _, t := range toolreview.Tools() {
		if !last || t.Name == toolreview.Decide {
			r.Tools = append(r.Tools, offeredTool{"function", offeredFunc{t.Name, t.Description, t.Parameters}})
		}
	}
}

// turnMessages writes the conversation so far. Turns that were held as texts stay
// texts, and so does every turn where tools are not offered.
func turnMessages(protocol string, v Conversation) []turnMessage {
	first, plain := v.Native, protocol == ProtocolPlain
	if plain {
		first = v.Plain
	}
	text := func(role, s string) turnMessage { return turnMessage{Role: role, Content: &s} }
	out := []turnMessage{text("system", first.System), text("user", first.User)}
	for i, t := range v.Turns {
		reminder := toolreview.Reminder(v.Policy, i+1, plain)
		if t.Native && !plain && len(t.Calls) > 0 {
			m := turnMessage{Role: "assistant"}
			if t.Text != "" {
				m.Content = &v.Turns[i].Text
			}
			for _, c := range t.Calls {
				m.ToolCalls = append(m.ToolCalls, toolCall{c.ID, "function", toolFunction{c.Tool, object(c.Args)}})
			}
			out = append(out, m)
			for j, r := range t.Results {
				s := r.Shown
				if j == len(t.Results)-1 {
					s += "\n\n" + reminder
				}
				out = append(out, turnMessage{Role: "tool", Content: &s, ToolCallID: t.Calls[j].ID})
			}
			continue
		}
		out = append(out, text("assistant", said(t)), text("user", answered(t)+"\n\n"+reminder))
	}
	return out
}

// said is a reply as a text.
func said(t toolreview.Turn) string {
	if strings.TrimSpace(t.Text) != "" {
		return t.Text
	}
	var list []string
	for _, c := range t.Calls {
		raw, err := encode(struct {
			Tool string          `json:"tool"`
			Args json.RawMessage `json:"args"`
		}{c.Tool, json.RawMessage(object(c.Args))})
		if err == nil { // a name and valid JSON encode
			list = append(list, strings.TrimSpace(string(raw)))
		}
	}
	if len(list) == 0 {
		return "(nothing)"
	}
	return strings.Join(list, "\n")
}

// object is what a model wrote as arguments, or an empty object for what is no JSON:
// some servers refuse a conversation that holds it.
func object(args string) string {
	if !json.Valid([]byte(args)) {
		return "{}"
	}
	return args
}

// answered is what came of a reply as a text.
func answered(t toolreview.Turn) string {
	if t.Answer != "" {
		return t.Answer
	}
	var b strings.Builder
	for j, r := range t.Results {
		if j > 0 {
			b.WriteString("\n\n")
		}
		b.WriteString("Result of " + t.Calls[j].Tool + ":\n" + r.Shown)
	}
	return b.String()
}

// turnReading is what was taken from an answer.
type turnReading struct {
	reading
	calls []toolreview.Call
}

func (r turnReading) stop() review.Stop {
	switch {
	case r.refused:
		return review.StopRefusal
	case r.length:
		return review.StopLength
	case r.done:
		return review.StopDone
	}
	return review.StopUnknown
}

// readTurn reads the body of a 200: what an answer to a vote holds, and every call.
func readTurn(body []byte) (turnReading, *Error) {
	got, fail := openAI{}.answer(body)
	if fail != nil {
		return turnReading{}, fail
	}
	var a struct {
		Choices []struct {
			Message struct {
				Content   json.RawMessage `json:"content"`
				Refusal   *string         `json:"refusal"`
				ToolCalls []struct {
					ID       string `json:"id"`
					Function struct {
						Name      string          `json:"name"`
						Arguments json.RawMessage `json:"arguments"`
					} `json:"function"`
				} `json:"tool_calls"`
			} `json:"message"`
		} `json:"choices"`
	}
	if json.Unmarshal(body, &a) != nil || len(a.Choices) == 0 {
		return turnReading{}, &Error{Class: ClassMalformed, Status: http.StatusOK, Message: "the calls of the answer cannot be read"}
	}
	m := a.Choices[0].Message
	out := turnReading{reading: got}
	if len(m.ToolCalls) > 0 {
		out.text = contentText(m.Content) // not the arguments, which a vote would read in its place
	}
	for _, c := range m.ToolCalls {
		out.calls = append(out.calls, toolreview.Call{ID: c.ID, Tool: c.Function.Name, Args: argumentsText(c.Function.Arguments)})
	}
	return out, nil
}
