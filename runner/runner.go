// Package runner holds the use cases with I/O: launching, performing, stopping
// and resuming experiments, loading the bundled cases. Handlers and the command
// line both call it; the queue in runner/jobs performs its shards.
package runner

import (
	"context"
	"crypto/rand"
	"encoding/hex"
	"fmt"
	"log/slog"
	"os"
	"sync"
	"sync/atomic"
	"time"

	"plumbline/models"
	"plumbline/runner/reviewer"
)

// Config of a Runner. Zero numbers take the defaults that the fields name.
type Config struct {
	Store   *models.Store
	Enqueue models.Enqueue // puts shards into the queue
	Deps    reviewer.Deps  // what clients of endpoints share in this process
	Log     *slog.Logger   // nil takes slog's default
	Version string         // of the program, stored with every experiment
	Checks  *CheckHost     // where checks run; nil: this process runs none
	// Lease is how long a shard stays with a worker that has gone silent;
	// default 4 s. A live worker renews it three times in that span.
	Lease time.Duration
	// ItemsAtOnce bounds the items of one shard in work at a time; default 8.
	ItemsAtOnce int
}

// Runner performs the use cases. Make one with New; Close it last.
type Runner struct {
	store   *models.Store
	enqueue models.Enqueue
	deps    reviewer.Deps
	log     *slog.Logger
	version string
	checks  *CheckHost
	owner   string
	lease   time.Duration
	atOnce  int

	votes  *committer
	leases *keeper
	alarm  atomic.Pointer[string]

	mu        sync.Mutex
	reviewers map[string]built
}

// New starts a runner; its background work ends with Close.
func New(c Config) *Runner {
	if c.Log == nil {
		c.Log = slog.Default()
	}
	if c.Lease <= 0 {
		c.Lease = 4 * time.Second
	}
	if c.ItemsAtOnce <= 0 {
		c.ItemsAtOnce = 8
	}
	r := &Runner{
		store: c.Store, enqueue: c.Enqueue, deps: c.Deps, log: c.Log, version: c.Version, checks: c.Checks,
		owner: workerName(), lease: c.Lease, atOnce: c.ItemsAtOnce, reviewers: make(map[string]built),
	}
	r.votes = newCommitter(c.Store)
	r.leases = newKeeper(c.Store, r.owner, c.Lease, c.Log)
	return r
}

// Close waits for votes on their way into the database and ends the lease keeper.
func (r *Runner) Close() {
	r.votes.close()
	r.leases.close()
}

// Alarm is a sentence about trouble that concerns everybody on this server, such
// as a full disk; empty when there is none.
func (r *Runner) Alarm() string {
	if s := r.alarm.Load(); s != nil {
		return *s
	}
	return ""
}

func (r *Runner) setAlarm(s string) { r.alarm.Store(&s) }

// workerName is unique to this process, so that two workers on one host, or a
// restarted one with the same process id, never share a lease.
func workerName() string {
	host, err := os.Hostname()
	if err != nil {
		host = "host"
	}
	var raw [6]byte
	if _, err := rand.Read(raw[:]); err != nil {
		panic("no system randomness: " + err.Error()) // a shared name would break leases
	}
	return fmt.Sprintf("%s-%d-%s", host, os.Getpid(), hex.EncodeToString(raw[:]))
}

// system is who workers act for: what they may touch was decided at launch.
func system() models.Viewer { return models.LocalAdmin() }

// RequeueLost finds shards whose worker died and queues them anew.
func (r *Runner) RequeueLost(ctx context.Context, live func(context.Context) (map[models.ShardRef]bool, error)) (int, error) {
	return r.store.RequeueLost(ctx, r.owner, r.lease, live, r.enqueue)
}
