package evidence

import (
	"fmt"
	"strings"
)

// Form is how a trace is shown to a reviewer. The issue is part of every form.
type Form string

// The evidence forms.
const (
	Summary           Form = "summary"
	Patch             Form = "patch"
	Trace             Form = "trace"
	Structured        Form = "structured"
	StructuredEmpty   Form = "structured-empty"
	StructuredMissing Form = "structured-missing"
	Official          Form = "official"
	OfficialNotes     Form = "official-notes"
	Checked           Form = "checked"
)

// Class is the kind of evidence a form shows (paper G §3, Evidence Types).
type Class string

// The classes. Testimony is the agent's own text; structured evidence is selected
// and organised but not checked; a control has the shape of structured evidence
// and no content; grounded evidence is backed by a check that was run.
const (
	ClassTestimony  Class = "testimony"
	ClassStructured Class = "structured"
	ClassControl    Class = "control"
	ClassGrounded   Class = "grounded"
)

type formFacts struct {
	form       Form
	class      Class
	deployable bool
	explain    string
	aliases    []string
}

var forms = []formFacts{
	{Summary, ClassTestimony, true, "The issue and the agent's final summary, nothing else.", []string{"final_summary", "summary_only"}},
	{Patch, ClassTestimony, true, "The issue and the diff the agent submitted.", []string{"patch_only", "diff"}},
	{Trace, ClassTestimony, true, "The issue, the diff, the agent's steps with their logs, and its final summary, within a token budget.", []string{"full_trace", "raw_trace"}},
	{Structured, ClassStructured, true, "The issue, the changed hunks, a mechanical requirement coverage, audit signals and possible missing work; nothing in it is checked.", []string{"packet"}},
	{StructuredEmpty, ClassControl, true, "The headings of the structured form with nothing under them, to tell the effect of the format from that of the content.", []string{"packet_empty", "structured_empty", "empty_section"}},
	{StructuredMissing, ClassStructured, false, "The structured form and the item known by construction to be missing; for controlled cases only.", []string{"packet_missing", "structured_missing"}},
	{Official, ClassGrounded, false, "The issue, the diff and the aggregate outcome of the official suites, without risk notes; an upper bound, not available in deployment.", []string{"grounded_clean"}},
	{OfficialNotes, ClassGrounded, false, "The official outcome with the unchecked risk notes kept; an upper bound, not available in deployment.", []string{"grounded_oracle", "official_notes"}},
	{Checked, ClassGrounded, true, "The issue, the diff, static findings that the patch caused and outcomes of generated tests that first failed on the base.", []string{"grounded_checked", "probe"}},
}

// Forms lists every form, testimony first, in the order of the constants.
func Forms() []Form {
	out := make([]Form, len(forms))
	for i, f := range forms {
		out[i] = f.form
	}
	return out
}

func (f Form) facts() (formFacts, bool) {
	for _, x := range forms {
		if x.form == f {
			return x, true
		}
	}
	return formFacts{}, false
}

// Valid reports whether f is one of the constants.
func (f Form) Valid() bool { _, ok := f.facts(); return ok }

// Class of the form; empty for an unknown form.
func (f Form) Class() Class { x, _ := f.facts(); return x.class }

// Deployable reports whether a pipeline without official tests and without
// knowledge of how a case was made could show this form. The official forms and
// structured-missing are not; an unknown form is not.
func (f Form) Deployable() bool { x, _ := f.facts(); return x.deployable }

// UpperBound reports whether the form shows official outcomes (paper G §5.3).
func (f Form) UpperBound() bool { return f == Official || f == OfficialNotes }

// NeedsSteps reports whether the form shows the agent's steps or draws notes from
// them; for the others a caller need not load them.
func (f Form) NeedsSteps() bool {
	return f == Trace || f == Structured || f == StructuredMissing || f == OfficialNotes
}

// Explain is one sentence for people; empty for an unknown form.
func (f Form) Explain() string { x, _ := f.facts(); return x.explain }

// Aliases are names that other programs and the papers' artifacts use for f:
// packet, grounded_clean and grounded_oracle are those of paper G, Appendix S2.
func (f Form) Aliases() []string {
	x, _ := f.facts()
	return append([]string(nil), x.aliases...)
}

// ParseForm reads a name or an alias; case, spaces and the choice between - and _
// do not matter. The error names the forms that exist.
func ParseForm(name string) (Form, error) {
	norm := func(s string) string {
		return strings.NewReplacer("_", "-", " ", "-").Replace(strings.ToLower(strings.TrimSpace(s)))
	}
	want := norm(name)
	for _, x := range forms {
		if norm(string(x.form)) == want {
			return x.form, nil
		}
		for _, a := range x.aliases {
			if norm(a) == want {
				return x.form, nil
			}
		}
	}
	names := make([]string, len(forms))
	for i, x := range forms {
		names[i] = string(x.form)
	}
	return "", fmt.Errorf("unknown evidence form %q: one of %s", name, strings.Join(names, ", "))
}
