package formats

import (
	"sort"
	"strings"

	"plumbline/experiments/trace"
)

// joinParts adds the pieces of a folder to the trajectory of the folder.
func (j *Joiner) joinParts() {
	byFolder := map[string]*Attempt{}
	for _, t := range j.trajs {
		if f := t.folder(); f != "" {
			byFolder[f] = t
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
			t.seldom().folder, t.Trace.Trajectory = p.Folder, p.Folder
			byFolder[p.Folder] = t
			j.trajs = append(j.trajs, t)
		}
		t.addPart(p, files[p.Ref])
	}
	kept := j.files[:0]
	for _, f := range j.files {
		if f.folder() == "" {
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
	a.joined = append(a.joined, SourceOf{p.Pos, "part"})
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
		a.StepsAt = &Ref{p.Path, p.N}
		a.Trace.Steps = p.Trace.Steps
	case PartPatch:
		if file != nil {
			a.Patch, a.PatchAt = file.Patch, at(file.PatchAt)
			a.Trace.Patch, a.Trace.PatchState = file.Trace.Patch, file.Trace.PatchState
		}
	}
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
