package main

import (
	"context"
	"errors"
	"fmt"
	"log/slog"
	"net"
	"net/http"
	"path/filepath"
	"sync"
	"time"

	"plumbline/handlers"
	"plumbline/models"
	"plumbline/runner"
	"plumbline/runner/checks"
	"plumbline/runner/ingest"
	"plumbline/runner/jobs"
	"plumbline/runner/reviewer"
)

// app is a server, a worker, or both, on one database.
type app struct {
	log     *slog.Logger
	store   *models.Store
	queue   *jobs.Queue
	runner  *runner.Runner
	ingest  *ingest.Ingest
	mirrors string
	labels  *checks.Labeller // nil where this process has no folder for checks
	worker  *jobs.Worker
	lease   time.Duration

	endSweep func()
	sweeping sync.WaitGroup
}

// performer joins the use cases that jobs ask for.
type performer struct {
	*runner.Runner
	*ingest.Ingest
}

// newApp opens and migrates the database and builds the use cases on it.
func newApp(ctx context.Context, g *Globals, std streams) (*app, error) {
	log := g.logger(std)
	s, err := g.openStore(ctx, log, true)
	if err != nil {
		return nil, err
	}
	q, err := jobs.NewQueue(s, quiet(log))
	if err != nil {
		s.Close()
		return nil, err
	}
	a := &app{log: log, store: s, queue: q, mirrors: g.Mirrors, lease: g.Lease}
	host, err := a.openChecks(g)
	if err != nil {
		// Everything but checks works all the same, and what needs one says so.
		log.Warn("this process runs no checks", "err", err)
	}
	a.runner = runner.New(runner.Config{
		Store: s, Enqueue: q.EnqueueShards, Deps: reviewer.NewDeps(), Log: log, Version: version(), Checks: host, Lease: g.Lease,
	})
	a.ingest = ingest.New(ingest.Config{Store: s, Enqueue: q.EnqueueImport, Uploads: filepath.Join(g.Data, "uploads"), Log: log})
	return a, nil
}

// openChecks makes the folder of base trees and compiled packages, and what checks
// and labels by execution need. No sandbox is opened yet.
func (a *app) openChecks(g *Globals) (*runner.CheckHost, error) {
	dir := filepath.Join(g.Data, "checks")
	host, err := runner.NewCheckHost(dir, g.Mirrors)
	if err != nil {
		return nil, err
	}
	a.labels, err = checks.NewLabeller(checks.LabellerConfig{
		Store: a.store, Enqueue: a.queue.EnqueueLabels, Cache: dir, Log: a.log, Lease: max(g.Lease, 4*time.Second),
	})
	if err != nil {
		return nil, err
	}
	return host, nil
}

// quiet keeps the queue's own chatter out of the log.
func quiet(log *slog.Logger) *slog.Logger {
	return slog.New(atLeast{log.Handler(), slog.LevelWarn})
}

type atLeast struct {
	slog.Handler
	level slog.Level
}

func (h atLeast) Enabled(ctx context.Context, l slog.Level) bool {
	return l >= h.level && h.Handler.Enabled(ctx, l)
}

// work starts performing jobs and looking for the work of dead workers.
func (a *app) work(ctx context.Context, shards int, imports bool) error {
	return a.start(ctx, jobs.Options{Shards: shards, Imports: imports, Log: quiet(a.log)})
}

// workOnAll is work that labels by execution too.
func (a *app) workOnAll(ctx context.Context, shards int, imports bool) error {
	o := jobs.Options{Shards: shards, Imports: imports, Log: quiet(a.log)}
	if a.labels != nil && shards >= 0 {
		o.Labels = a.labels
	}
	return a.start(ctx, o)
}

func (a *app) start(ctx context.Context, o jobs.Options) error {
	w, err := jobs.StartWorker(ctx, a.store, performer{a.runner, a.ingest}, o)
	if err != nil {
		return err
	}
	a.worker = w
	sweep, end := context.WithCancel(context.WithoutCancel(ctx))
	a.endSweep = end
	every := max(a.lease/2, 100*time.Millisecond)
	a.sweeping.Go(func() { jobs.Sweep(sweep, a.queue, a.runner, every, a.log) })
	if o.Labels != nil {
		a.sweeping.Go(func() { jobs.SweepLabels(sweep, a.queue, a.labels, every, a.log) })
	}
	return nil
}

// stopGrace is how long calls in flight may take to end after Ctrl-C.
const stopGrace = 20 * time.Second

func (a *app) close() error {
	var errs []error
	if a.worker != nil {
		a.endSweep()
		a.sweeping.Wait()
		ctx, cancel := context.WithTimeout(context.Background(), stopGrace)
		defer cancel()
		errs = append(errs, a.worker.Stop(ctx))
	}
	a.runner.Close()
	return errors.Join(append(errs, a.store.Close())...)
}

// serve answers on l until ctx ends.
func (a *app) serve(ctx context.Context, l net.Listener, c handlers.Config) error {
	c.Store, c.Runner, c.Ingest, c.Labels, c.Mirrors, c.Log, c.Version = a.store, a.runner, a.ingest, a.labels, a.mirrors, a.log, version()
	h := handlers.New(c)
	srv := h.HTTPServer()
	failed := make(chan error, 1)
	go func() { failed <- srv.Serve(l) }()
	select {
	case err := <-failed:
		return fmt.Errorf("serve on %s: %w", l.Addr(), err)
	case <-ctx.Done():
	}
	h.Close()
	end, cancel := context.WithTimeout(context.Background(), 5*time.Second)
	defer cancel()
	if err := srv.Shutdown(end); err != nil {
		srv.Close()
	}
	if err := <-failed; !errors.Is(err, http.ErrServerClosed) {
		return fmt.Errorf("serve on %s: %w", l.Addr(), err)
	}
	return nil
}

// listen opens the address and refuses one that others can reach unless the
// server has a password.
func listen(addr string, auth bool) (net.Listener, error) {
	host, _, err := net.SplitHostPort(addr)
	if err != nil {
		return nil, fmt.Errorf("read --addr %q: %w", addr, err)
	}
	if !auth && !loopback(host) {
		return nil, fmt.Errorf("refusing to listen on %s without a password: everybody who reaches it would be its administrator; "+
			"add --auth with --password-file, or listen on 127.0.0.1", addr)
	}
	l, err := net.Listen("tcp", addr)
	if err != nil {
		return nil, fmt.Errorf("listen on %s: %w", addr, err)
	}
	return l, nil
}

func loopback(host string) bool {
	if host == "localhost" {
		return true
	}
	ip := net.ParseIP(host)
	return ip != nil && ip.IsLoopback()
}

func pageURL(l net.Listener) string { return "http://" + l.Addr().String() + "/" }
