package simulate

import (
	"encoding/json"
	"fmt"
	"strings"
	"testing"
	"unicode/utf8"

	"github.com/google/go-cmp/cmp"

	"plumbline/experiments/trace"
	"plumbline/experiments/vote"
)

// certain always answers v.
func certain(v vote.Vote) Reviewer {
	row := map[vote.Vote]Rates{
		vote.Accept:      {Accept: 1},
		vote.Reject:      {Reject: 1},
		vote.Uncertain:   {Uncertain: 1},
		vote.Unparseable: {Unparseable: 1},
	}[v]
	return Reviewer{Name: "certain", Confusion: Confusion{Acceptable: row, Defective: row, Unknown: &row}}
}

const testEvidence = `# Patch

diff --git a/x.py b/x.py
--- a/x.py
+++ b/x.py
@@ -1,2 +1,2 @@
-    return n / 0
+    return n < 1 & "é"
 context line

Result: 2 tests failed
`

func TestReply(t *testing.T) {
	t.Parallel()
	lines := strings.Split(testEvidence, "\n")
	for _, v := range []vote.Vote{vote.Accept, vote.Reject, vote.Uncertain} {
		for index := range 50 {
			got, text := certain(v).Reply(1, "t", index, trace.Defective, "patch", testEvidence)
			if got != v {
				t.Fatalf("vote %q, want %q", got, v)
			}
			var r struct {
				Decision  string
				Rationale string
				Citations []Citation
			}
			dec := json.NewDecoder(strings.NewReader(text))
			dec.DisallowUnknownFields()
			if err := dec.Decode(&r); err != nil {
				t.Fatalf("reply %s: %v", text, err)
			}
			if r.Decision != string(v) || !strings.HasPrefix(r.Rationale, "Simulated reviewer") {
				t.Fatalf("reply %s does not state its vote and that it is simulated", text)
			}
			if strings.Contains(r.Rationale, string(trace.Defective)) {
				t.Fatalf("rationale names the label: %s", r.Rationale)
			}
			if len(r.Citations) < 1 || len(r.Citations) > maxCitations {
				t.Fatalf("%d citations in %s", len(r.Citations), text)
			}
			previous := 0
			for _, c := range r.Citations {
				if c.Line <= previous {
					t.Fatalf("citations out of order in %s", text)
				}
				previous = c.Line
				if diff := cmp.Diff(strings.TrimSpace(lines[c.Line-1]), c.Quote); diff != "" {
					t.Fatalf("quote of line %d (-evidence +quote):\n%s", c.Line, diff)
				}
				if c.Line != 7 && c.Line != 8 && c.Line != 11 {
					t.Fatalf("line %d cited although changed lines exist", c.Line)
				}
				if !strings.Contains(r.Rationale, fmt.Sprint(c.Line)) {
					t.Fatalf("rationale %q does not mention line %d", r.Rationale, c.Line)
				}
			}
		}
	}
}

// The exact bytes: a change of wording or of the draw shows in the diff.
func TestReplyText(t *testing.T) {
	t.Parallel()
	_, got := certain(vote.Reject).Reply(1, "t", 0, trace.Defective, "patch", testEvidence)
	want := `{"decision":"reject","rationale":"Simulated reviewer, drawn from a confusion matrix for patch evidence: ` +
		`the evidence at line 7 does not show all of the requested behaviour.",` +
		`"citations":[{"line":7,"quote":"-    return n / 0"}]}`
	if diff := cmp.Diff(want, got); diff != "" {
		t.Errorf("reply (-want +got):\n%s", diff)
	}
}

func TestReplyUnparseable(t *testing.T) {
	t.Parallel()
	seen := map[string]bool{}
	for index := range 60 {
		v, text := certain(vote.Unparseable).Reply(1, "t", index, trace.Acceptable, "patch", testEvidence)
		if v != vote.Unparseable {
			t.Fatalf("vote %q, want unparseable", v)
		}
		lower := strings.ToLower(text)
		for _, word := range []string{"accept", "reject", "uncertain", "approve", `"decision"`} {
			if strings.Contains(lower, word) {
				t.Errorf("broken reply %q holds the word %q, which a reader could take for a vote", text, word)
			}
		}
		seen[text] = true
	}
	if len(seen) != len(unreadable) {
		t.Errorf("%d shapes of broken replies in 60 draws, want %d", len(seen), len(unreadable))
	}
}

func TestReplyOddEvidence(t *testing.T) {
	t.Parallel()
	tests := []struct {
		name, evidence string
		citations      int // upper bound
	}{
		{"empty", "", 0},
		{"blank", " \n\t\n", 0},
		{"no letters", "---\n***\n", 0},
		{"one line", "only", 1},
		{"invalid UTF-8", "+bad \xff byte", 1},
		{"long line", "+" + strings.Repeat("ä", 5000), 1},
		{"markup", `+<script>alert("x")</script>`, 1},
	}
	for _, tc := range tests {
		t.Run(tc.name, func(t *testing.T) {
			t.Parallel()
			_, text := certain(vote.Accept).Reply(1, "t", 0, trace.Acceptable, "trace", tc.evidence)
			var r struct{ Citations []Citation }
			if err := json.Unmarshal([]byte(text), &r); err != nil {
				t.Fatalf("reply %q: %v", text, err)
			}
			if len(r.Citations) != tc.citations {
				t.Errorf("%d citations, want %d", len(r.Citations), tc.citations)
			}
			if r.Citations == nil {
				t.Error("citations are null, want a list")
			}
			for _, c := range r.Citations {
				if n := utf8.RuneCountInString(c.Quote); n == 0 || n > maxQuote {
					t.Errorf("quote of %d runes, want 1 to %d", n, maxQuote)
				}
			}
		})
	}
}
