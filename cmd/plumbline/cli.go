package main

import (
	"context"
	"fmt"
	"log/slog"
	"os"
	"path/filepath"
	"runtime/debug"
	"strings"
	"time"

	"github.com/alecthomas/kong"

	"plumbline/models"
	"plumbline/runner/jobs"
)

// cli is the whole surface: every setting is a flag, PLUMBLINE_* fills flags, and
// a secret may be given as a file by *_FILE.
type cli struct {
	Globals

	Demo    demoCmd    `cmd:"" help:"Start a server and worker on an embedded database with the bundled cases and a first experiment."`
	Serve   serveCmd   `cmd:"" help:"Start the web server, by default with a worker in the same process."`
	Work    workCmd    `cmd:"" help:"Start a worker for a server that runs elsewhere on the same PostgreSQL database."`
	Migrate migrateCmd `cmd:"" help:"Bring the database schema up to date."`
	Import  importCmd  `cmd:"" help:"Read files of other tools into a dataset."`
	Label   labelCmd   `cmd:"" help:"Give a dataset labels by running its official tests in a sandbox."`
	Ablate  ablateCmd  `cmd:"" help:"Make controlled cases of the reference patches of a dataset, each verified by its official tests."`
	Review  reviewCmd  `cmd:"" help:"Judge one patch by a frozen policy. Exit code 0: accept, 1: reject, 2: uncertain, 3: no verdict. See docs/review.md."`
	Policy  policyCmd  `cmd:"" help:"Write a frozen policy as a file, for plumbline review."`
	Critics criticsCmd `cmd:"" help:"Import tables of recorded critics."`
	Run     runCmd     `cmd:"" help:"Start an experiment from a file."`
	Cascade cascadeCmd `cmd:"" help:"Start a review cascade, whose checks run in a sandbox, from a file."`
	Export  exportCmd  `cmd:"" help:"Write predictions, traces, votes or decisions."`
	Audit   auditCmd   `cmd:"" help:"Compare the stored votes of an experiment with their evidence and flag those that misread it."`
	Static  staticCmd  `cmd:"" help:"Set the findings that patches caused, in stored outputs of static tools, against the outcomes of the patches."`
	Doctor  doctorCmd  `cmd:"" help:"Tell what works here, what is missing and how to get it."`
	Bench   benchCmd   `cmd:"" help:"Measure speed and memory, as docs/benchmarks.md reports them."`
	Health  healthCmd  `cmd:"" help:"Ask a running server whether it is well, for health checks."`

	Version kong.VersionFlag `help:"Print the version."`
}

// Globals are the settings that all commands share.
type Globals struct {
	Data         string        `help:"Folder of the embedded database and of uploads." default:"${data}" type:"path"`
	Database     string        `help:"Database: postgres://… or the path of an SQLite file. Default: plumbline.db in the data folder." placeholder:"URL"`
	DatabaseFile string        `help:"File that holds the database URL, for a URL with a password." type:"path" placeholder:"FILE"`
	Mirrors      string        `help:"Folder of git repositories that checks take base trees from: clones or bare mirrors, as owner/name, owner__name or name. The bundled cases need none." type:"path" placeholder:"DIR"`
	DBConns      int           `help:"Connections to PostgreSQL at most." default:"20" name:"db-conns"`
	Lease        time.Duration `help:"How long work stays with a worker that has gone silent before another takes it over." default:"4s"`
	LogLevel     string        `help:"Log level: debug, info, warn or error." enum:"debug,info,warn,error" default:"info"`
	LogFormat    string        `help:"Log format: text or json." enum:"text,json" default:"text"`
}

func (g *Globals) logger(std streams) *slog.Logger {
	var level slog.Level
	if err := level.UnmarshalText([]byte(g.LogLevel)); err != nil {
		level = slog.LevelInfo // the flag's enum has refused anything else
	}
	o := &slog.HandlerOptions{Level: level}
	if g.LogFormat == "json" {
		return slog.New(slog.NewJSONHandler(std.err, o))
	}
	return slog.New(slog.NewTextHandler(std.err, o))
}

func (g *Globals) databaseURL() (string, error) {
	if g.Database != "" {
		return g.Database, nil
	}
	if g.DatabaseFile != "" {
		return readSecret(g.DatabaseFile)
	}
	return filepath.Join(g.Data, "plumbline.db"), nil
}

func readSecret(path string) (string, error) {
	raw, err := os.ReadFile(path)
	if err != nil {
		return "", fmt.Errorf("read the secret file: %w", err)
	}
	return strings.TrimSpace(string(raw)), nil
}

// openStore opens the database. migrate brings the schema up to date, otherwise a
// stale or newer one is refused.
func (g *Globals) openStore(ctx context.Context, log *slog.Logger, migrate bool) (*models.Store, error) {
	url, err := g.databaseURL()
	if err != nil {
		return nil, err
	}
	s, err := models.Open(ctx, url, models.Options{MaxConns: g.DBConns, Log: log})
	if err != nil {
		return nil, err
	}
	if migrate {
		_, err = s.Migrate(ctx, func(ctx context.Context) error { return jobs.Migrate(ctx, s) })
	} else {
		err = s.CheckSchema(ctx)
	}
	if err != nil {
		s.Close()
		return nil, err
	}
	return s, nil
}

// defaultData is the user's data folder, or a folder beside the program's start
// where there is none.
func defaultData() string {
	if dir := os.Getenv("XDG_DATA_HOME"); dir != "" {
		return filepath.Join(dir, "plumbline")
	}
	home, err := os.UserHomeDir()
	if err != nil {
		return "plumbline-data"
	}
	return filepath.Join(home, ".local", "share", "plumbline")
}

// version is the module's version, or the commit it was built from.
func version() string {
	info, ok := debug.ReadBuildInfo()
	if !ok {
		return "unknown"
	}
	if v := info.Main.Version; v != "" && v != "(devel)" {
		return v
	}
	commit, dirty := "", ""
	for _, s := range info.Settings {
		switch {
		case s.Key == "vcs.revision":
			commit = s.Value[:min(12, len(s.Value))]
		case s.Key == "vcs.modified" && s.Value == "true":
			dirty = "+changes"
		}
	}
	if commit == "" {
		return "devel"
	}
	return commit + dirty
}
