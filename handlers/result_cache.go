package handlers

import (
	"context"
	"crypto/sha256"
	"fmt"
	"sync"
	"time"

	"plumbline/experiments/stats"
	"plumbline/models"
	"plumbline/runner"
)

// measured is everything a result page shows of an experiment that takes time to
// compute. It is a function of the stored decisions and of nothing else.
type measured struct {
	runner.Results
	unfinished []models.UnfinishedCell
	wrong      []models.WrongGroup
	scaling    [][][]stats.ExpectedRate // by arm, step and scalingMetrics; nil for K = 1
	steps      []int                    // the K of each step
	texts      int
	digest     string
	rules      runner.Baseline // the mechanical rules without a reviewer

	prefixMu sync.Mutex
	prefix   [][][]stats.ExpectedRate // as scaling, of the first votes; nil until somebody asks
}

// scalingMetrics are the rates that are asked at fewer votes; a result page draws
// the first scalingShown.
var scalingMetrics = []stats.Metric{stats.Catch, stats.OverRejection, stats.CorrectOverAll, stats.Coverage, stats.Risk}

const scalingShown = 2

// scalingResamples are fewer than for the rates of the table: the bands are read
// off a chart, and every K of every arm has one.
const scalingResamples = 2000

// resultCache keeps the newest measurement of a few experiments. An entry is good
// as long as the counts it was computed from are those in the database, so a
// changed label or a new vote is never missed, whoever made it.
type resultCache struct {
	store  *models.Store
	runner *runner.Runner

	mu      sync.Mutex
	entries map[string]*resultEntry
	order   []string // least recently used first
}

type resultEntry struct {
	mu    sync.Mutex
	mark  [32]byte
	data  *measured
	ready time.Time     // when it was measured
	took  time.Duration // and how long that took
}

// busyShare is the part of the time that watching a running experiment may spend
// on measuring it: one in so many.
const busyShare = 5

const keptResults = 24

func newResultCache(s *models.Store, r *runner.Runner) *resultCache {
	return &resultCache{store: s, runner: r, entries: map[string]*resultEntry{}}
}

// get measures an experiment, or returns what was measured for the same counts.
// While an experiment runs, a measurement is also good for a few times as long as
// it took, so that many readers of a large one do not hold up its votes. The
// viewer's right to see it is checked on every call.
func (c *resultCache) get(ctx context.Context, v models.Viewer, e models.Experiment, byInstance bool) (*measured, error) {
	cells, err := c.store.ResultCells(ctx, v, e.ID)
	if err != nil {
		return nil, err
	}
	states, err := c.store.ArmStates(ctx, v, e.ID)
	if err != nil {
		return nil, err
	}
	checks, err := c.store.CheckMark(ctx, v, e.ID)
	if err != nil {
		return nil, err
	}
	mark := sha256.Sum256(fmt.Appendf(nil, "%s %v %v %v", e.State, cells, states, checks))
	entry := c.entry(fmt.Sprintf("%s %t", e.ID, byInstance))
	entry.mu.Lock()
	defer entry.mu.Unlock()
	if entry.data != nil && entry.mark == mark {
		return entry.data, nil
	}
	start := time.Now()
	if entry.data != nil && e.State == models.StateRunning && start.Sub(entry.ready) < busyShare*entry.took {
		return entry.data, nil
	}
	data, err := c.measure(ctx, v, e, byInstance)
	if err != nil {
		return nil, err
	}
	entry.mark, entry.data, entry.ready = mark, data, time.Now()
	entry.took = entry.ready.Sub(start)
	return data, nil
}

func (c *resultCache) entry(key string) *resultEntry {
	c.mu.Lock()
	defer c.mu.Unlock()
	for i, k := range c.order {
		if k == key {
			c.order = append(append(c.order[:i:i], c.order[i+1:]...), key)
			return c.entries[key]
		}
	}
	if len(c.order) >= keptResults {
		delete(c.entries, c.order[0])
		c.order = c.order[1:]
	}
	c.order = append(c.order, key)
	c.entries[key] = &resultEntry{}
	return c.entries[key]
}

func (c *resultCache) measure(ctx context.Context, v models.Viewer, e models.Experiment, byInstance bool) (*measured, error) {
	m := &measured{}
	// The parts read the store independently of one another.
	err := atOnce(ctx,
		func(ctx context.Context) (err error) {
			m.Results, err = c.runner.Results(ctx, v, e.ID, runner.ResultOptions{ByInstance: byInstance})
			return err
		},
		func(ctx context.Context) (err error) {
			m.unfinished, err = c.store.UnfinishedCells(ctx, v, e.ID)
			return err
		},
		func(ctx context.Context) (err error) { m.wrong, err = c.store.WrongGroups(ctx, v, e.ID); return err },
		func(ctx context.Context) (err error) {
			m.texts, m.digest, err = c.store.EvidenceDigest(ctx, v, e.ID)
			return err
		},
		func(ctx context.Context) (err error) { m.rules, err = c.runner.RulesAlone(ctx, v, e); return err },
	)
	if err != nil {
		return nil, err
	}
	m.scale(e)
	return m, nil
}

// atOnce runs the parts at once and returns the first error.
func atOnce(ctx context.Context, parts ...func(context.Context) error) error {
	errs := make([]error, len(parts))
	var wait sync.WaitGroup
	for i, part := range parts {
		wait.Go(func() { errs[i] = part(ctx) })
	}
	wait.Wait()
	for _, err := range errs {
		if err != nil {
			return err
		}
	}
	return nil
}

// scale answers for every arm what fewer votes would have decided, on the traces
// that have all their votes and a known label.
func (m *measured) scale(e models.Experiment) {
	if e.Votes < 2 {
		return
	}
	m.steps = scalingSteps(e.Votes)
	arms := make([]stats.ExpectedArm, len(m.Arms))
	for i, a := range m.Arms {
		arms[i] = a.Expected(m.steps)
	}
	m.scaling = stats.MeasureExpected(arms, scalingMetrics, stats.Options{Seed: uint64(e.Seed), Resamples: scalingResamples})
}

// scalingSteps are the numbers of votes drawn: all up to 15, then at most ten
// more, evenly spaced, since each costs the cube of its size.
func scalingSteps(votes int) []int {
	var steps []int
	for k := 1; k <= min(votes, 15); k++ {
		steps = append(steps, k)
	}
	for i := 1; votes > 15 && i <= 10; i++ {
		if k := 15 + (votes-15)*i/10; k > steps[len(steps)-1] {
			steps = append(steps, k)
		}
	}
	return steps
}
