package handlers

import (
	"strconv"
	"strings"

	"plumbline/experiments/review"
	"plumbline/experiments/simulate"
	"plumbline/experiments/toolreview"
	"plumbline/runner/reviewer"
	"plumbline/web/components"
	"plumbline/web/pages"
)

// reviewerForm is the form as it was filled in: texts, so that what cannot be
// read comes back as it was typed.
type reviewerForm struct {
	Kind          string `form:"kind"`
	Name          string `form:"name"`
	Note          string `form:"note"`
	BaseURL       string `form:"base_url"`
	Key           string `form:"key"`
	Model         string `form:"model"`
	Temperature   string `form:"temperature"`
	TopP          string `form:"top_p"`
	MaxTokens     string `form:"max_tokens"`
	Seed          string `form:"seed"`
	Structured    string `form:"structured"`
	TimeoutS      string `form:"timeout_s"`
	MaxAttempts   string `form:"max_attempts"`
	Concurrency   string `form:"concurrency"`
	RPS           string `form:"rps"`
	PromptVersion string `form:"prompt_version"`

	Tools       string `form:"tools"` // "yes": it looks for itself
	ToolTurns   string `form:"tools.turns"`
	ToolSeconds string `form:"tools.command_s"`
	ToolBytes   string `form:"tools.result_bytes"`

	PriceVersion string `form:"price.version"`
	PriceIn      string `form:"price.input_per_mtok"`
	PriceOut     string `form:"price.output_per_mtok"`
	PriceCached  string `form:"price.cached_input_per_mtok"`
	PriceWrite   string `form:"price.cache_write_per_mtok"`

	Preset      string `form:"simulated.preset"`
	Correlation string `form:"simulated.correlation"`
	LatencyMS   string `form:"simulated.latency_ms"`
	// The matrix: accept, reject, uncertain, unparseable.
	Acceptable []string `form:"acceptable"`
	Defective  []string `form:"defective"`
}

// fields collects what is wrong by field.
type fields map[string]string

func (f fields) float(name, s string) *float64 {
	if s = strings.TrimSpace(s); s == "" {
		return nil
	}
	v, err := strconv.ParseFloat(strings.Replace(s, ",", ".", 1), 64)
	if err != nil {
		f[name] = "must be a number"
		return nil
	}
	return &v
}

func (f fields) int(name, s string) *int64 {
	if s = strings.TrimSpace(s); s == "" {
		return nil
	}
	v, err := strconv.ParseInt(s, 10, 64)
	if err != nil {
		f[name] = "must be a whole number"
		return nil
	}
	return &v
}

func zero[T int | float64](v *T) T {
	if v == nil {
		return 0
	}
	return *v
}

func (f fields) small(name, s string) int {
	v := f.int(name, s)
	if v == nil {
		return 0
	}
	if *v < -1_000_000_000 || *v > 1_000_000_000 {
		f[name] = "is out of range"
		return 0
	}
	return int(*v)
}

// spec reads the form. What is wrong is in the fields, by the names of the form.
func (in reviewerForm) spec() (reviewer.Spec, fields) {
	bad := fields{}
	s := reviewer.Spec{Kind: reviewer.Kind(in.Kind), PromptVersion: in.PromptVersion}
	if s.Kind == reviewer.KindSimulated {
		s.Simulated = in.simulated(bad)
	} else {
		s.BaseURL, s.Key, s.Model = strings.TrimSpace(in.BaseURL), reviewer.KeyRef(strings.TrimSpace(in.Key)), strings.TrimSpace(in.Model)
		s.Temperature, s.TopP, s.Seed = bad.float("temperature", in.Temperature), bad.float("top_p", in.TopP), bad.int("seed", in.Seed)
		s.MaxTokens, s.MaxAttempts, s.Concurrency = bad.small("max_tokens", in.MaxTokens), bad.small("max_attempts", in.MaxAttempts), bad.small("concurrency", in.Concurrency)
		s.TimeoutS, s.RPS = zero(bad.float("timeout_s", in.TimeoutS)), zero(bad.float("rps", in.RPS))
		s.Structured = reviewer.Structured(in.Structured)
		s.Price = in.price(bad)
		if in.Tools != "" {
			s.Tools = &toolreview.Policy{
				Turns: bad.small("tools.turns", in.ToolTurns), CommandS: zero(bad.float("tools.command_s", in.ToolSeconds)), ResultBytes: bad.small("tools.result_bytes", in.ToolBytes),
			}
		}
	}
	for _, e := range s.Validate() {
		if bad[e.Field] == "" {
			bad[e.Field] = e.Message
		}
	}
	return s.Filled(), bad
}

