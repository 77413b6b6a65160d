package checks

import (
	"context"
	"path"
	"slices"
	"strings"

	"plumbline/experiments/trace"
	"plumbline/runner/workspace"
)

// Subject is an instance made ready to run its official tests on any tree of its
// base.
type Subject struct {
	Instance trace.Instance // with its oracle
	Base     *workspace.Base
	Tests    *workspace.Tree // the base with the official test files
	Runner   Runner
	Exec     Exec // where to run; the tree is set for each run
	// Fuzz is how far the application of an agent's patch may go beyond git apply,
	// see workspace.ApplyOptions.
	Fuzz int
}

// Execution is one run of the official tests on one tree.
type Execution struct {
	Tree  string // OnBase, OnGold or OnPatch
	Round int    // from 1
	Run   Run
	F2P   []Checked // without the tests that are left out
	P2P   []Checked
}

// Trees of an Execution.
const (
	OnBase  = "base"
	OnGold  = "gold"
	OnPatch = "patch"
)

// Holds reports whether all fail-to-pass and all pass-to-pass tests hold.
func (e Execution) Holds() (failToPass, passToPass bool) {
	return Held(e.F2P) == len(e.F2P), Held(e.P2P) == len(e.P2P)
}

// NewSubject lays the official tests over the base. Where that cannot be done the
// check is not usable and says why.
func NewSubject(in trace.Instance, base *workspace.Base, r Runner, x Exec, fuzz int) (Subject, InstanceCheck) {
	s := Subject{Instance: in, Base: base, Runner: r, Exec: x, Fuzz: fuzz, Tests: base.Tree()}
	o := in.Oracle
	switch {
	case len(o.FailToPass) == 0:
		return s, unusable(NoOracle, "no fail-to-pass test is known")
	case strings.TrimSpace(o.GoldPatch) == "":
		return s, unusable(NoOracle, "no gold patch is known, so that nothing shows the tests to be right")
	}
	if strings.TrimSpace(o.TestPatch) != "" {
		if rep := s.Tests.Apply(o.TestPatch, workspace.ApplyOptions{}); !rep.Applied {
			return s, unusable(TestsDoNotApply, "the test patch does not apply to the base: "+reasons(rep))
		}
	}
	return s, InstanceCheck{State: Usable}
}

// reasons says why a patch was refused without quoting it, because a test patch
// is hidden.
func reasons(rep workspace.ApplyReport) string {
	files, hunks := 0, 0
	for _, f := range rep.Files {
		if f.Reason != "" {
			files++
		}
		for _, h := range f.Hunks {
			if !h.Applied {
				hunks++
			}
		}
	}
	if rep.Reason != "" {
		return rep.Reason
	}
	return itoa(hunks) + " hunks and " + itoa(files) + " whole files are refused"
}

// run runs the official tests on a tree, over which they are laid. Tests of leave
// are not looked at.
func (s Subject) run(ctx context.Context, tree *workspace.Tree, name string, round int, leave []string) (Execution, error) {
	tree = tree.Clone()
	if err := tree.Lay(s.Tests); err != nil {
		return Execution{}, err
	}
	o := s.Instance.Oracle
	x := s.Exec
	x.Tree = tree
	run, err := s.Runner.Run(ctx, x, Ask{IDs: slices.Concat(o.FailToPass, o.PassToPass), Files: s.Tests.Changed()})
	if err != nil {
		return Execution{}, err
	}
	e := Execution{Tree: name, Round: round, Run: run}
	e.F2P, e.P2P = run.Look(without(o.FailToPass, leave), false), run.Look(without(o.PassToPass, leave), true)
	return e, nil
}

func without(ids, leave []string) []string {
	return slices.DeleteFunc(slices.Clone(ids), func(id string) bool { return slices.Contains(leave, id) })
}

// ChooseRunner names the runner that an instance's tests need, by its language and
// by how its ids read; empty where neither tells.
func ChooseRunner(in trace.Instance) string {
	ids := slices.Concat(in.Oracle.FailToPass, in.Oracle.PassToPass)
	language := in.Language
	if language == "" {
		language = languageOf(in.Oracle)
	}
	switch language {
	case "python":
		for _, id := range ids {
			if strings.Contains(id, "::") {
				return Pytest
			}
		}
		if len(ids) > 0 && (printedID.MatchString(ids[0]) || strings.Count(ids[0], ".") >= 2) {
			return Unittest
		}
		return Pytest
	case "go":
		return GoTest
	case "javascript", "typescript":
		return NodeTest
	}
	return ""
}

func languageOf(o trace.Oracle) string {
	byEnding := map[string]string{".py": "python", ".go": "go", ".js": "javascript", ".mjs": "javascript", ".cjs": "javascript", ".ts": "typescript"}
	for line := range strings.Lines(o.GoldPatch + "\n" + o.TestPatch) {
		if name, ok := strings.CutPrefix(line, "+++ b/"); ok {
			if l := byEnding[path.Ext(strings.TrimSpace(name))]; l != "" {
				return l
			}
		}
	}
	return ""
}
