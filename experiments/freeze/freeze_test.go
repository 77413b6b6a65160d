package freeze

import (
	"bytes"
	"errors"
	"strings"
	"testing"
	"time"

	"github.com/google/go-cmp/cmp"

	"plumbline/experiments/evidence"
	"plumbline/experiments/stats"
)

// arm makes an arm from catch and over-rejection over ten defects and ten
// acceptable traces; what is not rejected is accepted.
func arm(version string, form evidence.Form, caught, rejected int) Arm {
	return Arm{VersionID: version, Reviewer: "r-" + version, Version: 1, Form: form, Counts: stats.ReviewCounts{
		Defect: stats.Class{Accept: 10 - caught, Reject: caught}, Acceptable: stats.Class{Accept: 10 - rejected, Reject: rejected},
	}}
}

func TestChoose(t *testing.T) {
	t.Parallel()
	abstains := arm("a", evidence.Trace, 5, 2)
	abstains.Counts.Acceptable = stats.Class{Accept: 4, Reject: 2, Uncertain: 4}
	missing := arm("a", evidence.Patch, 5, 1)
	missing.Undecided = 3
	noGood := Arm{VersionID: "a", Form: evidence.Patch, Counts: stats.ReviewCounts{Defect: stats.Class{Reject: 3}}}
	tests := []struct {
		name   string
		arms   []Arm
		rule   Candidates
		form   evidence.Form // empty: none
		why    string
		uneven bool
	}{
		{"lower over-rejection beats a higher catch", []Arm{arm("a", evidence.Patch, 9, 3), arm("a", evidence.Structured, 2, 2)}, Deployable,
			evidence.Structured, "lower over-rejection: 2/10 against 3/10 of patch", false},
		{"then catch", []Arm{arm("a", evidence.Patch, 5, 2), arm("a", evidence.Structured, 6, 2)}, Deployable,
			evidence.Structured, "over-rejection ties with patch at 2/10; higher catch: 6/10 against 5/10 of patch", false},
		{"then correct decisions", []Arm{abstains, arm("a", evidence.Structured, 5, 2)}, Deployable,
			evidence.Structured, "over-rejection ties with trace at 2/10; catch ties with trace at 5/10; higher share of correct decisions: 13/20 against 9/20 of trace", false},
		{"then the earlier arm", []Arm{arm("a", evidence.Patch, 5, 2), arm("a", evidence.Structured, 5, 2)}, Deployable,
			evidence.Patch, "over-rejection ties with structured at 2/10; catch ties with structured at 5/10; share of correct decisions ties with structured at 13/20; the earlier arm of the experiment", false},
		{"the runner-up is the second best", []Arm{arm("a", evidence.Summary, 9, 9), arm("a", evidence.Patch, 5, 4), arm("a", evidence.Structured, 5, 2)}, Deployable,
			evidence.Structured, "lower over-rejection: 2/10 against 4/10 of patch", false},
		{"an upper bound is no candidate", []Arm{arm("a", evidence.Patch, 5, 2), arm("a", evidence.Official, 10, 0)}, Deployable, evidence.Patch, "the only candidate", false},
		{"nor is a control", []Arm{arm("a", evidence.Patch, 5, 2), arm("a", evidence.StructuredEmpty, 0, 0)}, Deployable, evidence.Patch, "the only candidate", false},
		{"unless all are", []Arm{arm("a", evidence.Patch, 5, 2), arm("a", evidence.Official, 10, 0)}, All, evidence.Official, "lower over-rejection: 0/10 against 2/10 of patch", false},
		{"none", []Arm{arm("a", evidence.Official, 10, 0)}, Deployable, "", "no arm of this reviewer is a candidate", false},
		{"undecided traces show", []Arm{missing, arm("a", evidence.Structured, 5, 2)}, Deployable, evidence.Patch, "lower over-rejection: 1/10 against 2/10 of structured", true},
		{"an undefined rate loses", []Arm{noGood, arm("a", evidence.Structured, 1, 9)}, Deployable, evidence.Structured, "lower over-rejection: 9/10 against undefined of patch", true},
	}
	for _, tt := range tests {
		t.Run(tt.name, func(t *testing.T) {
			got := Choose(tt.arms, tt.rule)
			if len(got) != 1 {
				t.Fatalf("%d choices for one reviewer", len(got))
			}
			var form evidence.Form
			if c := got[0]; c.Chosen >= 0 {
				form = c.Entries[c.Chosen].Form
			}
			if form != tt.form || got[0].Why != tt.why || got[0].Uneven != tt.uneven {
				t.Errorf("chose %q (%s, uneven %t), want %q (%s, uneven %t)", form, got[0].Why, got[0].Uneven, tt.form, tt.why, tt.uneven)
			}
		})
	}
}

