package formats

import (
	"path"
)

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
			a.Steps, a.StepsAt, a.SummaryAt = s.Steps, at(s.StepsAt), at(s.SummaryAt)
			a.Trace.Summary = s.Trace.Summary
			if j.opt.KeepSteps {
				a.Trace.Steps = j.steps[s.Main.Ref]
			}
			a.joined = append(a.joined, SourceOf{s.Main, "trajectory"})
		}
		if !used {
			j.skip("steps without a patch")
		}
	}
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
			f.conflict("the evaluated patch differs from the submitted one; it is kept as an attempt of its own")
			attempts = append(attempts, f)
			byID[f.Trace.InstanceID] = append(byID[f.Trace.InstanceID], f)
		default:
			attempts = append(attempts, f)
			byID[f.Trace.InstanceID] = append(byID[f.Trace.InstanceID], f)
		}
	}
	return attempts
}
