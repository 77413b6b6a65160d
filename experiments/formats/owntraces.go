package formats

import (
	"time"

	"plumbline/experiments/formats/jsonpull"
	"plumbline/experiments/trace"
)

// The project's own export of traces, one a line, with steps, usage and label. The
// label comes back with its source, so that an export read again is the same
// data. Oracle data is not part of it.

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
	tr := &t.Trace
	tr.InstanceID, tr.Agent, tr.Model, tr.Attempt = label(m["instance_id"]), str(m["agent"]), str(m["model"]), max(whole(m["attempt"]), 0)
	tr.PatchState, tr.Patch = trace.PatchState(str(m["patch_state"])), str(m["patch"])
	tr.Summary, tr.Status = str(m["summary"]), str(m["status"])
	tr.Usage = trace.Usage{CostUSD: float(m["cost_usd"]), InputTokens: integer(m["input_tokens"]), OutputTokens: integer(m["output_tokens"]), Duration: millis(m["duration_ms"])}
	tr.Outcome = ownOutcome(m)
	if tr.InstanceID == "" {
		x.n++
		return errNoID
	}
	if err := x.put(t); err != nil {
		return err
	}
	row := &Row{Pos: x.at(line, "task"), Embedded: true}
	row.Instance = trace.Instance{ID: tr.InstanceID, Repo: t.Repo, BaseCommit: t.Base, Language: str(m["language"]), Issue: str(m["issue"])}
	return x.put(row)
}

// ownOutcome reads a label that is one; a label nobody gave is no outcome.
func ownOutcome(m object) trace.Outcome {
	o := trace.Outcome{Reason: str(m["outcome_reason"]), Label: trace.Label(str(m["label"])), Bucket: trace.Bucket(str(m["bucket"])), From: trace.LabelSource(str(m["label_source"]))}
	switch o.Label {
	case trace.Acceptable:
		o.Resolved = ptr(true)
	case trace.Defective:
		o.Resolved = ptr(false)
	default:
		return trace.Outcome{Reason: o.Reason}
	}
	return o
}