func TestChooseGoesReviewerByReviewer(t *testing.T) {
	t.Parallel()
	got := Choose([]Arm{arm("b", evidence.Patch, 5, 2), arm("a", evidence.Patch, 5, 5), arm("b", evidence.Structured, 9, 3), arm("a", evidence.Structured, 9, 3)}, Deployable)
	var forms []string
	for _, c := range got {
		forms = append(forms, c.VersionID+" "+string(c.Entries[c.Chosen].Form))
	}
	if diff := cmp.Diff([]string{"b patch", "a structured"}, forms); diff != "" {
		t.Error(diff)
	}
}

func sample() Manifest {
	choices := Choose([]Arm{arm("rn_1", evidence.Patch, 5, 2), arm("rn_1", evidence.Structured, 6, 1)}, Deployable)
	m := Manifest{
		Format: Format, Experiment: "ex_1", Name: "forms <&> \u2028 ü", Author: "admin", FrozenAt: time.Date(2026, 3, 4, 5, 6, 7, 8000, time.UTC), CodeVersion: "v1",
		Config: Config{Votes: 5, Seed: 7, OnLeak: "block", Tally: "plurality"}, Rule: Rule{RuleText, Deployable},
		Reviewers: []Reviewer{{VersionID: "rn_1", Name: "small", Version: 2, SpecSHA256: "aaaa", Prompt: "v1"}}, Prompts: []Prompt{{"v1", "pppp"}},
		Design:     Split{Name: "design", Traces: []Trace{{"tr_1", "a__b-1", "c1", "i1", "acceptable"}}},
		Evaluation: []Split{{ID: "sp_2", Name: "held-out", Traces: []Trace{{"tr_2", "a__b-2", "c2", "i2", "defective 0/1 2/2"}, {"tr_3", "a__b-3", "c3", "i3", "acceptable"}}}},
	}
	m.Choices, m.Arms = Decisions(choices)
	return m
}

func (m Manifest) state() State {
	return State{
		Design: append([]Trace(nil), m.Design.Traces...), Splits: map[string]Split{"sp_2": {ID: "sp_2", Name: "held-out", Traces: append([]Trace(nil), m.Evaluation[0].Traces...)}},
		Specs: map[string]Spec{"rn_1": {"aaaa", "aaaa", 2}}, Prompts: map[string]string{"v1": "pppp"}, CodeVersion: "v1",
	}
}

func TestSealAndOpen(t *testing.T) {
	t.Parallel()
	m := sample()
	doc, sha, err := Seal(m)
	if err != nil {
		t.Fatal(err)
	}
	got, gotSHA, err := Open(doc)
	if err != nil {
		t.Fatal(err)
	}
	if gotSHA != sha || len(sha) != 64 {
		t.Errorf("hash %s, sealed as %s", gotSHA, sha)
	}
	if diff := cmp.Diff(m, got); diff != "" {
		t.Error(diff)
	}
	if got.Arms[0].Form != evidence.Structured {
		t.Errorf("froze %s", got.Arms[0].Form)
	}
	_, again, err := Seal(got)
	if err != nil || again != sha {
		t.Errorf("sealed again as %s, %v", again, err)
	}
	for name, doc := range map[string][]byte{
		"another seed":   bytes.Replace(doc, []byte(`"seed": 7`), []byte(`"seed": 8`), 1),
		"another trace":  bytes.Replace(doc, []byte(`"tr_2"`), []byte(`"tr_9"`), 1),
		"another hash":   bytes.Replace(doc, []byte(sha[:8]), []byte("00000000"), 1),
		"nothing inside": []byte(`{"manifest":{},"sha256":"x"}`),
	} {
		if _, _, err := Open(doc); !errors.Is(err, ErrBroken) {
			t.Errorf("%s: %v", name, err)
		}
	}
	if _, _, err := Open([]byte("[]")); err == nil {
		t.Error("a list was read as a manifest")
	}
	if compacted := bytes.ReplaceAll(doc, []byte("\n"), []byte("\r\n")); true {
		if _, _, err := Open(compacted); err != nil {
			t.Errorf("other white space: %v", err)
		}
	}
	m.Format = 2
	later, _, err := Seal(m)
	if err != nil {
		t.Fatal(err)
	}
	if _, _, err := Open(later); err == nil || !strings.Contains(err.Error(), "format is 2") {
		t.Errorf("a later format: %v", err)
	}
}

