package formats

import (
	"strings"

	"plumbline/experiments/formats/jsonpull"
	"plumbline/experiments/trace"
)

// Codex CLI.
//
// "codex exec --json" prints events: thread.started, turn.started, item.started,
// item.completed, turn.completed, turn.failed, error. Only completed items count;
// a step is one of kind command_execution, mcp_tool_call, file_change or
// web_search. Usage is the sum over turn.completed; its input_tokens include the
// cached ones. The final summary is the last agent_message.
//
// Rollout files hold {timestamp, type, payload}: session_meta, turn_context,
// response_item, event_msg, compacted; before that version bare items. A step is
// a call (function_call, custom_tool_call, local_shell_call, web_search_call,
// tool_search_call, tool_call).

func matchCodexExec(l *look) Confidence {
	if s := l.json; s.isObject() && (s.at("type").text == "thread.started" || s.at("type").text == "turn.started" || strings.HasPrefix(s.at("type").text, "item.") && s.has("item")) {
		return Certain
	}
	return None
}

func readCodexExec(x *reading) error {
	c := &codexRun{s: newStepper(x)}
	err := x.lines(func(_ int, v any) error {
		m, ok := v.(object)
		if !ok {
			return errNotObject
		}
		return c.event(m)
	})
	if x.stop != nil || err != nil && c.events == 0 {
		return err
	}
	if perr := c.put(x, x.fileID()); perr != nil {
		return perr
	}
	return err
}

type codexRun struct {
	s       *stepper
	events  int
	steps   int
	in, out tokens
	summary string
	status  string
	note    string
	model   string
	id      string
}

func (c *codexRun) event(m object) error {
	c.events++
	switch str(m["type"]) {
	case "item.completed":
		return c.item(obj(m["item"]))
	case "turn.completed":
		u := obj(m["usage"])
		c.in.add(integer(u["input_tokens"]))
		c.out.add(integer(u["output_tokens"]))
		c.status = "completed"
	case "turn.failed":
		c.status, c.note = "failed", str(obj(m["error"])["message"])
	case "error":
		c.note = str(m["message"])
	}
	return nil
}

func (c *codexRun) item(it object) error {
	st := trace.Step{Tool: str(it["type"])}
	switch st.Tool {
	case "reasoning":
		c.s.think(str(it["text"]))
		return nil
	case "agent_message", "assistant_message":
		c.summary = str(it["text"])
		return c.s.act("", trace.Step{Kind: trace.StepMessage, Thought: c.summary})
	case "command_execution":
		st.Action, st.Observation = str(it["command"]), str(it["aggregated_output"])
		if code := integer(it["exit_code"]); code != nil {
			st.ExitCode, st.Error = ptr(int(*code)), *code != 0
		}
	case "mcp_tool_call":
		st.Tool = strings.Trim(str(it["server"])+"."+str(it["tool"]), ".")
		st.Action, st.Observation = compact(it["arguments"]), compact(it["result"])
		if parts := content(obj(it["result"])["content"]); parts != "" {
			st.Observation = parts
		}
		if e := compact(it["error"]); e != "" {
			st.Error = true
			fill(&st.Observation, e)
		}
	case "file_change":
		st.Action = compact(it["changes"])
	case "web_search":
		st.Action = str(it["query"])
	default:
		return c.s.act("", trace.Step{Kind: trace.StepMessage, Tool: st.Tool, Thought: first(it, "text", "message")})
	}
	st.Error = st.Error || str(it["status"]) == "failed"
	c.steps++
	return c.s.act("", st)
}

func (c *codexRun) put(x *reading, id string) error {
	if err := c.s.end(); err != nil {
		return err
	}
	t := &Trajectory{Pos: x.at(0, ""), Steps: ptr(c.steps), Messages: c.events, Note: c.note}
	t.Trace = trace.Trace{InstanceID: id, Agent: "codex", Model: c.model, Summary: c.summary, Status: c.status}
	t.Trace.Usage.InputTokens, t.Trace.Usage.OutputTokens = c.in.sum, c.out.sum
	return x.put(t)
}

