package main

import (
	"bytes"
	"strings"
	"testing"

	"github.com/google/go-cmp/cmp"

	"plumbline/runner/sandbox"
)

func TestToolCheck(t *testing.T) {
	t.Parallel()
	tests := []struct {
		name string
		in   sandbox.Finding
		want check
	}{
		{"there", sandbox.Finding{Name: "git", Path: "/usr/bin/git", Version: "git version 2", Works: true},
			check{Group: "runtimes", Name: "git", Status: checkOK, Detail: "git version 2"}},
		{"missing", sandbox.Finding{Name: "git", Problem: "not found in PATH"},
			check{"runtimes", "git", checkMissing, "not found in PATH", "checking out base commits and applying patches", "apt-get install git"}},
		{"refused", sandbox.Finding{Name: "podman", Path: "/usr/bin/podman", Version: "4", Problem: "no rights"},
			check{"sandbox", "podman", checkWarning, "installed, and does not work: no rights", toolFacts["podman"].use, "apt-get install podman"}},
	}
	for _, tt := range tests {
		if d := cmp.Diff(tt.want, toolCheck(tt.in)); d != "" {
			t.Errorf("%s: %s", tt.name, d)
		}
	}
}

// Whatever the doctor looks for, it can say what it is for and how to get it.
func TestEveryToolHasItsFacts(t *testing.T) {
	t.Parallel()
	for _, f := range append(sandbox.Probe(t.Context()), sandbox.Look(t.Context(), tools)...) {
		if fact := toolFacts[f.Name]; fact.group == "" || fact.use == "" || fact.get == "" {
			t.Errorf("nothing is said about %s: %+v", f.Name, fact)
		}
	}
}

func TestDatabaseName(t *testing.T) {
	t.Parallel()
	for in, want := range map[string][2]string{
		"postgres://me:hush@db.example:5432/plumbline?sslmode=disable": {"db.example:5432/plumbline", ""},
		"postgresql://me:hush@db.example/x":                            {"db.example/x", ""},
		"postgres://me:hush@%zz":                                       {"an address that cannot be read", ""},
		"/data/plumbline.db":                                           {"/data/plumbline.db", "/data/plumbline.db"},
		"sqlite:/data/plumbline.db":                                    {"/data/plumbline.db", "/data/plumbline.db"},
	} {
		name, path := databaseName(in)
		if d := cmp.Diff(want, [2]string{name, path}); d != "" {
			t.Errorf("%s: %s", in, d)
		}
	}
}

// What strangers wrote steers no terminal.
func TestPrintable(t *testing.T) {
	t.Parallel()
	var out bytes.Buffer
	writeList(&out, "Problems:", []string{"a\x1b[2J\x07b\u202ec\nd é"}, 1)
	if got := out.String(); got != "Problems: 1\n  a\uFFFD[2J\uFFFDb\uFFFDc\uFFFDd é\n" {
		t.Errorf("%q", got)
	}
	out.Reset()
	writeList(&out, "Problems:", make([]string, 50), 70)
	if got := out.String(); strings.Count(got, "\n") != maxListed+2 || !strings.Contains(got, "and 50 more") {
		t.Errorf("%q", got)
	}
}
