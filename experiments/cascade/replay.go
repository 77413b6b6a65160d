package cascade

import (
	"fmt"

	"plumbline/experiments/stats"
	"plumbline/experiments/trace"
	"plumbline/experiments/vote"
)

// Episode is what a policy did with one trace. Exactly one of Verdict, Trouble and
// Missing is set.
type Episode struct {
	Trace    string
	Instance string
	Label    trace.Label

	State   State
	Verdict *Verdict
	Trouble *Failed
	Missing *Action // what was never observed and is needed to go on

	Last    Stage    // the stage that the episode ended in
	Entered [4]bool  // stages that were looked into
	Spent   [4]Spend // of the stages entered
}

// Decision is the verdict's, and false where there is none.
func (e Episode) Decision() (vote.Decision, bool) {
	if e.Verdict == nil {
		return "", false
	}
	return e.Verdict.Decision, true
}

// Replay runs a policy over stored outcomes with the steps that the live driver
// takes.
func Replay(p Policy, r Record) (Episode, error) {
	e := Episode{Trace: r.Trace, Instance: r.Instance, Label: r.Label}
	s := Start(p)
	for {
		a := Next(s)
		e.enter(a.Stage)
		if a.Kind == Stop {
			e.Verdict, e.Trouble = a.Verdict, a.Trouble
			return e.end(s, a.Stage, r), nil
		}
		answers := r.Answer(a, p.Residual.Arm)
		if len(answers) == 0 {
			e.Missing = &a
			return e.end(s, a.Stage, r), nil
		}
		for _, o := range answers {
			var err error
			if s, err = s.Observe(o); err != nil {
				return e, fmt.Errorf("replay trace %s: %w", r.Trace, err)
			}
		}
	}
}

// enter marks a stage as looked into.
func (e *Episode) enter(s Stage) { e.Entered[s] = true }

func (e Episode) end(s State, last Stage, r Record) Episode {
	e.State, e.Last = s, last
	for _, st := range Stages {
		if e.Entered[st] {
			e.Spent[st] = r.Spent[st]
		}
	}
	if len(s.Votes) > 0 {
		e.Spent[StageResidual] = e.Spent[StageResidual].Plus(r.VoteSpent[s.Policy.Residual.Arm])
	}
	return e
}

// ReplayAll replays records in their order.
func ReplayAll(p Policy, records []Record) ([]Episode, error) {
	out := make([]Episode, len(records))
	for i, r := range records {
		e, err := Replay(p, r)
		if err != nil {
			return nil, err
		}
		out[i] = e
	}
	return out, nil
}

// Pair sets two policies' episodes on the same traces side by side; the order of
// the two lists does not matter. Traces of unknown truth are left out.
func Pair(first, second []Episode) stats.Pair {
	var p stats.Pair
	other := make(map[string]Episode, len(second))
	for _, e := range second {
		other[e.Trace] = e
	}
	common := 0
	for _, e := range first {
		d, ok := e.Decision()
		if !ok || !known(e.Label) {
			continue
		}
		o, ok := other[e.Trace]
		if ok {
			var two vote.Decision
			if two, ok = o.Decision(); ok {
				p.Add(e.Label == trace.Defective, outcomeOf(d), outcomeOf(two))
				common++
			}
		}
		if !ok {
			p.OnlyFirst++
		}
	}
	for _, e := range second {
		if _, ok := e.Decision(); ok && known(e.Label) {
			p.OnlySecond++
		}
	}
	p.OnlySecond -= common
	return p
}

func known(l trace.Label) bool { return l == trace.Acceptable || l == trace.Defective }

func outcomeOf(d vote.Decision) stats.Outcome {
	switch d {
	case vote.Accept:
		return stats.Accepted
	case vote.Reject:
		return stats.Rejected
	case vote.Uncertain:
		return stats.Abstained
	}
	return stats.Unparsed
}
