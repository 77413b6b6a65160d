package vote

import (
	"testing"

	"github.com/google/go-cmp/cmp"
)

func TestGroupIgnoresOrder(t *testing.T) {
	t.Parallel()
	a := Counts{Accept: 3, Reject: 2}
	b := Counts{Accept: 2, Reject: 2, Uncertain: 1}
	want := []Pattern{{Counts: b, Traces: 2}, {Counts: a, Traces: 1}}
	for _, traces := range [][]Counts{{a, b, b}, {b, a, b}, {b, b, a}} {
		if diff := cmp.Diff(want, Group(traces)); diff != "" {
			t.Errorf("(-want +got):\n%s", diff)
		}
	}
}

func TestTiesAndDecisions(t *testing.T) {
	t.Parallel()
	patterns := []Pattern{
		{Counts{Accept: 2, Reject: 2, Uncertain: 1}, 3}, // tie
		{Counts{Uncertain: 3, Reject: 2}, 4},            // uncertain, no tie
		{Counts{Reject: 5}, 2},
		{Counts{Unparseable: 3, Accept: 2}, 1},
		{Counts{Accept: 2, Reject: 1, Uncertain: 1, Unparseable: 1}, 6},
		{Counts{}, 1}, // no votes is not a tie
	}
	if got := Ties(patterns); got != 3 {
		t.Errorf("Ties = %d, want 3", got)
	}
	for rule, want := range map[Rule]Counts{
		Plurality: {Accept: 6, Reject: 2, Uncertain: 8, Unparseable: 1},
		Strict:    {Accept: 0, Reject: 2, Uncertain: 14, Unparseable: 1},
	} {
		if diff := cmp.Diff(want, Decisions(patterns, rule)); diff != "" {
			t.Errorf("%s (-want +got):\n%s", rule, diff)
		}
	}
}

func TestUnknownVoteIsUnparseable(t *testing.T) {
	t.Parallel()
	got := CountOf("ACCEPT ", "accept", "")
	if diff := cmp.Diff(Counts{Accept: 1, Unparseable: 2}, got); diff != "" {
		t.Errorf("(-want +got):\n%s", diff)
	}
	if Vote("ACCEPT ").Valid() || !Accept.Valid() {
		t.Error("Valid does not follow the four classes")
	}
}

func TestPrefixClips(t *testing.T) {
	t.Parallel()
	votes := []Vote{Reject, Accept, Accept}
	for k, want := range map[int]Vote{-1: Uncertain, 0: Uncertain, 1: Reject, 2: Uncertain, 3: Accept, 9: Accept} {
		if got := Prefix(votes, k, Plurality).Decision; got != want {
			t.Errorf("first %d votes: %s, want %s", k, got, want)
		}
	}
}
