package formats

import (
	"path"
	"strings"

	"plumbline/experiments/trace"
)

// attachRuns gives the outcomes of run reports to the attempts of the run.
func (j *Joiner) attachRuns(attempts []*Attempt) {
	if len(j.runs) == 0 {
		return
	}
	byID := map[string][]*Attempt{}
	for _, a := range attempts {
		byID[a.Trace.InstanceID] = append(byID[a.Trace.InstanceID], a)
	}
	for _, run := range j.runs {
		j.attachRun(run, attempts, byID)
	}
}

func (j *Joiner) attachRun(run *RunReport, attempts []*Attempt, byID map[string][]*Attempt) {
	d := dirs(run.Path)
	name := run.named()
	restrict := false
	for _, a := range attempts {
		if _, ok := sameRun(d, dirs(a.Main.Path)); ok && name.fits(a) {
			restrict = true
			break
		}
	}
	if name.strict && !restrict {
		j.report.WithoutAttempt += len(run.Outcomes)
		return
	}
	give := func(a *Attempt, o trace.Outcome, implied bool) bool {
		depth, ok := sameRun(d, dirs(a.Main.Path))
		if !ok || restrict && !name.fits(a) {
			return false
		}
		rank := rankRun
		switch {
		case run.Claimed:
			rank = rankClaim
		case restrict && name.runFits(a):
			rank = rankNamed
		case implied:
			rank = rankRest
		}
		a.judge(o, rank, depth, len(d)-depth, SourceOf{run.Pos, "run report"})
		return true
	}
	listed := map[string]bool{}
	for _, o := range run.Outcomes {
		listed[o.InstanceID] = true
		found := false
		for _, a := range byID[o.InstanceID] {
			if give(a, trace.Outcome{Resolved: o.Resolved, Reason: o.Reason, Source: run.source(o.List)}, false) {
				found = true
			}
		}
		if !found {
			j.report.WithoutAttempt++
		}
	}
	if run.Rest == "" {
		return
	}
	for _, a := range attempts {
		if !listed[a.Trace.InstanceID] {
			give(a, trace.Outcome{Resolved: ptr(false), Reason: run.Rest, Source: run.source("")}, true)
		}
	}
}

// source names the report and the arm or list that decided.
func (r *RunReport) source(list string) string {
	switch {
	case r.Run != "":
		return r.Path + " (" + r.Run + ")"
	case list != "" && list != "resolved" && list != "unresolved_ids" && list != "resolved_ids" && list != "applied":
		return r.Path + " (" + list + ")"
	}
	return r.Path
}

// runName is what the file name of a run report says: <model>.<run>.json of the
// harness, <subset>__<split>__<run>.json of sb-cli.
type runName struct {
	model, run, arm string
	strict          bool // belongs to the named run only
}

func (r *RunReport) named() runName {
	base := strings.TrimSuffix(path.Base(r.Path), ".json")
	if parts := strings.Split(base, "__test__"); len(parts) == 2 {
		return runName{run: parts[1], strict: true}
	}
	if parts := strings.Split(base, "__dev__"); len(parts) == 2 {
		return runName{run: parts[1], strict: true}
	}
	if r.Arm != "" {
		return runName{arm: r.Arm, strict: true}
	}
	if model, run, ok := cutLast(base, "."); ok && r.Rest == "" {
		return runName{model: model, run: run}
	}
	return runName{}
}

func cutLast(s, sep string) (string, string, bool) {
	i := strings.LastIndex(s, sep)
	if i < 0 {
		return s, "", false
	}
	return s[:i], s[i+len(sep):], true
}

func (n runName) runFits(a *Attempt) bool {
	if n.run == "" {
		return false
	}
	for _, d := range dirs(a.Main.Path) {
		if d == n.run {
			return true
		}
	}
	return false
}

func (n runName) fits(a *Attempt) bool {
	if n.arm != "" {
		return strings.Contains(fold(a.Trace.Model), fold(n.arm)) || strings.Contains(fold(a.Trace.Agent), fold(n.arm))
	}
	if n.model == "" && n.run == "" {
		return false
	}
	model := n.model != "" && (fold(a.Trace.Model) == fold(n.model) || fold(a.Trace.Agent) == fold(n.model))
	return n.runFits(a) && (n.model == "" || model || a.Trace.Model == "") || model && !n.otherRun(a) || n.strict && (a.Trace.Model == n.run || a.Trace.Agent == n.run)
}

// otherRun reports whether the attempt lies in a folder that looks like another
// run of the same model: a sibling of a folder named after this run.
func (n runName) otherRun(a *Attempt) bool { return len(dirs(a.Main.Path)) > 2 && !n.runFits(a) }
