package evidence

import (
	"testing"

	"github.com/google/go-cmp/cmp"
)

func TestOutcomesOfRenderedForms(t *testing.T) {
	type got struct {
		Source OutcomeSource
		Suite  string
		Passed bool
	}
	want := map[Form][]got{
		Official:      {{FromOfficial, "FAIL_TO_PASS", false}, {FromOfficial, "PASS_TO_PASS", true}},
		OfficialNotes: {{FromOfficial, "FAIL_TO_PASS", false}, {FromOfficial, "PASS_TO_PASS", true}},
		Checked:       {{FromStatic, "", false}, {FromGenerated, "", false}, {FromGenerated, "", true}},
	}
	in := caseInput()
	in.Summary = "official FAIL_TO_PASS execution: passed (2 of 2 tests ok)"
	for _, f := range Forms() {
		ev, err := Render(in, f, 0)
		if err != nil {
			t.Fatal(err)
		}
		var have []got
		for _, o := range Outcomes(ev.Lines) {
			have = append(have, got{o.Source, o.Suite, o.Passed})
			if ev.Lines[o.Line-1].Text != o.Text {
				t.Errorf("%s: line %d is not %q", f, o.Line, o.Text)
			}
		}
		if diff := cmp.Diff(want[f], have); diff != "" {
			t.Errorf("%s: %s", f, diff)
		}
	}
}
