package export

import (
	"bufio"
	"bytes"
	"encoding/json"
	"errors"
	"io"
	"time"

	"plumbline/experiments/trace"
)

// Trace is one line of the project's own form of traces, without its steps. Null is
// unknown. An empty text and an absent one are the same.
type Trace struct {
	TraceID       string   `json:"trace_id"`
	Dataset       string   `json:"dataset"`
	InstanceID    string   `json:"instance_id"`
	Repo          string   `json:"repo"`
	BaseCommit    string   `json:"base_commit"`
	Language      string   `json:"language"`
	Version       string   `json:"version"`
	Issue         string   `json:"issue"`
	Hints         string   `json:"hints"`
	Agent         string   `json:"agent"`
	Model         string   `json:"model"`
	Attempt       int      `json:"attempt"`
	PatchState    string   `json:"patch_state"`
	Patch         string   `json:"patch"`
	PatchSHA256   string   `json:"patch_sha256"` // of the patch as it was submitted
	PatchBytes    int64    `json:"patch_bytes"`
	Summary       string   `json:"summary"`
	Status        string   `json:"status"`
	CostUSD       *float64 `json:"cost_usd"`
	InputTokens   *int64   `json:"input_tokens"`
	OutputTokens  *int64   `json:"output_tokens"`
	DurationMS    *int64   `json:"duration_ms"`
	Label         string   `json:"label"`
	Bucket        string   `json:"bucket"`
	LabelSource   string   `json:"label_source"`
	OutcomeReason string   `json:"outcome_reason"`
	OutcomeSource string   `json:"outcome_source"`
	Tests         *Tests   `json:"tests"` // null: not known
	Splits        []string `json:"splits"`
	Trajectory    string   `json:"trajectory"`
	AgentSteps    *int     `json:"agent_steps"` // by the rule of the source's format
	ContentSHA256 string   `json:"content_sha256"`
}

// Tests are the aggregate outcome of the official suites on the patch.
type Tests struct {
	Applied         bool `json:"applied"`
	FailToPass      int  `json:"fail_to_pass"`
	FailToPassTotal int  `json:"fail_to_pass_total"`
	PassToPass      int  `json:"pass_to_pass"`
	PassToPassTotal int  `json:"pass_to_pass_total"`
}

// Step is one step of a trace.
type Step struct {
	Index        int        `json:"index"`
	Kind         string     `json:"kind"`
	Tool         string     `json:"tool"`
	Thought      string     `json:"thought"`
	Action       string     `json:"action"`
	Observation  string     `json:"observation"`
	Failed       bool       `json:"failed"`
	ExitCode     *int       `json:"exit_code"`
	StartedAt    *time.Time `json:"started_at"`
	DurationMS   *int64     `json:"duration_ms"`
	CostUSD      *float64   `json:"cost_usd"`
	InputTokens  *int64     `json:"input_tokens"`
	OutputTokens *int64     `json:"output_tokens"`
}

// StepOf turns a step into its line.
func StepOf(st *trace.Step) Step {
	out := Step{
		Index: st.Index, Kind: string(st.Kind), Tool: st.Tool, Thought: st.Thought, Action: st.Action, Observation: st.Observation,
		Failed: st.Error, ExitCode: st.ExitCode, CostUSD: finite(st.CostUSD), InputTokens: st.InputTokens, OutputTokens: st.OutputTokens,
	}
	if !st.StartedAt.IsZero() {
		at := st.StartedAt.UTC()
		out.StartedAt = &at
	}
	if st.Duration != nil {
		ms := st.Duration.Milliseconds()
		out.DurationMS = &ms
	}
	return out
}

// Traces writes traces as JSON lines: Begin, the Steps of it, End, and so on. A
// trace of any length needs the memory of one step.
type Traces struct {
	out   *bufio.Writer
	buf   bytes.Buffer
	enc   *json.Encoder
	open  bool
	steps int
}

// NewTraces starts a file.
func NewTraces(w io.Writer) *Traces {
	t := &Traces{out: bufio.NewWriterSize(w, 64<<10)}
	t.enc = json.NewEncoder(&t.buf)
	t.enc.SetEscapeHTML(false)
	return t
}

var errOrder = errors.New("write the export: a trace was begun twice, or its end or a step came without a beginning")

// Begin starts a line.
func (t *Traces) Begin(r Trace) error {
	if t.open {
		return errOrder
	}
	t.open, t.steps = true, 0
	r.CostUSD = finite(r.CostUSD)
	if r.Splits == nil {
		r.Splits = []string{}
	}
	if err := t.encode(r); err != nil {
		return err
	}
	t.buf.Truncate(t.buf.Len() - 1) // the brace, after which nothing could follow
	t.buf.WriteString(`,"steps":[`)
	return t.flush()
}

// Step writes the next step of the trace.
func (t *Traces) Step(s Step) error {
	if !t.open {
		return errOrder
	}
	if t.steps > 0 {
		t.buf.WriteByte(',')
	}
	t.steps++
	if err := t.encode(s); err != nil {
		return err
	}
	return t.flush()
}

// End ends the line.
func (t *Traces) End() error {
	if !t.open {
		return errOrder
	}
	t.open = false
	t.buf.WriteString("]}\n")
	return t.flush()
}

// Close writes what is buffered. A line that was begun and not ended is an error.
func (t *Traces) Close() error {
	if t.open {
		return errOrder
	}
	return failed(t.out.Flush())
}

func (t *Traces) encode(v any) error {
	if err := t.enc.Encode(v); err != nil {
		return failed(err)
	}
	t.buf.Truncate(t.buf.Len() - 1) // the line feed
	return nil
}

// flush passes on what was gathered and gives a very large buffer back.
func (t *Traces) flush() error {
	_, err := t.out.Write(t.buf.Bytes())
	if t.buf.Reset(); t.buf.Cap() > 4<<20 {
		t.buf = bytes.Buffer{}
	}
	return failed(err)
}
