package checks

import (
	"bytes"
	"context"
	"path"
	"regexp"
	"slices"
	"strings"

	"plumbline/runner/sandbox"
)

// pytest runs test files with pytest and reads its JUnit report, whose xunit1
// family holds the file of each case, so that ids come back as pytest writes them:
// path::Class::name[parameters].
type pytest struct{ settings Settings }

func (pytest) Name() string { return Pytest }

// pythonEnv keeps Python from writing beside its sources and from acting
// differently each time.
var pythonEnv = []string{"PYTHONDONTWRITEBYTECODE=1", "PYTHONHASHSEED=0", "PYTHONUNBUFFERED=1", "PYTHONIOENCODING=utf-8"}

// pythonPath lets a package be imported from the tree without being installed.
func pythonPath(x Exec) string {
	parts := []string{TreeDir}
	for _, dir := range []string{"src", "lib"} {
		if x.Tree.HasDir(dir) {
			parts = append(parts, TreeDir+"/"+dir)
		}
	}
	if x.Box.Images() {
		for i := range parts {
			parts[i] = strings.Replace(parts[i], TreeDir, sandbox.ImageRepo, 1)
		}
	}
	return "PYTHONPATH=" + strings.Join(parts, ":")
}

// Run runs the files that the ids name. Ids without a file are looked for in the
// files of ask.
func (p pytest) Run(ctx context.Context, x Exec, ask Ask) (Run, error) {
	files := pytestFiles(x, ask)
	if len(files) == 0 {
		return Run{Runner: Pytest, Fault: FaultNothing, Detail: "none of the test files is in the tree"}, nil
	}
	return withoutHung(ctx, func(skip []string) (Run, string, error) {
		run, hung, err := p.once(ctx, x, files, skip, false)
		if err == nil && run.Fault == FaultUsage {
			// The project's own options may need plugins that are not here.
			again, hungAgain, e := p.once(ctx, x, files, skip, true)
			if e == nil && again.Fault != FaultUsage {
				again.Notes = append(again.Notes, "the project's own options of pytest were left out: "+run.Detail)
				return again, hungAgain, nil
			}
		}
		return run, hung, err
	})
}

func pytestFiles(x Exec, ask Ask) []string {
	var files []string
	bare := false
	for _, id := range ask.IDs {
		file, _, ok := strings.Cut(id, "::")
		if !ok || !strings.HasSuffix(file, ".py") {
			bare = true
			continue
		}
		files = append(files, file)
	}
	if bare {
		for _, f := range ask.Files {
			if strings.HasSuffix(f, ".py") && strings.Contains(path.Base(f), "test") && path.Base(f) != "conftest.py" {
				files = append(files, f)
			}
		}
	}
	slices.Sort(files)
	files = slices.Compact(files)
	return slices.DeleteFunc(files, func(f string) bool { return !x.Tree.Has(f) })
}

func (p pytest) once(ctx context.Context, x Exec, files, skip []string, bare bool) (run Run, hung string, err error) {
	// Verbose, because a killed run leaves no report, and what ran is read from its
	// output then.
	args := []string{
		"-m", "pytest", "-v", "-p", "no:cacheprovider", "-o", "junit_family=xunit1", "--junitxml=" + OutDir + "/report.xml",
		"--continue-on-collection-errors", "--tb=short", "--color=no", "-rN",
	}
	if bare {
		args = append(args, "-o", "addopts=")
	}
	for _, id := range skip {
		args = append(args, "--deselect", id)
	}
	args = append(append(args, p.settings.Args...), files...)
	run = Run{Runner: Pytest, Command: append([]string{p.settings.Python}, args...)}
	err = x.run(ctx, command{path: p.settings.Python, args: args, env: append([]string{pythonPath(x)}, pythonEnv...)}, func(r sandbox.Report, left left, names []string) {
		run.Report = r
		run.Fault, run.Detail = faultOf(r)
		if run.Fault != "" && !slices.Contains(names, "report.xml") {
			run.Tests, hung = pytestLines(r.Stdout)
			return
		}
		switch r.Exit {
		case 3:
			run.Fault, run.Detail = FaultCrash, "pytest reports an error of its own: "+tailOf(r.Stdout, 500)
		case 4:
			run.Fault, run.Detail = FaultUsage, tailOf(append(r.Stdout, r.Stderr...), 500)
		case 5:
			run.Fault, run.Detail = FaultNothing, "pytest collected no test"
		}
		if !slices.Contains(names, "report.xml") {
			if run.Fault == "" {
				run.Fault, run.Detail = pytestSilence(r)
			}
			return
		}
		for _, c := range run.report(left, "report.xml") {
			run.Tests = append(run.Tests, pytestTest(c))
		}
	})
	run.Tests = worst(run.Tests)
	run.collected()
	return run, hung, err
}

// collected notes files that could not be loaded, unless something worse is noted.
func (r *Run) collected() {
	if r.Fault != "" && r.Fault != FaultNothing {
		return
	}
	for _, t := range r.Tests {
		if t.Status == Errored && t.Phase == Collection {
			r.Fault, r.Detail = FaultCollection, t.ID+": "+firstLine(t.Message)
			return
		}
	}
	if len(r.Tests) == 0 && r.Fault == "" {
		r.Fault, r.Detail = FaultNothing, "no test ran"
	}
}

