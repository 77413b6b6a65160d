package main

import (
	"context"
	"encoding/json"
	"errors"
	"fmt"
	"os"

	"plumbline/models"
	"plumbline/runner"
)

type runCmd struct {
	File    string `arg:"" help:"YAML file that describes the experiment; - for standard input. See docs/run.md." type:"path"`
	Project string `help:"Project, by its short name." default:"default"`
	Wait    bool   `help:"Work on it in this process too and wait for its end. Exit code 3 if items are missing or in error."`
	JSON    bool   `help:"Print the arm table with counts as JSON." name:"json"`
	Votes   bool   `help:"With --json: print every vote too."`
	Shards  int    `help:"With --wait: shards performed at a time." default:"8"`
}

// Run launches the experiment of a file.
func (c *runCmd) Run(ctx context.Context, g *Globals, std streams) (err error) {
	raw, err := readInput(c.File, std)
	if err != nil {
		return err
	}
	file, err := parseRunFile(c.File, raw)
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
	spec, err := file.resolve(ctx, a.store, v, p.ID)
	if err != nil {
		return err
	}
	e, err := a.runner.Launch(ctx, v, spec)
	if err != nil {
		return err
	}
	if !c.JSON || !c.Wait {
		fmt.Fprintf(std.err, "Experiment %s is queued.\n", e.ID)
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

func (c *runCmd) report(ctx context.Context, a *app, v models.Viewer, id string, std streams) error {
	res, err := a.runner.Results(ctx, v, id, runner.ResultOptions{})
	if err != nil {
		return err
	}
	prog, err := a.store.Progress(ctx, v, id)
	if err != nil {
		return err
	}
	if c.JSON {
		out := newRunReport(res, prog)
		if c.Votes {
			if out.Votes, err = runVotes(ctx, a.store, v, id); err != nil {
				return err
			}
		}
		enc := json.NewEncoder(std.out)
		enc.SetIndent("", "  ")
		if err := enc.Encode(out); err != nil {
			return fmt.Errorf("write the report: %w", err)
		}
	} else {
		writeArmTable(std.out, res, prog)
	}
	if c.Wait && (prog.Error > 0 || prog.Missing > 0 || prog.Blocked > 0) {
		return &exitError{code: 3}
	}
	return nil
}

func readInput(path string, std streams) ([]byte, error) {
	if path == "-" {
		raw, err := readAllLimited(std.in, 4<<20)
		if err != nil {
			return nil, fmt.Errorf("read standard input: %w", err)
		}
		return raw, nil
	}
	raw, err := os.ReadFile(path)
	if err != nil {
		return nil, fmt.Errorf("read the experiment file: %w", err)
	}
	return raw, nil
}
