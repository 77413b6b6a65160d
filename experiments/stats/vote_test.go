package stats_test

import (
	"fmt"
	"math/rand/v2"
	"testing"

	"plumbline/experiments/stats"
	"plumbline/experiments/vote"
)

// Decisions become outcomes by their index, and counts of votes become a class.
func TestOutcomesFollowVotes(t *testing.T) {
	t.Parallel()
	for v, o := range map[vote.Vote]stats.Outcome{
		vote.Accept: stats.Accepted, vote.Reject: stats.Rejected,
		vote.Uncertain: stats.Abstained, vote.Unparseable: stats.Unparsed,
	} {
		if v.Index() != int(o) {
			t.Errorf("%s has index %d, the outcome is %d", v, v.Index(), o)
		}
	}
	got := stats.Class(vote.Counts{Accept: 1, Reject: 2, Uncertain: 3, Unparseable: 4})
	if want := (stats.Class{Accept: 1, Reject: 2, Uncertain: 3, Unparseable: 4}); got != want {
		t.Errorf("%+v, want %+v", got, want)
	}
}

// From votes to rates with intervals.
func Example() {
	defects := []vote.Counts{{Reject: 5}, {Reject: 3, Accept: 2}, {Accept: 4, Reject: 1}, {Accept: 2, Reject: 2, Uncertain: 1}}
	acceptable := []vote.Counts{{Accept: 5}, {Accept: 1, Reject: 4}}
	counts := stats.ReviewCounts{
		Defect:     stats.Class(vote.Decisions(vote.Group(defects), vote.Plurality)),
		Acceptable: stats.Class(vote.Decisions(vote.Group(acceptable), vote.Plurality)),
	}
	measures := stats.Measure(stats.Arm{Label: "small model, patch", Counts: counts}, stats.Options{Seed: 1})
	for _, m := range []stats.Metric{stats.Catch, stats.OverRejection, stats.Coverage, stats.Risk} {
		r := measures.Of(m)
		fmt.Printf("%s %d/%d, Wilson %.2f to %.2f\n", m, r.K, r.N, r.Wilson.Lo, r.Wilson.Hi)
	}
	for _, warning := range measures.Of(stats.Catch).Bootstrap.Warnings {
		fmt.Println(warning)
	}
	// Output:
	// catch 2/4, Wilson 0.15 to 0.85
	// over_rejection 1/2, Wilson 0.09 to 0.91
	// coverage 5/6, Wilson 0.44 to 0.97
	// risk 2/5, Wilson 0.12 to 0.77
	// 13 of 10000 resamples were undefined and are left out.
	// Only 2 of 4 differ from the rest: the percentile bootstrap covers less than its level; read the Wilson interval.
}

// Before paying for votes: what five votes of a reviewer would decide, how wide
// the intervals would be, and how likely a better form would be noticed.
func ExampleSimulatePower() {
	plan := func(onDefect, onAcceptable vote.Distribution) stats.Assumption {
		const votes, correlation = 5, 0.4
		return stats.Assumption{
			Defects: 89, Acceptables: 32,
			Defect:     vote.Planned(onDefect, correlation, votes, vote.Plurality).Array(),
			Acceptable: vote.Planned(onAcceptable, correlation, votes, vote.Plurality).Array(),
		}
	}
	summary := plan(vote.Distribution{Accept: 0.5, Reject: 0.4, Uncertain: 0.1}, vote.Distribution{Accept: 0.6, Reject: 0.3, Uncertain: 0.1})
	checked := plan(vote.Distribution{Accept: 0.2, Reject: 0.7, Uncertain: 0.1}, vote.Distribution{Accept: 0.7, Reject: 0.2, Uncertain: 0.1})
	catch := stats.PlannedRates(checked, 0.95)[0]
	fmt.Printf("%s around %.2f, %.2f to %.2f\n", catch.Metric, *catch.Value, catch.Lo, catch.Hi)
	power := stats.SimulatePower(rand.New(rand.NewPCG(1, 2)), summary, checked, 0.3, 1000)
	fmt.Println("noticed in most experiments:", *power.Power.Value > 0.9)
	// Output:
	// catch around 0.73, 0.63 to 0.81
	// noticed in most experiments: true
}

// What fewer votes would have decided, exactly, with bands over traces.
func ExampleMeasureExpected() {
	traces := map[vote.Counts]int{
		{Reject: 5}: 30, {Reject: 3, Accept: 2}: 40, {Reject: 2, Accept: 3}: 20, {Accept: 4, Uncertain: 1}: 10,
	}
	arm := stats.ExpectedArm{Label: "small model, patch"}
	for _, p := range vote.Group(expand(traces)) {
		kind := stats.Expected{Defect: true, Traces: p.Traces}
		for _, d := range p.Counts.Scaling(vote.Plurality) {
			kind.P = append(kind.P, d.Array())
		}
		arm.Kinds = append(arm.Kinds, kind)
	}
	curve := stats.MeasureExpected([]stats.ExpectedArm{arm}, []stats.Metric{stats.Catch}, stats.Options{Seed: 1})[0]
	for k, rates := range curve {
		fmt.Printf("%d votes: catch %.3f (%.2f to %.2f)\n", k+1, *rates[0].Value, rates[0].Interval.Lo, rates[0].Interval.Hi)
	}
	// Output:
	// 1 votes: catch 0.620 (0.56 to 0.68)
	// 2 votes: catch 0.440 (0.37 to 0.52)
	// 3 votes: catch 0.640 (0.58 to 0.70)
	// 4 votes: catch 0.460 (0.38 to 0.54)
	// 5 votes: catch 0.700 (0.61 to 0.79)
}

func expand(traces map[vote.Counts]int) (all []vote.Counts) {
	for c, n := range traces {
		for range n {
			all = append(all, c)
		}
	}
	return all
}
