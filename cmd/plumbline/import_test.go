package main

import (
	"encoding/json"
	"os/exec"
	"slices"
	"strings"
	"testing"
)

// The house: who may import whom. Arrows point down, and this test is the law.
// Change it in a commit of its own, with the reason.

// layer is a set of packages with what they may import of the project's own.
type layer struct {
	pkg string   // package path below the module; "/..." covers everything below
	own []string // may be imported: packages or "/..." trees
}

var layers = []layer{
	{"experiments/trace", nil},
	{"experiments/vote", nil},
	{"experiments/stats", nil},
	{"experiments/patch", []string{"experiments/trace"}},
	{"experiments/...", []string{"experiments/..."}},
	{"models/migrate", nil},
	{"models", []string{"experiments/...", "models/migrate"}},
	{"models/modelstest", []string{"experiments/...", "models", "models/migrate"}},
	{"runner/...", []string{"experiments/...", "models", "models/modelstest", "runner/..."}},
	{"static", nil},
	{"web/...", []string{"experiments/...", "static", "web/..."}},
	{"handlers/...", []string{"experiments/...", "models", "models/modelstest", "runner/...", "static", "web/...", "handlers/..."}},
	{"cmd/...", []string{"..."}},
}

// only names the packages that may know a library.
var only = []struct {
	library string
	pkgs    []string
}{
	{"gorm.io/", []string{"models"}},
	{"modernc.org/sqlite", []string{"models"}},
	{"github.com/pressly/goose/", []string{"models/migrate"}},
	{"github.com/labstack/echo/", []string{"handlers"}},
	{"github.com/riverqueue/", []string{"runner/jobs"}},
	{"github.com/go-echarts/", []string{"web/charts"}},
	{"github.com/yuin/goldmark", []string{"web/components/markdown"}},
	{"github.com/microcosm-cc/bluemonday", []string{"web/components/markdown"}},
	{"github.com/alecthomas/kong", []string{"cmd/plumbline"}},
	{"os/exec", []string{"runner/sandbox/...", "runner/sandbox", "handlers/handlertest"}}, // handlertest looks for a browser
}

// impure is what the core must not touch: it has no files, network, clock, log,
// process or global randomness.
var impure = []string{
	"os", "os/exec", "os/signal", "net", "net/http", "database/sql", "log", "log/slog", "context", "syscall", "runtime/debug", "crypto/rand",
}

type goPackage struct {
	ImportPath string
	Imports    []string
	// Tests may use files and processes; only what ships is under the law.
}

func list(t *testing.T) []goPackage {
	t.Helper()
	out, err := exec.Command("go", "list", "-json=ImportPath,Imports", "plumbline/...").Output()
	if err != nil {
		t.Fatalf("go list: %v", err)
	}
	var all []goPackage
	for dec := json.NewDecoder(strings.NewReader(string(out))); dec.More(); {
		var p goPackage
		if err := dec.Decode(&p); err != nil {
			t.Fatal(err)
		}
		all = append(all, p)
	}
	if len(all) < 10 {
		t.Fatalf("only %d packages listed", len(all))
	}
	return all
}

func covers(pattern, pkg string) bool {
	if tree, ok := strings.CutSuffix(pattern, "..."); ok {
		return strings.HasPrefix(pkg+"/", tree)
	}
	return pattern == pkg
}

func coversAny(patterns []string, pkg string) bool {
	return slices.ContainsFunc(patterns, func(p string) bool { return covers(p, pkg) })
}

func layerOf(pkg string) *layer {
	for i := range layers {
		if covers(layers[i].pkg, pkg) {
			return &layers[i]
		}
	}
	return nil
}

// breaches lists what a package imports against the law.
func breaches(p goPackage) []string {
	pkg := strings.TrimPrefix(p.ImportPath, "plumbline/")
	l := layerOf(pkg)
	if l == nil {
		return []string{pkg + " stands in no layer"}
	}
	var out []string
	for _, imp := range p.Imports {
		if own, ok := strings.CutPrefix(imp, "plumbline/"); ok {
			if !coversAny(l.own, own) {
				out = append(out, pkg+" must not import "+own)
			}
			continue
		}
		for _, rule := range only {
			if (imp == rule.library || strings.HasPrefix(imp, strings.TrimSuffix(rule.library, "/")+"/")) && !coversAny(rule.pkgs, pkg) {
				out = append(out, pkg+" must not know "+imp)
			}
		}
		if covers("experiments/...", pkg) && slices.Contains(impure, imp) {
			out = append(out, pkg+" is part of the pure core and must not import "+imp)
		}
	}
	return out
}

func TestImports(t *testing.T) {
	t.Parallel()
	for _, p := range list(t) {
		for _, b := range breaches(p) {
			t.Error(b)
		}
	}
}

// The law must be able to say no.
func TestBreaches(t *testing.T) {
	t.Parallel()
	tests := []struct {
		pkg, imports string
		bad          bool
	}{
		{"experiments/stats", "plumbline/models", true},
		{"experiments/stats", "plumbline/experiments/vote", true},
		{"experiments/evidence", "plumbline/experiments/trace", false},
		{"experiments/evidence", "os", true},
		{"experiments/evidence", "net/http", true},
		{"web/pages", "plumbline/models", true},
		{"web/pages", "github.com/go-echarts/go-echarts/v2/charts", true},
		{"web/charts", "github.com/go-echarts/go-echarts/v2/charts", false},
		{"models", "gorm.io/gorm", false},
		{"handlers", "gorm.io/gorm", true},
		{"handlers", "github.com/labstack/echo/v4", false},
		{"runner", "os/exec", true},
		{"runner/sandbox", "os/exec", false},
		{"runner", "plumbline/handlers", true},
		{"elsewhere", "fmt", true},
	}
	for _, tt := range tests {
		got := breaches(goPackage{ImportPath: "plumbline/" + tt.pkg, Imports: []string{tt.imports}})
		if (len(got) > 0) != tt.bad {
			t.Errorf("%s importing %s: breaches %v, want bad=%v", tt.pkg, tt.imports, got, tt.bad)
		}
	}
}
