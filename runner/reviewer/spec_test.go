package reviewer

import (
	"encoding/json"
	"math"
	"slices"
	"testing"

	"github.com/google/go-cmp/cmp"

	"plumbline/experiments/simulate"
)

func TestSpecValidate(t *testing.T) {
	good := Spec{Kind: KindOpenAI, BaseURL: "http://127.0.0.1:8000/v1", Model: "m", Key: "file:/run/secrets/key"}
	tests := []struct {
		name string
		edit func(*Spec)
		want []string
	}{
		{"good", func(*Spec) {}, nil},
		{"no kind", func(s *Spec) { s.Kind = "" }, []string{"kind"}},
		{"unknown kind", func(s *Spec) { s.Kind = "oracle" }, []string{"kind"}},
		{"no address", func(s *Spec) { s.BaseURL = " " }, []string{"base_url"}},
		{"address without scheme", func(s *Spec) { s.BaseURL = "localhost:80" }, []string{"base_url"}},
		{"file address", func(s *Spec) { s.BaseURL = "file:///etc" }, []string{"base_url"}},
		{"key in the query", func(s *Spec) { s.BaseURL += "?key=1" }, []string{"base_url"}},
		{"no model", func(s *Spec) { s.Model = "" }, []string{"model"}},
		{"relative key file", func(s *Spec) { s.Key = "file:key" }, []string{"key"}},
		{"temperature", func(s *Spec) { s.Temperature = f64(math.NaN()) }, []string{"temperature"}},
		{"top_p", func(s *Spec) { s.TopP = f64(0) }, []string{"top_p"}},
		{"numbers", func(s *Spec) {
			s.MaxTokens, s.TimeoutS, s.MaxAttempts, s.Concurrency, s.RPS = 1, -1, 99, -2, math.Inf(1)
		},
			[]string{"max_tokens", "timeout_s", "max_attempts", "concurrency", "rps"}},
		{"structured", func(s *Spec) { s.Structured = "xml" }, []string{"structured"}},
		{"prompt", func(s *Spec) { s.PromptVersion = "v0" }, []string{"prompt_version"}},
		{"price", func(s *Spec) { s.Price = &Price{InputPerMTok: f64(-1)} }, []string{"price.version", "price.input_per_mtok"}},
		{"simulated without a matrix", func(s *Spec) { *s = Spec{Kind: KindSimulated} }, []string{"simulated"}},
		{"unknown preset", func(s *Spec) { *s = Spec{Kind: KindSimulated, Simulated: &Simulated{Preset: "x"}} }, []string{"simulated.preset"}},
		{"bad matrix", func(s *Spec) {
			*s = Spec{Kind: KindSimulated, Simulated: &Simulated{Reviewer: &simulate.Reviewer{Name: "x"}, LatencyMS: -1}}
		}, []string{"simulated.reviewer", "simulated.latency_ms"}},
		{"preset", func(s *Spec) { *s = Spec{Kind: KindSimulated, Simulated: &Simulated{Preset: simulate.Small}} }, nil},
		{"replay", func(s *Spec) { *s = Spec{Kind: KindReplay} }, nil},
	}
	for _, tt := range tests {
		t.Run(tt.name, func(t *testing.T) {
			s := good
			tt.edit(&s)
			var got []string
			for _, f := range s.Validate() {
				got = append(got, f.Field)
				if f.Message == "" {
					t.Errorf("%s has no message", f.Field)
				}
			}
			slices.Sort(got)
			slices.Sort(tt.want)
			if diff := cmp.Diff(tt.want, got); diff != "" {
				t.Error(diff)
			}
		})
	}
}

// A stored version reads back as it was, defaults and presets written out.
func TestSpecJSON(t *testing.T) {
	for _, s := range []Spec{
		{Kind: KindOpenAI, BaseURL: "https://x.example/v1/", Model: "m", Key: "env:KEY", Temperature: f64(0), Seed: n64(0), Price: testPrice},
		{Kind: KindSimulated, Simulated: &Simulated{Preset: simulate.Strong}},
	} {
		s = s.Filled()
		raw, err := json.Marshal(s)
		if err != nil {
			t.Fatal(err)
		}
		var back Spec
		if err := json.Unmarshal(raw, &back); err != nil {
			t.Fatal(err)
		}
		if diff := cmp.Diff(s, back); diff != "" {
			t.Error(diff)
		}
		if diff := cmp.Diff(back, back.Filled()); diff != "" {
			t.Errorf("filled twice: %s", diff)
		}
		if s.Kind == KindSimulated && s.Simulated.Reviewer == nil {
			t.Error("the preset is not written out")
		}
	}
}
