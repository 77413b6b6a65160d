package main

import (
	"context"
	"errors"
	"fmt"
	"io"
	"maps"
	"path/filepath"
	"slices"
	"strings"
	"time"

	"plumbline/experiments/bundled"
	"plumbline/models"
	"plumbline/runner"
)

type ablateCmd struct {
	Dataset    string        `arg:"" help:"Dataset with reference patches, by its name. The controlled cases of the bundled cases come verified and are only loaded."`
	Project    string        `help:"Project, by its short name." default:"default"`
	Repos      string        `help:"Folder of git repositories that have the base commits, as for plumbline label; or one repository." type:"path" placeholder:"DIR"`
	PerKind    int           `help:"Ablations of each kind kept of an instance." default:"1"`
	Repeat     int           `help:"Runs of the official tests on each tree." default:"2"`
	Backend    string        `help:"Sandbox, see docs/sandbox.md." default:"auto"`
	Image      string        `help:"Image for docker, podman and apptainer." placeholder:"NAME"`
	ReadOnly   []string      `help:"Folder of this host that the tests see at the same path." type:"path" placeholder:"DIR"`
	Runner     string        `help:"Test runner: pytest, unittest or gotest. Default: by language and test ids." placeholder:"NAME"`
	Python     string        `help:"Python interpreter, as the sandbox sees it." default:"python3"`
	Arg        []string      `help:"Further argument of the test runner." sep:"none" placeholder:"ARG"`
	Env        []string      `help:"Variable for the tests." sep:"none" placeholder:"NAME=VALUE"`
	DropBroken bool          `help:"Leave out pass-to-pass tests that fail on the reference patch here, instead of calling the instance unusable."`
	TimeLimit  time.Duration `help:"Time for one run of the tests." default:"5m"`
	JSON       bool          `help:"Print what was made as one JSON object." name:"json"`
}

// ablateReport is what plumbline ablate prints, a documented interface, see
// docs/review.md.
type ablateReport struct {
	Dataset   string           `json:"dataset"`
	Split     string           `json:"split"`
	Cases     int              `json:"cases"` // stored, reference patches among them
	Instances []runner.Ablated `json:"instances"`
}

// Run makes controlled cases of a dataset, verified by its official tests.
func (c *ablateCmd) Run(ctx context.Context, g *Globals, std streams) (err error) {
	a, err := newApp(ctx, g, std)
	if err != nil {
		return err
	}
	defer func() { err = errors.Join(err, a.close()) }()
	v := models.LocalAdmin()
	p, err := a.store.EnsureProject(ctx, c.Project, c.Project)
	if err != nil {
		return err
	}
	out := ablateReport{Dataset: c.Dataset, Split: bundled.SplitControls, Instances: []runner.Ablated{}}
	if c.Dataset == runner.BundledName {
		if _, out.Cases, err = a.runner.LoadControls(ctx, v, p.ID); err != nil {
			return err
		}
		return c.print(std.out, out)
	}
	spec, err := c.spec(ctx, a, v, p.ID)
	if err != nil {
		return err
	}
	host, err := runner.NewCheckHost(filepath.Join(g.Data, "checks"), c.Repos)
	if err != nil {
		return err
	}
	err = a.runner.Ablate(ctx, v, host, spec, func(x runner.Ablated) {
		out.Instances, out.Cases = append(out.Instances, x), out.Cases+len(x.Kept)
		fmt.Fprintf(std.err, "%s: %s, %d proposed, %d kept\n", x.Instance, x.State, x.Proposed, max(0, len(x.Kept)-1))
	})
	if err != nil {
		return err
	}
	return c.print(std.out, out)
}

func (c *ablateCmd) spec(ctx context.Context, a *app, v models.Viewer, projectID string) (runner.AblateSpec, error) {
	s := runner.AblateSpec{
		PerKind: c.PerKind, Repeat: c.Repeat, Backend: c.Backend, Image: c.Image, ReadOnly: c.ReadOnly, Runner: c.Runner, Python: c.Python, Args: c.Arg, Env: c.Env, Wall: c.TimeLimit, DropBroken: c.DropBroken,
	}
	all, err := a.store.Datasets(ctx, v)
	if err != nil {
		return s, err
	}
	for _, d := range all {
		if d.ProjectID == projectID && d.Name == c.Dataset {
			s.DatasetID = d.ID
			return s, nil
		}
	}
	return s, fmt.Errorf("project %q has no dataset %q; plumbline import makes one", c.Project, c.Dataset)
}

func (c *ablateCmd) print(w io.Writer, out ablateReport) error {
	if c.JSON {
		return writeJSON(w, out)
	}
	for _, x := range out.Instances {
		fmt.Fprintf(w, "%s  %s", textLine(x.Instance, 120), x.State)
		if x.Reason != "" {
			fmt.Fprintf(w, ": %s", textLine(x.Reason, 300))
		}
		var refused []string
		for _, k := range slices.Sorted(maps.Keys(x.Refused)) {
			refused = append(refused, fmt.Sprintf("%d %s", x.Refused[k], k))
		}
		if len(refused) > 0 {
			fmt.Fprintf(w, "  (tried and not kept: %s)", strings.Join(refused, ", "))
		}
		fmt.Fprintln(w)
		for _, k := range x.Kept {
			fmt.Fprintf(w, "  %-8s %-12s %s\n", k.Kind, k.Bucket, textLine(k.Missing, 200))
		}
	}
	_, err := fmt.Fprintf(w, "%d controlled cases are in the split %s of %s.\n", out.Cases, out.Split, out.Dataset)
	return err
}
