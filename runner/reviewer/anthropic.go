package reviewer

import (
	"encoding/json"
	"net/http"
	"slices"
	"strings"

	"plumbline/experiments/review"
)

// anthropicVersion is the version of the messages protocol.
const anthropicVersion = "2023-06-01"

// anthropic speaks messages. A schema is asked for as the input of a forced tool.
type anthropic struct{}

func (anthropic) start(Spec) Structured { return StructuredSchema }

func (anthropic) header(h http.Header, key secret) {
	h.Set("Anthropic-Version", anthropicVersion)
	if !key.empty() {
		h.Set("X-Api-Key", key.reveal())
	}
}

type messagesRequest struct {
	Model       string          `json:"model"`
	MaxTokens   int             `json:"max_tokens"`
	System      string          `json:"system,omitempty"`
	Messages    []chatMessage   `json:"messages"`
	Temperature *float64        `json:"temperature,omitempty"`
	TopP        *float64        `json:"top_p,omitempty"`
	Tools       []messagesTool  `json:"tools,omitempty"`
	ToolChoice  *messagesChoice `json:"tool_choice,omitempty"`
}

type messagesTool struct {
	Name        string          `json:"name"`
	Description string          `json:"description"`
	InputSchema json.RawMessage `json:"input_schema"`
}

type messagesChoice struct {
	Type string `json:"type"`
	Name string `json:"name"`
}

// body writes the request. The protocol has no seed; one that the spec asks for is
// listed as dropped.
func (anthropic) body(s Spec, a accepted, req Request) ([]byte, Applied, error) {
	m := messagesRequest{
		Model: s.Model, MaxTokens: s.MaxTokens, System: req.Messages.System,
		Messages: []chatMessage{{"user", req.Messages.User}}, Temperature: s.Temperature, TopP: s.TopP,
	}
	applied := Applied{Structured: a.mode}
	if m.Temperature != nil && slices.Contains(a.dropped, "temperature") {
		m.Temperature = nil
		applied.Dropped = append(applied.Dropped, "temperature")
	}
	if m.TopP != nil && slices.Contains(a.dropped, "top_p") {
		m.TopP = nil
		applied.Dropped = append(applied.Dropped, "top_p")
	}
	if s.Seed != nil {
		applied.Dropped = append(applied.Dropped, "seed")
	}
	if a.mode == StructuredSchema {
		m.Tools = []messagesTool{{review.SchemaName, "Give the decision of the review.", review.Schema()}}
		m.ToolChoice = &messagesChoice{"tool", review.SchemaName}
	} else {
		applied.Structured = StructuredPlain
	}
	raw, err := encode(m)
	return raw, applied, err
}

type messagesAnswer struct {
	Type    string `json:"type"`
	Model   string `json:"model"`
	Content []struct {
		Type  string          `json:"type"`
		Text  string          `json:"text"`
		Input json.RawMessage `json:"input"`
	} `json:"content"`
	StopReason string `json:"stop_reason"`
	Usage      *struct {
		Input      *int64 `json:"input_tokens"`
		Output     *int64 `json:"output_tokens"`
		CacheWrite *int64 `json:"cache_creation_input_tokens"`
		CacheRead  *int64 `json:"cache_read_input_tokens"`
	} `json:"usage"`
	Error json.RawMessage `json:"error"`
}

func (p anthropic) answer(body []byte) (reading, *Error) {
	var a messagesAnswer
	if err := json.Unmarshal(body, &a); err != nil {
		return reading{}, malformed(body)
	}
	if a.Type == "error" || len(a.Error) > 0 && string(a.Error) != "null" {
		return reading{}, errorInside(p, body)
	}
	if a.Content == nil && a.StopReason == "" {
		return reading{}, &Error{Class: ClassMalformed, Status: http.StatusOK, Message: "the answer holds no content"}
	}
	out := reading{model: a.Model}
	var text strings.Builder
	for _, c := range a.Content {
		switch c.Type {
		case "text":
			text.WriteString(c.Text)
		case "tool_use":
			out.text = string(c.Input)
		}
	}
	if out.text == "" {
		out.text = text.String()
	}
	switch a.StopReason {
	case "max_tokens", "model_context_window_exceeded":
		out.length = true
	case "refusal":
		out.refused = true
	case "":
	default:
		out.done = true
	}
	if u := a.Usage; u != nil {
		out.usage.CompletionTokens, out.usage.CachedTokens, out.usage.CacheWriteTokens = u.Output, u.CacheRead, u.CacheWrite
		if u.Input != nil {
			// input_tokens leaves cached tokens out; ours holds them.
			all := *u.Input + orZero(u.CacheRead) + orZero(u.CacheWrite)
			out.usage.PromptTokens = &all
		}
	}
	return out, nil
}

func (anthropic) fault(status int, body []byte) (Class, string) {
	var f struct {
		Error struct {
			Type    string `json:"type"`
			Message string `json:"message"`
		} `json:"error"`
	}
	if json.Unmarshal(body, &f) != nil {
		return "", ""
	}
	if f.Error.Type == "overloaded_error" {
		return ClassRateLimited, f.Error.Message
	}
	return namedClass(status, f.Error.Type, nil), f.Error.Message
}
