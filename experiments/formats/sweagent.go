package formats

import (
	"strings"
	"time"

	"plumbline/experiments/formats/jsonpull"
	"plumbline/experiments/trace"
)

// SWE-agent trajectories (.traj), also of CodeR and other descendants: an object
// with trajectory (one entry a step), history (the messages, with the
// demonstrations), info (status, submission, statistics) and environment.
// Version 1.x adds execution_time, query and replay_config. A step is an entry
// of trajectory, so demonstrations do not count; the final summary is the
// thought of the last step, or its response. The instance id is the file name,
// because environment has it in 1.x only. A missing submission reads as null.

func matchSWEAgent1(l *look) Confidence {
	if c := matchTraj(l); c > None && trajIs1(l.json) {
		return c
	}
	return None
}

func matchSWEAgent0(l *look) Confidence { return matchTraj(l) }

func matchTraj(l *look) Confidence {
	s := l.json
	if !s.isObject() || !s.at("trajectory").isArray() {
		return None
	}
	if e := s.at("trajectory").item(); e.any("action", "observation", "response", "thought") || s.any("environment", "history") {
		return Certain
	}
	return None
}

func trajIs1(s *shape) bool {
	e := s.at("trajectory").item()
	return s.any("replay_config") || s.at("info").any("swe_agent_version") || e.any("execution_time", "query", "messages", "extra_info")
}

func matchSWEAgentDemo(l *look) Confidence {
	if s := l.json; s.isObject() && s.at("history").isArray() && !s.any("trajectory", "instance_id", "test_result") && s.at("history").item().has("role") {
		return Likely
	}
	return None
}

func readSWEAgent(x *reading) error {
	r := jsonpull.New(x.in)
	s := &sweRun{x: x, of: x.ref()}
	err := r.Object(func(key string) error {
		switch key {
		case "trajectory":
			if k, err := r.Kind(); err != nil || k != jsonpull.Array {
				return r.Skip()
			}
			s.hasSteps = true
			return r.Array(func(int) error { return s.entry(r) })
		case "history":
			if k, err := r.Kind(); err != nil || k != jsonpull.Array {
				return r.Skip()
			}
			return r.Array(func(int) error { return s.message(r) })
		case "info":
			v, err := r.Value()
			s.info = obj(v)
			return err
		case "replay_config":
			v, err := r.Value()
			s.model = replayModel(str(v))
			return err
		}
		return r.Skip()
	})
	if err != nil && !s.hasSteps && s.messages == 0 {
		return err
	}
	if ferr := s.finish(err != nil); ferr != nil {
		return ferr
	}
	return err
}

type sweRun struct {
	x        *reading
	of       Ref
	info     object
	model    string
	hasSteps bool
	steps    int
	messages int
	summary  string
	issue    string
}

// message counts a message of the history and looks for the task in those of the
// user that come before it is found.
func (s *sweRun) message(r *jsonpull.Reader) error {
	s.messages++
	if s.issue != "" || s.messages > 40 {
		return r.Skip()
	}
	v, err := r.Value()
	m := obj(v)
	if demo := boolean(m["is_demo"]); str(m["role"]) == "user" && (demo == nil || !*demo) {
		s.issue = issueIn(content(m["content"]))
	}
	return err
}

// entry reads one step. The query of 1.x repeats the whole conversation in every
// step; it is skipped without being built.
func (s *sweRun) entry(r *jsonpull.Reader) error {
	m := object{}
	if k, err := r.Kind(); err != nil || k != jsonpull.Object {
		return r.Skip()
	}
	err := r.Object(func(key string) error {
		switch key {
		case "query", "messages", "state", "extra_info":
			return r.Skip()
		}
		v, err := r.Value()
		m[key] = v
		return err
	})
	if err != nil {
		return err
	}
	st := trace.Step{Index: s.steps, Kind: trace.StepAction, Thought: str(m["thought"]), Action: str(m["action"]), Observation: content(m["observation"])}
	s.steps++
	if st.Thought == "" && st.Action == "" {
		st.Thought = str(m["response"])
	}
	st.Tool, _, _ = strings.Cut(strings.TrimSpace(st.Action), " ")
	st.Tool, _, _ = strings.Cut(st.Tool, "\n")
	if st.Action == "" {
		st.Kind = trace.StepThought
	}
	if sec := float(m["execution_time"]); sec != nil {
		st.Duration = ptr(time.Duration(*sec * float64(time.Second)))
	}
	s.summary = str(m["thought"])
	if s.summary == "" {
		s.summary = str(m["response"])
	}
	return s.x.put(&Step{Of: s.of, Step: st})
}

// finish emits the trajectory. Of a file that is cut off before info nothing is
// known about the submission.
func (s *sweRun) finish(cut bool) error {
	if s.x.format == SWEAgentDemo {
		s.x.count(s.messages)
	} else {
		s.x.count(1)
	}
	t := &Trajectory{Pos: s.x.at(0, ""), Messages: s.messages}
	if s.hasSteps {
		t.Steps = ptr(s.steps)
	}
	tr := &t.Trace
	tr.InstanceID = trimExts(s.x.base(), ".json", ".traj")
	tr.Agent, tr.Model, tr.Summary = "SWE-agent", s.model, s.summary
	tr.Status = str(s.info["exit_status"])
	submission := s.info["submission"]
	tr.PatchState, tr.Patch = patchOf(submission, !cut || s.info != nil)
	if cut {
		t.Note = "the file is cut off"
	}
	stats := obj(s.info["model_stats"])
	tr.Usage = trace.Usage{CostUSD: float(stats["instance_cost"]), InputTokens: integer(stats["tokens_sent"]), OutputTokens: integer(stats["tokens_received"])}
	tr.Usage.CostUSD = priced(tr.Usage)
	// Demonstrations are replays: nothing was called, nothing is an attempt.
	calls := integer(stats["api_calls"])
	t.Demo = s.x.format == SWEAgentDemo || calls != nil && *calls == 0 && s.steps > 0
	if err := s.x.put(t); err != nil || t.Demo {
		return err
	}
	return s.x.task(tr.InstanceID, "", "", s.issue)
}

// replayModel finds the model in the configuration text of 1.x.
func replayModel(text string) string {
	if text == "" {
		return ""
	}
	v, err := jsonpull.New(strings.NewReader(text)).Value()
	if err != nil {
		return ""
	}
	agent := obj(obj(v)["agent"])
	return str(obj(agent["model"])["name"])
}
