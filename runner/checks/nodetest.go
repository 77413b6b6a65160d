package checks

import (
	"context"
	"path"
	"regexp"
	"slices"
	"strconv"
	"strings"

	"plumbline/runner/sandbox"
)

// node runs test files with Node's own test runner and reads its JUnit report, which
// Node writes since 18.19 (Debian 12 has that).
type node struct{ settings Settings }

func (node) Name() string { return NodeTest }

var nodeTestFile = regexp.MustCompile(`(?:^|/)(?:test|tests|__tests__)/.*\.[cm]?js$|[._-]test\.[cm]?js$|(?:^|/)test[-_.][^/]*\.[cm]?js$|(?:^|/)test\.[cm]?js$`)

// Run runs the test files of ask. An id is "suite > name", or the name alone, or
// "file::suite > name".
func (n node) Run(ctx context.Context, x Exec, ask Ask) (Run, error) {
	var files []string
	for _, id := range ask.IDs {
		if file, _, ok := strings.Cut(id, "::"); ok {
			files = append(files, file)
		}
	}
	for _, f := range ask.Files {
		if nodeTestFile.MatchString(f) {
			files = append(files, f)
		}
	}
	slices.Sort(files)
	files = slices.DeleteFunc(slices.Compact(files), func(f string) bool { return !x.Tree.Has(f) })
	if len(files) == 0 {
		return Run{Runner: NodeTest, Fault: FaultNothing, Detail: "none of the test files is in the tree"}, nil
	}
	args := append([]string{"--test", "--test-reporter=junit", "--test-reporter-destination=" + OutDir + "/report.xml"}, n.settings.Args...)
	args = append(args, files...)
	run := Run{Runner: NodeTest, Command: append([]string{"node"}, args...)}
	err := x.run(ctx, command{path: "node", args: args}, func(r sandbox.Report, left left, names []string) {
		run.Report = r
		run.Fault, run.Detail = faultOf(r)
		if !slices.Contains(names, "report.xml") {
			if old := oldNode(r.Stderr); run.Fault == "" && old != "" {
				run.Fault, run.Detail = FaultUsage, old
			} else if run.Fault == "" {
				run.Fault, run.Detail = FaultNoReport, "node ended with exit code "+itoa(r.Exit)+" and left no report: "+tailOf(append(r.Stdout, r.Stderr...), 500)
			}
			return
		}
		for _, c := range run.report(left, "report.xml") {
			run.Tests = append(run.Tests, nodeCase(c, files))
		}
	})
	run.Tests = worst(run.Tests)
	run.collected()
	return run, err
}

var nodeVersion = regexp.MustCompile(`Node\.js (v[0-9.]+)`)

// oldNode says that this Node writes no JUnit report, empty when it does not look
// like that.
func oldNode(stderr []byte) string {
	text := string(stderr)
	if !strings.Contains(text, "Cannot find package 'junit'") && !strings.Contains(text, "bad option: --test") {
		return ""
	}
	found := "this node"
	if m := nodeVersion.FindStringSubmatch(text); m != nil {
		found = "node " + m[1]
	}
	return found + " writes no JUnit report of tests; 18.19 or later is needed"
}

var nodeCause = regexp.MustCompile(`(?m)cause: (?:\[)?(\w*Error|\w*Exception)\b`)

// nodeCase reads a case of node's report. A file that fails as a whole is reported
// as a case with the file's path as its name.
func nodeCase(c junitCase, files []string) Test {
	suites := slices.DeleteFunc(slices.Clone(c.suites), func(s string) bool { return s == "" })
	t := Test{ID: strings.Join(append(suites, c.name), " > "), Status: Passed, Phase: Call, Duration: c.duration, aliases: []string{c.name}}
	for _, f := range files {
		t.aliases = append(t.aliases, f+"::"+t.ID)
	}
	if len(suites) == 0 && slices.ContainsFunc(files, func(f string) bool { return c.name == f || strings.HasSuffix(c.name, "/"+f) }) {
		t.ID, t.aliases = inTree(c.name), nil
		if !path.IsAbs(c.name) {
			t.ID = path.Clean(c.name)
		}
		if c.result == "failure" || c.result == "error" {
			t.Status, t.Phase, t.Message = Errored, Collection, short(c.message+"\n"+c.text)
		}
		return t
	}
	switch c.result {
	case "failure", "error":
		t.Status, t.Message = Failed, short(c.message+"\n"+c.text)
	case "skipped":
		t.Status = Skipped
		if c.kind == "todo" {
			t.Status = ExpectedFail
		}
		return t
	default:
		return t
	}
	switch c.kind {
	case "hookFailed", "cancelledByParent":
		t.Status, t.Phase = Errored, Setup
	case "testTimeoutFailure":
		t.Status = TimedOut
	}
	if m := nodeCause.FindStringSubmatch(c.text); m != nil {
		t.Kind = m[1]
	}
	if strings.Contains(c.text, "ERR_MODULE_NOT_FOUND") || strings.Contains(c.text, "MODULE_NOT_FOUND") {
		t.Kind = "MODULE_NOT_FOUND"
	}
	return t
}

func itoa(n int) string { return strconv.Itoa(n) }
