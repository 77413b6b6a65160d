package models

import (
	"cmp"
	"fmt"
	"slices"

	"plumbline/experiments/trace"
)

// found is the stored attempt that an imported one is. Neither a trace nor a note
// means that it is new.
type found struct {
	old  *TraceRow
	note string // why it cannot be told which stored attempt it is
}

func (b *importBatch) loadStored(traces []TraceInput) error {
	ids := make([]string, 0, len(traces))
	for _, t := range traces {
		ids = append(ids, Clean(t.Trace.InstanceID))
	}
	slices.Sort(ids)
	b.stored = map[string][]TraceRow{}
	for part := range slices.Chunk(slices.Compact(ids), 500) {
		var rows []TraceRow
		if err := b.tx.Where("dataset_id = ? AND instance_id IN ?", b.datasetID, part).Order("instance_id, attempt, id").Find(&rows).Error; err != nil {
			return err
		}
		for _, r := range rows {
			b.stored[r.InstanceID] = append(b.stored[r.InstanceID], r)
		}
	}
	return nil
}

func (b *importBatch) taken(id string) bool {
	k := keyOf(id)
	_, before := b.run.taken[k]
	_, now := b.draft.taken[k]
	return before || now
}

func (b *importBatch) made(id string) bool {
	k := keyOf(id)
	return b.run.taken[k] || b.draft.taken[k]
}

// match finds the stored attempt that t is and takes it, so that no other attempt
// of this import is matched with it too.
func (b *importBatch) match(t TraceInput) found {
	m := matchTrace(b.stored[Clean(t.Trace.InstanceID)], t, b.taken, b.made)
	if m.old != nil {
		b.draft.take(m.old.ID, b.made(m.old.ID))
	}
	return m
}

// matchTrace chooses among the stored attempts at the instance of t.
func matchTrace(stored []TraceRow, t TraceInput, taken, made func(string) bool) found {
	agent, model, steps := Clean(t.Trace.Agent), Clean(t.Trace.Model), t.stepsSHA256()
	var loose *TraceRow
	for i := range stored {
		r := &stored[i]
		if taken(r.ID) || r.Agent != agent || r.Model != model || r.PatchSHA256 != t.Patch.SHA256 || r.PatchState != string(t.Trace.PatchState) {
			continue
		}
		if r.StepsSHA256 == steps {
			return found{old: r}
		}
		// One of the two has no trajectory, or it was stored before hashes were.
		if loose == nil && (r.StepsSHA256 == "" || steps == "") {
			loose = r
		}
	}
	if loose != nil {
		return found{old: loose}
	}
	if t.Trace.PatchState != "" || t.Patch.SHA256 != "" || steps != "" || agent == "" && model == "" {
		return found{}
	}
	// A report of an attempt whose patch is not in this import. It says whose
	// attempt it judged, so it belongs to the one stored attempt of that name.
	var named []*TraceRow
	for i := range stored {
		r := &stored[i]
		if !made(r.ID) && (agent == "" || r.Agent == agent) && (model == "" || r.Model == model) {
			named = append(named, r)
		}
	}
	switch {
	case len(named) == 1:
		return found{old: named[0]}
	case len(named) > 1:
		return found{note: fmt.Sprintf("an outcome without a patch fits %d stored attempts of %s; it was given to none", len(named), cmp.Or(agent, model))}
	}
	return found{}
}

// stepsSHA256 is the hash of the trajectory as it would be stored.
func (t *TraceInput) stepsSHA256() string {
	if t.Steps != nil {
		return t.Steps.SHA256
	}
	h := trace.NewStepsHash()
	for i := range t.Trace.Steps {
		st := CleanStep(t.Trace.Steps[i])
		h.Add(&st)
	}
	return h.Sum()
}

// CleanStep makes the texts of a step storable, as Clean does.
func CleanStep(st trace.Step) trace.Step {
	st.Tool, st.Thought, st.Action, st.Observation = Clean(st.Tool), Clean(st.Thought), Clean(st.Action), Clean(st.Observation)
	return st
}
