package formats

import (
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
