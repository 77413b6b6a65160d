package formats

import (
	"strings"

	"plumbline/experiments/formats/jsonpull"
	"plumbline/experiments/trace"
)

// Agentless writes one line an instance with what its localisation asked and
// answered (file_traj, related_loc_traj, edit_loc_traj: prompt, response, usage).
// The patches are predictions in other files, several samples of one
// localisation, so these steps are shared by all attempts of the run at the
// instance. The lines have no format of their own in the import report; among
// JSON lines of unknown kind they are recognised one by one.

func readOtherLines(x *reading) error {
	return x.eachLine(func(r *jsonpull.Reader, line int) error {
		v, err := r.Value()
		if err != nil {
			return err
		}
		m := obj(v)
		if str(m["instance_id"]) == "" || m["found_files"] == nil && m["file_traj"] == nil {
			return nil
		}
		return x.agentless(line, m)
	})
}

func (x *reading) agentless(line int, m object) error {
	of := x.ref()
	var in, out tokens
	steps, summary := 0, ""
	for _, part := range []struct{ name, key string }{{"locate files", "file_traj"}, {"locate elements", "related_loc_traj"}, {"locate edits", "edit_loc_traj"}} {
		t := obj(m[part.key])
		if t == nil {
			continue
		}
		st := trace.Step{Index: steps, Kind: trace.StepAction, Tool: part.name, Thought: answer(t["response"]), Observation: str(t["prompt"])}
		u := obj(t["usage"])
		st.InputTokens, st.OutputTokens = integer(u["prompt_tokens"]), integer(u["completion_tokens"])
		in.add(st.InputTokens)
		out.add(st.OutputTokens)
		st.Action, st.Observation = st.Observation, ""
		steps++
		summary = st.Thought
		if err := x.put(&Step{Of: of, Step: st}); err != nil {
			return err
		}
	}
	t := &Trajectory{Pos: x.at(line, ""), Steps: ptr(steps), Shared: true}
	t.Trace = trace.Trace{InstanceID: str(m["instance_id"]), Agent: "Agentless", Summary: summary, PatchState: NotPublished}
	t.Trace.Usage.InputTokens, t.Trace.Usage.OutputTokens = in.sum, out.sum
	return x.put(t)
}

// answer is a reply, or the first of several samples.
func answer(v any) string {
	if a := texts(v); len(a) > 0 {
		return strings.TrimSpace(a[0])
	}
	return str(v)
}
