package bundled

import (
	"bytes"
	"encoding/json"
	"fmt"
	"time"

	"plumbline/experiments/trace"
)

// caseRecord is case.json.
type caseRecord struct {
	ID         string    `json:"id"`
	Repo       string    `json:"repo"`
	Language   string    `json:"language"`
	Title      string    `json:"title"`
	Split      string    `json:"split"`
	Created    time.Time `json:"created"`
	Runner     Runner    `json:"runner"`
	FailToPass []string  `json:"fail_to_pass"`
	PassToPass []string  `json:"pass_to_pass"`
}

// attemptRecord is attempt.json.
type attemptRecord struct {
	Recorded     string       `json:"recorded"`
	Agent        string       `json:"agent"`
	Model        string       `json:"model"`
	Attempt      int          `json:"attempt"`
	Label        trace.Label  `json:"label"`
	Bucket       trace.Bucket `json:"bucket"`
	Why          string       `json:"why"`
	Status       string       `json:"status"`
	CostUSD      *float64     `json:"cost_usd"`
	InputTokens  *int64       `json:"input_tokens"`
	OutputTokens *int64       `json:"output_tokens"`
	DurationMS   *int64       `json:"duration_ms"`
	Tests        *testsRecord `json:"tests"`
}

// testsRecord holds the counts measured when the case was written.
type testsRecord struct {
	F2POK  int `json:"f2p_ok"`
	F2PAll int `json:"f2p_all"`
	P2POK  int `json:"p2p_ok"`
	P2PAll int `json:"p2p_all"`
}

// stepRecord is one line of steps.jsonl.
type stepRecord struct {
	Kind         trace.StepKind `json:"kind"`
	Tool         string         `json:"tool"`
	Thought      string         `json:"thought"`
	Action       string         `json:"action"`
	Observation  string         `json:"observation"`
	Error        bool           `json:"error"`
	ExitCode     *int           `json:"exit_code"`
	DurationMS   *int64         `json:"duration_ms"`
	InputTokens  *int64         `json:"input_tokens"`
	OutputTokens *int64         `json:"output_tokens"`
	CostUSD      *float64       `json:"cost_usd"`
}

// decode reads exactly one JSON value and refuses fields the format does not have.
func decode(data string, into any) error {
	dec := json.NewDecoder(bytes.NewReader([]byte(data)))
	dec.DisallowUnknownFields()
	if err := dec.Decode(into); err != nil {
		return err
	}
	if dec.More() {
		return fmt.Errorf("more than one JSON value")
	}
	return nil
}

func milliseconds(ms *int64) *time.Duration {
	if ms == nil {
		return nil
	}
	d := time.Duration(*ms) * time.Millisecond
	return &d
}

func (r stepRecord) step(index int) trace.Step {
	return trace.Step{
		Index: index, Kind: r.Kind, Tool: r.Tool,
		Thought: r.Thought, Action: r.Action, Observation: r.Observation,
		Error: r.Error, ExitCode: r.ExitCode, Duration: milliseconds(r.DurationMS),
		CostUSD: r.CostUSD, InputTokens: r.InputTokens, OutputTokens: r.OutputTokens,
	}
}
