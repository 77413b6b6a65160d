package cascade_test

import (
	"testing"
	"time"

	"github.com/google/go-cmp/cmp"

	"plumbline/experiments/cascade"
	"plumbline/experiments/stats"
	"plumbline/experiments/trace"
	"plumbline/experiments/vote"
)

func attempts(patched cascade.Result) []cascade.Attempt {
	return []cascade.Attempt{
		{Generated: cascade.Generated{Flaw: cascade.NoTest}},
		{Generated: cascade.Generated{TestID: "t"}, Base: cascade.FailedTest, Patched: patched},
	}
}

// small is a set with one trace of every fate.
func small() []cascade.Record {
	changed, ran := &cascade.Change{}, &cascade.Static{Ran: true}
	votes := func(v vote.Vote) map[string][]vote.Vote { return map[string][]vote.Vote{arm: {v, v, v, v, v}} }
	cost := [4]cascade.Spend{{}, {Runs: 2, Sandbox: time.Second}, {Calls: 2, InputTokens: 10, USD: 0.5, Runs: 2}, {}}
	votesCost := map[string]cascade.Spend{arm: {Calls: 5, Unpriced: 1, USD: 0.1}}
	return []cascade.Record{
		{Trace: "unchanged", Label: trace.Defective, Change: &cascade.Change{None: true}, Spent: cost, VoteSpent: votesCost},
		{Trace: "unbound", Label: trace.Defective, Change: changed, Static: &cascade.Static{Ran: true, Decisive: 1, Caused: 1}, Spent: cost},
		{Trace: "over-specified", Label: trace.Acceptable, Change: changed, Static: ran, Attempts: attempts(cascade.FailedTest), Spent: cost, GoldResults: map[int]cascade.Result{1: cascade.FailedTest}},
		{Trace: "sound reject", Label: trace.Defective, Change: changed, Static: ran, Attempts: attempts(cascade.SetUp), Spent: cost, GoldResults: map[int]cascade.Result{1: cascade.Passed}},
		{Trace: "under-specified", Label: trace.Defective, Change: changed, Static: ran, Attempts: attempts(cascade.Passed), Spent: cost, GoldResults: map[int]cascade.Result{1: cascade.Passed}},
		{Trace: "hangs", Label: trace.Acceptable, Change: changed, Static: ran, Attempts: attempts(cascade.TimedOut), Votes: votes(vote.Reject), Spent: cost, VoteSpent: votesCost},
		{Trace: "nobody knows", Label: trace.Unknown, Change: changed, Static: ran, Attempts: attempts(cascade.Crashed), Votes: votes(vote.Accept), Spent: cost, VoteSpent: votesCost},
		{Trace: "does not apply", Label: trace.Defective, Change: changed, Troubles: map[cascade.Kind]cascade.Failed{cascade.RunStatic: {Trouble: cascade.PatchNotApplied}}},
		{Trace: "not asked", Label: trace.Acceptable, Change: changed, Static: ran, Attempts: attempts(cascade.NoneFound), Spent: cost},
	}
}

func TestMeasure(t *testing.T) {
	t.Parallel()
	p := cascade.Evaluated(arm)
	episodes, err := cascade.ReplayAll(p, small())
	if err != nil {
		t.Fatal(err)
	}
	f := cascade.Measure(p, episodes)
	want := cascade.Funnel{
		Policy: p, N: 9, Verdicts: 7, Missing: 1, Troubles: map[cascade.Trouble]int{cascade.PatchNotApplied: 1},
		Counts:  stats.ReviewCounts{Defect: stats.Class{Accept: 1, Reject: 3}, Acceptable: stats.Class{Reject: 2}},
		Unknown: vote.Counts{Accept: 1}, Asked: 10, Saved: 25,
		Stages: [4]cascade.StageRow{
			{Stage: cascade.StageNoChange, Entered: 9, Decided: 1, Counts: stats.ReviewCounts{Defect: stats.Class{Reject: 1}}, Why: map[cascade.Why]int{cascade.WhyNoChange: 1}},
			{Stage: cascade.StageStatic, Entered: 8, Decided: 1, Stuck: 1, Counts: stats.ReviewCounts{Defect: stats.Class{Reject: 1}}, Why: map[cascade.Why]int{cascade.WhyStatic: 1},
				Spent: cascade.Spend{Runs: 14, Sandbox: 7 * time.Second}},
			{Stage: cascade.StageTest, Entered: 6, Decided: 3, Counts: stats.ReviewCounts{Defect: stats.Class{Accept: 1, Reject: 1}, Acceptable: stats.Class{Reject: 1}},
				Why:   map[cascade.Why]int{cascade.WhyTestFails: 1, cascade.WhyTestBroken: 1, cascade.WhyTestPasses: 1},
				Spent: cascade.Spend{Calls: 12, InputTokens: 60, USD: 3, Runs: 12}},
			{Stage: cascade.StageResidual, Entered: 3, Decided: 2, Stuck: 1, Counts: stats.ReviewCounts{Acceptable: stats.Class{Reject: 1}}, Unknown: vote.Counts{Accept: 1},
				Why: map[cascade.Why]int{cascade.WhyVotes: 2}, Spent: cascade.Spend{Calls: 10, Unpriced: 2, USD: 0.2}},
		},
		Tests: cascade.TestFigures{
			Traces: 6, Attempts: 12, Kept: 6, Discards: map[cascade.Discard]int{cascade.Discard(cascade.NoTest): 6},
			Patched:         map[cascade.Result]int{cascade.FailedTest: 1, cascade.SetUp: 1, cascade.Passed: 1, cascade.TimedOut: 1, cascade.Crashed: 1, cascade.NoneFound: 1},
			RejectPrecision: stats.RateOf(1, 2, ""), AcceptPrecision: stats.RateOf(0, 1, ""),
		},
	}
	if diff := cmp.Diff(want, f); diff != "" {
		t.Errorf("funnel (-want +got):\n%s", diff)
	}
	if usd, why := f.Spent().CostUSD(); usd != nil || why == "" {
		t.Errorf("the cost is %v although calls have no price", usd)
	}
	if r := f.Stages[cascade.StageResidual]; r.FalseRejections() != 1 || r.Misses() != 0 {
		t.Errorf("false rejections %d, misses %d of the reviewer", r.FalseRejections(), r.Misses())
	}
}