// pytestSilence tells why pytest left no report although it ended by itself.
func pytestSilence(r sandbox.Report) (Fault, string) {
	if bytes.Contains(r.Stderr, []byte("No module named pytest")) {
		return FaultRefused, "pytest is not installed where the tests run"
	}
	return FaultNoReport, "pytest ended with exit code " + itoa(r.Exit) + " and left no report: " + tailOf(append(r.Stdout, r.Stderr...), 500)
}

// pytestTest reads a case of pytest's report.
func pytestTest(c junitCase) Test {
	t := Test{Status: Passed, Phase: Call, Duration: c.duration}
	t.ID = pytestID(c)
	switch c.result {
	case "failure":
		t.Status = Failed
	case "error":
		t.Status, t.Phase = Errored, Setup
		switch {
		case strings.HasPrefix(c.message, "collection"):
			t.Phase = Collection
		case strings.Contains(c.message, "on teardown"):
			t.Phase = Teardown
		}
	case "skipped":
		t.Status = Skipped
		if c.kind == "pytest.xfail" {
			t.Status = ExpectedFail
		}
		t.Message = short(c.message)
		return t
	default:
		return t
	}
	t.Message = short(c.message + "\n" + c.text)
	t.Kind, t.Where = pythonFailure(c.message, c.text)
	if t.Kind == "Timeout" || strings.HasPrefix(c.message, "Failed: Timeout") {
		t.Status = TimedOut
	}
	return t
}

// pytestID puts the id together as pytest itself writes it.
func pytestID(c junitCase) string {
	if c.file == "" {
		// A file that could not be collected has its dotted name alone.
		dotted := c.name
		if c.class != "" {
			dotted = c.class + "." + c.name
		}
		return dotted
	}
	file := inTree(c.file)
	module := strings.ReplaceAll(strings.TrimSuffix(file, ".py"), "/", ".")
	if c.class == "" && c.name == module {
		return file
	}
	id := file
	rest := strings.TrimPrefix(c.class, module)
	if rest == c.class && c.class != "" {
		// The root of the run is below the tree: the class still ends with what is
		// inside the file.
		if i := strings.LastIndex(c.class, path.Base(module)+"."); i >= 0 {
			rest = c.class[i+len(path.Base(module)):]
		}
	}
	for _, part := range strings.Split(strings.Trim(rest, "."), ".") {
		if part != "" {
			id += "::" + part
		}
	}
	return id + "::" + c.name
}

var (
	exceptionName = regexp.MustCompile(`^(?:[Ff]ailed on \w+ with ")?((?:[A-Za-z_]\w*\.)*[A-Za-z_]\w*)(?::|$|\()`)
	raisedAt      = regexp.MustCompile(`(?m)^(\S+\.py):\d+: ((?:\w+\.)*\w+)\s*$`)
	raisedLine    = regexp.MustCompile(`(?m)^E\s+((?:[A-Za-z_]\w*\.)*[A-Z]\w*(?:Error|Exception|Warning|Exit|Interrupt|Failed))\b`)
)

// pythonFailure finds the class of the exception and the file that raised it.
func pythonFailure(message, text string) (kind, where string) {
	if all := raisedAt.FindAllStringSubmatch(text, -1); len(all) > 0 {
		last := all[len(all)-1]
		return last[2], inTree(last[1])
	}
	if all := raisedLine.FindAllStringSubmatch(text, -1); len(all) > 0 {
		kind = all[len(all)-1][1]
	} else if strings.HasPrefix(message, "assert ") {
		kind = "AssertionError"
	} else if m := exceptionName.FindStringSubmatch(message); m != nil && strings.ContainsAny(m[1][:1], "ABCDEFGHIJKLMNOPQRSTUVWXYZ") {
		kind = m[1]
	}
	if m := syntaxFile.FindStringSubmatch(text); m != nil {
		return kind, inTree(m[1])
	}
	for _, m := range frameLine.FindAllStringSubmatch(text, -1) {
		if p := inTree(m[1]); !path.IsAbs(p) && !strings.HasPrefix(p, "<") {
			where = p
		}
	}
	return kind, where
}

// syntaxFile is the file that Python cannot read.
var syntaxFile = regexp.MustCompile(`(?m)^E\s+File "([^"]+)", line \d+`)

// frameLine is a line of a short traceback: where the exception passed.
var frameLine = regexp.MustCompile(`(?m)^(\S+\.py):\d+: (?:in .+)?$`)

var pytestLine = regexp.MustCompile(`(?m)^(\S[^\n]*?::[^\n]*?) (PASSED|FAILED|ERROR|SKIPPED|XFAIL|XPASS)\b[^\n]*$`)

// pytestLines reads what a verbose run printed before it was ended: the tests with
// an outcome, and the one that was running.
func pytestLines(out []byte) (tests []Test, running string) {
	text := string(out)
	status := map[string]Status{"PASSED": Passed, "FAILED": Failed, "ERROR": Errored, "SKIPPED": Skipped, "XFAIL": ExpectedFail, "XPASS": UnexpectedPass}
	for _, m := range pytestLine.FindAllStringSubmatch(text, -1) {
		t := Test{ID: m[1], Status: status[m[2]], Phase: Call}
		if t.Status == Errored {
			t.Phase = Setup
		}
		tests = append(tests, t)
	}
	last := text[strings.LastIndexByte(text, '\n')+1:]
	if id := strings.TrimSpace(last); strings.Contains(id, ".py::") && !pytestLine.MatchString(last) {
		running = id
	}
	return worst(tests), running
}
