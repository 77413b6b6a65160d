package reviewer

import (
	"net/url"
	"strings"

	"plumbline/experiments/review"
	"plumbline/experiments/simulate"
	"plumbline/experiments/toolreview"
)

// Kind of a reviewer.
type Kind string

// The kinds that New builds.
const (
	KindOpenAI    Kind = "openai"    // OpenAI-compatible chat completions
	KindAnthropic Kind = "anthropic" // Anthropic messages
	KindSimulated Kind = "simulated"
	KindReplay    Kind = "replay"
)

// Structured is how the answer's shape is asked for.
type Structured string

// The modes. Auto tries json_schema, then json_object, then plain, and remembers
// for each endpoint and model what the server refused.
const (
	StructuredAuto   Structured = "auto"
	StructuredSchema Structured = "json_schema"
	StructuredObject Structured = "json_object"
	StructuredPlain  Structured = "plain"
)

// Spec configures a reviewer. It is stored as a version and never holds a key:
// Key is a reference, env:NAME or file:/path. The zero value of a number takes the
// default that the field names; Filled writes the defaults out.
type Spec struct {
	Kind    Kind   `json:"kind"`
	BaseURL string `json:"base_url,omitempty"` // up to and including /v1 for openai; without /v1 for anthropic
	Key     KeyRef `json:"key,omitempty"`      // env:NAME or file:/path; empty for an endpoint without keys
	Model   string `json:"model,omitempty"`

	Temperature *float64 `json:"temperature,omitempty"` // nil: not sent
	TopP        *float64 `json:"top_p,omitempty"`       // nil: not sent
	MaxTokens   int      `json:"max_tokens,omitempty"`  // default 1024
	// Seed, when set, makes clients send a seed that derives from it, the trace
	// and the vote index, so that repeats stay repeats. Nil: none is sent.
	Seed       *int64     `json:"seed,omitempty"`
	Structured Structured `json:"structured,omitempty"` // default auto

	TimeoutS    float64 `json:"timeout_s,omitempty"`    // of one attempt; default 120
	MaxAttempts int     `json:"max_attempts,omitempty"` // default 5
	Concurrency int     `json:"concurrency,omitempty"`  // requests in flight for the endpoint and key; default 8
	RPS         float64 `json:"rps,omitempty"`          // requests per second; 0: no limit

	PromptVersion string     `json:"prompt_version,omitempty"` // default review.Current
	Price         *Price     `json:"price,omitempty"`          // nil: unknown
	Simulated     *Simulated `json:"simulated,omitempty"`
	// Tools makes a reviewer that reads, searches and runs commands on the patched
	// tree before it votes; nil: it judges the evidence alone. OpenAI-compatible
	// endpoints only.
	Tools *toolreview.Policy `json:"tools,omitempty"`
}

// Simulated describes a simulated reviewer: a preset by name, or a reviewer of its
// own. Filled writes a preset out, so that a stored version stays what it was.
type Simulated struct {
	Preset    string             `json:"preset,omitempty"`
	Reviewer  *simulate.Reviewer `json:"reviewer,omitempty"`
	LatencyMS float64            `json:"latency_ms,omitempty"` // waited before each answer
}

// FieldError is a problem with one field of a spec; Field is the JSON name.
type FieldError struct {
	Field   string `json:"field"`
	Message string `json:"message"`
}

// Defaults of a spec.
const (
	DefaultMaxTokens   = 1024
	DefaultTimeoutS    = 120
	DefaultMaxAttempts = 5
	DefaultConcurrency = 8
)

// Filled is s with every default written out.
func (s Spec) Filled() Spec {
	if s.Structured == "" {
		s.Structured = StructuredAuto
	}
	if s.MaxTokens == 0 {
		s.MaxTokens = DefaultMaxTokens
	}
	if s.TimeoutS == 0 {
		s.TimeoutS = DefaultTimeoutS
	}
	if s.MaxAttempts == 0 {
		s.MaxAttempts = DefaultMaxAttempts
	}
	if s.Concurrency == 0 {
		s.Concurrency = DefaultConcurrency
	}
	if s.PromptVersion == "" {
		s.PromptVersion = review.Current
	}
	s.BaseURL = strings.TrimRight(strings.TrimSpace(s.BaseURL), "/")
	s.Simulated = s.Simulated.filled()
	if s.Tools != nil {
		p := s.Tools.Filled()
		s.Tools = &p
	}
	return s
}

