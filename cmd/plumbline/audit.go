package main

import (
	"context"
	"errors"
	"fmt"

	"plumbline/models"
)

type auditCmd struct {
	Experiment string `arg:"" help:"Experiment, by its id."`
	Again      bool   `help:"Audit votes again that these rules have audited before."`
}

// Run compares stored votes with the evidence they were asked under, as is done
// for every vote that arrives.
func (c *auditCmd) Run(ctx context.Context, g *Globals, std streams) (err error) {
	if err := g.databaseThere(); err != nil {
		return err
	}
	a, err := newApp(ctx, g, std)
	if err != nil {
		return err
	}
	defer func() { err = errors.Join(err, a.close()) }()
	rep, err := a.runner.Audit(ctx, models.LocalAdmin(), c.Experiment, c.Again)
	if err != nil {
		return err
	}
	fmt.Fprintf(std.out, "audited %d votes, %d contradict their evidence; %d were audited before, %d have no numbered evidence\n",
		rep.Audited, rep.Flagged, rep.Known, rep.Skipped)
	return nil
}
