package trace_test

import (
	"strings"
	"testing"
	"time"

	"plumbline/experiments/trace"
)

func sum(steps ...trace.Step) string {
	h := trace.NewStepsHash()
	for i := range steps {
		h.Add(&steps[i])
	}
	return h.Sum()
}

func TestStepsHash(t *testing.T) {
	t.Parallel()
	zero, one := 0, 1
	cost, long := 0.0, 1500*time.Microsecond
	at := time.Date(2024, 5, 1, 12, 0, 0, 1500, time.UTC)
	base := trace.Step{Kind: trace.StepAction, Tool: "bash", Action: "ls", Observation: strings.Repeat("x", 200_000)}
	changed := func(f func(*trace.Step)) trace.Step {
		st := base
		f(&st)
		return st
	}
	different := map[string]string{
		"none": sum(), "base": sum(base), "twice": sum(base, base),
		"kind":        sum(changed(func(s *trace.Step) { s.Kind = trace.StepMessage })),
		"moved text":  sum(changed(func(s *trace.Step) { s.Tool, s.Action = "bashl", "s" })),
		"failed":      sum(changed(func(s *trace.Step) { s.Error = true })),
		"exit 0":      sum(changed(func(s *trace.Step) { s.ExitCode = &zero })),
		"exit 1":      sum(changed(func(s *trace.Step) { s.ExitCode = &one })),
		"cost 0":      sum(changed(func(s *trace.Step) { s.CostUSD = &cost })),
		"started":     sum(changed(func(s *trace.Step) { s.StartedAt = at })),
		"took":        sum(changed(func(s *trace.Step) { s.Duration = &long })),
		"end of text": sum(changed(func(s *trace.Step) { s.Observation += "y" })),
	}
	seen := map[string]string{}
	for name, h := range different {
		if other, ok := seen[h]; ok {
			t.Errorf("%q and %q hash alike", name, other)
		}
		seen[h] = name
	}
	if different["none"] != "" {
		t.Errorf("no steps hash to %q, want the empty text", different["none"])
	}
	stored := changed(func(s *trace.Step) {
		ms := time.Millisecond
		s.Index, s.StartedAt, s.Duration = 9, at.Truncate(time.Microsecond).In(time.FixedZone("x", 3600)), &ms
	})
	raw := changed(func(s *trace.Step) { s.StartedAt, s.Duration = at, &long })
	if sum(raw) != sum(stored) {
		t.Error("what is cut when a step is stored changes the hash")
	}
}
