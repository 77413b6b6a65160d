package reviewer

import (
	"bytes"
	"encoding/json"
	"net/http"
	"slices"
	"strings"

	"plumbline/experiments/review"
)

// openAI speaks chat completions, as OpenAI documents them and as compatible servers
// bend them: no usage, content in parts, an error object in a 200, arguments of a
// tool call in place of content.
type openAI struct{}

func (openAI) start(Spec) Structured { return StructuredSchema }

func (openAI) header(h http.Header, key secret) {
	if !key.empty() {
		h.Set("Authorization", "Bearer "+key.reveal())
	}
}

type chatMessage struct {
	Role    string `json:"role"`
	Content string `json:"content"`
}

type chatRequest struct {
	Model               string          `json:"model"`
	Messages            []chatMessage   `json:"messages"`
	Temperature         *float64        `json:"temperature,omitempty"`
	TopP                *float64        `json:"top_p,omitempty"`
	MaxTokens           int             `json:"max_tokens,omitempty"`
	MaxCompletionTokens int             `json:"max_completion_tokens,omitempty"`
	Seed                *int64          `json:"seed,omitempty"`
	ResponseFormat      *responseFormat `json:"response_format,omitempty"`
}

type responseFormat struct {
	Type       string      `json:"type"`
	JSONSchema *jsonSchema `json:"json_schema,omitempty"`
}

type jsonSchema struct {
	Name   string          `json:"name"`
	Strict bool            `json:"strict"`
	Schema json.RawMessage `json:"schema"`
}

func (openAI) body(s Spec, a accepted, req Request) ([]byte, Applied, error) {
	c := chatRequest{
		Model:       s.Model,
		Messages:    []chatMessage{{"system", req.Messages.System}, {"user", req.Messages.User}},
		Temperature: s.Temperature, TopP: s.TopP, MaxTokens: s.MaxTokens, Seed: sentSeed(s, req),
	}
	if a.renamed {
		c.MaxTokens, c.MaxCompletionTokens = 0, s.MaxTokens
	}
	applied := Applied{Structured: a.mode}
	drop := func(name string, sent bool, clear func()) {
		if sent && slices.Contains(a.dropped, name) {
			clear()
			applied.Dropped = append(applied.Dropped, name)
		}
	}
	drop("temperature", c.Temperature != nil, func() { c.Temperature = nil })
	drop("top_p", c.TopP != nil, func() { c.TopP = nil })
	drop("seed", c.Seed != nil, func() { c.Seed = nil })
	applied.Seed = c.Seed
	switch a.mode {
	case StructuredSchema:
		c.ResponseFormat = &responseFormat{"json_schema", &jsonSchema{review.SchemaName, true, review.Schema()}}
	case StructuredObject:
		c.ResponseFormat = &responseFormat{Type: "json_object"}
	}
	raw, err := encode(c)
	return raw, applied, err
}

// encode writes JSON without HTML escapes, which would spend tokens on "<".
func encode(v any) ([]byte, error) {
	var b bytes.Buffer
	enc := json.NewEncoder(&b)
	enc.SetEscapeHTML(false)
	if err := enc.Encode(v); err != nil {
		return nil, err
	}
	return b.Bytes(), nil
}

type chatAnswer struct {
	Model   string `json:"model"`
	Choices []struct {
		FinishReason string `json:"finish_reason"`
		Message      struct {
			Content   json.RawMessage `json:"content"`
			Refusal   *string         `json:"refusal"`
			ToolCalls []struct {
				Function struct {
					Arguments json.RawMessage `json:"arguments"`
				} `json:"function"`
			} `json:"tool_calls"`
		} `json:"message"`
	} `json:"choices"`
	Usage *struct {
		PromptTokens     *int64 `json:"prompt_tokens"`
		CompletionTokens *int64 `json:"completion_tokens"`
		PromptDetails    *struct {
			Cached *int64 `json:"cached_tokens"`
		} `json:"prompt_tokens_details"`
		CompletionDetails *struct {
			Reasoning *int64 `json:"reasoning_tokens"`
		} `json:"completion_tokens_details"`
	} `json:"usage"`
	Error json.RawMessage `json:"error"`
}

