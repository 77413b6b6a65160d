package formats

import (
	"path"
	"sort"
	"strings"

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

// share gives steps that are common to several attempts to those that have none.
func (j *Joiner) share(attempts []*Attempt) {
	for _, s := range j.shared {
		used := false
		for _, a := range attempts {
			if a.Trace.InstanceID != s.Trace.InstanceID || a.StepsAt != nil {
				continue
			}
			if _, ok := sameRun(dirs(a.Main.Path), dirs(s.Main.Path)); !ok {
				continue
			}
			used = true
			a.Steps, a.StepsAt, a.SummaryAt = s.Steps, s.StepsAt, s.SummaryAt
			a.Trace.Summary = s.Trace.Summary
			if j.opt.KeepSteps {
				a.Trace.Steps = j.steps[s.Main.Ref]
			}
			a.Sources = append(a.Sources, SourceOf{s.Main, "trajectory"})
		}
		if !used {
			j.skip("steps without a patch")
		}
	}
}

// joinParts adds the pieces of a folder to the trajectory of the folder.
func (j *Joiner) joinParts() {
	byFolder := map[string]*Attempt{}
	for _, t := range j.trajs {
		if t.folder != "" {
			byFolder[t.folder] = t
		}
	}
	// The last patch of a folder by name is the final one.
	sort.SliceStable(j.parts, func(a, b int) bool { return naturalLess(j.parts[a].Path, j.parts[b].Path) })
	files := map[Ref]*Attempt{}
	for _, f := range j.files {
		files[f.Main.Ref] = f
	}
	for _, p := range j.parts {
		t := byFolder[p.Folder]
		if t == nil {
			t = j.attemptOf(p.Pos, trace.Trace{PatchState: trace.PatchNone}, PatchFacts{State: trace.PatchNone})
			t.folder, t.Trace.Trajectory = p.Folder, p.Folder
			byFolder[p.Folder] = t
			j.trajs = append(j.trajs, t)
		}
		t.addPart(p, files[p.Ref])
	}
	kept := j.files[:0]
	for _, f := range j.files {
		if f.folder == "" {
			kept = append(kept, f)
		}
	}
	j.files = kept
	known := j.trajs[:0]
	for _, t := range j.trajs {
		if t.Trace.InstanceID == "" {
			j.skip("parts of an attempt without an instance")
			continue
		}
		known = append(known, t)
	}
	j.trajs = known
}

// addPart fills an attempt from one of its files.
func (a *Attempt) addPart(p *Part, file *Attempt) {
	a.Sources = append(a.Sources, SourceOf{p.Pos, "part"})
	fill(&a.Trace.InstanceID, p.Trace.InstanceID)
	fill(&a.Trace.Agent, p.Trace.Agent)
	fill(&a.Repo, p.Repo)
	fill(&a.Base, p.Base)
	fill(&a.Trace.Status, p.Trace.Status)
	switch p.Kind {
	case PartCost:
		a.Trace.Model, a.Trace.Usage = p.Trace.Model, p.Trace.Usage
	case PartSteps:
		a.Steps = ptr(p.Steps)
		a.StepsAt = ptr(p.Ref)
		a.Trace.Steps = p.Trace.Steps
	case PartPatch:
		if file != nil {
			a.Patch, a.PatchAt = file.Patch, file.PatchAt
			a.Trace.Patch, a.Trace.PatchState = file.Trace.Patch, file.Trace.PatchState
		}
	}
}

// take adds what another source knows about the same attempt.
func (a *Attempt) take(b *Attempt, role string) {
	for _, s := range b.Sources {
		a.Sources = append(a.Sources, SourceOf{s.Pos, role})
	}
	if !a.Patch.told() && b.Patch.told() {
		a.Patch, a.PatchAt = b.Patch, b.PatchAt
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
	if a.predPos == nil {
		a.predPos, a.predName = b.predPos, b.predName
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
		if !ok || t.predPos != nil || !t.Patch.told() && !governs(p.Main.Path, t.Main.Path) {
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

// addFiles joins patch files: one beside a report is the text that was judged.
func (j *Joiner) addFiles(attempts []*Attempt) []*Attempt {
	byID := map[string][]*Attempt{}
	for _, a := range attempts {
		byID[a.Trace.InstanceID] = append(byID[a.Trace.InstanceID], a)
	}
	judged := map[string]bool{}
	for _, r := range j.reports {
		judged[path.Dir(r.Path)] = true
	}
	for _, f := range j.files {
		var match *Attempt
		depth, inRun := -1, false
		for _, a := range byID[f.Trace.InstanceID] {
			d, ok := sameRun(dirs(f.Main.Path), dirs(a.Main.Path))
			if !ok {
				continue
			}
			inRun = true
			if (a.Patch.same(&f.Patch) || !a.Patch.told() && governs(f.Main.Path, a.Main.Path)) && d > depth {
				match, depth = a, d
			}
		}
		switch {
		case match != nil:
			match.take(f, "patch")
		case inRun && judged[path.Dir(f.Main.Path)]:
			f.Conflicts = append(f.Conflicts, "the evaluated patch differs from the submitted one; it is kept as an attempt of its own")
			attempts = append(attempts, f)
			byID[f.Trace.InstanceID] = append(byID[f.Trace.InstanceID], f)
		default:
			attempts = append(attempts, f)
			byID[f.Trace.InstanceID] = append(byID[f.Trace.InstanceID], f)
		}
	}
	return attempts
}

// naturalLess orders names so that numbers count by value: x_2 before x_10.
func naturalLess(a, b string) bool {
	for a != "" && b != "" {
		da, db := leadingDigits(a), leadingDigits(b)
		if da > 0 && db > 0 {
			na, nb := strings.TrimLeft(a[:da], "0"), strings.TrimLeft(b[:db], "0")
			if len(na) != len(nb) {
				return len(na) < len(nb)
			}
			if na != nb {
				return na < nb
			}
			a, b = a[da:], b[db:]
			continue
		}
		if a[0] != b[0] {
			return a[0] < b[0]
		}
		a, b = a[1:], b[1:]
	}
	return len(a) < len(b)
}

func leadingDigits(s string) int {
	i := 0
	for i < len(s) && s[i] >= '0' && s[i] <= '9' {
		i++
	}
	return i
}
