package runner

import (
	"testing"

	"github.com/google/go-cmp/cmp"

	"plumbline/models"
)

func TestScreenLines(t *testing.T) {
	t.Parallel()
	prompts := map[string]string{"rn_3": "v2", "rn_2": "v1", "rn_1": "v1"}
	counts := []models.ScreenCount{
		{VersionID: "rn_3", Version: 3, Form: "official", Votes: 10, Contradictions: 5, Traces: 10},
		{VersionID: "rn_2", Version: 2, Form: "official", Votes: 900, Traces: 300},
		{VersionID: "rn_2", Version: 2, Form: "checked", Votes: 100, Traces: 100, Unaudited: 7, Simulated: true},
		{VersionID: "rn_1", Version: 1, Form: "official", Votes: 200, Contradictions: 1, Traces: 200},
		{VersionID: "rn_1", Version: 1, Form: "patch", Traces: 4, Unaudited: 4},
	}
	type line struct {
		Prompt    string
		Grounded  bool
		Versions  []int
		K, N      int
		Unaudited int
		Repeats   bool
		Simulated bool
		Verdict   ScreenVerdict
	}
	lines := screenLines(counts, prompts, 0.05)
	var got []line
	for _, l := range lines {
		got = append(got, line{l.Prompt, l.Grounded, l.Versions, l.Rate.K, l.Rate.N, l.Unaudited, l.Repeats, l.Simulated, l.Verdict})
	}
	want := []line{
		{"v2", true, []int{3}, 5, 10, 0, false, false, ScreenAbove},
		{"v1", true, []int{2, 1}, 1, 1200, 7, true, true, ScreenBelow},
		{"v1", false, []int{1}, 0, 0, 4, false, false, ScreenNone},
	}
	if diff := cmp.Diff(want, got); diff != "" {
		t.Error(diff)
	}
	for prompt, verdict := range map[string]ScreenVerdict{"v2": ScreenAbove, "v1": ScreenBelow, "v0": ScreenNone} {
		if got := verdictOf(lines, prompt); got != verdict {
			t.Errorf("prompt %s is %s, want %s", prompt, got, verdict)
		}
	}
	for _, order := range [][]ScreenVerdict{{ScreenOpen, ScreenBelow}, {ScreenBelow, ScreenOpen}, {ScreenNone, ScreenOpen}} {
		if got := verdictOf([]ScreenLine{{Verdict: order[0]}, {Verdict: order[1]}}, ""); got != ScreenOpen {
			t.Errorf("%v together are %s", order, got)
		}
	}
}
