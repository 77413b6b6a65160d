package formats

import (
	"fmt"

	"plumbline/experiments/trace"
)

// event reads one event of a history.
func (h *handsRun) event(e object) error {
	h.events++
	action := str(e["action"])
	source, sourced := e["source"].(string)
	args := obj(e["args"])
	if args == nil {
		args = e // old events hold their arguments themselves
	}
	if action == "" {
		return h.observation(e)
	}
	mine := source == "agent" && action != "system"
	if !sourced {
		// Old events have no source; the first message is the task.
		mine = h.events > 1 && action != "system"
	}
	if !mine {
		return nil
	}
	h.steps++
	if action == "finish" || action == "message" {
		for _, t := range []string{str(args["final_thought"]), str(args["content"]), str(args["thought"]), str(e["message"])} {
			if t != "" {
				h.summary = t
				break
			}
		}
	}
	st := trace.Step{Tool: action, Thought: str(args["thought"]), Action: handsAction(action, args), StartedAt: moment(e["timestamp"])}
	switch action {
	case "message", "think":
		st.Kind, st.Action = trace.StepMessage, ""
		fill(&st.Thought, str(args["content"]))
	case "finish":
		st.Kind = trace.StepMessage
		fill(&st.Thought, h.summary)
	}
	id := label(e["id"])
	if id == "" {
		h.ids++
		id = fmt.Sprintf("#%d", h.ids)
	}
	if st.Kind == trace.StepMessage {
		id = ""
	}
	return h.s.act(id, st)
}

func handsAction(action string, args object) string {
	if c := first(args, "command", "code"); c != "" && (action == "run" || action == "run_ipython") {
		return c
	}
	rest := object{}
	for k, v := range args {
		switch k {
		case "thought", "final_thought", "content", "action", "action_risk", "is_confirmed", "confirmation_state", "security_risk", "keep_prompt", "blocking", "hidden", "impl_source":
			if k == "content" && (action == "write" || action == "edit") {
				rest[k] = v
			}
		default:
			if v != nil && v != "" {
				rest[k] = v
			}
		}
	}
	return compact(rest)
}

func (h *handsRun) observation(e object) error {
	if str(e["observation"]) == "" || str(e["source"]) == "environment" && e["cause"] == nil {
		return nil
	}
	id := label(e["cause"])
	if id == "" && h.ids > 0 {
		id = fmt.Sprintf("#%d", h.ids)
	}
	if h.s.byID[id] == nil {
		return nil // a result of the user's or the system's own action
	}
	extras := obj(e["extras"])
	return h.s.see(id, func(st *trace.Step) {
		st.Observation = content(e["content"])
		code := integer(extras["exit_code"])
		if code == nil {
			code = integer(obj(extras["metadata"])["exit_code"])
		}
		if code == nil {
			code = integer(e["exit_code"])
		}
		if code != nil && *code >= 0 {
			st.ExitCode, st.Error = ptr(int(*code)), *code != 0
		}
		st.Error = st.Error || str(e["observation"]) == "error"
		if end := moment(e["timestamp"]); !end.IsZero() && end.After(st.StartedAt) && !st.StartedAt.IsZero() {
			st.Duration = ptr(end.Sub(st.StartedAt))
		}
	})
}
