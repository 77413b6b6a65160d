package main

import (
	"os"
	"path/filepath"
	"reflect"
	"strings"
	"testing"

	"plumbline/experiments/export"
	"plumbline/experiments/formats"
	"plumbline/experiments/stats"
	"plumbline/runner/reviewer"
)

// keysOf collects the keys that a value is written or read with, at any depth.
func keysOf(t reflect.Type, tag string, out map[string]bool) {
	switch t.Kind() {
	case reflect.Pointer, reflect.Slice, reflect.Array, reflect.Map:
		keysOf(t.Elem(), tag, out)
	case reflect.Struct:
		for i := range t.NumField() {
			f := t.Field(i)
			name, _, _ := strings.Cut(f.Tag.Get(tag), ",")
			if name == "-" || name == "" && !f.Anonymous {
				continue
			}
			if name != "" {
				out[name] = true
			}
			if !strings.HasPrefix(f.Type.String(), "time.") {
				keysOf(f.Type, tag, out)
			}
		}
	}
}

// TestManual keeps docs/run.md complete: it names every key of every file that
// the program reads and of every object that it prints.
func TestManual(t *testing.T) {
	t.Parallel()
	raw, err := os.ReadFile(filepath.Join(root, "docs", "run.md"))
	if err != nil {
		t.Fatal(err)
	}
	keys := map[string]bool{}
	keysOf(reflect.TypeFor[runFile](), "yaml", keys)
	for _, typ := range []reflect.Type{
		reflect.TypeFor[reviewer.Price](), reflect.TypeFor[reviewer.Spec](), reflect.TypeFor[runReport](), reflect.TypeFor[importReport](),
		reflect.TypeFor[formats.DryRunResult](), reflect.TypeFor[export.Trace](), reflect.TypeFor[export.Step](), reflect.TypeFor[export.Vote](),
		reflect.TypeFor[export.Decision](), reflect.TypeFor[export.Rate](), reflect.TypeFor[check](),
	} {
		keysOf(typ, "json", keys)
	}
	for _, d := range stats.Definitions() {
		keys[string(d.Metric)] = true
	}
	if len(keys) < 100 {
		t.Fatalf("only %d keys were found", len(keys))
	}
	for key := range keys {
		if !strings.Contains(string(raw), "`"+key+"`") {
			t.Errorf("docs/run.md does not name the key %s", key)
		}
	}
}

// The example of the manual is a file that the program takes.
func TestManualExample(t *testing.T) {
	t.Parallel()
	raw, err := os.ReadFile(filepath.Join(root, "docs", "run.md"))
	if err != nil {
		t.Fatal(err)
	}
	_, rest, ok := strings.Cut(string(raw), "```yaml\n")
	example, _, end := strings.Cut(rest, "```")
	if !ok || !end {
		t.Fatal("docs/run.md has no example")
	}
	f, err := parseRunFile("docs/run.md", []byte(example))
	if err != nil {
		t.Fatal(err)
	}
	for _, r := range f.Reviewers {
		spec, err := r.spec()
		if err != nil {
			t.Errorf("%s: %v", r.Name, err)
		} else if bad := spec.Validate(); len(bad) > 0 {
			t.Errorf("%s: %+v", r.Name, bad)
		}
	}
}
