package pages

import (
	"strings"
	"testing"

	"github.com/a-h/templ"

	"plumbline/web/components"
	"plumbline/web/layout"
)

func TestFreezePagesShowHostileTextsAsTexts(t *testing.T) {
	t.Parallel()
	form := filled(evil, func(v *FreezeForm) *layout.Frame { return &v.Frame })
	blocked := form
	blocked.Choices, blocked.Splits, blocked.Freezes = nil, nil, nil
	frozen := filled(evil, func(v *Frozen) *layout.Frame { return &v.Frame })
	broken := frozen
	frozen.Broken = ""
	first := filled(evil, func(v *Frozen) *layout.Frame { return &v.Frame })
	first.Broken = ""
	for i := range first.Splits {
		first.Splits[i].Form.Number = 1
	}
	list := sampleErrors()
	list.Kind = KindMisread
	misread := filled(evil, func(v *struct {
		Frame layout.Frame
		M     Misread
		F     Flag
		N     Note
		S     Screening
		H     HeldOutPanel
		V     []Flag
	}) *layout.Frame {
		return &v.Frame
	})
	list.Misread = &misread.M
	for i := range list.Rows {
		list.Rows[i].Flag, list.Rows[i].Note = &misread.F, misread.N
	}
	experiment := sampleExperiment(2, components.Done)
	experiment.HeldOut = &misread.H
	reviewer := filled(evil, func(v *Reviewer) *layout.Frame { return &v.Frame })
	for name, page := range map[string]templ.Component{
		"choose": FreezePage(form), "blocked": FreezePage(blocked), "frozen": FrozenPage(frozen), "first run": FrozenPage(first), "broken": FrozenPage(broken),
		"misread": ErrorsPage(list), "held out": ExperimentPage(experiment), "reviewer": ReviewerPage(reviewer), "note": NotePage(layout.Frame{}, misread.N, sampleNow),
		"flags": voteFlags(misread.V), "screening": screening(misread.S),
	} {
		t.Run(name, func(t *testing.T) {
			page := renderPage(t, page)
			safe(t, page)
			if !strings.Contains(page, "&lt;script&gt;") {
				t.Error("the text does not show at all")
			}
		})
	}
}

// TestFreezePagesSay checks what each state of the pages must tell.
func TestFreezePagesSay(t *testing.T) {
	t.Parallel()
	frozen := func(change func(*Frozen)) templ.Component {
		f := Frozen{Now: sampleNow, Splits: []FrozenSplit{{ID: "sp_1", Name: "held-out", Traces: 48, Form: &HeldOutForm{Action: "/freezes/fz_1/runs", Number: 1}}}}
		change(&f)
		return FrozenPage(f)
	}
	rate := components.Rate{Metric: "catch", K: 1, N: 2, Value: new(0.5)}
	form := func(change func(*FreezeForm)) templ.Component {
		f := FreezeForm{Action: "/experiments/ex_1/freeze", Choices: []FreezeChoice{{Reviewer: "small", Version: 2, Form: "patch", Why: "the only candidate", Arms: []FreezeArm{
			{Form: "patch", Over: rate, Catch: rate, Correct: rate, Chosen: true}, {Form: "official", Over: rate, Catch: rate, Correct: rate, Out: "not deployable"}}}},
			Splits: []FreezeSplit{{ID: "sp_1", Name: "held-out", Traces: 3, Defective: 2, Unlabelled: 1, Instances: 1, Selected: true}, {ID: "sp_2", Name: "design", Out: "the choice is made on it", Selected: true}}}
		change(&f)
		return FreezePage(f)
	}
	runs := []HeldOutLine{{Number: 1, Name: "first", Href: "/experiments/ex_2", By: "ann", When: sampleNow}, {Number: 2, Name: "second", Current: true, Reason: "the endpoint\nwas down", By: "bob", When: sampleNow}}
	tests := []struct {
		name string
		page templ.Component
		has  []string
		not  []string
	}{
		{"a choice", form(func(*FreezeForm) {}), []string{"✓ chosen", "no candidate: not deployable", "3 traces: 2 defective, 0 acceptable", ", 1 unknown", "1 instance was seen through other traces",
			`value="sp_1" checked>`, `value="sp_2" disabled>`, "Freeze the choice"}, []string{"cannot be frozen", "<fieldset disabled"}},
		{"no choice", form(func(f *FreezeForm) { f.Choices[0].Form, f.Choices[0].Why = "", "no arm is a candidate" }), []string{"No form is chosen", "no arm is a candidate."}, []string{"Chosen:"}},
		{"still running", form(func(f *FreezeForm) { f.Blocked = "the experiment is still running" }), []string{"the experiment is still running.", "<fieldset disabled", `class="button-primary" disabled>`}, nil},
		{"a reader", form(func(f *FreezeForm) { f.Action = "" }), []string{"Only an editor", "<fieldset disabled"}, []string{"Freeze the choice"}},
		{"not yet evaluated", frozen(func(*Frozen) {}), []string{"not evaluated", "Evaluate once", "Nothing that was frozen has changed", `name="number" value="1"`, "data-confirm"}, []string{"textarea"}},
		{"evaluated twice", frozen(func(f *Frozen) { f.Splits[0].Runs, f.Splits[0].Form.Number = runs, 3 }),
			[]string{"evaluated 2 times", "Start run 3", "the endpoint\nwas down", "ann", "bob", "the first needs none", `name="number" value="3"`, "required"}, []string{"Evaluate once", "data-confirm"}},
		{"a missing reason", frozen(func(f *Frozen) {
			f.Splits[0].Runs = runs[:1]
			f.Splits[0].Form = &HeldOutForm{Number: 2, Reason: "  ", Error: "say why"}
		}), []string{`<p class="field-error" role="alert">say why</p>`, `aria-invalid="true"`, "evaluated once"}, nil},
		{"a change", frozen(func(f *Frozen) {
			f.Changes = []FrozenChange{{Thing: "trace", Name: "a__b-1", What: "the issue changed"}, {Thing: "code", Name: "version", What: "other", Note: true}}
			f.Splits[0].Form.Stop = "what was frozen has changed"
		}), []string{"1 change after the freeze.", "the issue changed", "stops a run", ">note<", `disabled>Evaluate once`}, []string{"Nothing that was frozen"}},
		{"only a note", frozen(func(f *Frozen) { f.Changes = []FrozenChange{{Thing: "code", What: "other", Note: true}} }), []string{"so a run can start"}, []string{"stops a run"}},
		{"looked at before", frozen(func(f *Frozen) { f.Splits[0].Looks = []layout.Link{{Text: "peek", Href: "/experiments/ex_9"}} }), []string{"1 experiment had seen traces of this split before the freeze"}, nil},
		{"a reader of a freeze", frozen(func(f *Frozen) { f.Splits[0].Form = nil }), []string{"not evaluated"}, []string{"<form class=\"form heldout"}},
		{"a broken manifest", FrozenPage(Frozen{Broken: "it was changed", Download: "/freezes/fz_1/manifest.json"}), []string{"This manifest cannot be believed.", "it was changed"}, []string{"Frozen arms"}},
	}
	for _, tt := range tests {
		t.Run(tt.name, func(t *testing.T) {
			page := renderPage(t, tt.page)
			for _, s := range tt.has {
				if !strings.Contains(page, s) {
					t.Errorf("does not say %q", s)
				}
			}
			for _, s := range tt.not {
				if strings.Contains(page, s) {
					t.Errorf("says %q", s)
				}
			}
		})
	}
}

