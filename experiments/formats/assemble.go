package formats

import (
	"sort"

	"plumbline/experiments/trace"
)

// assemble makes attempts out of trajectories, parts, predictions and patch
// files.
func (j *Joiner) assemble() []*Attempt {
	j.joinParts()
	byID := map[string][]*Attempt{}
	for _, t := range j.trajs {
		if j.opt.KeepSteps {
			t.Trace.Steps = j.steps[t.Main.Ref]
		}
		byID[t.Trace.InstanceID] = append(byID[t.Trace.InstanceID], t)
	}
	attempts := append([]*Attempt(nil), j.trajs...)
	for _, p := range j.mergePredictions() {
		if t := j.partner(p, byID[p.Trace.InstanceID]); t != nil {
			t.take(p, "prediction")
			continue
		}
		attempts = append(attempts, p)
	}
	attempts = j.addFiles(attempts)
	j.share(attempts)
	return attempts
}

// take adds what another source knows about the same attempt.
func (a *Attempt) take(b *Attempt, role string) {
	for _, s := range b.Sources() {
		a.joined = append(a.joined, SourceOf{s.Pos, role})
	}
	if !a.Patch.told() && b.Patch.told() {
		a.Patch, a.PatchAt = b.Patch, at(b.PatchAt)
		a.Trace.Patch, a.Trace.PatchState = b.Trace.Patch, b.Trace.PatchState
	}
	fill(&a.Trace.Agent, b.Trace.Agent)
	fill(&a.Trace.Model, b.Trace.Model)
	fill(&a.Trace.Status, b.Trace.Status)
	fill(&a.Repo, b.Repo)
	fill(&a.Base, b.Base)
	if a.Trace.Usage == (trace.Usage{}) {
		a.Trace.Usage = b.Trace.Usage
	}
	if a.Trace.Attempt == 0 {
		a.Trace.Attempt = b.Trace.Attempt
	}
	a.Outcomes = append(a.Outcomes, b.Outcomes...)
	if !a.predicted {
		a.predicted, a.predName = b.predicted, b.predName
	}
}

// mergePredictions drops repetitions of one submission in several files. A
// repetition has the same patch and the same name, or is the bare prediction of
// a result line, in the same run. Within one file nothing is merged.
func (j *Joiner) mergePredictions() []*Attempt {
	byID := map[string][]*Attempt{}
	for _, p := range j.preds {
		byID[p.Trace.InstanceID] = append(byID[p.Trace.InstanceID], p)
	}
	gone := map[*Attempt]bool{}
	for _, ps := range byID {
		// Result lines first: they keep the attempt, the bare line joins it.
		sort.SliceStable(ps, func(a, b int) bool { return len(ps[a].Outcomes) > len(ps[b].Outcomes) })
		for i, p := range ps {
			for _, q := range ps[i+1:] {
				if !gone[p] && !gone[q] && p.Main.Path != q.Main.Path && repeats(p, q) {
					p.take(q, "prediction")
					gone[q] = true
					j.report.Duplicates++
				}
			}
		}
	}
	var out []*Attempt
	for _, p := range j.preds {
		if !gone[p] {
			out = append(out, p)
		}
	}
	return out
}

func repeats(p, q *Attempt) bool {
	if !p.Patch.same(&q.Patch) {
		return false
	}
	if p.Trace.Attempt != q.Trace.Attempt && p.Trace.Attempt != 0 && q.Trace.Attempt != 0 {
		return false
	}
	if _, ok := sameRun(dirs(p.Main.Path), dirs(q.Main.Path)); !ok {
		return false
	}
	return p.Trace.Model == q.Trace.Model || (len(p.Outcomes) > 0) != (len(q.Outcomes) > 0)
}

// partner is the trajectory a prediction belongs to: of the same run, with the
// same patch or none of its own, and without a prediction that fits it better.
func (j *Joiner) partner(p *Attempt, trajs []*Attempt) *Attempt {
	var best *Attempt
	bestDepth := -1
	for _, t := range trajs {
		depth, ok := sameRun(dirs(p.Main.Path), dirs(t.Main.Path))
		if !ok || t.predicted || !t.Patch.told() && !governs(p.Main.Path, t.Main.Path) {
			continue
		}
		if t.Patch.told() && !p.Patch.same(&t.Patch) {
			continue
		}
		if depth > bestDepth {
			best, bestDepth = t, depth
		}
	}
	return best
}

// governs reports whether a predictions file is certainly of the run of a
// trajectory that does not say what its patch was: it lies in a folder above it,
// or both lie in general folders of one run.
func governs(pred, traj string) bool {
	a, b := dirs(pred), dirs(traj)
	n := common(a, b)
	return n == len(a) || n < len(b) && general(a[n]) && general(b[n])
}
