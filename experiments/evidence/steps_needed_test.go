package evidence

import (
	"testing"

	"plumbline/experiments/trace"
)

// A form that does not need steps renders the same with and without them.
func TestNeedsSteps(t *testing.T) {
	t.Parallel()
	resolved := true
	in := Input{
		Issue: "Fix it.", PatchState: trace.PatchText, Patch: "--- a/x\n+++ b/x\n@@ -1 +1 @@\n-a\n+b\n", Summary: "Done.",
		Resolved: &resolved, Missing: "the check", Steps: []trace.Step{{Kind: trace.StepAction, Action: "run", Observation: "boom", Error: true}},
	}
	for _, f := range Forms() {
		with, err := Render(in, f, 0)
		if err != nil {
			t.Fatalf("%s: %v", f, err)
		}
		bare := in
		bare.Steps = nil
		without, err := Render(bare, f, 0)
		if err != nil {
			t.Fatalf("%s: %v", f, err)
		}
		if differs := with.Text != without.Text; differs != f.NeedsSteps() {
			t.Errorf("%s: NeedsSteps is %v, and the text differs: %v", f, f.NeedsSteps(), differs)
		}
	}
}
