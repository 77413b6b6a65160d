package main

import (
	"bufio"
	"bytes"
	"context"
	"encoding/json"
	"fmt"
	"os"
	"path/filepath"
	"slices"
	"strings"
	"testing"

	"github.com/google/go-cmp/cmp"

	"plumbline/models"
)

// command runs the program and fails the test unless it ends well.
func command(t *testing.T, args ...string) string {
	t.Helper()
	var out, errs bytes.Buffer
	if code := program(t, streams{nil, &out, &errs}, args...); code != 0 {
		t.Fatalf("%v ended with %d\n%s%s", args, code, out.String(), errs.String())
	}
	return out.String()
}

// exported reads an export, without what names the place a trace is stored in.
func exported(t *testing.T, text string) []string {
	t.Helper()
	var out []string
	lines := bufio.NewScanner(strings.NewReader(text))
	lines.Buffer(nil, 16<<20)
	for lines.Scan() {
		var m map[string]any
		if err := json.Unmarshal(lines.Bytes(), &m); err != nil {
			t.Fatal(err)
		}
		delete(m, "trace_id")
		delete(m, "dataset")
		raw, err := json.MarshalIndent(m, "", " ")
		if err != nil {
			t.Fatal(err)
		}
		out = append(out, fmt.Sprintf("%v %v %v\n%s", m["instance_id"], m["agent"], m["attempt"], raw))
	}
	slices.Sort(out)
	return out
}

// TestExportReadAgain: an export that is imported into another dataset and
// exported from there is the same, with steps, outcomes and several attempts of
// one agent.
func TestExportReadAgain(t *testing.T) {
	dir := t.TempDir()
	data := "--data=" + dir
	ctx := context.Background()
	g := &Globals{Data: dir, LogLevel: "error", LogFormat: "text"}
	a, err := newApp(ctx, g, streams{nil, &bytes.Buffer{}, os.Stderr})
	if err != nil {
		t.Fatal(err)
	}
	p, err := a.store.EnsureProject(ctx, "default", "Default project")
	if err != nil {
		t.Fatal(err)
	}
	d, err := a.runner.LoadBundled(ctx, models.LocalAdmin(), p.ID)
	if err != nil {
		t.Fatal(err)
	}
	if err := a.close(); err != nil {
		t.Fatal(err)
	}
	for _, format := range []string{"traces.jsonl", "predictions"} {
		file := filepath.Join(dir, format+".jsonl")
		command(t, "export", d.ID, "--format="+format, "-o", file, data)
		raw, err := os.ReadFile(file)
		if err != nil {
			t.Fatal(err)
		}
		first := exported(t, string(raw))
		if len(first) < 60 {
			t.Fatalf("%s: only %d traces", format, len(first))
		}
		command(t, "import", file, "--dataset="+format, data)
		if d := cmp.Diff(first, exported(t, command(t, "export", format, "--format="+format, data))); d != "" {
			t.Errorf("%s, read again, is not the same:\n%.4000s", format, d)
		}
	}
}
