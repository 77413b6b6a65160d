package checks

import (
	"bytes"
	"context"
	"encoding/json"
	"fmt"
	"path"
	"path/filepath"
	"regexp"
	"slices"
	"strings"
	"time"

	"plumbline/runner/sandbox"
)

// gotest runs tests with go test -json. Ids are "./package TestName", or the name
// alone for a test in the packages of the test files; subtests follow a slash.
type gotest struct{ settings Settings }

func (*gotest) Name() string { return GoTest }

// goEnv keeps the go command from the network and from its user's settings.
var goEnv = []string{
	"GOFLAGS=-mod=mod", "GOWORK=off", "GOPROXY=off", "GOSUMDB=off", "CGO_ENABLED=0", "GOTOOLCHAIN=local", "GOTELEMETRY=off", "GOTMPDIR=/tmp",
	"GOCACHE=" + sandbox.Box + "/gocache", "GOPATH=" + sandbox.Box + "/gopath",
}

// Run compiles and runs the packages that hold the tests, and those tests only.
func (g *gotest) Run(ctx context.Context, x Exec, ask Ask) (Run, error) {
	tool, err := findGo()
	if err != nil {
		return Run{Runner: GoTest, Fault: FaultRefused, Detail: err.Error()}, nil
	}
	mod, err := x.Tree.Read("go.mod")
	if err != nil {
		return Run{Runner: GoTest, Fault: FaultUsage, Detail: "there is no go.mod at the root of the tree"}, nil
	}
	module := modulePath(string(mod.Data))
	packages, names := goSelection(ask)
	if len(packages) == 0 {
		return Run{Runner: GoTest, Fault: FaultNothing, Detail: "no package holds the tests"}, nil
	}
	cacheMount, err := g.warm(ctx, x, tool)
	if err != nil {
		return Run{}, err
	}
	return withoutHung(ctx, func(skip []string) (Run, string, error) {
		return g.once(ctx, x, tool, cacheMount, module, packages, names, skip)
	})
}

// goTool is where the go command is, and the mounts it needs.
type goTool struct {
	path   string
	mounts []sandbox.Mount
}

// findGo looks for Go on this host. An installation outside /usr is shown to the
// sandbox as well.
func findGo() (goTool, error) {
	p, err := sandbox.LookPath("go")
	if err == nil {
		p, err = filepath.EvalSymlinks(p)
	}
	if err != nil {
		return goTool{}, fmt.Errorf("go is not installed")
	}
	root := filepath.Dir(filepath.Dir(p))
	t := goTool{path: filepath.Join(root, "bin", "go")}
	if !strings.HasPrefix(root, "/usr/") {
		t.mounts = []sandbox.Mount{{Source: root, Target: root}}
	}
	return t, nil
}

func modulePath(goMod string) string {
	for line := range strings.Lines(goMod) {
		if f := strings.Fields(line); len(f) >= 2 && f[0] == "module" {
			return strings.Trim(f[1], `"`)
		}
	}
	return ""
}

// goSelection lists the packages to test and the top-level tests to run.
func goSelection(ask Ask) (packages, names []string) {
	bare := false
	for _, id := range ask.IDs {
		pkg, name, ok := strings.Cut(id, " ")
		if !ok {
			bare, name = true, id
		} else {
			packages = append(packages, pkg)
		}
		name, _, _ = strings.Cut(name, "/")
		names = append(names, name)
	}
	if bare {
		for _, f := range ask.Files {
			if strings.HasSuffix(f, "_test.go") {
				packages = append(packages, "./"+path.Dir(f))
			}
		}
	}
	slices.Sort(packages)
	slices.Sort(names)
	return slices.Compact(packages), slices.Compact(names)
}

