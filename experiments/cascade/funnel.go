package cascade

import (
	"plumbline/experiments/stats"
	"plumbline/experiments/trace"
	"plumbline/experiments/vote"
)

// Funnel is what became of many traces, stage by stage (paper G §6.2, S4.1).
type Funnel struct {
	Policy   Policy
	N        int // episodes
	Verdicts int
	Missing  int             // episodes that need an outcome that was never observed
	Troubles map[Trouble]int // ends without a verdict
	// Counts are the decisions on traces of known truth; Unknown those on others.
	Counts  stats.ReviewCounts
	Unknown vote.Counts

	Stages [4]StageRow
	Tests  TestFigures
	// Asked and Saved count votes of the residual reviewer: Saved would have been
	// asked for the episodes that an earlier stage decided.
	Asked, Saved int
}

// StageRow is one stage of a funnel.
type StageRow struct {
	Stage   Stage
	Entered int // episodes that came to the stage
	// Decided counts verdicts other than uncertain, Abstained the others.
	Decided, Abstained int
	// Counts and Unknown are the verdicts given here, by truth.
	Counts  stats.ReviewCounts
	Unknown vote.Counts
	Why     map[Why]int
	// Stuck ended here without a verdict.
	Stuck int
	Spent Spend
}

// FalseRejections are acceptable patches rejected, or answered unreadably, here.
func (r StageRow) FalseRejections() int {
	return r.Counts.Acceptable.Reject + r.Counts.Acceptable.Unparseable
}

// Misses are defects accepted, or answered unreadably, here.
func (r StageRow) Misses() int { return r.Counts.Defect.Accept + r.Counts.Defect.Unparseable }

// Before counts the verdicts of the stages before s.
func (f Funnel) Before(s Stage) int {
	n := 0
	for _, r := range f.Stages {
		if r.Stage < s {
			n += r.Decided + r.Abstained
		}
	}
	return n
}

// Spent is what all stages used.
func (f Funnel) Spent() Spend {
	var s Spend
	for _, r := range f.Stages {
		s = s.Plus(r.Spent)
	}
	return s
}

// Measure counts episodes of one policy; p is that policy.
func Measure(p Policy, episodes []Episode) Funnel {
	f := Funnel{Policy: p, N: len(episodes), Troubles: map[Trouble]int{}, Tests: testFigures(episodes)}
	for _, s := range Stages {
		f.Stages[s] = StageRow{Stage: s, Why: map[Why]int{}}
	}
	for _, e := range episodes {
		for _, s := range Stages {
			if e.Entered[s] {
				f.Stages[s].Entered++
				f.Stages[s].Spent = f.Stages[s].Spent.Plus(e.Spent[s])
			}
		}
		for _, v := range e.State.Votes {
			if v != "" {
				f.Asked++
			}
		}
		switch {
		case e.Verdict != nil:
			f.verdict(e)
		case e.Trouble != nil:
			f.Troubles[e.Trouble.Trouble]++
			f.Stages[e.Last].Stuck++
		default:
			f.Missing++
			f.Stages[e.Last].Stuck++
		}
	}
	return f
}

func (f *Funnel) verdict(e Episode) {
	v := e.Verdict
	row := &f.Stages[v.Stage]
	f.Verdicts++
	row.Why[v.Why]++
	if v.Decision == vote.Uncertain {
		row.Abstained++
	} else {
		row.Decided++
	}
	if v.Stage != StageResidual {
		f.Saved += f.Policy.Residual.Votes
	}
	if !known(e.Label) {
		f.Unknown.Add(v.Decision)
		row.Unknown.Add(v.Decision)
		return
	}
	defect := e.Label == trace.Defective
	f.Counts.Add(defect, outcomeOf(v.Decision))
	row.Counts.Add(defect, outcomeOf(v.Decision))
}

// TestFigures says what generated tests are worth, whether or not the policy let
// them decide.
type TestFigures struct {
	Traces   int // episodes in which a test was asked for
	Attempts int
	Kept     int
	Discards map[Discard]int // attempts, by why they do not count
	Patched  map[Result]int  // kept tests, by their outcome on the patch
	// RejectPrecision: defects among the patches that a kept test fails on (or
	// that no longer load it). AcceptPrecision: acceptable ones among those it
	// passes on. Of traces with known truth (paper G §6.2).
	RejectPrecision, AcceptPrecision stats.Rate
}

func testFigures(episodes []Episode) TestFigures {
	f := TestFigures{Discards: map[Discard]int{}, Patched: map[Result]int{}}
	var failed, failedDefect, passed, passedGood int
	for _, e := range episodes {
		if len(e.State.Attempts) == 0 {
			continue
		}
		f.Traces++
		f.Attempts += len(e.State.Attempts)
		for _, a := range e.State.Attempts {
			if d := a.Discard(); d != "" {
				f.Discards[d]++
			}
		}
		kept, ok := e.State.Kept()
		if !ok {
			continue
		}
		f.Kept++
		f.Patched[kept.Patched]++
		if !known(e.Label) {
			continue
		}
		switch kept.Patched {
		case FailedTest, SetUp:
			failed++
			if e.Label == trace.Defective {
				failedDefect++
			}
		case Passed:
			passed++
			if e.Label == trace.Acceptable {
				passedGood++
			}
		}
	}
	f.RejectPrecision = stats.RateOf(failedDefect, failed, "no kept test failed on a patch of known truth")
	f.AcceptPrecision = stats.RateOf(passedGood, passed, "no kept test passed on a patch of known truth")
	return f
}
