package formats

import (
	"plumbline/experiments/trace"
)

// Moatless Tools, three layouts.
//
//	steps        {steps: [{name, actions: [{name, input, output}], completion_cost}], output: {message}, info}
//	transitions  {transitions: [{name, state, actions: [{action, output, completion_cost, input_tokens, output_tokens}]}], info}
//	nodes        {nodes: [{node_id, parent_id, action, observation | action_steps, completions}], metadata}
//
// A step is an entry of the list. The final summary is output.message, or the
// state.message of the last transition. Nodes hold no final patch: it comes from
// the predictions of the run.

func matchMoatlessSteps(l *look) Confidence {
	if s := l.json; s.isObject() && s.at("steps").isArray() && s.any("info", "output", "input") && s.at("steps").item().any("actions", "completion_cost") && !s.has("schema_version") {
		return Certain
	}
	return None
}

func matchMoatlessTransitions(l *look) Confidence {
	if s := l.json; s.isObject() && s.at("transitions").isArray() {
		return Certain
	}
	return None
}

func matchMoatlessNodes(l *look) Confidence {
	if s := l.json; s.isObject() && (s.at("nodes").isArray() && s.at("nodes").item().any("node_id") || s.any("max_iterations") && s.any("metadata") && s.any("nodes", "agent", "root")) {
		return Certain
	}
	return None
}

func readMoatless(x *reading) error {
	v, err := x.tree()
	if err != nil {
		return err
	}
	m := obj(v)
	info := obj(m["info"])
	of := x.ref()
	run := &moatlessRun{x: x, of: of}
	var entries []any
	switch x.format {
	case MoatlessSteps:
		entries = list(m["steps"])
	case MoatlessTransitions:
		entries = list(m["transitions"])
	default:
		entries = list(m["nodes"])
	}
	for _, e := range entries {
		if err := run.step(obj(e)); err != nil {
			return err
		}
	}
	t := &Trajectory{Pos: x.at(0, ""), Steps: ptr(len(entries))}
	tr := &t.Trace
	tr.InstanceID = first(info, "instance_id")
	if tr.InstanceID == "" {
		tr.InstanceID = str(obj(m["metadata"])["instance_id"])
	}
	if tr.InstanceID == "" {
		tr.InstanceID = x.fileID()
	}
	tr.Agent, tr.Status, tr.Model = "moatless", str(info["status"]), run.model
	if tr.Model == "" {
		tr.Model = str(obj(obj(m["agent"])["completion"])["model"])
	}
	tr.Usage = trace.Usage{CostUSD: float(info["total_cost"]), Duration: seconds(info["duration"]), InputTokens: run.in.sum, OutputTokens: run.out.sum}
	if x.format != MoatlessNodes {
		tr.PatchState, tr.Patch = patchOf(info["submission"], true)
	}
	tr.Summary = str(obj(m["output"])["message"])
	if tr.Summary == "" {
		tr.Summary = run.summary
	}
	t.Note = str(info["error"])
	x.count(1)
	if err := x.put(t); err != nil {
		return err
	}
	issue := first(obj(m["input"]), "problem_statement")
	fill(&issue, str(m["initial_message"]))
	if len(entries) > 0 {
		fill(&issue, issueIn(str(obj(entries[0])["message"])))
	}
	return x.task(tr.InstanceID, "", "", issue)
}

type moatlessRun struct {
	x       *reading
	of      Ref
	n       int
	model   string
	summary string
	in, out tokens
}

func (r *moatlessRun) step(e object) error {
	st := trace.Step{Index: r.n, Kind: trace.StepAction, Tool: str(e["name"])}
	r.n++
	state := obj(e["state"])
	if s := str(state["message"]); s != "" || len(state) > 0 {
		r.summary = s
	}
	fill(&r.model, str(state["model"]))
	var cost total
	var in, out tokens
	for _, a := range append(list(e["actions"]), list(e["action_steps"])...) {
		r.action(&st, obj(a))
		cost.add(float(obj(a)["completion_cost"]))
		in.add(integer(obj(a)["input_tokens"]))
		out.add(integer(obj(a)["output_tokens"]))
	}
	if a := obj(e["action"]); a != nil {
		r.action(&st, e)
	}
	if msg := str(e["message"]); msg != "" && st.Action == "" {
		st.Kind, st.Thought = trace.StepUser, msg
	}
	for _, k := range sortedKeys(obj(e["completions"])) {
		u := obj(obj(obj(e["completions"])[k])["usage"])
		in.add(integer(u["prompt_tokens"]))
		out.add(integer(u["completion_tokens"]))
		cost.add(float(u["completion_cost"]))
	}
	cost.add(float(e["completion_cost"]))
	st.CostUSD, st.InputTokens, st.OutputTokens = cost.sum, in.sum, out.sum
	r.in.add(in.sum)
	r.out.add(out.sum)
	return r.x.put(&Step{Of: r.of, Step: st})
}

// action adds one action to a step; its thoughts are the scratch pad.
func (r *moatlessRun) action(st *trace.Step, a object) {
	join := func(dst *string, s string) {
		if s == "" {
			return
		}
		if *dst != "" {
			*dst += "\n"
		}
		*dst += s
	}
	action := obj(a["action"])
	if action == nil {
		action = obj(a["input"])
		fill(&st.Tool, str(a["name"]))
	}
	if s := first(action, "scratch_pad", "thoughts"); s != "" {
		join(&st.Thought, s)
		delete(action, "scratch_pad")
	}
	if name := str(a["name"]); name != "" {
		st.Tool = name
	}
	join(&st.Action, compact(action))
	out := a["output"]
	if o, ok := a["observation"]; ok {
		out = o
	}
	if msg := str(obj(out)["message"]); msg != "" {
		join(&st.Observation, msg)
		return
	}
	join(&st.Observation, compact(out))
}
