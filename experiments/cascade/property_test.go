package cascade_test

import (
	"fmt"
	"math/rand/v2"
	"testing"

	"github.com/google/go-cmp/cmp"

	"plumbline/experiments/cascade"
	"plumbline/experiments/vote"
)

func pick[T any](rng *rand.Rand, from ...T) T { return from[rng.IntN(len(from))] }

func anyPolicy(rng *rand.Rand) cascade.Policy {
	p := cascade.Policy{
		Name: "drawn", NoChange: rng.IntN(2) == 0,
		Static: pick(rng, cascade.StaticOff, cascade.Decisive, cascade.AnyCaused, cascade.Unfiltered),
		Tests: cascade.TestRule{
			Attempts: rng.IntN(4), OnPass: pick(rng, "", cascade.GoOn, cascade.ThenAccept),
			OnFail: pick(rng, cascade.GoOn, cascade.ThenReject), OnBroken: pick(rng, cascade.GoOn, cascade.ThenReject),
		},
		Residual: cascade.ResidualRule{Arm: arm, Votes: rng.IntN(6), Rule: pick(rng, vote.Plurality, vote.Strict, "")},
	}
	if len(p.Validate()) > 0 {
		return anyPolicy(rng)
	}
	return p
}

// perform draws an outcome of an action and keeps it in the record.
func perform(rng *rand.Rand, a cascade.Action, r *cascade.Record) []cascade.Outcome {
	results := []cascade.Result{cascade.Passed, cascade.FailedTest, cascade.FailedTest, cascade.SetUp, cascade.TimedOut, cascade.NoneFound, cascade.Crashed, cascade.Flaky}
	if rng.IntN(25) == 0 {
		f := cascade.Failed{Trouble: pick(rng, cascade.NoSandbox, cascade.GeneratorDown), Detail: "drawn"}
		r.Troubles = map[cascade.Kind]cascade.Failed{a.Kind: f}
		return []cascade.Outcome{f}
	}
	switch a.Kind {
	case cascade.LookAtPatch:
		r.Change = &cascade.Change{None: rng.IntN(6) == 0}
		return []cascade.Outcome{*r.Change}
	case cascade.RunStatic:
		r.Static = &cascade.Static{Ran: true, Decisive: rng.IntN(4) / 3, Caused: rng.IntN(3), Standing: rng.IntN(3)}
		return []cascade.Outcome{*r.Static}
	case cascade.Generate:
		g := cascade.Generated{TestID: fmt.Sprint(a.Attempt)}
		if rng.IntN(3) == 0 {
			g = cascade.Generated{Flaw: pick(rng, cascade.NoTest, cascade.Refused, cascade.CutOff, cascade.Trivial)}
		}
		r.Attempts = append(r.Attempts, cascade.Attempt{Generated: g})
		return []cascade.Outcome{g}
	case cascade.RunOnBase:
		b := cascade.BaseRan{Result: pick(rng, results...), Feedback: "base"}
		r.Attempts[a.Attempt-1].Base, r.Attempts[a.Attempt-1].Feedback = b.Result, b.Feedback
		return []cascade.Outcome{b}
	case cascade.RunOnPatch:
		x := cascade.PatchRan{Result: pick(rng, results...)}
		r.Attempts[a.Attempt-1].Patched = x.Result
		return []cascade.Outcome{x}
	}
	var out []cascade.Outcome
	r.Votes = map[string][]vote.Vote{arm: make([]vote.Vote, len(a.Votes))}
	for _, i := range a.Votes {
		v := vote.Classes[rng.IntN(4)]
		r.Votes[arm][i] = v
		out = append(out, cascade.Voted{Index: i, Vote: v})
	}
	rng.Shuffle(len(out), func(i, j int) { out[i], out[j] = out[j], out[i] })
	return out
}

// Whatever the policy and whatever happens, the cascade ends soon, its end is a
// verdict or a trouble and not both, only what may decide decides, and a replay of
// what was kept ends the same way.
func TestLiveAndReplayAgree(t *testing.T) {
	t.Parallel()
	rng := rand.New(rand.NewPCG(1, 2))
	for range 5_000 {
		p := anyPolicy(rng)
		r := cascade.Record{Trace: "t"}
		s, steps := cascade.Start(p), 0
		a := cascade.Next(s)
		for ; a.Kind != cascade.Stop; a = cascade.Next(s) {
			if steps++; steps > 2+3*cascade.MaxAttempts+1 {
				t.Fatalf("policy %+v does not end: %+v", p, s)
			}
			for _, o := range perform(rng, a, &r) {
				next, err := s.Observe(o)
				if err != nil {
					t.Fatal(err)
				}
				s = next
			}
		}
		if (a.Verdict == nil) == (a.Trouble == nil) {
			t.Fatalf("an end with verdict %v and trouble %v", a.Verdict, a.Trouble)
		}
		if v := a.Verdict; v != nil {
			kept, ok := s.Kept()
			switch {
			case v.Decision == vote.Accept && v.Stage < cascade.StageTest,
				v.Stage == cascade.StageTest && (!ok || kept.Base != cascade.FailedTest),
				v.Why == cascade.WhyTestPasses && (p.Tests.OnPass != cascade.ThenAccept || kept.Patched != cascade.Passed),
				v.Decision == vote.Uncertain && v.Stage != cascade.StageResidual:
				t.Fatalf("verdict %+v from %+v", v, s)
			}
		}
		e, err := cascade.Replay(p, r)
		if err != nil {
			t.Fatal(err)
		}
		if diff := cmp.Diff(a.Verdict, e.Verdict) + cmp.Diff(a.Trouble, e.Trouble) + cmp.Diff(s, e.State); diff != "" || e.Missing != nil {
			t.Fatalf("replay differs (-live +replay), missing %v:\n%s", e.Missing, diff)
		}
	}
}
