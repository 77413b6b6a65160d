package checks

import (
	"context"
	"crypto/rand"
	"encoding/hex"
	"encoding/json"
	"errors"
	"fmt"
	"log/slog"
	"os"
	"path/filepath"
	"sync"
	"time"

	"plumbline/models"
	"plumbline/runner/sandbox"
	"plumbline/runner/workspace"
)

// LabellerConfig of a Labeller.
type LabellerConfig struct {
	Store   *models.Store
	Enqueue models.EnqueueLabels // puts tasks into the queue
	Cache   string               // folder of base trees and of compiled packages
	Log     *slog.Logger         // nil takes slog's default
	// Lease is how long a task stays with a worker that has gone silent; default 15 s.
	Lease time.Duration
}

// Labeller gives labels by execution, dataset by dataset. It is safe for
// concurrent use.
type Labeller struct {
	store   *models.Store
	enqueue models.EnqueueLabels
	cache   *workspace.Cache
	dir     string
	log     *slog.Logger
	lease   time.Duration
	owner   string

	mu    sync.Mutex
	boxes map[string]sandbox.Backend
}

// NewLabeller opens the cache and makes a labeller.
func NewLabeller(c LabellerConfig) (*Labeller, error) {
	if c.Log == nil {
		c.Log = slog.Default()
	}
	if c.Lease <= 0 {
		c.Lease = 15 * time.Second
	}
	dir, err := filepath.Abs(c.Cache)
	if err != nil {
		return nil, fmt.Errorf("open the cache of the checks: %w", err)
	}
	cache, err := workspace.OpenCache(dir)
	if err != nil {
		return nil, err
	}
	return &Labeller{
		store: c.Store, enqueue: c.Enqueue, cache: cache, dir: dir, log: c.Log, lease: c.Lease, owner: workerName(), boxes: map[string]sandbox.Backend{},
	}, nil
}

// workerName is unique to this labeller, so that no two share a lease.
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

// LabelSettings are kept with a run, so that every worker does the same. Zero
// values take the defaults that the comments name.
type LabelSettings struct {
	Backend    string   `json:"backend"`               // a name of sandbox.Open; default auto
	Pull       bool     `json:"pull,omitempty"`        // let engines fetch images
	Image      string   `json:"image,omitempty"`       // for engines; default the published names of the instance
	ReadOnly   []string `json:"read_only,omitempty"`   // folders of the host that programs see too
	Repos      string   `json:"repos,omitempty"`       // folder of git repositories; not needed for bundled cases
	Repeat     int      `json:"repeat"`                // runs on each tree; default 3
	Runner     string   `json:"runner,omitempty"`      // default by language and ids
	Command    []string `json:"command,omitempty"`     // of the runner junit
	Python     string   `json:"python,omitempty"`      // default python3
	Args       []string `json:"args,omitempty"`        // further arguments of the test runner
	Env        []string `json:"env,omitempty"`         // NAME=value for the tests
	Fuzz       int      `json:"fuzz,omitempty"`        // default 0: what git apply refuses does not apply
	DropBroken bool     `json:"drop_broken,omitempty"` // leave out pass-to-pass tests that fail on gold here
	Seconds    int      `json:"seconds,omitempty"`     // for one run of the tests; default 300
	MemoryMB   int      `json:"memory_mb,omitempty"`   // default 2048
}

func (s LabelSettings) check() error {
	bad := map[string]string{}
	if s.Repeat < 0 || s.Repeat > 20 {
		bad["repeat"] = "choose 1 to 20 runs on each tree"
	}
	if s.Fuzz < 0 || s.Fuzz > 20 {
		bad["fuzz"] = "choose 0 to 20 lines"
	}
	if s.Seconds < 0 || s.Seconds > 6*3600 {
		bad["seconds"] = "choose at most 6 hours"
	}
	if s.Runner != "" {
		if _, err := NewRunner(s.Runner, Settings{Command: s.Command}); err != nil {
			bad["runner"] = err.Error()
		}
	}
	if len(bad) > 0 {
		return &models.InvalidError{Fields: bad}
	}
	return nil
}

func (s LabelSettings) options() sandbox.Options {
	return sandbox.Options{Pull: s.Pull, ReadOnly: s.ReadOnly}
}

// LabelSpec describes a label run.
type LabelSpec struct {
	DatasetID string
	SplitID   string // empty: all traces
	Settings  LabelSettings
}

