package ingest_test

import (
	"context"
	"fmt"
	"path/filepath"
	"strings"
	"testing"

	"plumbline/models"
	"plumbline/models/modelstest"
	"plumbline/runner/ingest"
)

// Texts that other stores refuse, lose or garble: each row is one complaint, the
// text as it stands in a JSON file, and what is stored of it, in every field of a
// trace and on both databases. TestBadFiles has the same in patches alone.
func TestComplaintsI(t *testing.T) {
	t.Parallel()
	tests := []struct{ name, raw, want string }{
		{"an explanation with U+0000 is rejected", `a\u0000b`, "a\ufffdb"},
		{"a record with U+0000 is dropped in silence", `\u0000`, "\ufffd"},
		{"a log with a raw NUL byte fails on insert", "a\x00b", "a\ufffdb"},
		{"the ingest crashes on a NUL in what a tool printed", `PASS\u0000\u0000 1 test`, "PASS\ufffd\ufffd 1 test"},
		{"a stack trace with a NUL answers 500", `Traceback:\n\tFile \"a\u0000.py\"`, "Traceback:\n\tFile \"a\ufffd.py\""},
		{"the six characters of an escape trip naive code", `a\\u0000b`, `a\u0000b`},
		{"half of a surrogate pair", `a\ud800b`, "a\ufffdb"},
		{"the wrong half first", `\udc00\ud800`, "\ufffd\ufffd"},
		{"a whole pair is one character", `\ud83d\ude00`, "😀"},
		{"output cut inside a character", "caf\xc3", "caf\ufffd"},
		{"bytes that are no UTF-8", "a\xff\xfeb", "a\ufffdb"},
		{"lines that end in CRLF", `a\r\nb\r\n`, "a\r\nb\r\n"},
		{"no line feed at the end", `a\nb`, "a\nb"},
		{"a text that turns direction", `if admin\u202e\u2066: #\u2069`, "if admin\u202e\u2066: #\u2069"},
		{"combining marks", "Z\u0351\u036b\u0343a\u0300", "Z\u0351\u036b\u0343a\u0300"},
		{"right to left", "שלום עולם، مرحبا", "שלום עולם، مرحبا"},
		{"fractions and foreign digits", "½ ３ 四", "½ ３ 四"},
		{"a megabyte of faces", strings.Repeat("😀", 1<<18), strings.Repeat("😀", 1<<18)},
		{"colours of a terminal", `\u001b[31mFAILED\u001b[0m`, "\x1b[31mFAILED\x1b[0m"},
		{"markup and script", `</pre><script>alert(1)</script><img src=x onerror=alert(1)>`, `</pre><script>alert(1)</script><img src=x onerror=alert(1)>`},
		{"separators that only look like line ends", "a\u2028b\u2029c\u0085d", "a\u2028b\u2029c\u0085d"},
		{"a byte order mark inside", "a\ufeffb", "a\ufeffb"},
	}
	modelstest.Each(t, func(t *testing.T, s *models.Store) {
		all := newBench(t, s)
		for i, tt := range tests {
			t.Run(tt.name, func(t *testing.T) {
				short := tt.raw
				if len(short) > 10_000 { // names are short
					short = "x"
				}
				id := fmt.Sprintf("acme__shop-%d", i)
				line := `{"trace_id": "t", "instance_id": "` + id + `", "agent": "` + short + `", "model": "m", "attempt": 1, "patch_state": "text", ` +
					`"patch": "--- a/x\n+++ b/x\n@@ -1 +1 @@\n-a\n+` + tt.raw + `\n", "issue": "` + tt.raw + `", "hints": "` + tt.raw + `", "summary": "` + tt.raw + `", "status": "` + short + `", ` +
					`"steps": [{"kind": "action", "tool": "` + short + `", "thought": "` + tt.raw + `", "action": "` + tt.raw + `", "observation": "` + tt.raw + `"}]}` + "\n"
				b := all.into(t, "i "+tt.name)
				dir := tree{"traces.jsonl": line + pred(t, "acme__shop-good", "new")}.write(t)
				sum := b.load(t, ingest.Options{Format: "plumbline-traces-jsonl"}, filepath.Join(dir, "traces.jsonl"))
				if sum.Read.Problems > 0 {
					t.Errorf("problems %q", messages(sum))
				}
				rows := b.traces(t)
				if len(rows) != 2 { // nothing beside it was lost
					t.Fatalf("%d traces", len(rows))
				}
				row := rows[0]
				if row.InstanceID != id {
					row = rows[1]
				}
				d, err := b.store.TraceDetail(context.Background(), admin, row.ID)
				if err != nil {
					t.Fatal(err)
				}
				steps, err := b.store.StepTexts(context.Background(), admin, row.ID, 0, 9)
				if err != nil || len(steps) != 1 {
					t.Fatalf("%d steps, %v", len(steps), err)
				}
				for field, got := range map[string]string{
					"issue": d.Issue, "hints": d.Hints, "summary": d.Summary, "thought": steps[0].Thought, "action": steps[0].Action, "observation": steps[0].Observation,
				} {
					if got != tt.want {
						t.Errorf("%s is stored as %.80q, want %.80q", field, got, tt.want)
					}
				}
				if !strings.Contains(d.Patch, "+"+tt.want+"\n") {
					t.Errorf("patch is stored as %.200q", d.Patch)
				}
				if short == tt.raw && (row.Agent != tt.want || row.Status != tt.want) {
					t.Errorf("agent %q and status %q are stored", row.Agent, row.Status)
				}
				// The same file again is the same trace, replaced bytes or not.
				again := b.load(t, ingest.Options{Format: "plumbline-traces-jsonl", Again: true}, filepath.Join(dir, "traces.jsonl"))
				if again.Outcomes[models.ImportKnown] != 2 || len(b.traces(t)) != 2 {
					t.Errorf("read again: %v", again.Outcomes)
				}
			})
		}
	})
}
