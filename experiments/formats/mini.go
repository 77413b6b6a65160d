package formats

import (
	"strings"
	"time"

	"plumbline/experiments/formats/jsonpull"
	"plumbline/experiments/trace"
)

// mini-swe-agent trajectories.
//
// Version 1: roles system, user, assistant; the command stands in a bash block
// of the assistant's text, what it printed in the next user message. Version 1.1
// (package 2.x): tool_calls, extra.actions, messages of role tool and a last one
// of role exit. A step is an assistant message; the final summary is the text of
// the last one. Usage is summed over the messages, because the statistics of
// info count failed calls too.

func matchMini1(l *look) Confidence { return matchMini(l, "mini-swe-agent-1") }

func matchMini11(l *look) Confidence { return matchMini(l, "mini-swe-agent-1.1") }

func matchMini(l *look, version string) Confidence {
	s := l.json
	if !s.isObject() || s.has("trajectory") || s.has("trajectory") || !s.any("messages", "trajectory_format") && !s.at("info").any("mini_version") {
		return None
	}
	if v := s.at("trajectory_format").text; v != "" {
		if v == version {
			return Certain
		}
		return None
	}
	// The format name comes last in the file and may be behind the head.
	mini := s.at("info").at("mini_version").text
	if mini == "" && !(s.at("info").any("submission", "exit_status") && s.at("info").any("model_stats")) {
		return None
	}
	if newer := mini != "" && !strings.HasPrefix(mini, "1.") && !strings.HasPrefix(mini, "0."); newer == (version == "mini-swe-agent-1.1") {
		return Likely
	}
	return None
}

func readMini(x *reading) error {
	r := jsonpull.New(x.in)
	m := &miniRun{x: x, of: x.ref()}
	err := r.Object(func(key string) error {
		switch key {
		case "info":
			v, err := r.Value()
			m.info = obj(v)
			return err
		case "instance_id":
			v, err := r.Value()
			m.id = str(v)
			return err
		case "messages":
			if k, err := r.Kind(); err != nil || k != jsonpull.Array {
				return r.Skip()
			}
			return r.Array(func(int) error {
				v, err := r.Value()
				if err != nil {
					return err
				}
				return m.message(obj(v))
			})
		}
		return r.Skip()
	})
	if err != nil && m.messages == 0 && m.info == nil {
		return err
	}
	x.count(1)
	m.cut = err != nil
	if ferr := m.finish(); ferr != nil {
		return ferr
	}
	return err
}

// miniRun collects a trajectory while its messages stream by.
type miniRun struct {
	x        *reading
	of       Ref
	id       string
	info     object
	messages int
	step     *trace.Step // waiting for its observation
	steps    int
	summary  string
	usage    bool
	in, out  int64
	cut      bool
	issue    string
}

func (m *miniRun) message(o object) error {
	m.messages++
	switch role := str(o["role"]); role {
	case "assistant":
		return m.assistant(o)
	case "tool", "user":
		if m.step == nil && m.issue == "" {
			m.issue = issueIn(content(o["content"]))
		}
		m.observe(o)
	case "":
		// The Responses API has items without a role.
		if str(o["type"]) == "function_call_output" {
			m.observe(object{"content": o["output"], "extra": o["extra"]})
		}
	}
	return nil
}

func (m *miniRun) assistant(o object) error {
	if err := m.flush(); err != nil {
		return err
	}
	extra := obj(o["extra"])
	text := content(o["content"])
	m.summary = text
	st := &trace.Step{Index: m.steps, Kind: trace.StepAction, Thought: text}
	m.steps++
	st.Tool, st.Action = miniAction(o, extra, text)
	if st.Action == "" {
		st.Kind = trace.StepMessage
	} else {
		st.Thought = withoutBlock(text)
	}
	if usage := obj(obj(extra["response"])["usage"]); usage != nil {
		in, out := integer(usage["prompt_tokens"]), integer(usage["completion_tokens"])
		st.InputTokens, st.OutputTokens = in, out
		if in != nil {
			m.in, m.usage = m.in+*in, true
		}
		if out != nil {
			m.out, m.usage = m.out+*out, true
		}
	}
	st.CostUSD = float(extra["cost"])
	st.StartedAt = epoch(extra["timestamp"])
	m.step = st
	return nil
}

func (m *miniRun) observe(o object) {
	if m.step == nil {
		return // the task, before the first step
	}
	extra := obj(o["extra"])
	text, raw := extra["raw_output"].(string)
	if !raw {
		text = content(o["content"])
	}
	if m.step.Observation != "" {
		m.step.Observation += "\n"
	}
	m.step.Observation += text
	code := integer(extra["returncode"])
	if code == nil {
		code = returnCode(text)
	}
	if code != nil {
		m.step.ExitCode = ptr(int(*code))
		m.step.Error = m.step.Error || *code != 0
	}
	if end := epoch(extra["timestamp"]); !end.IsZero() && !m.step.StartedAt.IsZero() && end.After(m.step.StartedAt) {
		m.step.Duration = ptr(end.Sub(m.step.StartedAt))
	}
}

func (m *miniRun) flush() error {
	if m.step == nil {
		return nil
	}
	st := *m.step
	m.step = nil
	return m.x.put(&Step{Of: m.of, Step: st})
}

func (m *miniRun) finish() error {
	if err := m.flush(); err != nil {
		return err
	}
	t := &Trajectory{Pos: m.x.at(0, ""), Steps: ptr(m.steps), Messages: m.messages}
	tr := &t.Trace
	tr.InstanceID = m.id
	if tr.InstanceID == "" {
		tr.InstanceID = trimExts(m.x.base(), ".json", ".traj")
	}
	tr.Agent, tr.Summary = "mini-swe-agent", m.summary
	tr.Status = str(m.info["exit_status"])
	submission, there := m.info["submission"]
	tr.PatchState, tr.Patch = patchOf(submission, there)
	tr.Model = str(obj(obj(m.info["config"])["model"])["model_name"])
	tr.Usage.CostUSD = float(obj(m.info["model_stats"])["instance_cost"])
	if m.usage {
		tr.Usage.InputTokens, tr.Usage.OutputTokens = &m.in, &m.out
	}
	tr.Usage.CostUSD = priced(tr.Usage)
	if e := str(m.info["exception_str"]); e != "" {
		t.Note = e
	}
	if m.cut {
		t.Note = "the file is cut off"
	}
	if err := m.x.put(t); err != nil {
		return err
	}
	return m.x.task(tr.InstanceID, "", "", m.issue)
}

// epoch turns seconds since 1970 into a time, zero when v is no number.
func epoch(v any) time.Time {
	f := float(v)
	if f == nil || *f <= 0 || *f > 1e11 {
		return time.Time{}
	}
	sec := int64(*f)
	return time.Unix(sec, int64((*f-float64(sec))*1e6)*1000).UTC()
}

// trimExts removes each extension once, in order.
func trimExts(name string, exts ...string) string {
	for _, e := range exts {
		name = strings.TrimSuffix(name, e)
	}
	return name
}
