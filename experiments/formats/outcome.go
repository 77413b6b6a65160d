package formats

import (
	"path"

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
	if len(j.reports) == 0 {
		return attempts
	}
	byID := map[string][]*Attempt{}
	evaluated := map[string]*PatchFacts{} // folder of a report → the patch beside it
	for _, a := range attempts {
		byID[a.Trace.InstanceID] = append(byID[a.Trace.InstanceID], a)
		for _, s := range a.Sources() {
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

// judge adds an outcome and the record it came from.
func (a *Attempt) judge(o trace.Outcome, rank, depth, away int, src SourceOf) {
	a.Outcomes = append(a.Outcomes, FoundOutcome{Outcome: o, rank: rank, depth: depth, away: away})
	a.joined = append(a.joined, src)
}
