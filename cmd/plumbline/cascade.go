package main

import (
	"context"
	"errors"
	"fmt"

	"plumbline/models"
	"plumbline/runner"
)

type cascadeCmd struct {
	File    string `arg:"" help:"YAML file that describes the cascade; - for standard input. See docs/checks.md." type:"path"`
	Project string `help:"Project, by its short name." default:"default"`
	Wait    bool   `help:"Work on it in this process too and wait for its end. Exit code 3 if items are missing or ended without a verdict."`
	JSON    bool   `help:"Print the stages, tests, audit and rates of every policy as JSON." name:"json"`
	Shards  int    `help:"With --wait: shards performed at a time." default:"4"`
}

// Run launches the cascade of a file.
func (c *cascadeCmd) Run(ctx context.Context, g *Globals, std streams) (err error) {
	raw, err := readInput(c.File, std)
	if err != nil {
		return err
	}
	file, err := parseCascadeFile(c.File, raw)
	if err != nil {
		return err
	}
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
	if file.Dataset == runner.BundledName {
		if _, err := a.runner.LoadBundled(ctx, v, p.ID); err != nil {
			return err
		}
	}
	spec, err := file.resolve(ctx, a.store, v, p.ID)
	if err != nil {
		return err
	}
	e, err := a.runner.LaunchCascade(ctx, v, spec)
	if err != nil {
		return err
	}
	if !c.JSON || !c.Wait {
		fmt.Fprintf(std.err, "Cascade %s is queued.\n", e.ID)
	}
	if c.Wait {
		if err := a.work(ctx, c.Shards, false); err != nil {
			return err
		}
		if err := waitFor(ctx, a.store, v, e.ID, std); err != nil {
			return err
		}
	}
	return c.report(ctx, a, v, e.ID, std)
}

func (c *cascadeCmd) report(ctx context.Context, a *app, v models.Viewer, id string, std streams) error {
	res, err := a.runner.CascadeResults(ctx, v, id)
	if err != nil {
		return err
	}
	prog, err := a.store.Progress(ctx, v, id)
	if err != nil {
		return err
	}
	out := newCascadeReport(res, prog)
	if c.JSON {
		err = writeJSON(std.out, out)
	} else {
		writeCascade(std.out, out)
	}
	if err == nil && c.Wait && (prog.Error > 0 || prog.Missing > 0 || prog.Blocked > 0) {
		err = &exitError{code: 3}
	}
	return err
}
