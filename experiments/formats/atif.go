package formats

import (
	"strings"

	"plumbline/experiments/formats/jsonpull"
	"plumbline/experiments/trace"
)

// ATIF, the trajectory interchange format of Harbor: schema_version "ATIF-v1.x",
// session_id, agent {name, version, model_name}, steps [{step_id, source, message,
// reasoning_content, tool_calls, observation {results}, metrics}], final_metrics.
// A step is an entry of the agent. Totals are summed from the steps; the stated
// ones are used where steps have none.

func matchATIF(l *look) Confidence {
	if l.json.isObject() && strings.HasPrefix(l.json.at("schema_version").text, "ATIF") {
		return Certain
	}
	return None
}

func readATIF(x *reading) error {
	r := jsonpull.New(x.in)
	a := &atifRun{s: newStepper(x), top: object{}}
	err := r.Object(func(key string) error {
		if key != "steps" {
			v, err := r.Value()
			a.top[key] = v
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
			return a.step(obj(v))
		})
	})
	if x.stop != nil || err != nil && a.entries == 0 {
		return err
	}
	x.count(1)
	if perr := a.put(x); perr != nil {
		return perr
	}
	return err
}

type atifRun struct {
	s       *stepper
	top     object
	entries int
	steps   int
	summary string
	in, out tokens
	cost    total
	model   string
}

func (a *atifRun) step(m object) error {
	a.entries++
	if str(m["source"]) != "agent" {
		return nil
	}
	a.steps++
	text := content(m["message"])
	if text != "" {
		a.summary = text
	}
	fill(&a.model, str(m["model_name"]))
	metrics := obj(m["metrics"])
	in, out, cost := integer(metrics["prompt_tokens"]), integer(metrics["completion_tokens"]), float(metrics["cost_usd"])
	a.in.add(in)
	a.out.add(out)
	a.cost.add(cost)
	a.s.think(str(m["reasoning_content"]))
	a.s.think(text)
	at := moment(m["timestamp"])
	calls := list(m["tool_calls"])
	for i, e := range calls {
		call := obj(e)
		st := trace.Step{Tool: str(call["function_name"]), Action: claudeInput(call["arguments"]), StartedAt: at}
		if i == 0 {
			st.InputTokens, st.OutputTokens, st.CostUSD = in, out, cost
		}
		if err := a.s.act(label(call["tool_call_id"]), st); err != nil {
			return err
		}
	}
	if len(calls) == 0 {
		if err := a.s.act("", trace.Step{Kind: trace.StepMessage, StartedAt: at, InputTokens: in, OutputTokens: out, CostUSD: cost}); err != nil {
			return err
		}
	}
	for _, e := range list(obj(m["observation"])["results"]) {
		res := obj(e)
		id := label(res["source_call_id"])
		if id == "" && len(calls) == 1 {
			id = label(obj(calls[0])["tool_call_id"])
		}
		if err := a.s.see(id, func(st *trace.Step) { st.Observation = content(res["content"]) }); err != nil {
			return err
		}
	}
	return nil
}

func (a *atifRun) put(x *reading) error {
	if err := a.s.end(); err != nil {
		return err
	}
	t := &Trajectory{Pos: x.at(0, ""), Steps: ptr(a.steps), Messages: a.entries}
	agent, final := obj(a.top["agent"]), obj(a.top["final_metrics"])
	tr := &t.Trace
	tr.Agent, tr.Model, tr.Summary = str(agent["name"]), str(agent["model_name"]), a.summary
	fill(&tr.Model, a.model)
	extra := obj(a.top["extra"])
	tr.InstanceID = first(a.top, "instance_id", "task_id", "task_name")
	fill(&tr.InstanceID, first(extra, "instance_id", "task_id", "task_name"))
	fill(&tr.InstanceID, x.fileID())
	tr.Usage = trace.Usage{CostUSD: a.cost.sum, InputTokens: a.in.sum, OutputTokens: a.out.sum}
	if tr.Usage.InputTokens == nil {
		tr.Usage.InputTokens = integer(final["total_prompt_tokens"])
	}
	if tr.Usage.OutputTokens == nil {
		tr.Usage.OutputTokens = integer(final["total_completion_tokens"])
	}
	if tr.Usage.CostUSD == nil {
		tr.Usage.CostUSD = float(final["total_cost_usd"])
	}
	for _, where := range []object{a.top, extra} {
		if p, ok := where["model_patch"]; ok {
			tr.PatchState, tr.Patch = patchOf(p, true)
		}
	}
	return x.put(t)
}