// price is nil, an unknown price, when nothing of it was filled in.
func (in reviewerForm) price(bad fields) *reviewer.Price {
	p := reviewer.Price{
		Version:      strings.TrimSpace(in.PriceVersion),
		InputPerMTok: bad.float("price.input_per_mtok", in.PriceIn), OutputPerMTok: bad.float("price.output_per_mtok", in.PriceOut),
		CachedInputPerMTok: bad.float("price.cached_input_per_mtok", in.PriceCached), CacheWritePerMTok: bad.float("price.cache_write_per_mtok", in.PriceWrite),
	}
	if p == (reviewer.Price{}) {
		return nil
	}
	return &p
}

// simulated takes a preset as it is, or the rates of the matrix for every form.
func (in reviewerForm) simulated(bad fields) *reviewer.Simulated {
	s := reviewer.Simulated{Preset: in.Preset, LatencyMS: zero(bad.float("simulated.latency_ms", in.LatencyMS))}
	if in.Preset != "" {
		return &s
	}
	row := func(name string, values []string) simulate.Rates {
		var v [4]float64
		for i := range v {
			if i < len(values) {
				v[i] = zero(bad.float("simulated.reviewer", values[i]))
			}
		}
		return simulate.Rates{Accept: v[0], Reject: v[1], Uncertain: v[2], Unparseable: v[3]}
	}
	s.Reviewer = &simulate.Reviewer{
		Name: strings.TrimSpace(in.Name), Correlation: zero(bad.float("simulated.correlation", in.Correlation)),
		Confusion: simulate.Confusion{Acceptable: row("acceptable", in.Acceptable), Defective: row("defective", in.Defective)},
	}
	return &s
}

// formOf is the form that shows a spec.
func formOf(name, note string, s reviewer.Spec) reviewerForm {
	num := func(v *float64) string {
		if v == nil {
			return ""
		}
		return strconv.FormatFloat(*v, 'g', -1, 64)
	}
	f := reviewerForm{
		Kind: string(s.Kind), Name: name, Note: note, BaseURL: s.BaseURL, Key: string(s.Key), Model: s.Model,
		Temperature: num(s.Temperature), TopP: num(s.TopP), MaxTokens: strconv.Itoa(s.MaxTokens), Structured: string(s.Structured),
		TimeoutS: num(&s.TimeoutS), MaxAttempts: strconv.Itoa(s.MaxAttempts), Concurrency: strconv.Itoa(s.Concurrency), RPS: num(&s.RPS),
		PromptVersion: s.PromptVersion,
	}
	if s.Seed != nil {
		f.Seed = strconv.FormatInt(*s.Seed, 10)
	}
	if p := s.Tools; p != nil {
		f.Tools, f.ToolTurns, f.ToolSeconds, f.ToolBytes = "yes", strconv.Itoa(p.Turns), num(&p.CommandS), strconv.Itoa(p.ResultBytes)
	}
	if p := s.Price; p != nil {
		f.PriceVersion, f.PriceIn, f.PriceOut = p.Version, num(p.InputPerMTok), num(p.OutputPerMTok)
		f.PriceCached, f.PriceWrite = num(p.CachedInputPerMTok), num(p.CacheWritePerMTok)
	}
	if x := s.Simulated; x != nil {
		f.Preset, f.LatencyMS = x.Preset, num(&x.LatencyMS)
		if r := x.Reviewer; r != nil {
			f.Correlation = num(&r.Correlation)
			cells := func(x simulate.Rates) []string {
				return []string{num(&x.Accept), num(&x.Reject), num(&x.Uncertain), num(&x.Unparseable)}
			}
			f.Acceptable, f.Defective = cells(r.Confusion.Acceptable), cells(r.Confusion.Defective)
		}
	}
	return f
}