// Validate lists what is wrong with s, an empty list when nothing is. It reads no
// environment and no file: a key that is missing shows when New builds the client.
func (s Spec) Validate() []FieldError {
	s = s.Filled()
	var out []FieldError
	bad := func(field, msg string) { out = append(out, FieldError{field, msg}) }

	switch s.Kind {
	case KindOpenAI, KindAnthropic:
		u, err := url.Parse(s.BaseURL)
		switch {
		case s.BaseURL == "":
			bad("base_url", "is needed")
		case err != nil || u.Host == "" || (u.Scheme != "http" && u.Scheme != "https"):
			bad("base_url", "must be an http or https address")
		case u.User != nil || u.RawQuery != "" || u.Fragment != "":
			bad("base_url", "must not hold a user, a query or a fragment; name a key by reference instead")
		}
		if strings.TrimSpace(s.Model) == "" {
			bad("model", "is needed")
		}
	case KindSimulated:
		if s.Simulated == nil {
			bad("simulated", "is needed for a simulated reviewer")
		}
	case KindReplay:
	case "":
		bad("kind", "is needed: openai, anthropic, simulated or replay")
	default:
		bad("kind", "must be openai, anthropic, simulated or replay")
	}
	if s.Key != "" && !s.Key.Valid() {
		bad("key", "must be a reference, env:NAME or file:/path; a key itself is never stored")
	}
	if s.Temperature != nil && !(*s.Temperature >= 0 && *s.Temperature <= 2) {
		bad("temperature", "must be between 0 and 2")
	}
	if s.TopP != nil && !(*s.TopP > 0 && *s.TopP <= 1) {
		bad("top_p", "must be above 0 and at most 1")
	}
	if s.MaxTokens < 16 || s.MaxTokens > 1_000_000 {
		bad("max_tokens", "must be between 16 and 1000000")
	}
	switch s.Structured {
	case StructuredAuto, StructuredSchema, StructuredObject, StructuredPlain:
	default:
		bad("structured", "must be auto, json_schema, json_object or plain")
	}
	if !(s.TimeoutS > 0 && s.TimeoutS <= 3600) {
		bad("timeout_s", "must be above 0 and at most 3600")
	}
	if s.MaxAttempts < 1 || s.MaxAttempts > 20 {
		bad("max_attempts", "must be between 1 and 20")
	}
	if s.Concurrency < 1 || s.Concurrency > 1000 {
		bad("concurrency", "must be between 1 and 1000")
	}
	if !(s.RPS >= 0 && s.RPS <= 10000) {
		bad("rps", "must be between 0 (no limit) and 10000")
	}
	if !review.KnownVersion(s.PromptVersion) {
		bad("prompt_version", "is not a version of the prompt: one of "+strings.Join(review.Versions(), ", "))
	}
	if s.Tools != nil && s.Kind != KindOpenAI {
		bad("tools", "need an OpenAI-compatible endpoint")
	}
	if s.Tools != nil {
		for _, name := range []string{"turns", "command_s", "result_bytes"} {
			if wrong := s.Tools.Validate()[name]; wrong != "" {
				bad("tools."+name, wrong)
			}
		}
	}
	out = append(out, s.Price.validate()...)
	return append(out, s.Simulated.validate()...)
}

func (s *Simulated) validate() []FieldError {
	if s == nil {
		return nil
	}
	var out []FieldError
	switch {
	case s.Reviewer == nil && s.Preset == "":
		out = append(out, FieldError{"simulated.preset", "or simulated.reviewer is needed"})
	case s.Reviewer == nil:
		out = append(out, FieldError{"simulated.preset", "is not the name of a preset"})
	default:
		if err := s.Reviewer.Validate(); err != nil {
			out = append(out, FieldError{"simulated.reviewer", err.Error()})
		}
	}
	if !(s.LatencyMS >= 0 && s.LatencyMS <= 60_000) {
		out = append(out, FieldError{"simulated.latency_ms", "must be between 0 and 60000"})
	}
	return out
}

// filled is s with its preset written out.
func (s *Simulated) filled() *Simulated {
	if s == nil || s.Reviewer != nil {
		return s
	}
	out := *s
	if r, ok := simulate.Preset(s.Preset); ok {
		out.Reviewer = &r
	}
	return &out
}

// Redacted is s for display: a key that is not a reference, which Validate
// refuses but a draft may hold, is replaced by "(not shown)".
func (s Spec) Redacted() Spec {
	s.Key = KeyRef(s.Key.String())
	if u, err := url.Parse(s.BaseURL); err == nil && u.User != nil {
		u.User = nil
		s.BaseURL = u.String()
	}
	return s
}