func TestManyChangesAreCut(t *testing.T) {
	t.Parallel()
	all := make([]FrozenChange, 450)
	table := changeTable(all)
	if len(table.Rows) != 200 || table.Pager.Shown != "200 of 450 changes" {
		t.Errorf("%d rows, %q", len(table.Rows), table.Pager.Shown)
	}
}

func TestScreenMarks(t *testing.T) {
	t.Parallel()
	for verdict, want := range map[string]components.Badge{
		"":          {Key: "screening", Text: "not screened", Tone: components.Note, Why: "No audited vote of this reviewer is stored."},
		ScreenBelow: {Key: "screening", Text: "screened", Tone: components.Good, Why: "why"},
		ScreenAbove: {Key: "screening", Text: "misreads evidence", Tone: components.Bad, Why: "why"},
		ScreenOpen:  {Key: "screening", Text: "screening open", Tone: components.Note, Why: "why"},
	} {
		m := ScreenMark{Verdict: verdict, Why: "why"}
		if verdict == "" {
			m.Why = ""
		}
		if got := m.Badge(); got != want {
			t.Errorf("%q shows as %+v", verdict, got)
		}
	}
}

func TestNotesAndFlagsSay(t *testing.T) {
	t.Parallel()
	kinds := []FlagCount{{Kind: "accepts although a result failed", Vote: components.Accept, N: 4}}
	m := Misread{Unaudited: 3, Audit: "/experiments/ex_1/audit", Back: "/x", Arms: []ArmMisread{{Name: "small · official", Items: ArmCount{N: 2, Href: "/y"}, Accept: 4, Kinds: kinds}}}
	done := m
	done.Unaudited, done.Audit = 0, ""
	for _, tt := range []struct {
		name string
		page templ.Component
		has  []string
		not  []string
	}{
		{"votes from before the audit", misreadArms(m), []string{"3 votes were given before there was an audit", "Audit them", "4 × accepts although a result failed"}, nil},
		{"all audited", misreadArms(done), []string{"small · official"}, []string{"before there was an audit", "<form"}},
		{"a contradiction", voteFlags([]Flag{{Kind: "says failed of a result that passed", Contradiction: true, Said: "It failed.", Line: 9, Href: "#e9", Evidence: "passed (3 of 3)"}}),
			[]string{"Misread: says failed of a result that passed", "It failed.", `<a href="#e9">line 9</a>`, "passed (3 of 3)"}, []string{"Inexact"}},
		{"an inexact citation without a line", voteFlags([]Flag{{Kind: "no such line", Said: "line 99"}}), []string{"Inexact: no such line"}, []string{"Misread", "<dt>line"}},
		{"no flag", voteFlags(nil), nil, []string{"<ul"}},
		{"no note, to a writer", noteCell(Note{Action: "/items/it_1/note", Label: "a__b-1"}, sampleNow), []string{"add a note", `aria-label="note on a__b-1"`}, nil},
		{"no note, to a reader", noteCell(Note{}, sampleNow), nil, []string{"<form", "add a note"}},
		{"a note, to a reader", noteCell(Note{Text: "look again", Author: "ann", When: sampleNow}, sampleNow), []string{"look again", "ann"}, []string{"<form"}},
		{"history", notePart(Note{Text: "second", Author: "ann", When: sampleNow, Older: []NoteLine{{Text: "first", Author: "bob"}, {Author: "eve"}}}, sampleNow), []string{"2 earlier notes", "first", "taken away"}, []string{"<form"}},
	} {
		t.Run(tt.name, func(t *testing.T) {
			page := renderPage(t, tt.page)
			for _, s := range tt.has {
				if !strings.Contains(page, s) {
					t.Errorf("does not say %q", s)
				}
			}
			for _, s := range tt.not {
				if strings.Contains(page, s) {
					t.Errorf("says %q", s)
				}
			}
		})
	}
}
