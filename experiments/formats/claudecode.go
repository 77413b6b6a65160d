package formats

import (
	"strings"

	"plumbline/experiments/formats/jsonpull"
	"plumbline/experiments/trace"
)

// Claude Code sessions: one JSON object a line, of many kinds. The parts of one
// message stand on several lines that share message.id and repeat its usage, so
// that usage counts once for each (message id, request id). Input tokens are the
// uncached ones; cache reads are apart. A step is a tool_use part; its result is
// a tool_result part of a later user line. The final summary is the text of the
// last assistant line that has text. There is no patch and no outcome inside.

func matchClaudeCode(l *look) Confidence {
	s := l.json
	if !s.isObject() || !s.has("type") && !s.has("sessionId") {
		return None
	}
	if s.any("sessionId", "session_id") && (s.any("uuid", "parentUuid", "isSidechain", "permissionMode", "leafUuid", "mode", "operation", "cwd") || s.has("message")) {
		return Certain
	}
	switch s.at("type").text {
	case "summary":
		if s.any("leafUuid", "summary") {
			return Certain
		}
	case "file-history-snapshot", "queue-operation", "permission-mode", "ai-title", "custom-title":
		return Certain
	case "user", "assistant":
		if s.any("uuid", "parentUuid") || s.at("message").has("role") && s.any("timestamp", "requestId") {
			return Likely
		}
	}
	return None
}

func matchClaudeWeb(l *look) Confidence {
	if l.json.isObject() && l.json.at("loglines").isArray() {
		return Certain
	}
	return None
}

type claudeRun struct {
	s       *stepper
	lines   int
	steps   int
	seen    map[string]bool
	in, out tokens
	model   string
	summary string
	when    [2]string
}

func readClaudeCode(x *reading) error {
	c := &claudeRun{s: newStepper(x), seen: map[string]bool{}}
	err := x.lines(func(_ int, v any) error {
		m, ok := v.(object)
		if !ok {
			return errNotObject
		}
		return c.line(m)
	})
	return c.finish(x, err)
}

func readClaudeWeb(x *reading) error {
	r := jsonpull.New(x.in)
	c := &claudeRun{s: newStepper(x), seen: map[string]bool{}}
	err := r.Object(func(key string) error {
		if key != "loglines" {
			return r.Skip()
		}
		return r.Array(func(int) error {
			v, err := r.Value()
			if err != nil {
				return err
			}
			return c.line(obj(v))
		})
	})
	x.count(1)
	return c.finish(x, err)
}

func (c *claudeRun) line(m object) error {
	c.lines++
	if t := str(m["timestamp"]); t != "" {
		if c.when[0] == "" {
			c.when[0] = t
		}
		c.when[1] = t
	}
	msg := obj(m["message"])
	switch str(m["type"]) {
	case "assistant":
		return c.assistant(m, msg)
	case "user":
		return c.user(m, msg)
	case "tool_use":
		c.steps++
		return c.s.act(label(m["id"]), trace.Step{Tool: str(m["name"]), Action: claudeInput(m["input"])})
	}
	return nil
}

func (c *claudeRun) assistant(m, msg object) error {
	if model := str(msg["model"]); model != "" && model != "<synthetic>" {
		c.model = model
	}
	if usage := obj(msg["usage"]); usage != nil {
		key := str(msg["id"]) + "\x00" + str(m["requestId"])
		if key == "\x00" || !c.seen[key] {
			c.seen[key] = true
			c.in.add(integer(usage["input_tokens"]))
			c.out.add(integer(usage["output_tokens"]))
		}
	}
	if text := content(textParts(msg["content"])); text != "" {
		c.summary = text
	}
	if s, ok := msg["content"].(string); ok {
		c.s.think(s)
		return nil
	}
	for _, e := range list(msg["content"]) {
		p := obj(e)
		switch str(p["type"]) {
		case "text":
			c.s.think(str(p["text"]))
		case "thinking":
			c.s.think(str(p["thinking"]))
		case "tool_use", "server_tool_use":
			c.steps++
			st := trace.Step{Tool: str(p["name"]), Action: claudeInput(p["input"]), StartedAt: moment(m["timestamp"])}
			if err := c.s.act(label(p["id"]), st); err != nil {
				return err
			}
		}
	}
	return nil
}

// textParts keeps the text parts of a content.
func textParts(v any) any {
	a, ok := v.([]any)
	if !ok {
		return v
	}
	var out []any
	for _, e := range a {
		if str(obj(e)["type"]) == "text" {
			out = append(out, e)
		}
	}
	return out
}

// claudeInput shows the command of a shell call plainly, other input as JSON.
func claudeInput(v any) string {
	m := obj(v)
	if c := str(m["command"]); c != "" && len(m) <= 3 {
		return c
	}
	return compact(v)
}

func (c *claudeRun) user(m, msg object) error {
	for _, e := range list(msg["content"]) {
		p := obj(e)
		if str(p["type"]) != "tool_result" {
			continue
		}
		failed := boolean(p["is_error"])
		end := moment(m["timestamp"])
		err := c.s.see(label(p["tool_use_id"]), func(st *trace.Step) {
			st.Observation = content(p["content"])
			st.Error = failed != nil && *failed
			if !end.IsZero() && !st.StartedAt.IsZero() && end.After(st.StartedAt) {
				st.Duration = ptr(end.Sub(st.StartedAt))
			}
		})
		if err != nil {
			return err
		}
	}
	return nil
}

func (c *claudeRun) finish(x *reading, err error) error {
	if x.stop != nil || err != nil && c.lines == 0 {
		return err
	}
	if serr := c.s.end(); serr != nil {
		return serr
	}
	t := &Trajectory{Pos: x.at(0, ""), Steps: ptr(c.steps), Messages: c.lines}
	t.Trace = trace.Trace{InstanceID: x.fileID(), Agent: "claude-code", Model: c.model, Summary: c.summary}
	t.Trace.Usage.InputTokens, t.Trace.Usage.OutputTokens = c.in.sum, c.out.sum
	if a, b := moment(c.when[0]), moment(c.when[1]); !a.IsZero() && b.After(a) {
		t.Trace.Usage.Duration = ptr(b.Sub(a))
	}
	if perr := x.put(t); perr != nil {
		return perr
	}
	return err
}

// Other command line agents: counted, not read.
func matchPi(l *look) Confidence {
	if s := l.json; s.isObject() && s.at("type").text == "session" && s.has("id", "cwd") {
		return Certain
	}
	return None
}

func matchGemini(l *look) Confidence {
	if s := l.json; s.isObject() && s.has("sessionId", "projectHash", "messages") {
		return Certain
	}
	return None
}

func matchOtherCLI(l *look) Confidence {
	s := l.json
	if !s.isObject() || !l.jsonl() || s.has("instance_id") {
		return None
	}
	if s.at("type").isText() && (s.any("data", "protocol_version", "time", "timestamp") || strings.Contains(s.at("type").text, ".")) {
		return Weak
	}
	if s.has("role") && s.any("message", "content") && s.any("created_at", "timestamp") {
		return Weak
	}
	return None
}
