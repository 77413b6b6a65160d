package main

import (
	"bufio"
	"context"
	"errors"
	"fmt"
	"log/slog"
	"os"
	"runtime"
	"strconv"
	"strings"

	"plumbline/models/modelstest"
)

// benchCmd holds the measurements of docs/benchmarks.md.
type benchCmd struct {
	Votes  benchVotesCmd  `cmd:"" help:"Time an experiment against an endpoint of its own, beside a plain pool of workers."`
	Page   benchPageCmd   `cmd:"" help:"Time the result page of a large experiment."`
	Import benchImportCmd `cmd:"" help:"Measure memory and time of imports of generated files, beside a plain scan of them."`
	Traces benchTracesCmd `cmd:"" help:"Time the list of a dataset's traces under every sort and filter."`
}

// scratchApp is a whole program on a database of its own, which is removed at
// the end. What --database names is never written to: it says which server, or
// which folder, the database is made in.
func scratchApp(ctx context.Context, g *Globals, std streams) (_ *app, end func() error, err error) {
	server := g.Database
	if server == "" && g.DatabaseFile != "" {
		if server, err = readSecret(g.DatabaseFile); err != nil {
			return nil, nil, err
		}
	}
	database, drop, err := modelstest.Scratch(ctx, strings.TrimPrefix(server, "sqlite:"))
	if err != nil {
		return nil, nil, err
	}
	dir, err := os.MkdirTemp("", "plumbline-bench-")
	if err != nil {
		return nil, nil, errors.Join(fmt.Errorf("make a folder for the measurement: %w", err), drop())
	}
	own := *g
	own.Data, own.Database, own.LogLevel = dir, database, "warn"
	a, err := newApp(ctx, &own, std)
	if err != nil {
		return nil, nil, errors.Join(err, drop(), os.RemoveAll(dir))
	}
	a.log = slog.New(slog.DiscardHandler)
	return a, func() error { return errors.Join(a.close(), drop(), os.RemoveAll(dir)) }, nil
}

// machine says what a figure was measured on.
type machine struct {
	Engine string `json:"engine"`
	CPUs   int    `json:"cpus"`
	Go     string `json:"go"`
	System string `json:"system"`
	Code   string `json:"code_version"`
}

func (a *app) machine(ctx context.Context) (machine, error) {
	name, v, err := a.store.Engine(ctx)
	return machine{name + " " + v, runtime.GOMAXPROCS(0), runtime.Version(), runtime.GOOS + "/" + runtime.GOARCH, version()}, err
}

func (m machine) String() string {
	return fmt.Sprintf("%s, %d CPUs, %s %s, version %s", m.Engine, m.CPUs, m.Go, m.System, m.Code)
}

// peakMiB is the most memory that this process has held in RAM since it started
// or since resetPeak; nil where the system does not tell.
func peakMiB() *float64 {
	f, err := os.Open("/proc/self/status")
	if err != nil {
		return nil
	}
	defer f.Close()
	for lines := bufio.NewScanner(f); lines.Scan(); {
		rest, ok := strings.CutPrefix(lines.Text(), "VmHWM:")
		if !ok {
			continue
		}
		kb, err := strconv.ParseFloat(strings.TrimSpace(strings.TrimSuffix(strings.TrimSpace(rest), "kB")), 64)
		if err != nil {
			return nil
		}
		mib := kb / 1024
		return &mib
	}
	return nil
}

// mib is a size in a text report.
func mib(v *float64) string {
	if v == nil {
		return "not told by this system"
	}
	return fmt.Sprintf("%.1f MiB", *v)
}
