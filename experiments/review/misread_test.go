package review

import (
	"testing"

	"github.com/google/go-cmp/cmp"

	"plumbline/experiments/evidence"
	"plumbline/experiments/trace"
	"plumbline/experiments/vote"
)

const misreadPatch = "--- a/fix.py\n+++ b/fix.py\n@@ -1 +1 @@\n-old = 1\n+value = compute(1, 2)\n"

// Lines of the official form: 1 heading, 2 issue, 3 heading, 4 file, 5 hunk, 6 and 7
// change, 8 heading, 9 FAIL_TO_PASS, 10 PASS_TO_PASS.
func officialEvidence(t *testing.T, f2p, p2p int) []evidence.Line {
	t.Helper()
	ev, err := evidence.Render(evidence.Input{
		Issue: "The fixer does not fix complex variables.", PatchState: trace.PatchText, Patch: misreadPatch,
		Tests: &trace.TestCounts{FailToPassOK: f2p, FailToPassAll: 3, PassToPassOK: p2p, PassToPassAll: 9, Applied: true},
	}, evidence.Official, 0)
	if err != nil {
		t.Fatal(err)
	}
	if len(ev.Lines) != 10 {
		t.Fatalf("%d lines, want 10:\n%s", len(ev.Lines), ev.Text)
	}
	return ev.Lines
}

func TestMisreadOfficialEvidence(t *testing.T) {
	const (
		f2pPassed = "official FAIL_TO_PASS execution: passed (3 of 3 tests ok)"
		f2pFailed = "official FAIL_TO_PASS execution: failed (1 of 3 tests ok)"
		p2pPassed = "official PASS_TO_PASS execution: passed (9 of 9 tests ok)"
	)
	type hit struct {
		Kind FlagKind
		Line int
	}
	tests := []struct {
		name      string
		f2p, p2p  int
		v         vote.Vote
		rationale string
		cites     []Citation
		want      []hit
	}{
		{"right reject", 1, 9, vote.Reject, "The FAIL_TO_PASS execution failed, so the patch is incomplete.", []Citation{{9, f2pFailed}}, nil},
		{"right accept", 3, 9, vote.Accept, "Both official suites passed and nothing fails.", []Citation{{9, f2pPassed}, {10, p2pPassed}}, nil},
		// Paper G, S2.9 and S3.4, runs 1, 2, 4, 5.
		{"asserts a failure, quoting that it passed", 3, 9, vote.Reject, "The official execution failed, because complex variables are not fixed.", []Citation{{9, f2pPassed}},
			[]hit{{RejectsCitingPassed, 9}, {SaysFailed, 9}}},
		// Paper G, S3.4, run 3.
		{"rewrites the quoted line", 3, 9, vote.Reject, "The patch is incomplete.", []Citation{{9, "official FAIL_TO_PASS execution: failed"}},
			[]hit{{QuoteRewritten, 9}, {RejectsCitingPassed, 9}}},
		{"rewrites without a line number", 3, 9, vote.Reject, "", []Citation{{0, "Official PASS_TO_PASS execution: failed (0 of 9 tests ok)"}},
			[]hit{{QuoteRewritten, 10}, {RejectsCitingPassed, 10}}},
		// Paper G, S2.10.
		{"accepts, citing only the passing line", 1, 9, vote.Accept, "The regression suite is fine.", []Citation{{10, p2pPassed}}, []hit{{AcceptsCitingOnlyPass, 9}}},
		{"accepts despite the failing line it cites", 1, 9, vote.Accept, "", []Citation{{9, f2pFailed}}, []hit{{AcceptsDespiteFailed, 9}}},
		{"accepts, citing none", 1, 9, vote.Accept, "Looks right.", nil, []hit{{AcceptsDespiteFailed, 9}}},
		{"rejects for another reason", 3, 9, vote.Reject, "The change is too broad.", []Citation{{7, "value = compute(1, 2)"}}, []hit{{RejectsAllPassed, 9}}},
		{"says passed of what failed", 1, 9, vote.Reject, "FAIL_TO_PASS passed, but the change is broad.", []Citation{{9, ""}}, []hit{{SaysPassed, 9}}},
		{"says all official tests pass", 1, 9, vote.Accept, "The official tests all pass.", nil, []hit{{AcceptsDespiteFailed, 9}, {SaysPassed, 9}}},
		{"negated claims", 3, 9, vote.Accept, "FAIL_TO_PASS did not fail. PASS_TO_PASS has no failures.", nil, nil},
		{"negated claim that is wrong", 3, 9, vote.Uncertain, "The PASS_TO_PASS suite does not pass.", nil, []hit{{SaysFailed, 10}}},
		{"claim about before the patch", 3, 9, vote.Accept, "FAIL_TO_PASS failed before the patch.", nil, nil},
		{"one clause about each suite", 1, 9, vote.Reject, "PASS_TO_PASS passed but FAIL_TO_PASS failed.", []Citation{{9, ""}}, nil},
		{"uncertain is no contradiction", 3, 9, vote.Uncertain, "I cannot tell.", nil, nil},
		{"no such line", 3, 9, vote.Accept, "", []Citation{{99, "xyzzy"}}, []hit{{NoSuchLine, 0}, {QuoteNotFound, 0}}},
		{"words that are nowhere", 3, 9, vote.Accept, "", []Citation{{7, "value = other()"}}, []hit{{QuoteNotFound, 7}}},
		{"words of another line", 3, 9, vote.Accept, "", []Citation{{6, "value = compute(1, 2)"}}, []hit{{QuoteElsewhere, 7}}},
		{"quote with ellipsis, case and marks", 3, 9, vote.Accept, "", []Citation{{7, "`VALUE = …2)`."}}, nil},
		{"quote over two lines", 3, 9, vote.Accept, "", []Citation{{6, "-old = 1\n+value = compute"}}, nil},
		{"decides against itself", 3, 9, vote.Reject, "The patch works, so I accept it.", []Citation{{7, ""}}, []hit{{RejectsAllPassed, 9}, {DecisionAgainstReasons, 0}}},
		{"cannot accept is no acceptance", 1, 9, vote.Reject, "We should not accept this. I can't accept it.", nil, nil},
		{"unparseable", 3, 9, vote.Unparseable, "The official execution failed.", []Citation{{99, ""}}, nil},
	}
	for _, tt := range tests {
		t.Run(tt.name, func(t *testing.T) {
			lines := officialEvidence(t, tt.f2p, tt.p2p)
			flags := Misread(Reply{Vote: tt.v, Rationale: tt.rationale, Citations: tt.cites}, lines)
			var got []hit
			for _, f := range flags {
				got = append(got, hit{f.Kind, f.Line})
				if f.Said == "" {
					t.Errorf("%s does not show what was said", f.Kind)
				}
				if f.Line > 0 && f.Evidence != lines[f.Line-1].Text {
					t.Errorf("%s shows %q for line %d", f.Kind, f.Evidence, f.Line)
				}
			}
			if diff := cmp.Diff(tt.want, got); diff != "" {
				t.Error(diff)
			}
		})
	}
}

