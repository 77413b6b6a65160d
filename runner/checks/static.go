package checks

import (
	"bytes"
	"context"
	"errors"
	"fmt"
	"regexp"
	"strings"
	"time"

	"plumbline/experiments/cascade"
	"plumbline/experiments/findings"
	"plumbline/experiments/patch"
	"plumbline/runner/sandbox"
	"plumbline/runner/workspace"
)

// StaticReport is what the static tools said of a patch.
type StaticReport struct {
	Tools   []ToolReport
	Outcome cascade.Static
	Spent   cascade.Spend
}

// ToolReport is one tool on both trees.
type ToolReport struct {
	Tool    string
	Version string
	// Why says why the tool gave no outcome; empty when it ran on both trees.
	Why         string
	Attribution findings.Attribution
	Wall        time.Duration
	Backend     string
	Unsandboxed bool
}

// ErrBaseBroken is wrapped by Static's error when the base does not build, so that
// nothing on it can be blamed on a patch.
var ErrBaseBroken = errors.New("the base does not build")

// Static runs tools on the base and on the patched tree and attributes what they
// find. Tools of other languages than those of the changed files are left out; no
// tool left is an outcome, with its reason. diff is the patch between the trees.
//
// The error wraps ErrBaseBroken, or says that the sandbox failed; what a tool does
// is in its report.
func Static(ctx context.Context, b sandbox.Backend, tools []StaticTool, base, patched *workspace.Tree, diff patch.Diff) (StaticReport, error) {
	var rep StaticReport
	var all []findings.Attribution
	for _, t := range tools {
		before, after := t.Files(diff)
		if len(before)+len(after) == 0 {
			continue
		}
		r := ToolReport{Tool: t.Name, Version: t.Version, Backend: b.Name(), Unsandboxed: !b.Sandboxed()}
		old, err := t.on(ctx, b, base, before, &rep.Spent)
		if err != nil {
			return rep, err
		}
		now, err := t.on(ctx, b, patched, after, &rep.Spent)
		if err != nil {
			return rep, err
		}
		r.Wall = old.wall + now.wall
		if t.builds && old.broken() {
			return rep, fmt.Errorf("%w: %s", ErrBaseBroken, old.first())
		}
		switch {
		case old.why != "":
			r.Why = "on the base: " + old.why
		case now.why != "":
			r.Why = "on the patched tree: " + now.why
		default:
			findings.Annotate(old.found, textOf(base))
			findings.Annotate(now.found, textOf(patched))
			r.Attribution = findings.Caused(old.found, now.found, diff)
			all = append(all, r.Attribution)
		}
		rep.Tools = append(rep.Tools, r)
	}
	rep.Outcome = findings.Outcome(all)
	if len(rep.Tools) == 0 {
		rep.Outcome.Why = "no tool here reads the changed files"
	}
	return rep, nil
}

// textOf reads files of a tree for the context of findings.
func textOf(t *workspace.Tree) func(string) (string, bool) {
	return func(name string) (string, bool) {
		f, err := t.Read(name)
		if err != nil {
			return "", false
		}
		return string(f.Data), true
	}
}

// toolRun is a tool on one tree.
type toolRun struct {
	found []findings.Finding
	why   string // why it gave nothing
	wall  time.Duration
}

// broken reports a file outside tests that the compiler refuses.
func (r toolRun) broken() bool { return r.first() != "" }

func (r toolRun) first() string {
	for _, f := range r.found {
		if findings.Decides(f) {
			return f.String()
		}
	}
	return ""
}

// treeDir is where a tree stands in the box.
const treeDir = "plumbline-tree"

func (t StaticTool) on(ctx context.Context, b sandbox.Backend, tree *workspace.Tree, files []string, spent *cascade.Spend) (toolRun, error) {
	if len(files) == 0 {
		return toolRun{}, nil
	}
	m, done, err := tree.Stage(ctx, treeDir)
	if err != nil {
		return toolRun{}, err
	}
	defer done()
	c := t.command(files)
	c.Dir, c.Mounts = treeDir, []sandbox.Mount{m}
	if t.prepare != nil {
		more, err := t.prepare(ctx, b, tree)
		if err != nil {
			return toolRun{}, err
		}
		c.Mounts = append(c.Mounts, more...)
	}
	c.Limits = sandbox.Limits{Wall: 2 * time.Minute, Output: 4 << 20}
	r, err := b.Run(ctx, c)
	if err != nil {
		return toolRun{}, fmt.Errorf("run %s: %w", t.Name, err)
	}
	spent.Runs++
	spent.Sandbox += r.Wall
	out := toolRun{wall: r.Wall}
	if r.Cause != sandbox.Exited || r.Truncated {
		out.why = fmt.Sprintf("it did not end by itself: %s %s", r.Cause, r.Detail)
		return out, nil
	}
	out.found, err = t.read(r)
	switch {
	case len(out.found) == 0 && (r.Exit > t.worst || t.whole && r.Exit != 0):
		// A compiler that fails without naming a place did not look at the tree.
		out.why = fmt.Sprintf("it ended with exit code %d: %s", r.Exit, firstLine(string(r.Stderr)))
	case err != nil:
		out.why = "its output cannot be read: " + firstLine(err.Error())
	}
	return out, nil
}

// read reads what a tool wrote; most speak on standard output, compilers and
// syntax errors on standard error.
func (t StaticTool) read(r sandbox.Report) ([]findings.Finding, error) {
	out, err := findings.Read(t.Format, bytes.NewReader(unboxed(r.Stdout)), t.Name, "")
	if t.Errors != "" && len(r.Stderr) > 0 {
		more, e := findings.Read(t.Errors, bytes.NewReader(unboxed(r.Stderr)), t.Name, "")
		out, err = append(out, more...), errors.Join(err, e)
	}
	return out, err
}

// unboxed takes the place of the tree in the sandbox off the paths. Where the box
// stands differs between backends; the name of the tree's folder is like no other.
func unboxed(raw []byte) []byte { return boxedPath.ReplaceAll(raw, nil) }

var boxedPath = regexp.MustCompile(`(?:file:)?/[^\s:"'(),]*/` + treeDir + `/`)

// firstLine is the first line of a text that is not blank, cut to what fits a note.
func firstLine(text string) string {
	for line := range strings.Lines(text) {
		if line = strings.TrimSpace(line); line != "" {
			if r := []rune(line); len(r) > 200 {
				line = string(r[:199]) + "…"
			}
			return line
		}
	}
	return ""
}