func matchCodexRollout(l *look) Confidence {
	s := l.json
	if !s.isObject() {
		return None
	}
	switch s.at("type").text {
	case "session_meta", "turn_context", "response_item", "event_msg":
		if s.has("payload") {
			return Certain
		}
	}
	// Before the envelope: a first line with the session, then bare items.
	if s.has("id", "timestamp") && s.any("instructions", "git") && !s.any("type", "instance_id") && l.namedLines() {
		return Likely
	}
	return None
}

func readCodexRollout(x *reading) error {
	c := &codexRun{s: newStepper(x)}
	err := x.lines(func(_ int, v any) error {
		m, ok := v.(object)
		if !ok {
			return errNotObject
		}
		c.events++
		payload := obj(m["payload"])
		switch str(m["type"]) {
		case "response_item":
			return c.response(payload)
		case "turn_context", "session_meta":
			fill(&c.model, str(payload["model"]))
		case "event_msg":
			c.message(payload)
		case "compacted", "world_state":
		default:
			return c.response(m)
		}
		return nil
	})
	if x.stop != nil || err != nil && c.events == 0 {
		return err
	}
	if perr := c.put(x, x.fileID()); perr != nil {
		return perr
	}
	return err
}

// message reads an event_msg: the running token count and why a turn ended.
func (c *codexRun) message(p object) {
	switch str(p["type"]) {
	case "token_count":
		// The count is of the whole session so far.
		u := obj(obj(p["info"])["total_token_usage"])
		if in := integer(u["input_tokens"]); in != nil {
			c.in.sum = in
		}
		if out := integer(u["output_tokens"]); out != nil {
			c.out.sum = out
		}
	case "agent_message":
		fill(&c.summary, "")
		if s := str(p["message"]); s != "" {
			c.summary = s
		}
	case "turn_aborted":
		c.status = "aborted"
	case "task_complete", "turn.completed":
		c.status = "completed"
	case "error":
		c.note = str(p["message"])
	}
}

// response reads a response item.
func (c *codexRun) response(p object) error {
	kind := str(p["type"])
	id := label(p["call_id"])
	fill(&id, label(p["id"]))
	switch kind {
	case "message":
		if str(p["role"]) == "assistant" {
			c.summary = content(p["content"])
			return c.s.act("", trace.Step{Kind: trace.StepMessage, Thought: c.summary})
		}
	case "reasoning":
		c.s.think(content(p["summary"]))
	case "function_call", "custom_tool_call", "local_shell_call", "web_search_call", "tool_search_call", "tool_call", "mcp_call":
		st := trace.Step{Tool: first(p, "name")}
		fill(&st.Tool, kind)
		for _, k := range []string{"arguments", "input", "action", "query"} {
			fill(&st.Action, compact(p[k]))
		}
		if cmd := shellCommand(st.Action); cmd != "" {
			st.Action = cmd
		}
		c.steps++
		if kind == "web_search_call" {
			id = ""
		}
		return c.s.act(id, st)
	case "function_call_output", "custom_tool_call_output", "local_shell_call_output", "tool_search_output", "tool_result":
		return c.s.see(id, func(st *trace.Step) {
			for _, k := range []string{"output", "result", "content", "results"} {
				if t := content(p[k]); t != "" {
					fill(&st.Observation, t)
				}
				fill(&st.Observation, compact(p[k]))
			}
		})
	}
	return nil
}

// shellCommand joins {"command": ["bash", "-lc", "…"]} into a line.
func shellCommand(arguments string) string {
	if !strings.HasPrefix(arguments, "{") {
		return ""
	}
	v, err := jsonpull.New(strings.NewReader(arguments)).Value()
	if err != nil {
		return ""
	}
	switch t := obj(v)["command"].(type) {
	case string:
		return t
	case []any:
		return strings.Join(texts(t), " ")
	}
	return ""
}
