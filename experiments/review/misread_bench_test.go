package review

import (
	"fmt"
	"strings"
	"testing"

	"plumbline/experiments/evidence"
	"plumbline/experiments/vote"
)

// BenchmarkMisread audits a vote on a text of a thousand lines: one quote that
// stands where it says, and one that stands nowhere, which is the worst case.
func BenchmarkMisread(b *testing.B) {
	var lines []evidence.Line
	for i := 1; i <= 1000; i++ {
		lines = append(lines, evidence.Line{N: i, Own: i%10 == 0, Text: fmt.Sprintf("+    value_%d = compute(1, 2) if \"x\" else None", i)})
	}
	lines = append(lines, evidence.Line{N: 1001, Own: true, Text: "official FAIL_TO_PASS execution: passed (3 of 3 tests ok)"})
	exact := Citation{Line: 7, Quote: "value_7 = compute"}
	for name, cites := range map[string][]Citation{"exact quote": {exact}, "invented quote": {exact, {Line: 300, Quote: "nowhere to be found"}}} {
		b.Run(name, func(b *testing.B) {
			r := Reply{Vote: vote.Reject, Rationale: strings.Repeat("The change does not handle this case. ", 10), Citations: cites}
			for b.Loop() {
				Misread(r, lines)
			}
		})
	}
}