func (p openAI) answer(body []byte) (reading, *Error) {
	var a chatAnswer
	if err := json.Unmarshal(body, &a); err != nil {
		return reading{}, malformed(body)
	}
	if len(a.Error) > 0 && string(a.Error) != "null" {
		return reading{}, errorInside(p, body)
	}
	if len(a.Choices) == 0 {
		return reading{}, &Error{Class: ClassMalformed, Status: http.StatusOK, Message: "the answer holds no choice"}
	}
	c := a.Choices[0]
	out := reading{model: a.Model, text: contentText(c.Message.Content)}
	if out.text == "" && len(c.Message.ToolCalls) > 0 {
		out.text = argumentsText(c.Message.ToolCalls[0].Function.Arguments)
	}
	switch c.FinishReason {
	case "length":
		out.length = true
	case "content_filter":
		return reading{}, &Error{Class: ClassContentFilter, Status: http.StatusOK, Message: "the provider's filter stopped the answer", Permanent: true}
	case "":
	default:
		out.done = true
	}
	if r := c.Message.Refusal; r != nil && *r != "" {
		out.refused = true
		if out.text == "" {
			out.text = *r
		}
	}
	if u := a.Usage; u != nil {
		out.usage.PromptTokens, out.usage.CompletionTokens = u.PromptTokens, u.CompletionTokens
		if u.PromptDetails != nil {
			out.usage.CachedTokens = u.PromptDetails.Cached
		}
		if u.CompletionDetails != nil {
			out.usage.ReasoningTokens = u.CompletionDetails.Reasoning
		}
	}
	return out, nil
}

// argumentsText reads the arguments of a call: a text that holds JSON, or, from some
// servers, the JSON itself.
func argumentsText(raw json.RawMessage) string {
	var s string
	if json.Unmarshal(raw, &s) == nil {
		return s
	}
	return string(raw)
}

// contentText reads a string, or the text parts of a list.
func contentText(raw json.RawMessage) string {
	var s string
	if json.Unmarshal(raw, &s) == nil {
		return s
	}
	var parts []struct {
		Type string `json:"type"`
		Text string `json:"text"`
	}
	if json.Unmarshal(raw, &parts) != nil {
		return ""
	}
	var b strings.Builder
	for _, p := range parts {
		if p.Type == "text" || p.Type == "output_text" || p.Type == "" {
			b.WriteString(p.Text)
		}
	}
	return b.String()
}

// malformed describes a 200 that is not the promised JSON.
func malformed(body []byte) *Error {
	what := "the answer is not the JSON that was expected"
	switch start := strings.ToLower(strings.TrimSpace(string(body[:min(len(body), 200)]))); {
	case start == "":
		what = "the answer is empty"
	case strings.HasPrefix(start, "<"):
		what = "the answer is a web page, not JSON: is the address the right one?"
	}
	return &Error{Class: ClassMalformed, Status: http.StatusOK, Message: what}
}

// errorInside reads an error object that came with a 200.
func errorInside(p protocol, body []byte) *Error {
	class, message := p.fault(http.StatusOK, body)
	if class == "" {
		class = ClassServer
	}
	if message == "" {
		message = "the answer is an error without words"
	}
	return &Error{Class: class, Status: http.StatusOK, Message: message, Permanent: permanent(class)}
}

// fault reads {"error": {message, type, code}}, {"error": "text"}, {"message": …} and
// {"detail": …}.
func (openAI) fault(status int, body []byte) (Class, string) {
	var f struct {
		Error   json.RawMessage `json:"error"`
		Message string          `json:"message"`
		Detail  json.RawMessage `json:"detail"`
	}
	if json.Unmarshal(body, &f) != nil {
		return "", ""
	}
	var inner struct {
		Message string `json:"message"`
		Type    string `json:"type"`
		Param   string `json:"param"`
		Code    any    `json:"code"`
	}
	message := f.Message
	if json.Unmarshal(f.Error, &inner) == nil && inner.Message != "" {
		message = inner.Message
	} else if s := contentText(f.Error); s != "" {
		message = s
	} else if s := contentText(f.Detail); message == "" && s != "" {
		message = s
	}
	if inner.Param != "" && !strings.Contains(message, inner.Param) {
		message += " (" + inner.Param + ")"
	}
	return namedClass(status, inner.Type, inner.Code), message
}

// namedClass reads the class off the words of an error object; empty when they say
// no more than the status does.
func namedClass(status int, kind string, code any) Class {
	word := kind
	switch c := code.(type) {
	case string:
		word += " " + c
	case float64:
		if status == http.StatusOK && c >= 400 && c < 600 {
			return classOf(int(c))
		}
	}
	has := func(s string) bool { return strings.Contains(word, s) }
	switch {
	case has("content_filter") || has("content_policy") || has("moderation"):
		return ClassContentFilter
	case has("insufficient_quota") || has("billing"):
		return ClassAuth
	case status != http.StatusOK:
		return ""
	case has("rate_limit") || has("overloaded"):
		return ClassRateLimited
	case has("authentication") || has("invalid_api_key") || has("permission"):
		return ClassAuth
	case has("invalid_request"):
		return ClassBadRequest
	}
	return ""
}