// reviewerSections are the fields of the form, by the kind of reviewer.
func reviewerSections(in reviewerForm, bad fields) []pages.FormSection {
	field := func(name, label, value, hint string) components.Input {
		return components.Input{Name: name, Label: label, Value: value, Hint: hint, Error: bad[name], MaxLength: 500}
	}
	number := func(name, label, value, hint, unit string) components.Input {
		x := field(name, label, value, hint)
		x.Kind, x.Step, x.Unit = "number", "any", unit
		return x
	}
	choose := func(name, label, value, hint string, options ...components.Choice) components.Input {
		x := field(name, label, value, hint)
		x.Kind, x.Options = "select", options
		return x
	}
	name := field("name", "Name", in.Name, "Saving under a name that exists adds a version to it.")
	name.Required, name.MaxLength = true, 100
	naming := pages.FormSection{Title: "Name", Fields: []components.Input{name, field("note", "Note", in.Note, "")}}
	var prompts []components.Choice
	for _, p := range review.Versions() {
		prompts = append(prompts, components.Choice{Value: p, Text: p})
	}
	prompt := choose("prompt_version", "Prompt version", in.PromptVersion, "", prompts...)
	if reviewer.Kind(in.Kind) == reviewer.KindSimulated {
		presets := []components.Choice{{Value: "", Text: "own rates, below"}}
		for _, r := range simulate.Presets() {
			presets = append(presets, components.Choice{Value: r.Name, Text: r.Name})
		}
		return []pages.FormSection{naming, {Title: "Simulation", Says: "It votes by the label of a trace and these rates; it reads nothing.", Fields: []components.Input{
			choose("simulated.preset", "Preset", in.Preset, "A preset has rates of its own for every evidence form.", presets...),
			number("simulated.correlation", "Correlation of votes", in.Correlation, "0 to 1; of own rates", ""),
			number("simulated.latency_ms", "Waits", in.LatencyMS, "", "ms a call"), prompt,
		}}}
	}
	sections := []pages.FormSection{
		naming,
		{Title: "Endpoint", Fields: []components.Input{
			field("base_url", "Base URL", in.BaseURL, baseHint(in.Kind)), field("model", "Model", in.Model, ""),
			field("key", "Key reference", in.Key, "env:NAME or file:/path; the key itself is never stored"),
		}},
		{Title: "Sampling", Says: "An empty field is not sent.", Fields: []components.Input{
			number("temperature", "Temperature", in.Temperature, "", ""), number("top_p", "Top p", in.TopP, "", ""),
			number("max_tokens", "Max tokens", in.MaxTokens, "", ""), number("seed", "Seed", in.Seed, "each vote sends its own, made from it", ""),
			choose("structured", "Answer shape", in.Structured, "auto tries what the server takes", components.Choice{Value: "auto", Text: "auto"},
				components.Choice{Value: "json_schema", Text: "JSON schema"}, components.Choice{Value: "json_object", Text: "JSON object"}, components.Choice{Value: "plain", Text: "plain text"}),
			prompt,
		}},
		{Title: "Limits", Says: "Shared by everything in this process that asks the same endpoint with the same key.", Fields: []components.Input{
			number("concurrency", "Calls at once", in.Concurrency, "", ""), number("rps", "Calls a second", in.RPS, "0: no limit", ""),
			number("timeout_s", "Time-out", in.TimeoutS, "of one attempt", "s"), number("max_attempts", "Attempts", in.MaxAttempts, "", ""),
		}},
		{Title: "Price", Says: "US dollars per million tokens. Left empty, the cost is unknown, not zero.", Fields: []components.Input{
			field("price.version", "Version", in.PriceVersion, "a date, for example; kept with every cost"),
			number("price.input_per_mtok", "Input", in.PriceIn, "", "$"), number("price.output_per_mtok", "Output", in.PriceOut, "", "$"),
			number("price.cached_input_per_mtok", "Cached input", in.PriceCached, "empty: as input", "$"),
			number("price.cache_write_per_mtok", "Cache write", in.PriceWrite, "empty: as input", "$"),
		}},
	}
	if reviewer.Kind(in.Kind) == reviewer.KindOpenAI {
		sections = append(sections, pages.FormSection{
			Title: "Tools", Says: "With tools it reads, searches and runs commands on the patched tree, in a sandbox, before it votes. Each vote is one review of many calls.",
			Fields: []components.Input{
				choose("tools", "Looks for itself", in.Tools, "", components.Choice{Value: "", Text: "no, it judges the evidence"}, components.Choice{Value: "yes", Text: "yes, with tools"}),
				number("tools.turns", "Turns", in.ToolTurns, "empty: 12", ""), number("tools.command_s", "A command may take", in.ToolSeconds, "empty: 60", "s"),
				number("tools.result_bytes", "Shown of a result", in.ToolBytes, "empty: 8000", "bytes"),
			},
		})
	}
	return sections
}

func baseHint(kind string) string {
	if reviewer.Kind(kind) == reviewer.KindAnthropic {
		return "without /v1"
	}
	return "up to and including /v1"
}

// matrixOf is the confusion matrix of a simulated reviewer's form.
func matrixOf(in reviewerForm, bad fields) *pages.SimulatedMatrix {
	if reviewer.Kind(in.Kind) != reviewer.KindSimulated {
		return nil
	}
	m := &pages.SimulatedMatrix{Error: bad["simulated.reviewer"]}
	for i, label := range []string{"accept", "reject", "uncertain", "unparseable"} {
		cell := func(name string, values []string) components.Input {
			x := components.Input{Name: name, Label: label}
			if i < len(values) {
				x.Value = values[i]
			}
			return x
		}
		m.Acceptable[i], m.Defective[i] = cell("acceptable", in.Acceptable), cell("defective", in.Defective)
	}
	return m
}
