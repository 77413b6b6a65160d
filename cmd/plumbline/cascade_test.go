package main

import (
	"bytes"
	"encoding/json"
	"os"
	"path/filepath"
	"reflect"
	"strings"
	"testing"

	"plumbline/experiments/cascade"
	"plumbline/runner"
	"plumbline/runner/checks"
)

const cascadeYAML = `
name: by file
dataset: Bundled cases
votes: 2
seed: 3
reviewers:
  - name: sim
    kind: simulated
    model: simulated-small
    simulated: {preset: simulated-small}
checks: {generator: recorded, repeats: 1, audit: true}
arms:
  - policy: {name: no change first, no_change: true}
    reviewer: sim
    form: patch
  - policy: reviewer only
    reviewer: sim
    form: patch
`

// A cascade from a file to its end: the report has the stages, the baselines and
// every rate. The policy runs no program, so that no sandbox is needed.
func TestCascadeCommand(t *testing.T) {
	file := filepath.Join(t.TempDir(), "cascade.yaml")
	if err := os.WriteFile(file, []byte(cascadeYAML), 0o644); err != nil {
		t.Fatal(err)
	}
	var out, errs bytes.Buffer
	data := "--data=" + t.TempDir()
	if code := program(t, streams{nil, &out, &errs}, "cascade", file, "--wait", "--json", data, "--log-level=error"); code != 0 {
		t.Fatalf("exit code %d\n%s", code, errs.String())
	}
	var r cascadeReport
	if err := json.Unmarshal(out.Bytes(), &r); err != nil {
		t.Fatalf("%v\n%s", err, out.String())
	}
	if r.Traces != 84 || r.Differing != 0 || !r.Experiment.Simulated || !r.Experiment.Recorded || len(r.Arms) != 1 || len(r.Baselines) != 3 {
		t.Fatalf("report %+v", r.Experiment)
	}
	p := r.Arms[0]
	if p.Verdicts != 84 || p.Stages[0].Decided != 5 || p.Stages[3].Entered != 79 || p.Asked != 158 || p.Saved != 10 || p.Rates["catch"].N != 55 || p.Rates["catch"].Wilson == nil {
		t.Errorf("policy %+v", p)
	}
	if r.Baselines[0].Name != "sim · patch" || r.Baselines[0].Against == "" || r.Baselines[1].Missing != 79 || r.Baselines[2].Missing != 84 {
		t.Errorf("baselines %q, %q, %d and %d missing", r.Baselines[0].Name, r.Baselines[0].Against, r.Baselines[1].Missing, r.Baselines[2].Missing)
	}
	out.Reset()
	if code := program(t, streams{strings.NewReader(cascadeYAML), &out, &errs}, "cascade", "-", "--wait", data, "--log-level=error"); code != 0 || !strings.Contains(out.String(), "no change first cascade") || !strings.Contains(out.String(), "recorded replies") {
		t.Errorf("as text: %d %s", code, out.String())
	}
}

func TestCascadeFileRefuses(t *testing.T) {
	t.Parallel()
	for name, change := range map[string][3]string{
		"empty":           {cascadeYAML, "", "is empty"},
		"unknown key":     {"seed:", "sead:", "sead"},
		"unknown check":   {"audit: true", "audits: true", "audits"},
		"unknown policy":  {"reviewer only", "strictest", `there is none named "strictest"`},
		"unknown in rule": {"no_change: true", "no_chance: true", "no_chance"},
		"no form":         {"form: patch", "form: pitch", "pitch"},
		"no arms":         {cascadeYAML[strings.Index(cascadeYAML, "arms:"):], "", "at least one policy"},
	} {
		_, err := parseCascadeFile("f.yaml", []byte(strings.Replace(cascadeYAML, change[0], change[1], 1)))
		if err == nil || !strings.Contains(err.Error(), change[2]) {
			t.Errorf("%s: error %v, want one with %q", name, err, change[2])
		}
	}
}

// docs/checks.md names every key that a cascade file has and that the report is
// printed with, and its example is taken.
func TestCascadeManual(t *testing.T) {
	t.Parallel()
	raw, err := os.ReadFile(filepath.Join(root, "docs", "checks.md"))
	if err != nil {
		t.Fatal(err)
	}
	keys := map[string]bool{}
	keysOf(reflect.TypeFor[cascadeArm](), "yaml", keys)
	for _, typ := range []reflect.Type{reflect.TypeFor[cascadeReport](), reflect.TypeFor[runner.ChecksSpec](), reflect.TypeFor[checks.ToolSpec](), reflect.TypeFor[cascade.Policy]()} {
		keysOf(typ, "json", keys)
	}
	for key := range keys {
		if !strings.Contains(string(raw), "`"+key+"`") {
			t.Errorf("docs/checks.md does not name the key %s", key)
		}
	}
	for _, s := range cascade.Stages {
		if !strings.Contains(string(raw), s.Name()) {
			t.Errorf("docs/checks.md does not name the stage %s", s.Name())
		}
	}
	_, rest, _ := strings.Cut(string(raw), "```yaml\n")
	example, _, ok := strings.Cut(rest, "```")
	if !ok {
		t.Fatal("docs/checks.md has no example")
	}
	if _, err := parseCascadeFile("docs/checks.md", []byte(example)); err != nil {
		t.Error(err)
	}
}
