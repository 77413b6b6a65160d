package bundled_test

import (
	"strings"
	"testing"

	"plumbline/experiments/evidence"
)

// Nothing of the oracle is in what a reviewer could be shown, in any form, so
// that the leakage audit blocks no vote on these cases.
func TestNoLeaks(t *testing.T) {
	t.Parallel()
	for _, c := range load(t) {
		t.Run(c.File, func(t *testing.T) {
			t.Parallel()
			visible := []string{c.Instance.Issue}
			for _, text := range c.Base {
				visible = append(visible, text)
			}
			for _, a := range c.Attempts {
				in := evidence.From(c.Instance, a.Trace)
				in.Missing = a.Why
				for _, form := range evidence.Forms() {
					ev, err := evidence.Render(in, form, 1<<20)
					if err != nil {
						t.Errorf("%s as %s: %v", a.Name, form, err)
						continue
					}
					for _, l := range evidence.Audit(ev, strings.Join(visible, "\n"), c.Instance.Oracle, a.Trace.Patch) {
						t.Errorf("%s as %s: %s %q on line %d: %s", a.Name, form, l.Kind, l.Match, l.Line, l.Text)
					}
				}
			}
		})
	}
}
