package formats

import (
	"fmt"
	"path"
	"strings"
	"time"

	"plumbline/experiments/formats/jsonpull"
	"plumbline/experiments/trace"
)

// OpenHands. A line of output.jsonl is an attempt: instance_id,
// test_result.git_patch, metadata, history, metrics, error, instance. The history
// is a list of events (id, source, action+args or observation+content, cause), in
// old files a list of [action, observation] pairs. Resolver lines have issue and
// git_patch instead of instance_id and test_result. A step is an event of the
// agent with an action other than system; the final summary is in the last event
// with the action finish or message.

func matchOpenHands(l *look) Confidence {
	if s := l.json; s.isObject() && s.has("instance_id") && s.any("history", "metrics") && s.any("test_result", "git_patch", "metadata") && !s.has("trajectory") {
		return Certain
	}
	return None
}

func matchOpenHandsResolver(l *look) Confidence {
	if s := l.json; s.isObject() && s.has("issue", "issue_type") && s.any("git_patch", "history") {
		return Certain
	}
	return None
}

func readOpenHands(x *reading) error {
	return x.eachLine(func(r *jsonpull.Reader, line int) error {
		run := &handsRun{s: newStepper(x)}
		err := run.read(r)
		if run.seen && x.stop == nil {
			if perr := run.put(x, line, err); perr != nil {
				return perr
			}
		}
		return err
	})
}

type handsRun struct {
	s       *stepper
	top     object // every key but history
	seen    bool
	steps   int
	events  int
	summary string
	first   bool
	ids     int
}

func (h *handsRun) read(r *jsonpull.Reader) error {
	h.top = object{}
	return r.Object(func(key string) error {
		h.seen = true
		if key != "history" {
			v, err := r.Value()
			h.top[key] = v
			return err
		}
		if k, err := r.Kind(); err != nil || k != jsonpull.Array {
			return r.Skip()
		}
		return r.Array(func(int) error {
			v, err := r.Value()
			if err != nil {
				return err
			}
			if pair, ok := v.([]any); ok {
				for _, e := range pair {
					if err := h.event(obj(e)); err != nil {
						return err
					}
				}
				return nil
			}
			return h.event(obj(v))
		})
	})
}

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

// put emits what a line gave, even if the line was cut off.
func (h *handsRun) put(x *reading, line int, broken error) error {
	if err := h.s.end(); err != nil {
		return err
	}
	t := &Trajectory{Pos: x.at(line, ""), Steps: ptr(h.steps), Messages: h.events}
	tr := &t.Trace
	issue := obj(h.top["issue"])
	tr.InstanceID = instanceID(h.top)
	if n := label(issue["number"]); tr.InstanceID == "" && n != "" {
		tr.InstanceID = str(issue["owner"]) + "__" + str(issue["repo"]) + "-" + n
		t.Repo, t.Derived = str(issue["owner"])+"/"+str(issue["repo"]), true
	}
	tr.Agent = "OpenHands"
	meta := obj(h.top["metadata"])
	tr.Model = str(obj(meta["llm_config"])["model"])
	fill(&tr.Model, str(obj(meta["llm"])["model"]))
	git, there := obj(h.top["test_result"])["git_patch"]
	if !there {
		git, there = h.top["git_patch"]
	}
	tr.PatchState, tr.Patch = patchOf(git, there)
	tr.Summary = h.summary
	if n := integer(h.top["attempt"]); n != nil && *n > 0 && *n < 1<<20 {
		tr.Attempt = int(*n)
	}
	metrics := obj(h.top["metrics"])
	use := obj(metrics["accumulated_token_usage"])
	tr.Usage = trace.Usage{CostUSD: float(metrics["accumulated_cost"]), InputTokens: integer(use["prompt_tokens"]), OutputTokens: integer(use["completion_tokens"])}
	tr.Usage.CostUSD = priced(tr.Usage)
	if e := str(h.top["error"]); e != "" {
		tr.Status, t.Note = "error", e
	}
	if broken != nil {
		t.Note = "the record is cut off"
	}
	var row *Row
	if in := obj(h.top["instance"]); in != nil && instanceID(in) != "" {
		row = rowOf(in)
		t.Repo, t.Base = row.Instance.Repo, row.Instance.BaseCommit
	}
	if err := x.put(t); err != nil {
		return err
	}
	if row == nil {
		issue := strings.TrimSpace(str(issue["title"]) + "\n" + str(issue["body"]))
		fill(&issue, issueIn(str(h.top["instruction"])))
		return x.task(tr.InstanceID, t.Repo, str(h.top["base_commit"]), issue)
	}
	fill(&row.Instance.Issue, issueIn(str(h.top["instruction"])))
	row.Pos, row.Embedded = x.at(line, "instance"), true
	return x.put(row)
}

