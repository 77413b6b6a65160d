package formats

import (
	"path"
	"sort"
	"strings"

	"plumbline/experiments/trace"
)

// Ranks of outcomes, the higher the stronger: a run report that names the run of
// the attempt, the attempt's own result line, a report of the instance, a run
// report near by, what a partial run report leaves open, a claim, a log line.
const (
	rankWeak = iota + 1
	rankClaim
	rankRest
	rankRun
	rankReport
	rankOwn
	rankNamed
)

// attachReports gives reports of one instance to the attempts they judge.
func (j *Joiner) attachReports(attempts []*Attempt) []*Attempt {
	byID := map[string][]*Attempt{}
	evaluated := map[string]*PatchFacts{} // folder of a report → the patch beside it
	for _, a := range attempts {
		byID[a.Trace.InstanceID] = append(byID[a.Trace.InstanceID], a)
		for _, s := range a.Sources {
			if s.Role == "patch" {
				evaluated[path.Dir(s.Path)] = &a.Patch
			}
		}
	}
	strong := map[string]bool{}
	for _, r := range j.reports {
		if !r.Weak {
			strong[path.Dir(r.Path)] = true
		}
	}
	for _, r := range j.reports {
		d := dirs(r.Path)
		judged, known := evaluated[path.Dir(r.Path)]
		var best []*Attempt
		bestDepth := -1
		for _, a := range byID[r.InstanceID] {
			depth, ok := sameRun(d, dirs(a.Main.Path))
			if !ok || known && a.Patch.told() && !a.Patch.same(judged) {
				continue
			}
			if named := a.named(r.Path); named {
				depth += 100
			}
			switch {
			case depth > bestDepth:
				best, bestDepth = []*Attempt{a}, depth
			case depth == bestDepth:
				best = append(best, a)
			}
		}
		if best == nil {
			j.alone(r, &attempts, byID, strong[path.Dir(r.Path)])
			continue
		}
		for _, a := range best {
			a.judge(r.outcome(), r.rank(), bestDepth, 0, SourceOf{r.Pos, r.role()})
		}
	}
	return attempts
}

func (r *Report) role() string {
	if r.Weak {
		return "log"
	}
	return "report"
}

func (r *Report) rank() int {
	if r.Weak {
		return rankWeak
	}
	return rankReport
}

// alone makes an attempt out of a report whose attempt was not published. A log
// beside a report adds nothing to it.
func (j *Joiner) alone(r *Report, attempts *[]*Attempt, byID map[string][]*Attempt, hasReport bool) {
	if r.Weak && hasReport {
		return
	}
	a := j.attemptOf(r.Pos, trace.Trace{InstanceID: r.InstanceID}, PatchFacts{})
	*attempts = append(*attempts, a)
	byID[r.InstanceID] = append(byID[r.InstanceID], a)
	a.judge(r.outcome(), r.rank(), 0, 0, SourceOf{r.Pos, r.role()})
}

// outcome turns a report into an outcome with aggregate test counts.
func (r *Report) outcome() trace.Outcome {
	o := trace.Outcome{Resolved: r.Resolved, Reason: r.Reason, Source: r.Path}
	if r.Broke != nil && *r.Broke {
		o.Bucket = trace.Regression
	}
	if r.Lists != nil {
		f, p := r.Lists["FAIL_TO_PASS"], r.Lists["PASS_TO_PASS"]
		o.Tests = &trace.TestCounts{
			FailToPassOK: f.OK, FailToPassAll: f.OK + f.Failed, PassToPassOK: p.OK, PassToPassAll: p.OK + p.Failed,
			Applied: r.Applied == nil || *r.Applied || r.ran(),
		}
	}
	return o
}

// named reports whether a path has a folder that is the attempt's model or agent.
func (a *Attempt) named(p string) bool {
	for _, d := range dirs(p) {
		if f := fold(d); a.Trace.Model != "" && f == fold(a.Trace.Model) || a.Trace.Agent != "" && f == fold(a.Trace.Agent) {
			return true
		}
	}
	return false
}

