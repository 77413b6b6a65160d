package formats

import (
	"strings"
	"time"

	"plumbline/experiments/formats/jsonpull"
	"plumbline/experiments/trace"
)

// The project's own export of traces, one a line, with steps, usage, label and
// splits. The label comes back with its source, so that an export read again is the
// same data. Oracle data is not part of it.

func matchOwnTraces(l *look) Confidence {
	if s := l.json; s.isObject() && s.has("instance_id", "patch_state") && s.any("label_source", "content_sha256", "steps") && s.any("trace_id", "attempt") {
		return Certain
	}
	return None
}

func readOwnTraces(x *reading) error {
	return x.eachLine(func(r *jsonpull.Reader, line int) error {
		of := x.ref()
		top := object{}
		steps := 0
		err := r.Object(func(key string) error {
			if key != "steps" {
				v, err := r.Value()
				top[key] = v
				return err
			}
			if k, err := r.Kind(); err != nil || k != jsonpull.Array {
				return r.Skip()
			}
			return r.Array(func(i int) error {
				v, err := r.Value()
				if err != nil {
					return err
				}
				steps++
				return x.put(&Step{Of: of, Step: ownStep(i, obj(v))})
			})
		})
		if err != nil {
			x.n++ // the steps already emitted belong to nothing
			return err
		}
		return x.ownTrace(line, top, steps)
	})
}

func ownStep(i int, m object) trace.Step {
	st := trace.Step{
		Index: i, Kind: trace.StepKind(str(m["kind"])), Tool: str(m["tool"]), Thought: str(m["thought"]), Action: str(m["action"]),
		Observation: str(m["observation"]), StartedAt: moment(m["started_at"]), Duration: millis(m["duration_ms"]),
		CostUSD: float(m["cost_usd"]), InputTokens: integer(m["input_tokens"]), OutputTokens: integer(m["output_tokens"]),
	}
	if b := boolean(m["failed"]); b != nil {
		st.Error = *b
	}
	if c := integer(m["exit_code"]); c != nil {
		st.ExitCode = ptr(int(*c))
	}
	return st
}

// millis turns milliseconds into a duration, nil when v is no number.
func millis(v any) *time.Duration {
	n := integer(v)
	if n == nil || *n < 0 || *n > 1e12 {
		return nil
	}
	return ptr(time.Duration(*n) * time.Millisecond)
}

func (x *reading) ownTrace(line int, m object, steps int) error {
	t := &Trajectory{Pos: x.at(line, ""), Steps: ptr(steps), Repo: str(m["repo"]), Base: str(m["base_commit"])}
	if n, there := m["agent_steps"]; there {
		t.Steps = nil
		if k := integer(n); k != nil && *k >= 0 && *k < 1<<31 {
			t.Steps = ptr(int(*k))
		}
	}
	tr := &t.Trace
	tr.InstanceID, tr.Agent, tr.Model, tr.Attempt = label(m["instance_id"]), str(m["agent"]), str(m["model"]), max(whole(m["attempt"]), 0)
	tr.PatchState, tr.Patch = trace.PatchState(str(m["patch_state"])), str(m["patch"])
	tr.Summary, tr.Status, tr.Trajectory = str(m["summary"]), str(m["status"]), str(m["trajectory"])
	tr.Usage = trace.Usage{CostUSD: float(m["cost_usd"]), InputTokens: integer(m["input_tokens"]), OutputTokens: integer(m["output_tokens"]), Duration: millis(m["duration_ms"])}
	tr.Outcome = ownOutcome(m)
	if tr.InstanceID == "" {
		x.n++
		return errNoID
	}
	if err := x.ownPatch(line, t, m); err != nil {
		return err
	}
	for _, name := range texts(m["splits"]) {
		if err := trace.CheckSplitName(name); err != nil {
			x.problem(line, "splits", err.Error())
			continue
		}
		t.Splits = append(t.Splits, name)
	}
	if err := x.put(t); err != nil {
		return err
	}
	row := &Row{Pos: x.at(line, "task"), Embedded: true}
	row.Instance = trace.Instance{
		ID: tr.InstanceID, Repo: t.Repo, BaseCommit: t.Base, Language: str(m["language"]), Version: label(m["version"]), Issue: str(m["issue"]), Hints: str(m["hints"]),
	}
	return x.put(row)
}

// ownPatch takes over the hash of the patch as it was submitted, where the text is
// a copy in which bytes that cannot be stored were replaced. A hash that the text
// belies is a fault, and the text counts.
func (x *reading) ownPatch(line int, t *Trajectory, m object) error {
	stated := str(m["patch_sha256"])
	if stated == "" || stated == Facts(t.Trace.PatchState, t.Trace.Patch).SHA256 {
		return nil
	}
	if !isSHA256(stated) || !strings.Contains(t.Trace.Patch, "\ufffd") {
		x.problem(line, "patch_sha256", "is not the hash of the patch; the patch is read as it stands")
		return x.stop
	}
	t.PatchSHA256, t.PatchBytes = stated, whole(m["patch_bytes"])
	return nil
}

func isSHA256(s string) bool {
	return len(s) == 64 && strings.Trim(s, "0123456789abcdef") == ""
}

// ownOutcome reads a label that is one, with its source; a label nobody gave is no
// outcome.
func ownOutcome(m object) trace.Outcome {
	o := trace.Outcome{
		Reason: str(m["outcome_reason"]), Source: str(m["outcome_source"]), Tests: ownTests(obj(m["tests"])),
		Label: trace.Label(str(m["label"])), Bucket: trace.Bucket(str(m["bucket"])), From: trace.LabelSource(str(m["label_source"])),
	}
	switch o.Label {
	case trace.Acceptable:
		o.Resolved = ptr(true)
	case trace.Defective:
		o.Resolved = ptr(false)
	}
	if o.From == trace.NoSource && o.Resolved == nil || o.Label != trace.Acceptable && o.Label != trace.Defective && o.Label != trace.Unknown {
		return trace.Outcome{Reason: o.Reason, Source: o.Source, Tests: o.Tests}
	}
	return o
}

func ownTests(m object) *trace.TestCounts {
	if m == nil {
		return nil
	}
	return &trace.TestCounts{
		Applied:      yes(m["applied"]),
		FailToPassOK: whole(m["fail_to_pass"]), FailToPassAll: whole(m["fail_to_pass_total"]),
		PassToPassOK: whole(m["pass_to_pass"]), PassToPassAll: whole(m["pass_to_pass_total"]),
	}
}
