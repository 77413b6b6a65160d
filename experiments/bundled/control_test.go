package bundled_test

import (
	"strings"
	"testing"

	"plumbline/experiments/bundled"
	"plumbline/experiments/evidence"
	"plumbline/experiments/trace"
)

// The missing item stands in the structured-missing form and in no other, and the
// leakage audit blocks no form of a controlled case.
func TestControlEvidence(t *testing.T) {
	t.Parallel()
	for _, c := range load(t) {
		visible := []string{c.Instance.Issue}
		for _, text := range c.Base {
			visible = append(visible, text)
		}
		controls, err := c.Controls()
		if err != nil {
			t.Fatal(err)
		}
		if len(controls) < 3 {
			t.Errorf("%s: %d controls", c.File, len(controls))
		}
		for _, k := range controls {
			in := evidence.From(c.Instance, k.Trace)
			in.Missing = k.Missing
			for _, form := range evidence.Forms() {
				ev, err := evidence.Render(in, form, 1<<20)
				if err != nil {
					t.Errorf("%s %s as %s: %v", c.File, k.Name, form, err)
					continue
				}
				if got, want := strings.Contains(ev.Text, k.Missing), form == evidence.StructuredMissing; got != want {
					t.Errorf("%s %s as %s: names the missing item: %t\n%s", c.File, k.Name, form, got, ev.Text)
				}
				for _, l := range evidence.Audit(ev, strings.Join(visible, "\n"), c.Instance.Oracle, k.Trace.Patch) {
					t.Errorf("%s %s as %s: %s %q on line %d: %s", c.File, k.Name, form, l.Kind, l.Match, l.Line, l.Text)
				}
			}
		}
	}
}

// An ablation is a patch of its own, defective, and constructed; it is no attempt of
// an agent.
func TestControlTraces(t *testing.T) {
	t.Parallel()
	seen := map[string]bool{}
	for _, c := range load(t) {
		for _, a := range c.Attempts {
			seen[c.File+a.Trace.Patch] = true
		}
		controls, err := c.Controls()
		if err != nil {
			t.Fatal(err)
		}
		for _, k := range controls {
			o := k.Trace.Outcome
			if (o.Label == trace.Acceptable) != (k.Kind == bundled.Reference) || o.From != trace.Constructed || o.Tests == nil || len(k.Trace.Steps) > 0 || k.Trace.Summary != "" {
				t.Errorf("%s %s: %+v", c.File, k.Name, o)
			}
			if k.Kind != bundled.Reference && seen[c.File+k.Trace.Patch] {
				t.Errorf("%s %s: the patch is there already", c.File, k.Name)
			}
			seen[c.File+k.Trace.Patch] = true
		}
	}
}
