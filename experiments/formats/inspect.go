package formats

import (
	"fmt"
	"strings"

	"plumbline/experiments/formats/jsonpull"
	"plumbline/experiments/trace"
)

// Inspect AI logs. A .json log is one document with samples; a .eval log is a zip
// (deflate, or zstd as method 93) of header.json and one file a sample, or a
// folder of chunks a sample. A killed run has no header; its start is in
// _journal/start.json. Long texts may be moved to attachments. NaN stands bare.
//
// A sample becomes votes where a score is a verdict word, and an attempt where
// its id is that of an instance. Other samples are counted.

func matchInspectJSON(l *look) Confidence {
	s := l.json
	if s.isObject() && s.has("version", "eval") && s.any("status", "plan", "results", "stats", "samples") && s.at("eval").any("task", "run_id", "model") {
		return Certain
	}
	return None
}

// inspectLog is the part of the header that samples need.
type inspectLog struct {
	x       *reading
	task    string
	model   string
	samples int
}

func (g *inspectLog) header(eval object) {
	g.task, g.model = first(eval, "task"), first(eval, "model")
}

func readInspectJSON(x *reading) error {
	r := jsonpull.New(x.in)
	g := &inspectLog{x: x}
	err := r.Object(func(key string) error {
		switch key {
		case "eval":
			v, err := r.Value()
			g.header(obj(v))
			return err
		case "samples":
			if k, err := r.Kind(); err != nil || k != jsonpull.Array {
				return r.Skip()
			}
			return r.Array(func(int) error {
				v, err := r.Value()
				if err != nil {
					return err
				}
				return g.sample(obj(v))
			})
		}
		return r.Skip()
	})
	x.count(g.samples)
	x.relaxed(r)
	return err
}

// sample emits the votes and the attempt of one sample.
func (g *inspectLog) sample(m object) error {
	g.samples++
	x := g.x
	id, epoch := label(m["id"]), whole(m["epoch"])
	att := obj(m["attachments"])
	for _, name := range sortedKeys(obj(m["scores"])) {
		score := obj(obj(m["scores"])[name])
		if err := g.vote(id, epoch, name, score, m); err != nil {
			return err
		}
	}
	if id == "" || !wholeID(id) {
		return nil // not an instance, such as the samples of our own export
	}
	s := newStepper(x)
	c := &chatRun{s: s}
	for _, e := range list(m["messages"]) {
		if err := c.inspect(obj(e), att); err != nil {
			return err
		}
	}
	if err := s.end(); err != nil {
		return err
	}
	t := &Trajectory{Pos: x.at(0, fmt.Sprintf("%s epoch %d", id, epoch)), Steps: ptr(c.steps), Messages: len(list(m["messages"]))}
	t.Trace = trace.Trace{InstanceID: id, Agent: g.task, Model: g.model, Attempt: max(epoch, 0), Summary: resolve(str(obj(m["output"])["completion"]), att)}
	fill(&t.Trace.Summary, c.summary)
	var in, out tokens
	for _, k := range sortedKeys(obj(m["model_usage"])) {
		u := obj(obj(m["model_usage"])[k])
		in.add(integer(u["input_tokens"]))
		out.add(integer(u["output_tokens"]))
	}
	t.Trace.Usage = trace.Usage{InputTokens: in.sum, OutputTokens: out.sum, Duration: seconds(m["total_time"])}
	meta := obj(m["metadata"])
	t.Repo, t.Base = str(meta["repo"]), str(meta["base_commit"])
	for _, where := range []object{meta, obj(m["store"])} {
		for _, k := range []string{"model_patch", "git_patch"} {
			if p, ok := where[k].(string); ok {
				t.Trace.PatchState, t.Trace.Patch = patchOf(resolve(p, att), true)
			}
		}
	}
	if e := compact(obj(m["error"])["message"]); e != "" {
		t.Trace.Status, t.Note = "error", e
	}
	if lim := str(obj(m["limit"])["type"]); lim != "" {
		fill(&t.Trace.Status, "limit: "+lim)
	}
	return x.put(t)
}

// inspect reads a message whose tool calls hold function and arguments directly.
func (c *chatRun) inspect(m, att object) error {
	text := resolve(content(m["content"]), att)
	switch str(m["role"]) {
	case "assistant":
		c.steps++
		if text != "" {
			c.summary = text
		}
		c.s.think(text)
		calls := list(m["tool_calls"])
		for _, e := range calls {
			call := obj(e)
			if err := c.s.act(label(call["id"]), trace.Step{Tool: label(call["function"]), Action: resolve(claudeInput(call["arguments"]), att)}); err != nil {
				return err
			}
		}
		if len(calls) == 0 && text != "" {
			return c.s.act("", trace.Step{Kind: trace.StepMessage})
		}
	case "tool":
		return c.s.see(label(m["tool_call_id"]), func(st *trace.Step) {
			st.Observation = text
			if e := obj(m["error"]); e != nil {
				st.Error = true
				fill(&st.Observation, str(e["message"]))
			}
		})
	}
	return nil
}

// vote emits a vote if the score is a verdict. The metadata of a score of our own
// export has the columns of a vote.
func (g *inspectLog) vote(id string, epoch int, scorer string, score, sample object) error {
	verdict := Verdict(score["value"])
	if verdict == "" {
		return nil
	}
	m := object{"instance_id": id, "reviewer": scorer, "index": jsonpull.Number(itoa(max(epoch-1, 0))), "raw": str(obj(sample["output"])["completion"])}
	if g.model != "" {
		m["reviewer"] = g.model
	}
	for k, v := range obj(score["metadata"]) {
		if v != nil && v != "" {
			m[k] = v
		}
	}
	delete(m, "error") // a score is an answer
	m["verdict"], m["rationale"] = verdict, str(score["explanation"])
	if label(m["instance_id"]) == "" {
		return nil
	}
	return g.x.vote(g.x.at(0, id), m)
}

// Verdict maps a value to one of the four verdicts; empty if it is none. Letters
// and numbers of scorers (C, I, 1.0) say whether an answer was right, which is no
// verdict on a patch.
func Verdict(v any) string {
	s, ok := v.(string)
	if !ok {
		return ""
	}
	switch strings.ToLower(strings.TrimSpace(s)) {
	case "accept", "accepted", "approve", "approved":
		return "accept"
	case "reject", "rejected":
		return "reject"
	case "uncertain", "abstain", "unsure":
		return "uncertain"
	case "unparseable", "unparsable", "unreadable":
		return "unparseable"
	}
	return ""
}

// resolve replaces references to attachments.
func resolve(s string, att object) string {
	const mark = "attachment://"
	if len(att) == 0 || !strings.Contains(s, mark) {
		return s
	}
	var b strings.Builder
	for {
		i := strings.Index(s, mark)
		if i < 0 {
			b.WriteString(s)
			return b.String()
		}
		b.WriteString(s[:i])
		s = s[i+len(mark):]
		n := 0
		for n < len(s) && (s[n] >= '0' && s[n] <= '9' || s[n] >= 'a' && s[n] <= 'f') {
			n++
		}
		if t, ok := att[s[:n]].(string); ok {
			b.WriteString(t)
		} else {
			b.WriteString(mark + s[:n])
		}
		s = s[n:]
	}
}
