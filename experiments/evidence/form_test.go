package evidence

import "testing"

func TestParseForm(t *testing.T) {
	for name, want := range map[string]Form{
		"packet": Structured, "grounded_clean": Official, "grounded_oracle": OfficialNotes,
		" Official-Notes ": OfficialNotes, "official_notes": OfficialNotes, "full_trace": Trace, "PATCH": Patch,
	} {
		if got, err := ParseForm(name); err != nil || got != want {
			t.Errorf("ParseForm(%q) = %q, %v, want %q", name, got, err, want)
		}
	}
	if _, err := ParseForm("grounded"); err == nil {
		t.Error("an ambiguous name was taken")
	}
}

func TestFormFacts(t *testing.T) {
	if got := len(Forms()); got != 9 {
		t.Fatalf("%d forms, want 9", got)
	}
	deployable := map[Form]bool{Summary: true, Patch: true, Trace: true, Structured: true, StructuredEmpty: true, Checked: true}
	seen := map[string]Form{}
	for _, f := range Forms() {
		if f.Deployable() != deployable[f] {
			t.Errorf("%s: deployable %v", f, f.Deployable())
		}
		if f.Class() == "" || f.Explain() == "" {
			t.Errorf("%s has no class or explanation", f)
		}
		for _, a := range append(f.Aliases(), string(f)) {
			if other, taken := seen[a]; taken {
				t.Errorf("%q names %s and %s", a, other, f)
			}
			seen[a] = f
		}
	}
	if Form("packet").Valid() || Form("packet").Deployable() {
		t.Error("an alias passes for a form")
	}
}