func (g *gotest) once(ctx context.Context, x Exec, tool goTool, cache []sandbox.Mount, module string, packages, names, skip []string) (run Run, hung string, err error) {
	quoted := make([]string, len(names))
	for i, n := range names {
		quoted[i] = regexp.QuoteMeta(n)
	}
	// Vet is no part of an outcome, and nobody debugs these programs.
	args := []string{"test", "-json", "-count=1", "-vet=off", "-ldflags=-s -w", "-timeout=0", "-run", "^(" + strings.Join(quoted, "|") + ")$"}
	if len(skip) > 0 {
		left := make([]string, len(skip))
		for i, id := range skip {
			_, name, _ := strings.Cut(id, " ")
			left[i] = regexp.QuoteMeta(name)
		}
		args = append(args, "-skip", "^("+strings.Join(left, "|")+")$")
	}
	args = append(append(args, g.settings.Args...), packages...)
	run = Run{Runner: GoTest, Command: append([]string{"go"}, args...)}
	c := command{path: tool.path, args: args, env: goEnv, mounts: append(slices.Clone(tool.mounts), cache...)}
	err = x.run(ctx, c, func(r sandbox.Report, _ left, _ []string) {
		run.Report = r
		run.Fault, run.Detail = faultOf(r)
		e := goEvents{module: module}
		e.read(r.Stdout)
		run.Tests, hung = e.tests(), e.running()
		if run.Fault != "" {
			return
		}
		switch {
		case len(e.broken) > 0:
			run.Fault, run.Detail = FaultBuild, firstLine(e.broken[0])
		case len(run.Tests) == 0 && r.Exit != 0:
			run.Fault, run.Detail = FaultNoReport, "go test ended with exit code "+itoa(r.Exit)+": "+tailOf(append(r.Stdout, r.Stderr...), 500)
		case len(run.Tests) == 0:
			run.Fault, run.Detail = FaultNothing, "no test ran"
		}
	})
	run.Tests = worst(run.Tests)
	return run, hung, err
}

// goEvents follows the events of go test -json.
type goEvents struct {
	module string
	order  []string
	byID   map[string]*goResult
	broken []string            // what the compiler says of packages that do not build
	builds map[string][]string // output by import path
}

type goResult struct {
	test    Test
	started bool
	ended   bool
	output  strings.Builder
}

type goEvent struct {
	Action, Package, Test, Output, ImportPath, FailedBuild string
	Elapsed                                                float64
}

func (e *goEvents) read(out []byte) {
	e.byID, e.builds = map[string]*goResult{}, map[string][]string{}
	for _, line := range bytes.Split(out, []byte("\n")) {
		var v goEvent
		if len(line) == 0 || line[0] != '{' || json.Unmarshal(line, &v) != nil {
			continue // a test that prints to the real standard output
		}
		e.event(v)
	}
}

func (e *goEvents) event(v goEvent) {
	switch v.Action {
	case "build-output":
		e.builds[v.ImportPath] = append(e.builds[v.ImportPath], v.Output)
		return
	case "fail":
		if v.Test == "" && v.FailedBuild != "" {
			text := strings.Join(e.builds[v.FailedBuild], "")
			e.broken = append(e.broken, text)
			id := e.pkg(v.Package)
			r := e.at(id)
			r.ended = true
			r.test = Test{ID: id, Status: Errored, Phase: Collection, Kind: "build", Message: short(text)}
			return
		}
	}
	if v.Test == "" {
		return
	}
	r := e.at(e.pkg(v.Package) + " " + v.Test)
	if r.output.Len() < messageLimit {
		r.output.WriteString(v.Output)
	}
	status, ends := map[string]Status{"pass": Passed, "fail": Failed, "skip": Skipped}[v.Action]
	r.started = r.started || v.Action == "run"
	if !ends {
		return
	}
	dur := time.Duration(v.Elapsed * float64(time.Second))
	r.ended = true
	r.test.Status, r.test.Duration = status, &dur
	if status == Failed {
		text := r.output.String()
		r.test.Message, r.test.Kind = short(text), "assertion"
		if strings.Contains(text, "panic:") {
			r.test.Kind = "panic"
		}
		if m := goWhere.FindStringSubmatch(text); m != nil {
			r.test.Where = m[1]
		}
	}
}

var goWhere = regexp.MustCompile(`(?m)^\s+(\S+_test\.go):\d+:`)

// pkg is the package as ids name it.
func (e *goEvents) pkg(importPath string) string {
	rest, ok := strings.CutPrefix(importPath, e.module)
	switch {
	case !ok || e.module == "":
		return importPath
	case rest == "":
		return "."
	}
	return "." + rest
}

func (e *goEvents) at(id string) *goResult {
	r := e.byID[id]
	if r == nil {
		r = &goResult{test: Test{ID: id, Phase: Call}}
		if _, name, ok := strings.Cut(id, " "); ok {
			r.test.aliases = []string{name}
		}
		e.byID[id] = r
		e.order = append(e.order, id)
	}
	return r
}

// tests are those that ended. One that only started ended with its process, and no
// report tells how.
func (e *goEvents) tests() []Test {
	var out []Test
	for _, id := range e.order {
		if r := e.byID[id]; r.ended {
			out = append(out, r.test)
		}
	}
	return out
}

// running is a top-level test that started and did not end.
func (e *goEvents) running() string {
	for _, id := range e.order {
		if r := e.byID[id]; r.started && !r.ended && !strings.Contains(id, "/Test") {
			_, name, _ := strings.Cut(id, " ")
			if !strings.Contains(name, "/") {
				return id
			}
		}
	}
	return ""
}
