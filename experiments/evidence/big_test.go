package evidence

import (
	"fmt"
	"strings"
	"testing"

	"plumbline/experiments/trace"
)

// BenchmarkRenderHugeTrace renders 33,000 steps, one of them with a log of 40 MB,
// into an ordinary budget.
func BenchmarkRenderHugeTrace(b *testing.B) {
	in := caseInput()
	for i := range 33_000 {
		in.Steps = append(in.Steps, trace.Step{Kind: trace.StepAction, Action: fmt.Sprintf("run %d", i), Observation: strings.Repeat("a line of a log\n", 20)})
	}
	in.Steps[100].Observation = strings.Repeat("0123456789 abcdef 0123456789 abcdef\n", 40<<20/36)
	b.ReportAllocs()
	for b.Loop() {
		ev, err := Render(in, Trace, 24_000)
		if err != nil {
			b.Fatal(err)
		}
		if ev.Tokens > 24_000 {
			b.Fatalf("%d tokens", ev.Tokens)
		}
	}
}
