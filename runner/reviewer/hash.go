package reviewer

import (
	"encoding/json"
	"strconv"

	"plumbline/experiments/review"
	"plumbline/experiments/toolreview"
)

// settings are what of a spec can change an answer: no time-outs, limits or prices.
type settings struct {
	Kind        Kind               `json:"kind"`
	BaseURL     string             `json:"base_url"`
	Temperature *float64           `json:"temperature"`
	TopP        *float64           `json:"top_p"`
	MaxTokens   int                `json:"max_tokens"`
	Seed        *int64             `json:"seed"`
	Structured  Structured         `json:"structured"`
	Prompt      string             `json:"prompt"`
	Simulated   *Simulated         `json:"simulated,omitempty"`
	Tools       *toolreview.Policy `json:"tools,omitempty"`
}

// hash is the request hash: model, settings, prompt, vote index and the seed of the
// vote, in which trace and seed of the experiment are.
func hash(s Spec, req Request) string {
	text, err := json.Marshal(settings{s.Kind, s.BaseURL, s.Temperature, s.TopP, s.MaxTokens, s.Seed, s.Structured, s.PromptVersion, s.Simulated, s.Tools})
	if err != nil {
		// Floats of a validated spec are finite, which is all that could fail here.
		panic("reviewer: write settings: " + err.Error())
	}
	return review.Hash(review.Key{
		Model: s.Model, Settings: string(text), Messages: req.Messages, VoteIndex: req.VoteIndex,
		Seed: review.VoteSeed(req.Seed, req.TraceID, req.VoteIndex),
	})
}

// sentSeed is the seed that a server gets, nil when the spec has none. It differs
// between traces, votes and experiments, so that a server which honours it still
// gives K answers and not one answer K times.
func sentSeed(s Spec, req Request) *int64 {
	if s.Seed == nil {
		return nil
	}
	n := review.VoteSeed(*s.Seed, strconv.FormatInt(req.Seed, 10)+"/"+req.TraceID, req.VoteIndex)
	return &n
}
