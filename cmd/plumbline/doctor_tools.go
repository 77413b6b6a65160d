package main

import (
	"context"

	"plumbline/runner/sandbox"
)

// toolFact says what a program is for and how to get it.
type toolFact struct{ group, use, get string }

// toolFacts of every program that the doctor looks for.
var toolFacts = map[string]toolFact{
	"bwrap":     {"sandbox", "running agents' code: the default backend", "apt-get install bubblewrap; in a container it needs user namespaces and an unmasked /proc"},
	"unshare":   {"sandbox", "running agents' code where bubblewrap is not installed", "it is part of util-linux; the kernel must allow user namespaces"},
	"docker":    {"sandbox", "running tests in the images of published datasets", "https://docs.docker.com/engine/install, and rights to use its socket"},
	"podman":    {"sandbox", "running tests in the images of published datasets, without a daemon", "apt-get install podman"},
	"apptainer": {"sandbox", "running tests in images on machines that allow nothing else", "https://apptainer.org"},
	"pyflakes3": {"analyzers", "static findings in Python", "apt-get install pyflakes3"},
	"ruff":      {"analyzers", "more static findings in Python", "pip install ruff"},
	"go vet":    {"analyzers", "static findings in Go", "it is part of Go: https://go.dev/dl"},
	"pyright":   {"analyzers", "type errors in Python", "npm install -g pyright"},
	"tsc":       {"analyzers", "type errors in TypeScript", "npm install -g typescript"},
	"python3":   {"runtimes", "tests of Python cases", "apt-get install python3 python3-pytest"},
	"go":        {"runtimes", "tests of Go cases", "https://go.dev/dl"},
	"node":      {"runtimes", "tests of JavaScript cases", "https://nodejs.org"},
	"git":       {"runtimes", "checking out base commits and applying patches", "apt-get install git"},
}

var version1 = []string{"--version"}

// tools that checks use beside the sandbox backends, in the order of the report.
var tools = []sandbox.Tool{
	{Name: "pyflakes3", Version: version1},
	{Name: "ruff", Version: version1},
	{Name: "pyright", Version: version1},
	{Name: "tsc", Version: version1},
	{Name: "python3", Version: version1},
	{Name: "go", Version: []string{"version"}},
	{Name: "node", Version: version1},
	{Name: "git", Version: version1},
}

// toolChecks tries backends, analyzers and runtimes.
func toolChecks(ctx context.Context) []check {
	var out []check
	for _, f := range sandbox.Probe(ctx) {
		out = append(out, toolCheck(f))
	}
	out = append(out, sandboxChecks(ctx)...)
	found := sandbox.Look(ctx, tools)
	for _, f := range found {
		if f.Name == "go" {
			vet := f
			vet.Name = "go vet"
			found = append(found, vet)
		}
	}
	for _, group := range []string{"analyzers", "runtimes"} {
		for _, f := range found {
			if toolFacts[f.Name].group == group {
				out = append(out, toolCheck(f))
			}
		}
	}
	return out
}

func toolCheck(f sandbox.Finding) check {
	fact := toolFacts[f.Name]
	c := check{Group: fact.group, Name: f.Name, Status: checkOK, Detail: f.Version}
	switch {
	case f.Path == "":
		c.Status, c.Detail = checkMissing, f.Problem
	case !f.Works:
		c.Status, c.Detail = checkWarning, "installed, and does not work: "+f.Problem
	}
	if c.Status != checkOK {
		c.For, c.Get = fact.use, fact.get
	}
	return c
}
