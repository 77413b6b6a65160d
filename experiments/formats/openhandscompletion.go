package formats

import (
	"path"
	"strings"

	"plumbline/experiments/trace"
)

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
