package runner

import (
	"context"
	"encoding/json"
	"errors"
	"fmt"
	"slices"
	"sync"
	"sync/atomic"

	"plumbline/models"
	"plumbline/runner/reviewer"
)

// shardRun is one shard being performed.
type shardRun struct {
	*Runner
	work   models.ShardWork
	snap   Snapshot
	gate   context.Context // over when no new call may start
	stop   context.CancelFunc
	broken sync.Map // arm id → *reviewer.Error that asking again cannot help
	fault  atomic.Pointer[error]
}

// PerformShard asks for every vote of a shard that is not stored yet. It returns
// nil when the shard is done, was stopped, or the job is outdated; an error when
// the store failed, in which case the lease runs out and the shard is queued
// anew. When ctx ends no new call starts, calls in flight end, and the shard goes
// back to the queue.
func (r *Runner) PerformShard(ctx context.Context, ref models.ShardRef) error {
	work, err := r.store.ClaimShard(ctx, ref, r.owner, r.store.Now().Add(r.lease))
	if errors.Is(err, models.ErrLeaseLost) {
		return nil
	}
	if err != nil {
		return r.storeTrouble(err)
	}
	run := &shardRun{Runner: r, work: work}
	run.gate, run.stop = context.WithCancel(ctx)
	defer run.stop()
	if err := json.Unmarshal([]byte(work.Experiment.Config), &run.snap); err != nil {
		return fmt.Errorf("read the configuration of experiment %s: %w", work.Experiment.ID, err)
	}
	r.leases.hold(ref.ShardID, run.stop)
	defer r.leases.drop(ref.ShardID)

	// What is read and written must be so even if ctx is over: the end of the shard
	// is what lets others go on.
	end := context.WithoutCancel(ctx)
	if work.Experiment.Kind == models.KindControl {
		if err := run.episodes(end); err != nil {
			run.fault.CompareAndSwap(nil, &err)
		}
	} else {
		run.items()
	}

	if f := run.fault.Load(); f != nil {
		return r.storeTrouble(*f)
	}
	if ctx.Err() != nil {
		return r.store.ReturnShard(end, ref, r.owner, r.enqueue)
	}
	err = r.store.ReleaseShard(end, ref, r.owner)
	if errors.Is(err, models.ErrLeaseLost) {
		return nil
	}
	if err == nil {
		r.setAlarm("")
	}
	return err
}

func (r *Runner) storeTrouble(err error) error {
	if errors.Is(err, models.ErrStorageFull) {
		r.setAlarm(models.ErrStorageFull.Error())
	}
	return err
}

func (run *shardRun) items() {
	gate := make(chan struct{}, run.atOnce)
	var wg sync.WaitGroup
	for _, it := range run.work.Items {
		gate <- struct{}{}
		if run.over() {
			<-gate
			break
		}
		wg.Add(1)
		go func() {
			defer wg.Done()
			defer func() { <-gate }()
			if err := run.one(it); err != nil {
				run.fault.CompareAndSwap(nil, &err)
			}
		}()
	}
	wg.Wait()
}

// over reports whether no new call may start.
func (run *shardRun) over() bool { return run.gate.Err() != nil || run.fault.Load() != nil }

// one performs an item in the way of its experiment.
func (run *shardRun) one(it models.Item) error {
	if run.work.Experiment.Kind == KindCascade {
		return run.cascadeItem(it, run.checks)
	}
	return run.item(it)
}

// item prepares the evidence of one item and asks for its missing votes. The
// error is the store's; what goes wrong with the item itself is written on it.
func (run *shardRun) item(it models.Item) error {
	// Calls in flight end by their own time-outs; waits end with the gate.
	ctx := reviewer.WithGate(context.Background(), run.gate)
	arm := run.work.Arms[it.ArmID]
	if e, ok := run.broken.Load(arm.ID); ok {
		return run.failItem(ctx, it, e.(*reviewer.Error))
	}
	b, err := run.reviewer(ctx, arm.ReviewerVersionID, run.snap)
	if err != nil {
		return run.failItem(ctx, it, asReviewerError(err))
	}
	if len(run.work.Voted[it.ID]) >= run.work.Experiment.Votes {
		return run.store.DecideItem(ctx, it.ID)
	}
	prep, err := run.prepare(ctx, it, arm)
	if err != nil {
		return err
	}
	if !prep.ask {
		return nil
	}
	var wg sync.WaitGroup
	var failed atomic.Pointer[reviewer.Error]
	var fault atomic.Pointer[error]
	for idx := range run.work.Experiment.Votes {
		if slices.Contains(run.work.Voted[it.ID], idx) {
			continue
		}
		wg.Add(1)
		go func() {
			defer wg.Done()
			if run.over() || failed.Load() != nil {
				return
			}
			rerr, err := run.ask(ctx, it, arm, b, prep, idx)
			if err != nil {
				fault.CompareAndSwap(nil, &err)
			}
			if rerr != nil {
				failed.CompareAndSwap(nil, rerr)
			}
		}()
	}
	wg.Wait()
	if f := fault.Load(); f != nil {
		return *f
	}
	if e := failed.Load(); e != nil && e.Class != reviewer.ClassCanceled {
		if e.Class == reviewer.ClassAuth {
			run.broken.Store(arm.ID, e)
		}
		return run.failItem(ctx, it, e)
	}
	return nil
}

func (run *shardRun) failItem(ctx context.Context, it models.Item, e *reviewer.Error) error {
	return run.store.FailItem(ctx, it.ID, string(e.Class), e.Error())
}

func asReviewerError(err error) *reviewer.Error {
	var e *reviewer.Error
	if errors.As(err, &e) {
		return e
	}
	return &reviewer.Error{Class: reviewer.ClassBadRequest, Message: err.Error(), Permanent: true}
}
