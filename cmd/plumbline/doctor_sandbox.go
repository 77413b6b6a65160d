package main

import (
	"context"
	"strings"

	"plumbline/runner/sandbox"
)

// sandboxChecks tell how the backends that need no image do here: which of them is
// the default, what they cannot limit, and whether copies of trees are cheap.
func sandboxChecks(ctx context.Context) []check {
	var out []check
	works := false
	for _, s := range sandbox.Survey(ctx) {
		c := check{Group: "sandbox", Name: "backend " + s.Name, Status: checkOK}
		if !s.Works {
			c.Status, c.Detail = checkWarning, s.Problem
			out = append(out, c)
			continue
		}
		works = true
		says := []string{"works"}
		if s.Auto {
			says = []string{"works, and is what auto takes"}
		}
		if s.CopyOnWrite {
			says = append(says, "copies of trees cost what is changed in them")
		} else {
			says = append(says, "copies of trees are made file by file")
		}
		c.Detail = strings.Join(says, "; ")
		if len(s.Gaps) > 0 {
			c.Status, c.For = checkWarning, "what it cannot limit here: "+strings.Join(s.Gaps, "; ")
			c.Get = "rights to make control groups: as root, or by systemd-run --user --scope -p Delegate=yes plumbline …"
		}
		out = append(out, c)
	}
	if !works {
		out = append(out, check{
			"sandbox", "any", checkWarning, "no program of a stranger can be run here but in images or by the backend none", "labels by execution, cascades and reviewers with tools",
			"docs/sandbox.md names the settings of kernels and containers that refuse user namespaces",
		})
	}
	return out
}
