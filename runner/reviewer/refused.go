package reviewer

import (
	"slices"
	"strings"
	"sync"
)

// refusals remembers for each endpoint and model what the server refused, so that
// it is asked once and not with every vote.
type refusals struct {
	mu  sync.Mutex
	all map[string]accepted
}

// accepted is what may be sent to an endpoint and model.
type accepted struct {
	mode    Structured
	dropped []string // settings that are left out
	renamed bool     // max_completion_tokens in place of max_tokens
}

func newRefusals() *refusals { return &refusals{all: map[string]accepted{}} }

func (r *refusals) get(key string) accepted {
	r.mu.Lock()
	defer r.mu.Unlock()
	return r.all[key]
}

// learn reads an error that names a setting. It reports whether asking again with
// less can help. used is what the refused request was sent with, so that twenty
// requests that fail together step down once.
func (r *refusals) learn(key string, used accepted, auto bool, message string) bool {
	r.mu.Lock()
	defer r.mu.Unlock()
	now := r.all[key]
	defer func() { r.all[key] = now }()
	low := strings.ToLower(message)
	has := func(words ...string) bool {
		return slices.ContainsFunc(words, func(w string) bool { return strings.Contains(low, w) })
	}
	switch {
	case has("max_completion_tokens") && !used.renamed:
		now.renamed = true
		return true
	case auto && used.mode != StructuredPlain && has("response_format", "json_schema", "json_object", "structured output", "guided", "tool_choice", "tools"):
		if now.mode == "" || now.mode == used.mode {
			now.mode = lower(used.mode)
		}
		return true
	}
	for _, setting := range []string{"temperature", "top_p", "seed"} {
		if has(setting) && !slices.Contains(used.dropped, setting) {
			if !slices.Contains(now.dropped, setting) {
				now.dropped = append(slices.Clone(now.dropped), setting)
			}
			return true
		}
	}
	return false
}

func lower(m Structured) Structured {
	if m == StructuredSchema {
		return StructuredObject
	}
	return StructuredPlain
}
