package recorded_test

import (
	"testing"

	"plumbline/experiments/bundled"
	"plumbline/experiments/cascade/gentest"
	"plumbline/experiments/cascade/recorded"
)

// Every case has replies for every patch, no more than a cascade asks for.
func TestEveryCaseHasReplies(t *testing.T) {
	t.Parallel()
	cases, err := bundled.Cases()
	if err != nil {
		t.Fatal(err)
	}
	own := 0
	for _, c := range cases {
		common, ok, err := recorded.Reply(c.Instance.ID, "another patch", 1)
		if err != nil || !ok || common == "" {
			t.Errorf("%s: first reply %v, %v", c.File, ok, err)
		}
		for _, a := range c.Attempts {
			text, ok, err := recorded.Reply(c.Instance.ID, a.Trace.Patch, 1)
			if err != nil || !ok {
				t.Errorf("%s %s: first reply %v, %v", c.File, a.Name, ok, err)
			}
			if text != common {
				own++
			}
			if _, ok, _ := recorded.Reply(c.Instance.ID, a.Trace.Patch, 4); ok {
				t.Errorf("%s %s: a fourth reply is recorded and never asked for", c.File, a.Name)
			}
		}
	}
	if own < 5 {
		t.Errorf("%d attempts have replies of their own, want at least 5", own)
	}
	if _, ok, err := recorded.Reply("elsewhere", "", 1); ok || err != nil {
		t.Errorf("another instance: %v, %v", ok, err)
	}
	ids, err := recorded.Instances()
	if err != nil || len(ids) != len(cases) {
		t.Errorf("%d instances of %d have replies, %v", len(ids), len(cases), err)
	}
}

// No reply is so near to the official tests that it would be discarded as remembered.
func TestRepliesAreNotRecalled(t *testing.T) {
	t.Parallel()
	cases, err := bundled.Cases()
	if err != nil {
		t.Fatal(err)
	}
	for _, c := range cases {
		visible := c.Instance.Issue
		for _, text := range c.Base {
			visible += "\n" + text
		}
		for _, a := range append(c.Attempts, bundled.Attempt{}) {
			for n := 1; n <= 3; n++ {
				text, ok, err := recorded.Reply(c.Instance.ID, a.Trace.Patch, n)
				if err == nil && ok && gentest.Recalled(text, visible, c.Instance.Oracle, a.Trace.Patch) {
					t.Errorf("%s %s: reply %d repeats the official tests", c.File, a.Name, n)
				}
			}
		}
	}
}