func TestChanges(t *testing.T) {
	t.Parallel()
	type line struct {
		Text string
		Note bool
	}
	tests := []struct {
		name   string
		change func(*Manifest, *State)
		want   []line
	}{
		{"nothing", func(*Manifest, *State) {}, nil},
		{"a patch", func(_ *Manifest, s *State) { s.Splits["sp_2"].Traces[0].Content = "x" },
			[]line{{"trace a__b-2 (held-out, tr_2): patch, summary or steps changed (sha256 c2, now x)", false}}},
		{"an issue of the design split", func(_ *Manifest, s *State) { s.Design[0].Issue = "x" },
			[]line{{"trace a__b-1 (design, tr_1): the issue changed (sha256 i1, now x)", false}}},
		{"a label", func(_ *Manifest, s *State) { s.Splits["sp_2"].Traces[1].Outcome = "defective" },
			[]line{{`trace a__b-3 (held-out, tr_3): its outcome was "acceptable" and is "defective"`, true}}},
		{"a label that is evidence", func(m *Manifest, s *State) {
			m.Arms[0].Form = evidence.Official
			s.Splits["sp_2"].Traces[1].Outcome = "defective"
		}, []line{{`trace a__b-3 (held-out, tr_3): its outcome was "acceptable" and is "defective"`, false}}},
		{"a trace too few", func(_ *Manifest, s *State) { s.Splits["sp_2"] = Split{Traces: s.Splits["sp_2"].Traces[1:]} },
			[]line{{"trace a__b-2 (held-out, tr_2): is not in the split any more", false}}},
		{"a trace too many", func(_ *Manifest, s *State) {
			s.Splits["sp_2"] = Split{Traces: append(s.Splits["sp_2"].Traces, Trace{ID: "tr_9", Instance: "x"})}
		}, []line{{"trace x (held-out, tr_9): was added after the freeze", false}}},
		{"no design trace", func(_ *Manifest, s *State) { s.Design = nil }, []line{{"trace a__b-1 (design, tr_1): is not in the design experiment any more", false}}},
		{"no split", func(_ *Manifest, s *State) { delete(s.Splits, "sp_2") }, []line{{"split held-out: does not exist any more", false}}},
		{"a prompt", func(_ *Manifest, s *State) { s.Prompts["v1"] = "x" }, []line{{"prompt v1: its text is another one (sha256 pppp, now x)", false}}},
		{"an unknown prompt", func(_ *Manifest, s *State) { s.Prompts = nil }, []line{{"prompt v1: this program does not know it", false}}},
		{"settings", func(_ *Manifest, s *State) { s.Specs["rn_1"] = Spec{"aaaa", "bbbb", 2} },
			[]line{{"reviewer version small, version 2: its settings changed (sha256 aaaa, now bbbb)", false}}},
		{"a recorded hash", func(_ *Manifest, s *State) { s.Specs["rn_1"] = Spec{"bbbb", "aaaa", 2} },
			[]line{{"reviewer version small, version 2: its recorded hash changed (sha256 aaaa, now bbbb)", false}}},
		{"no reviewer", func(_ *Manifest, s *State) { s.Specs = nil }, []line{{"reviewer version small, version 2: does not exist any more", false}}},
		{"notes come last", func(_ *Manifest, s *State) {
			s.Specs["rn_1"] = Spec{"aaaa", "aaaa", 3}
			s.CodeVersion = "v2"
			s.Prompts["v1"] = "x"
		}, []line{{"prompt v1: its text is another one (sha256 pppp, now x)", false},
			{"reviewer version small, version 2: there is a newer version 3; the frozen one is asked", true}, {"code version: frozen with v1, running v2", true}}},
	}
	for _, tt := range tests {
		t.Run(tt.name, func(t *testing.T) {
			m := sample()
			now := m.state()
			tt.change(&m, &now)
			var got []line
			stops := false
			for _, c := range m.Changes(now) {
				got = append(got, line{c.String(), c.Note})
				stops = stops || !c.Note
			}
			if diff := cmp.Diff(tt.want, got); diff != "" {
				t.Error(diff)
			}
			var changed *ChangedError
			if err := m.Verify(now); errors.As(err, &changed) != stops {
				t.Errorf("verify says %v", err)
			}
		})
	}
}

func TestChangedErrorNamesAFew(t *testing.T) {
	t.Parallel()
	e := &ChangedError{Changes: make([]Change, 8)}
	for i := range e.Changes {
		e.Changes[i] = Change{Thing: ThingTrace, Name: string(rune('a' + i)), What: "changed"}
	}
	if got := e.Error(); !strings.HasPrefix(got, "changed after the freeze: trace a: changed; ") || !strings.HasSuffix(got, "; and 3 more") || strings.Contains(got, "trace f") {
		t.Error(got)
	}
}

func TestOverlap(t *testing.T) {
	t.Parallel()
	design := []Trace{{ID: "1", Instance: "a"}, {ID: "2", Instance: "b"}}
	traces, instances := Overlap(design, []Trace{{ID: "2", Instance: "b"}, {ID: "3", Instance: "a"}, {ID: "4", Instance: "a"}, {ID: "5", Instance: "c"}})
	if diff := cmp.Diff([][]string{{"2"}, {"a"}}, [][]string{traces, instances}); diff != "" {
		t.Error(diff)
	}
}

func TestOutcome(t *testing.T) {
	t.Parallel()
	got := []string{
		Outcome("unknown", "", false, false, 0, 0, 0, 0), Outcome("defective", "omission", true, true, 1, 3, 9, 9), Outcome("defective", "no-change", true, false, 0, 1, 0, 0),
	}
	if diff := cmp.Diff([]string{"unknown", "defective/omission 1/3 9/9", "defective/no-change patch not applied"}, got); diff != "" {
		t.Error(diff)
	}
}