func TestMisreadCheckedEvidence(t *testing.T) {
	render := func(patched evidence.Result) []evidence.Line {
		ev, err := evidence.Render(evidence.Input{Issue: "i", PatchState: trace.PatchText, Patch: misreadPatch,
			Checks: []evidence.Check{{Kind: evidence.GeneratedTest, Counts: true, Base: evidence.Failed, Patched: patched}}}, evidence.Checked, 0)
		if err != nil {
			t.Fatal(err)
		}
		return ev.Lines
	}
	at := evidence.Outcomes(render(evidence.Passed))[0].Line
	tests := []struct {
		name    string
		patched evidence.Result
		reply   Reply
		want    []FlagKind
	}{
		{"one passing test binds nobody", evidence.Passed, Reply{Vote: vote.Reject}, nil},
		{"but it is no reason to reject", evidence.Passed, Reply{Vote: vote.Reject, Citations: []Citation{{Line: at}}}, []FlagKind{RejectsCitingPassed}},
		{"a failing test", evidence.Failed, Reply{Vote: vote.Accept}, []FlagKind{AcceptsDespiteFailed}},
		{"said to fail", evidence.Passed, Reply{Vote: vote.Uncertain, Rationale: "The generated test fails."}, []FlagKind{SaysFailed}},
	}
	for _, tt := range tests {
		t.Run(tt.name, func(t *testing.T) {
			var got []FlagKind
			for _, f := range Misread(tt.reply, render(tt.patched)) {
				got = append(got, f.Kind)
			}
			if diff := cmp.Diff(tt.want, got); diff != "" {
				t.Error(diff)
			}
		})
	}
}

// Without results nothing contradicts a vote, whatever the agent claims.
func TestMisreadKnowsOnlyThePipelinesResults(t *testing.T) {
	ev, err := evidence.Render(evidence.Input{Issue: "i", Summary: "official FAIL_TO_PASS execution: passed (3 of 3 tests ok)"}, evidence.Summary, 0)
	if err != nil {
		t.Fatal(err)
	}
	if got := Misread(Reply{Vote: vote.Reject, Rationale: "The official tests failed."}, ev.Lines); len(got) > 0 {
		t.Errorf("%+v", got)
	}
}

func TestContradictionsAreTold(t *testing.T) {
	n := 0
	for _, k := range []FlagKind{NoSuchLine, QuoteNotFound, QuoteElsewhere, QuoteRewritten, RejectsCitingPassed, RejectsAllPassed, AcceptsCitingOnlyPass, AcceptsDespiteFailed, SaysFailed, SaysPassed, DecisionAgainstReasons} {
		if k.Contradiction() {
			n++
		}
	}
	if n != 8 {
		t.Errorf("%d kinds contradict, want 8", n)
	}
}