// Start stores a label run and queues its tasks. The sandbox is tried first: a run
// that could execute nothing is not started.
func (l *Labeller) Start(ctx context.Context, v models.Viewer, spec LabelSpec) (models.LabelRun, error) {
	s := spec.Settings
	if err := s.check(); err != nil {
		return models.LabelRun{}, err
	}
	if s.Repeat == 0 {
		s.Repeat = 3
	}
	box, err := l.box(ctx, s)
	if err != nil {
		return models.LabelRun{}, err
	}
	s.Backend = box.Name() // what auto chose here, for workers elsewhere
	raw, err := json.Marshal(s)
	if err != nil {
		return models.LabelRun{}, fmt.Errorf("write the settings: %w", err)
	}
	return l.store.StartLabelRun(ctx, v, models.LabelRunDraft{
		DatasetID: spec.DatasetID, SplitID: spec.SplitID, Settings: string(raw), Backend: box.Name(), Unsandboxed: !box.Sandboxed(), Rounds: s.Repeat,
	}, l.enqueue)
}

// Stop lets runs of tests end and starts no more.
func (l *Labeller) Stop(ctx context.Context, v models.Viewer, runID string) error {
	return l.store.StopLabelRun(ctx, v, runID)
}

// Resume goes on with what is not done; nothing that was found out is run again.
func (l *Labeller) Resume(ctx context.Context, v models.Viewer, runID string) error {
	return l.store.ResumeLabelRun(ctx, v, runID, l.enqueue)
}

// RequeueLost queues anew the tasks of workers that died.
func (l *Labeller) RequeueLost(ctx context.Context, live func(context.Context) (map[models.LabelTaskRef]bool, error)) (int, error) {
	return l.store.RequeueLostLabels(ctx, l.owner, l.lease, live, l.enqueue)
}

// box opens a sandbox once for each kind of settings.
func (l *Labeller) box(ctx context.Context, s LabelSettings) (sandbox.Backend, error) {
	key := fmt.Sprint(s.Backend, s.Pull, s.ReadOnly)
	l.mu.Lock()
	defer l.mu.Unlock()
	if b, ok := l.boxes[key]; ok {
		return b, nil
	}
	b, err := sandbox.Open(ctx, s.Backend, s.options())
	if err != nil {
		return nil, err // not kept: what is missing now may be there on resume
	}
	l.boxes[key] = b
	return b, nil
}

// PerformLabel checks an instance and its traces, as far as that is not done yet.
// It returns nil when the task is done or was stopped, or the job is outdated.
// What went wrong with the task itself is written on it, and it can be resumed; the
// error is the store's.
func (l *Labeller) PerformLabel(ctx context.Context, ref models.LabelTaskRef) error {
	w, err := l.store.ClaimLabelTask(ctx, ref, l.owner, l.store.Now().Add(l.lease))
	if errors.Is(err, models.ErrLeaseLost) {
		return nil
	}
	if err != nil {
		return err
	}
	work, stop := context.WithCancel(ctx)
	var keeping sync.WaitGroup
	keeping.Go(func() { l.keep(work, ref.TaskID, stop) })
	err = l.task(work, w)
	halted := work.Err() != nil
	stop()
	keeping.Wait()

	// The end must be written even if ctx is over: it is what lets others go on.
	end := context.WithoutCancel(ctx)
	switch {
	case err != nil && ctx.Err() != nil:
		err = l.store.ReturnLabelTask(end, ref, l.owner, l.enqueue)
	case err != nil && halted:
		err = l.store.ReleaseLabelTask(end, ref, l.owner, false, "")
	case err != nil:
		l.log.Error("label task not ended", "task", ref.TaskID, "err", err)
		err = l.store.ReleaseLabelTask(end, ref, l.owner, false, err.Error())
	default:
		err = l.store.ReleaseLabelTask(end, ref, l.owner, true, "")
	}
	if errors.Is(err, models.ErrLeaseLost) {
		return nil
	}
	return err
}

// keep renews a lease until ctx ends, and stops the work when it may not go on.
func (l *Labeller) keep(ctx context.Context, taskID string, stop func()) {
	beat := time.NewTicker(min(l.lease/3, time.Second))
	defer beat.Stop()
	for {
		select {
		case <-ctx.Done():
			return
		case <-beat.C:
			ok, err := l.store.KeepLabelTask(ctx, taskID, l.owner, l.store.Now().Add(l.lease))
			if err != nil {
				if ctx.Err() == nil {
					l.log.Warn("lease not renewed", "task", taskID, "err", err)
				}
				continue
			}
			if !ok {
				stop()
				return
			}
		}
	}
}
