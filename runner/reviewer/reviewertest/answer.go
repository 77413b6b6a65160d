package reviewertest

import (
	"encoding/json"
	"hash/fnv"
	"strings"
)

// Decision is the default answer: a whole JSON object whose decision is drawn from
// the request and from how often it was seen.
func Decision(c Call) string {
	h := fnv.New64a()
	h.Write(c.Raw)
	h.Write([]byte{byte(c.Seen)})
	return Decide([]string{"accept", "reject", "uncertain"}[h.Sum64()%3])
}

// Decide is an answer with this decision.
func Decide(decision string) string {
	return mustJSON(map[string]any{
		"rationale": "The cited line settles it.", "citations": []any{map[string]any{"line": 1, "quote": "Issue"}},
		"decision": decision, "confidence": 0.75,
	})
}

// tokens is a count that is good enough for tests: words.
func tokens(s string) int { return len(strings.Fields(s)) }

func (s *Server) answer(c Call) []byte {
	text := Decision
	if s.opts.Answer != nil {
		text = s.opts.Answer
	}
	model := s.opts.Model
	if model == "" {
		model = c.Body.Model
	}
	if strings.HasSuffix(c.Path, "/messages") {
		return []byte(messages(c, model, text(c), s.opts.NoUsage))
	}
	return []byte(completion(c, model, text(c), s.opts.NoUsage))
}

func completion(c Call, model, text string, noUsage bool) string {
	out := map[string]any{
		"id": "chatcmpl-test", "object": "chat.completion", "model": model,
		"choices": []any{map[string]any{"index": 0, "finish_reason": "stop", "message": map[string]any{"role": "assistant", "content": text, "refusal": nil}}},
	}
	if !noUsage {
		in, gone := tokens(c.Body.User()), tokens(text)
		out["usage"] = map[string]any{
			"prompt_tokens": in, "completion_tokens": gone, "total_tokens": in + gone,
			"prompt_tokens_details": map[string]any{"cached_tokens": 0}, "completion_tokens_details": map[string]any{"reasoning_tokens": 0},
		}
	}
	return mustJSON(out)
}

func messages(c Call, model, text string, noUsage bool) string {
	content := map[string]any{"type": "text", "text": text}
	stop := "end_turn"
	if len(c.Body.Tools) > 0 && json.Valid([]byte(text)) {
		content = map[string]any{"type": "tool_use", "id": "toolu_test", "name": "review_decision", "input": json.RawMessage(text)}
		stop = "tool_use"
	}
	out := map[string]any{"id": "msg_test", "type": "message", "role": "assistant", "model": model, "content": []any{content}, "stop_reason": stop}
	if !noUsage {
		out["usage"] = map[string]any{"input_tokens": tokens(c.Body.User()), "output_tokens": tokens(text), "cache_read_input_tokens": 0, "cache_creation_input_tokens": 0}
	}
	return mustJSON(out)
}

// mustJSON writes values made of maps, lists, strings and numbers, which always
// encode.
func mustJSON(v any) string {
	raw, err := json.Marshal(v)
	if err != nil {
		panic("reviewertest: " + err.Error())
	}
	return string(raw)
}