// priced drops a cost of zero beside tokens: the price was unknown.
func priced(u trace.Usage) *float64 {
	if u.CostUSD != nil && *u.CostUSD == 0 && u.InputTokens != nil && *u.InputTokens > 0 {
		return nil
	}
	return u.CostUSD
}

// moment reads a time stamp with or without a zone.
func moment(v any) time.Time {
	s := str(v)
	for _, layout := range []string{time.RFC3339Nano, "2006-01-02T15:04:05.999999999", "2006-01-02 15:04:05.999999999"} {
		if t, err := time.Parse(layout, s); err == nil {
			return t.UTC()
		}
	}
	return time.Time{}
}

// A bare list of events, as kept for tests and sharing.
func matchOpenHandsEvents(l *look) Confidence {
	e := l.json.item()
	if l.json.isArray() && (e.any("action", "observation") && e.any("source", "args", "content", "timestamp")) {
		return Certain
	}
	return None
}

func readOpenHandsEvents(x *reading) error {
	r := jsonpull.New(x.in)
	h := &handsRun{s: newStepper(x)}
	n := 0
	err := r.Array(func(int) error {
		v, err := r.Value()
		if err != nil {
			return err
		}
		n++
		return h.event(obj(v))
	})
	x.count(n)
	if x.stop != nil {
		return x.stop
	}
	if serr := h.s.end(); serr != nil {
		return serr
	}
	t := &Trajectory{Pos: x.at(0, ""), Steps: ptr(h.steps), Messages: h.events}
	t.Trace = trace.Trace{InstanceID: x.fileID(), Agent: "OpenHands", Summary: h.summary}
	if perr := x.put(t); perr != nil {
		return perr
	}
	return err
}

// llm_completions/<instance>/*.json: one file a call; the last one by time holds
// the whole conversation. The Joiner keeps that one of each folder.
func matchOpenHandsCompletion(l *look) Confidence {
	if s := l.json; s.isObject() && s.has("messages", "response") && s.any("args", "kwargs", "cost", "timestamp") {
		return Certain
	}
	return None
}

func readOpenHandsCompletion(x *reading) error {
	v, err := x.tree()
	if err != nil {
		return err
	}
	m := obj(v)
	s := newStepper(x)
	c := &chatRun{s: s}
	messages := list(m["messages"])
	for _, e := range messages {
		if err := c.message(obj(e)); err != nil {
			return err
		}
	}
	response := obj(m["response"])
	for _, ch := range list(response["choices"]) {
		if err := c.message(obj(obj(ch)["message"])); err != nil {
			return err
		}
		break
	}
	if err := s.end(); err != nil {
		return err
	}
	x.count(1)
	t := &Trajectory{Pos: x.at(0, ""), Steps: ptr(c.steps), Messages: len(messages), Series: x.folder(), Finished: epoch(m["timestamp"])}
	t.Trace = trace.Trace{InstanceID: path.Base(x.folder()), Agent: "OpenHands", Model: str(response["model"]), Summary: c.summary, PatchState: NotPublished}
	if i := strings.LastIndex(t.Trace.Model, "/"); i >= 0 {
		t.Trace.Model = t.Trace.Model[i+1:] // the proxy in front is no part of the model
	}
	if err := x.put(t); err != nil {
		return err
	}
	for _, e := range messages {
		if m := obj(e); str(m["role"]) == "user" {
			return x.task(t.Trace.InstanceID, "", "", issueIn(content(m["content"])))
		}
	}
	return nil
}

// NotPublished is the patch state of a trajectory whose patch lies in another
// file of the run.
const NotPublished trace.PatchState = "not published"

// chatRun reads an OpenAI style conversation: assistant messages with tool_calls
// and messages of role tool.
type chatRun struct {
	s       *stepper
	steps   int
	summary string
}

func (c *chatRun) message(m object) error {
	switch str(m["role"]) {
	case "assistant":
		c.steps++
		text := content(m["content"])
		if text != "" {
			c.summary = text
		}
		c.s.think(text)
		for _, e := range list(m["tool_calls"]) {
			call := obj(e)
			fn := obj(call["function"])
			if err := c.s.act(label(call["id"]), trace.Step{Tool: str(fn["name"]), Action: compact(fn["arguments"])}); err != nil {
				return err
			}
		}
		if len(list(m["tool_calls"])) == 0 && text != "" {
			return c.s.act("", trace.Step{Kind: trace.StepMessage})
		}
	case "tool":
		return c.s.see(label(m["tool_call_id"]), func(st *trace.Step) { st.Observation = content(m["content"]) })
	}
	return nil
}
