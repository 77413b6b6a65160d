package main

import (
	"context"
	"encoding/json"
	"fmt"
	"path/filepath"

	"plumbline/runner/staticpairs"
)

type staticCmd struct {
	Dir  string   `arg:"" help:"Folder of pairs: for each patch the output of static tools before and after it. See docs/static.md." type:"path"`
	Runs string   `help:"Folder of the published runs that the patches are from; their reports give the outcomes. Default: the folder above DIR." placeholder:"DIR" type:"path"`
	Tool []string `help:"Count the findings of these tools alone; may be repeated. Default: all." placeholder:"NAME"`
	JSON bool     `help:"Print one JSON object." name:"json"`
}

// Run sets the findings that patches caused against the outcomes of the patches.
func (c *staticCmd) Run(ctx context.Context, std streams) error {
	set, err := staticpairs.Read(c.Dir)
	if err != nil {
		return err
	}
	if len(set.Pairs) == 0 {
		return fmt.Errorf("%s lists no pair", c.Dir)
	}
	runs := c.Runs
	if runs == "" {
		runs = filepath.Dir(filepath.Clean(c.Dir))
	}
	outcomes, err := staticpairs.ReadOutcomes(ctx, runs, append(set.From, set.Listed...))
	if err != nil {
		return err
	}
	rep, err := newStaticReport(set, set.Judge(outcomes), c.Tool)
	if err != nil {
		return err
	}
	if !c.JSON {
		rep.write(std.out)
		return nil
	}
	enc := json.NewEncoder(std.out)
	enc.SetIndent("", "  ")
	if err := enc.Encode(rep); err != nil {
		return fmt.Errorf("write the table: %w", err)
	}
	return nil
}