func TestPair(t *testing.T) {
	t.Parallel()
	all := small()
	one, err := cascade.ReplayAll(cascade.Evaluated(arm), all)
	if err != nil {
		t.Fatal(err)
	}
	two, err := cascade.ReplayAll(cascade.RulesOnly(), all)
	if err != nil {
		t.Fatal(err)
	}
	p := cascade.Pair(one, two)
	// Both have a verdict on six traces of known truth; the rules alone also on the
	// one whose votes were never asked. They decide two, as the cascade does.
	if p.N() != 6 || p.OnlyFirst != 0 || p.OnlySecond != 1 || p.Flips() != (stats.Flips{BothRight: 2}) {
		t.Errorf("common %d, only first %d, only second %d, flips %+v", p.N(), p.OnlyFirst, p.OnlySecond, p.Flips())
	}
}

func TestAudit(t *testing.T) {
	t.Parallel()
	const pass, fail = cascade.Passed, cascade.FailedTest
	d, a := trace.Defective, trace.Acceptable
	want := map[cascade.Cell][]cascade.Finding{
		{Patch: fail, Gold: fail, Truth: d}: {cascade.OverSpecified},
		{Patch: fail, Gold: fail, Truth: a}: {cascade.OverSpecified}, // django-12497, S3.5
		{Patch: fail, Gold: pass, Truth: d}: {cascade.SoundReject},
		{Patch: fail, Gold: pass, Truth: a}: {cascade.ReferenceBound},
		{Patch: pass, Gold: fail, Truth: d}: {cascade.PatchRestating, cascade.OverSpecified},
		{Patch: pass, Gold: fail, Truth: a}: {cascade.PatchRestating, cascade.OverSpecified},
		{Patch: pass, Gold: pass, Truth: d}: {cascade.UnderSpecified}, // django-12308, S2.5
		{Patch: pass, Gold: pass, Truth: a}: {cascade.SoundPass},
	}
	got := map[cascade.Cell][]cascade.Finding{}
	for _, c := range cascade.Cells() {
		got[c] = c.Findings()
	}
	if diff := cmp.Diff(want, got); diff != "" {
		t.Errorf("findings (-want +got):\n%s", diff)
	}

	all := small()
	episodes, err := cascade.ReplayAll(cascade.Evaluated(arm), all)
	if err != nil {
		t.Fatal(err)
	}
	table := cascade.Tabulate(episodes, all)
	for f, n := range map[cascade.Finding]int{cascade.OverSpecified: 1, cascade.SoundReject: 1, cascade.UnderSpecified: 1, cascade.PatchRestating: 0, cascade.SoundPass: 0} {
		if table.Of(f) != n {
			t.Errorf("%s: %d tests, want %d", f, table.Of(f), n)
		}
	}
	if table.Unknown != 3 { // three hang, break off or vanish on the patch
		t.Errorf("%d tests could not be audited, want 3", table.Unknown)
	}
	if _, ok := cascade.CellOf(pass, cascade.TimedOut, d); ok {
		t.Error("a hang on the reference is audited")
	}
}
