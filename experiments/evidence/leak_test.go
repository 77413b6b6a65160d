package evidence

import (
	"fmt"
	"strings"
	"testing"

	"github.com/google/go-cmp/cmp"

	"plumbline/experiments/trace"
)

var caseOracle = trace.Oracle{
	FailToPass: []string{"tests/test_text.py::test_shorten_at_word_boundary[5]", "tests/test_text.py::test_all"},
	PassToPass: []string{"test_plain_prefix (tests.test_old.OldTests)", "renders the long title without an ellipsis"},
	TestPatch: `--- a/tests/test_text.py
+++ b/tests/test_text.py
@@ -1,2 +1,5 @@
 import unittest
 class TextTests(unittest.TestCase):
+    def test_shorten_at_word_boundary(self):
+        self.assertEqual(shorten("alpha beta gamma", 8), "alpha")
+        x = 1
`,
	GoldPatch: `--- a/titles/text.py
+++ b/titles/text.py
@@ -3,2 +3,4 @@
     """Shorten text to width characters."""
-    return text[:width]
+    if len(text) <= width:
+        return text
+    return text[: text.rindex(" ", 0, width + 1)].rstrip(PUNCTUATION)
`,
}

func TestAudit(t *testing.T) {
	const goldLine = `return text[: text.rindex(" ", 0, width + 1)].rstrip(PUNCTUATION)`
	type hit struct {
		Kind  LeakKind
		Match string
	}
	tests := []struct {
		name    string
		summary string
		visible string // beside the issue
		patch   string // added to the agent's patch
		want    []hit
	}{
		{"nothing", "done", "", "", nil},
		{"whole id", "ran tests/test_text.py::test_all", "", "", []hit{{LeakTestID, "tests/test_text.py::test_all"}}},
		{"common leaf alone", "ran test_all", "", "", nil},
		{"distinctive leaf without parameters", "see test_shorten_at_word_boundary.", "", "", []hit{{LeakTestName, "test_shorten_at_word_boundary"}}},
		{"leaf inside a longer name", "see test_shorten_at_word_boundary_again", "", "", nil},
		{"unittest leaf", "test_plain_prefix fails", "", "", []hit{{LeakTestName, "test_plain_prefix"}}},
		{"title", "- renders the long title without an ellipsis: ok", "", "", []hit{{LeakTestName, "renders the long title without an ellipsis"}}},
		{"leaf that the issue names", "test_plain_prefix fails", "test_plain_prefix", "", nil},
		{"leaf that the agent wrote", "see test_shorten_at_word_boundary", "", "+def test_shorten_at_word_boundary():\n", nil},
		{"test line with other white space", "+   self.assertEqual(shorten(\"alpha beta gamma\",  8), \"alpha\")", "", "", []hit{{LeakTestLine, `self.assertEqual(shorten("alpha beta gamma", 8), "alpha")`}}},
		{"short test line", "x = 1", "", "", nil},
		{"gold line", "  " + goldLine, "", "", []hit{{LeakGoldLine, goldLine}}},
		{"gold line that the agent also wrote", goldLine, "", "+    " + goldLine + "\n", nil},
		{"gold line that the base has", goldLine, goldLine, "", nil},
		{"line that gold and agent share", "if len(text) <= width:", "", "", nil},
	}
	for _, tt := range tests {
		t.Run(tt.name, func(t *testing.T) {
			in := caseInput()
			in.Summary = tt.summary
			ev, err := Render(in, Summary, 0)
			if err != nil {
				t.Fatal(err)
			}
			leaks := Audit(ev, in.Issue+"\n"+tt.visible, caseOracle, in.Patch+tt.patch)
			var got []hit
			for _, l := range leaks {
				got = append(got, hit{l.Kind, l.Match})
				if at, _ := lineWith(ev, strings.TrimSpace(tt.summary)); at.N != l.Line || at.Text != l.Text {
					t.Errorf("leak at line %d %q, want line %d", l.Line, l.Text, at.N)
				}
			}
			if diff := cmp.Diff(tt.want, got); diff != "" {
				t.Error(diff)
			}
			clean := Withhold(ev, leaks)
			if left := Audit(clean, in.Issue+"\n"+tt.visible, caseOracle, in.Patch+tt.patch); len(left) > 0 {
				t.Errorf("withheld text still leaks: %+v", left)
			}
			if (clean.Hash == ev.Hash) != (len(leaks) == 0) || len(clean.Lines) != len(ev.Lines) {
				t.Error("withholding does not renew the text, or it moves lines")
			}
		})
	}
}

func TestAuditFindsNothingInAnyFormOfACleanCase(t *testing.T) {
	in := caseInput()
	for _, f := range Forms() {
		ev, err := Render(in, f, 0)
		if err != nil {
			t.Fatal(err)
		}
		if leaks := Audit(ev, in.Issue, caseOracle, in.Patch); len(leaks) > 0 {
			t.Errorf("%s: %+v", f, leaks)
		}
	}
}

// What the pipeline adds to real traces must never leak. The trace form quotes the
// agent's own look at the repository, where names of official tests do occur.
func TestAuditOnRealTraces(t *testing.T) {
	root := realRoot(t)
	instances := realInstances(t, root)
	resolved := true
	audited, withheld := 0, 0
	for _, tr := range realTraces(t, root) {
		inst, ok := instances[tr.InstanceID]
		if !ok {
			t.Errorf("%s is not among the instances", tr.InstanceID)
			continue
		}
		in := From(inst, tr)
		in.Resolved = &resolved
		for _, f := range Forms() {
			if f == StructuredMissing {
				continue
			}
			ev, err := Render(in, f, 24_000)
			if err != nil {
				t.Fatalf("%s %s: %v", tr.InstanceID, f, err)
			}
			if ev.Tokens > 24_000 {
				t.Errorf("%s %s: %d tokens", tr.InstanceID, f, ev.Tokens)
			}
			leaks := Audit(ev, inst.Issue, inst.Oracle, tr.Patch)
			audited++
			if f != Trace {
				for _, l := range leaks {
					t.Errorf("%s %s %s: line %d %q", tr.Agent, tr.InstanceID, f, l.Line, l.Text)
				}
				continue
			}
			if len(leaks) > 0 {
				withheld++
			}
			if left := Audit(Withhold(ev, leaks), inst.Issue, inst.Oracle, tr.Patch); len(left) > 0 {
				t.Errorf("%s: withheld text still leaks: %+v", tr.InstanceID, left[0])
			}
		}
	}
	if audited < 400 {
		t.Errorf("only %d texts audited", audited)
	}
	t.Logf("%d texts audited, %d trace forms quote material of the oracle", audited, withheld)
}

func BenchmarkAudit(b *testing.B) {
	o := caseOracle
	for i := range 5000 {
		o.PassToPass = append(o.PassToPass, fmt.Sprintf("tests/test_many.py::test_number_%d_of_the_suite", i))
	}
	in := caseInput()
	for i := range 2000 {
		in.Steps = append(in.Steps, trace.Step{Kind: trace.StepAction, Action: fmt.Sprintf("run test_case_%d", i), Observation: "tests/test_many.py . ok"})
	}
	ev, err := Render(in, Trace, 0)
	if err != nil {
		b.Fatal(err)
	}
	b.ResetTimer()
	for b.Loop() {
		Audit(ev, in.Issue, o, in.Patch)
	}
}
