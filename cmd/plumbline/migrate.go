package main

import (
	"context"
	"fmt"

	"plumbline/models"
	"plumbline/runner/jobs"
)

type migrateCmd struct{}

// Run migrates and says what was done.
func (migrateCmd) Run(ctx context.Context, g *Globals, std streams) error {
	url, err := g.databaseURL()
	if err != nil {
		return err
	}
	s, err := models.Open(ctx, url, models.Options{MaxConns: g.DBConns, Log: g.logger(std)})
	if err != nil {
		return err
	}
	defer s.Close()
	n, err := s.Migrate(ctx, func(ctx context.Context) error { return jobs.Migrate(ctx, s) })
	if err != nil {
		return err
	}
	if n == 0 {
		fmt.Fprintln(std.out, "The schema is up to date.")
		return nil
	}
	fmt.Fprintf(std.out, "The schema is up to date: %d steps were run.\n", n)
	return nil
}
