package formats

import (
	"sort"
	"strings"

	"plumbline/experiments/trace"
)

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
		if a.rare != nil && a.rare.claimed != nil {
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

// nameAgents gives attempts that are known by a prediction only the agent that
// trajectories of the same run and name show.
func nameAgents(attempts []*Attempt) {
	type key struct{ run, name string }
	agents := map[key]string{}
	for _, a := range attempts {
		if a.predName != "" && a.Trace.Agent != a.predName {
			agents[key{a.Run(), a.predName}] = a.Trace.Agent
		}
	}
	if len(agents) == 0 {
		return
	}
	for _, a := range attempts {
		if a.predName == "" || a.Trace.Agent != a.predName {
			continue
		}
		if agent := agents[key{a.Run(), a.predName}]; agent != "" {
			a.Trace.Agent = agent
		}
	}
}

// Run is the folder of the run, for people; empty at the root.
func (a *Attempt) Run() string {
	return strings.Join(runDirs(dirs(a.Main.Path), a.Trace.InstanceID), "/")
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
	if a.rare != nil && a.rare.stated != nil && best.From != trace.NoSource {
		s := a.rare.stated
		t.Outcome.Label, t.Outcome.Bucket, t.Outcome.From = s.Label, s.Bucket, s.From
	}
	if conflict != "" {
		a.conflict(conflict + "; the label stays unknown")
		t.Outcome.Label, t.Outcome.Bucket = trace.Unknown, trace.NoBucket
		t.Outcome.Reason = ReasonAmbiguous
	}
	if t.Outcome.Label == trace.Unknown && t.Outcome.From != trace.Manual {
		t.Outcome.From = trace.NoSource
	}
}

func word(resolved bool) string {
	if resolved {
		return "resolved"
	}
	return "not resolved"
}
