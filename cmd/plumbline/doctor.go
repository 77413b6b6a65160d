package main

import (
	"context"
	"errors"
	"fmt"
	"io"
	"slices"
	"text/tabwriter"
	"time"
)

type doctorCmd struct {
	JSON bool `help:"Print the findings as one JSON object." name:"json"`
}

// checkStatus is how a thing was found.
type checkStatus string

// Statuses of a check.
const (
	checkOK      checkStatus = "ok"
	checkMissing checkStatus = "missing" // not there, and something cannot be done without it
	checkWarning checkStatus = "warning" // there, and not as it should be
	checkBroken  checkStatus = "broken"  // Plumbline cannot work
)

// check is one line of the doctor's report, a documented interface, see
// docs/run.md.
type check struct {
	Group  string      `json:"group"` // database, sandbox, analyzers, runtimes, reviewers
	Name   string      `json:"name"`
	Status checkStatus `json:"status"`
	Detail string      `json:"detail"`
	For    string      `json:"for,omitempty"` // what cannot be done without it
	Get    string      `json:"get,omitempty"` // how to get or mend it
}

// doctorTime bounds the whole examination.
const doctorTime = 2 * time.Minute

// Run examines what Plumbline stands on. It changes nothing and its exit code is
// 0 unless the database cannot be used.
func (c *doctorCmd) Run(ctx context.Context, g *Globals, std streams) error {
	ctx, cancel := context.WithTimeout(ctx, doctorTime)
	defer cancel()
	checks := databaseChecks(ctx, g)
	checks = append(checks, toolChecks(ctx)...)
	if !slices.ContainsFunc(checks, func(x check) bool { return x.Status == checkBroken }) {
		checks = append(checks, reviewerChecks(ctx, g)...)
	}
	if c.JSON {
		if err := writeJSON(std.out, map[string]any{"version": version(), "checks": checks}); err != nil {
			return err
		}
	} else {
		writeChecks(std.out, checks)
	}
	if slices.ContainsFunc(checks, func(x check) bool { return x.Status == checkBroken }) {
		return errors.New("the database cannot be used")
	}
	return nil
}

func writeChecks(w io.Writer, checks []check) {
	t := tabwriter.NewWriter(w, 0, 0, 2, ' ', 0)
	group := ""
	for _, c := range checks {
		if c.Group != group {
			group = c.Group
			fmt.Fprintf(t, "%s\n", group)
		}
		fmt.Fprintf(t, "  %s\t%s\t%s\n", c.Status, c.Name, printable(c.Detail))
		if c.For != "" {
			fmt.Fprintf(t, "  \t\tneeded for: %s\n", c.For)
		}
		if c.Get != "" {
			fmt.Fprintf(t, "  \t\tto get it: %s\n", c.Get)
		}
	}
	t.Flush()
}