// attachRuns gives the outcomes of run reports to the attempts of the run.
func (j *Joiner) attachRuns(attempts []*Attempt) {
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

// judge adds an outcome and the record it came from.
func (a *Attempt) judge(o trace.Outcome, rank, depth, away int, src SourceOf) {
	a.Outcomes = append(a.Outcomes, FoundOutcome{Outcome: o, rank: rank, depth: depth, away: away})
	a.Sources = append(a.Sources, src)
}

// settle chooses the outcome of each attempt, sets the label and notes
// disagreement.
func (j *Joiner) settle(attempts []*Attempt) {
	// All attempts at an instance start from one commit.
	base := map[string]string{}
	for _, a := range attempts {
		if a.Base != "" {
			base[a.Trace.InstanceID] = a.Base
		}
	}
	nameAgents(attempts)
	for _, a := range attempts {
		if a.claimed != nil {
			o := trace.Outcome{Resolved: nil, Reason: ReasonClaimed, Source: a.Main.Path}
			a.Outcomes = append(a.Outcomes, FoundOutcome{Outcome: o, rank: 0})
		}
		sort.SliceStable(a.Outcomes, func(x, y int) bool { return a.Outcomes[x].better(&a.Outcomes[y]) })
		a.choose()
		if b := base[a.Trace.InstanceID]; a.Base == "" {
			a.Base = b
		}
		if row, ok := j.rows[a.Trace.InstanceID]; ok {
			if row.Instance.Repo != "" {
				a.Repo = row.Instance.Repo
			}
			if row.Instance.BaseCommit != "" {
				a.Base = row.Instance.BaseCommit
			}
		}
		fill(&a.Repo, repoOf(a.Trace.InstanceID))
		if j.opt.Agent != "" {
			a.Trace.Agent = j.opt.Agent
		}
		if j.opt.Model != "" {
			a.Trace.Model = j.opt.Model
		}
		if a.Trace.Outcome.Label == trace.Unknown {
			reason := a.Trace.Outcome.Reason
			if reason == "" {
				reason = "no outcome published"
			}
			j.report.UnknownOutcome[reason]++
		}
	}
}

// nameAgents sets the run of each attempt, and gives attempts that are known by a
// prediction only the agent that trajectories of the same run and name show.
func nameAgents(attempts []*Attempt) {
	type key struct{ run, name string }
	agents := map[key]string{}
	for _, a := range attempts {
		a.Run = strings.Join(runDirs(dirs(a.Main.Path), a.Trace.InstanceID), "/")
		if a.predName != "" && a.Trace.Agent != a.predName {
			agents[key{a.Run, a.predName}] = a.Trace.Agent
		}
	}
	for _, a := range attempts {
		if agent := agents[key{a.Run, a.predName}]; agent != "" && a.Trace.Agent == a.predName {
			a.Trace.Agent = agent
		}
	}
}

// runDirs cuts the general and the instance folders off the end of a path.
func runDirs(d []string, id string) []string {
	for len(d) > 0 && (general(d[len(d)-1]) || strings.Contains(d[len(d)-1], id)) {
		d = d[:len(d)-1]
	}
	return d
}

// better orders outcomes: judged before open, then rank, then nearness.
func (o *FoundOutcome) better(p *FoundOutcome) bool {
	if oj, pj := o.Outcome.Resolved != nil, p.Outcome.Resolved != nil; oj != pj {
		return oj
	}
	switch {
	case o.rank != p.rank:
		return o.rank > p.rank
	case o.depth != p.depth:
		return o.depth > p.depth
	}
	return o.away < p.away
}

// choose takes the best outcome; the counts may come from another report that
// agrees. Reports that disagree leave the label unknown: nothing is guessed.
func (a *Attempt) choose() {
	t := &a.Trace
	if len(a.Outcomes) == 0 {
		t.Outcome.Label = trace.Unknown
		return
	}
	best := a.Outcomes[0].Outcome
	conflict := ""
	for _, o := range a.Outcomes[1:] {
		if o.Outcome.Resolved == nil || best.Resolved == nil {
			continue
		}
		if *o.Outcome.Resolved == *best.Resolved {
			if best.Tests == nil {
				best.Tests = o.Outcome.Tests
			}
			continue
		}
		if o.rank > rankClaim {
			conflict = "outcomes disagree: " + best.Source + " says " + word(*best.Resolved) + ", " + o.Outcome.Source + " says " + word(*o.Outcome.Resolved)
		}
	}
	t.Outcome = best
	t.Outcome.From = trace.Imported
	t.Outcome.Label, t.Outcome.Bucket = Judge(best, t.PatchState)
	if s := a.stated; s != nil && best.From != trace.NoSource {
		t.Outcome.Label, t.Outcome.Bucket, t.Outcome.From = s.Label, s.Bucket, s.From
	}
	if conflict != "" {
		a.Conflicts = append(a.Conflicts, conflict+"; the label stays unknown")
		t.Outcome.Label, t.Outcome.Bucket = trace.Unknown, trace.NoBucket
		t.Outcome.Reason = ReasonAmbiguous
	}
	if t.Outcome.Label == trace.Unknown {
		t.Outcome.From = trace.NoSource
	}
}

func word(resolved bool) string {
	if resolved {
		return "resolved"
	}
	return "not resolved"
}
