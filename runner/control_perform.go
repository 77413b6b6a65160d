package runner

import (
	"context"
	"encoding/json"
	"fmt"
	"sync"

	"plumbline/experiments/belief"
	"plumbline/experiments/control"
	"plumbline/models"
)

// controlRun is a shard of a control experiment being performed.
type controlRun struct {
	*shardRun
	config ControlConfig
	// recorded is the source experiment, where critics are looked up.
	recorded *Recorded

	mu       sync.Mutex
	policies map[string]control.Policy
	inFlight int        // calls that this shard has begun
	landed   *sync.Cond // of mu: fewer are in flight

	suites suiteRuns
}

// episodes plays every open episode of the shard: the policies of a task one after
// the other, so that those which ask the same share the answer, and tasks side by
// side. The gate of the run, and not ctx, says when nothing more may start.
func (run *shardRun) episodes(ctx context.Context) error {
	c := &controlRun{shardRun: run, policies: map[string]control.Policy{}}
	c.landed = sync.NewCond(&c.mu)
	var err error
	if c.config, err = ControlConfigOf(run.work.Experiment); err != nil {
		return err
	}
	work, err := run.store.ControlWork(ctx, run.work.Shard.ID)
	if err != nil {
		return err
	}
	if c.config.Ask == AskRecords && len(work) > 0 {
		rec, err := run.RecordedOf(ctx, system(), c.config.SourceID, c.config.ByGenerator)
		if err != nil {
			return err
		}
		c.recorded = &rec
	}
	gate := make(chan struct{}, run.atOnce)
	var wg sync.WaitGroup
	for _, w := range work {
		gate <- struct{}{}
		if run.over() {
			<-gate
			break
		}
		wg.Go(func() {
			defer func() { <-gate }()
			for _, e := range w.Episodes {
				if run.over() {
					return
				}
				if err := c.play(ctx, &w, e); err != nil {
					run.fault.CompareAndSwap(nil, &err)
				}
			}
		})
	}
	wg.Wait()
	return nil
}

// policy builds a policy with the parameters of a fold, once a shard.
func (c *controlRun) policy(name string, fold, candidates int) (control.Policy, control.Budget, error) {
	b := control.Budget{Actions: control.Unlimited, Regenerations: max(candidates-1, 0)}
	if c.config.Actions > 0 {
		b.Actions = c.config.Actions
	}
	if g := c.config.Regenerations; g != nil {
		b.Regenerations = *g
	}
	problem, ok := c.config.Problems[fold]
	if !ok {
		return nil, b, fmt.Errorf("experiment %s keeps no parameters of fold %d", c.work.Experiment.ID, fold)
	}
	key := fmt.Sprintf("%s %d %d", name, fold, b.Regenerations)
	c.mu.Lock()
	defer c.mu.Unlock()
	if p, ok := c.policies[key]; ok {
		return p, b, nil
	}
	p, err := control.New(name, problem, control.Budget{Actions: b.Actions, Regenerations: min(b.Regenerations, replayRegenerations)})
	if err != nil {
		return nil, b, err
	}
	c.policies[key] = p
	return p, b, nil
}

// play goes on with one episode from its last stored step. Each step is stored
// before the next one is decided. The error is the store's.
func (c *controlRun) play(ctx context.Context, w *models.EpisodeWork, e models.Episode) error {
	p, budget, err := c.policy(e.Policy, w.Task.Fold, len(w.Candidates))
	if err != nil {
		return err
	}
	m := p.Model()
	s := m.Start(budget)
	e.Steps, e.Cost, e.Reward, e.Belief, e.State = 0, 0, 0, s.Belief, models.EpisodeRunning
	for _, x := range w.Steps[e.ID] {
		step, err := observeStored(m, s, x)
		if err != nil {
			return fmt.Errorf("episode %s: step %d of its log: %w", e.ID, x.Idx, err)
		}
		e.Steps, e.Cost, e.Reward, e.Belief = e.Steps+1, e.Cost+x.Cost, e.Reward+x.Reward, step.State.Belief
		s = step.State
	}
	for !c.over() {
		if e.Steps >= control.MaxDepth {
			e.State, e.Status, e.Why = models.EpisodeDone, string(control.Capped), fmt.Sprintf("it took %d actions without an end", control.MaxDepth)
			return c.store.EndEpisode(ctx, e)
		}
		d := p.Decide(s)
		did, err := c.perform(ctx, m, w, s, d)
		if err != nil || did.open {
			return err
		}
		if did.end != "" {
			e.State, e.Status, e.Why = models.EpisodeDone, string(did.end), did.why
			if did.end == control.Censored {
				return c.censor(ctx, m, w, e, s, d, did)
			}
			if did.failed {
				e.State, e.Status = models.EpisodeError, ""
			}
			return c.store.EndEpisode(ctx, e)
		}
		step, err := m.Observe(s, control.Event{Action: d.Action, Outcome: did.outcome})
		if err != nil {
			return fmt.Errorf("episode %s: %w", e.ID, err)
		}
		row := c.row(e, w, s, d, did)
		row.After, row.Cost, row.Reward, row.Impossible = step.State.Belief, step.Cost, step.Reward, step.Impossible
		book(m, &e, &row, s, d, did, step)
		kept, err := c.store.TakeStep(ctx, e, row)
		if err != nil || !kept || step.Done {
			return err // not kept: another worker plays it
		}
		s = step.State
	}
	return nil
}

// observeStored applies a step of the log again.
func observeStored(m *control.Model, s control.State, x models.EpisodeStep) (control.Step, error) {
	for a := control.VerifyBest; a < control.Ask(len(m.Problem.Critics)); a++ {
		if m.Problem.ActionName(a) != x.Action {
			continue
		}
		e := control.Event{Action: a}
		if x.Outcome != models.NoOutcome {
			e.Outcome = belief.Outcome(x.Outcome)
		}
		return m.Observe(s, e)
	}
	return control.Step{}, fmt.Errorf("there is no action %q", x.Action)
}

// row is the step to be stored, without what the step function says of it.
func (c *controlRun) row(e models.Episode, w *models.EpisodeWork, s control.State, d control.Decision, did performed) models.EpisodeStep {
	raw, err := json.Marshal(d)
	if err != nil {
		raw = []byte("{}") // an infinite value has no JSON; the reason stands in words
	}
	at := did.candidate
	return models.EpisodeStep{
		EpisodeID: e.ID, Idx: e.Steps, Candidate: at, TraceID: w.Candidates[at].ID, Action: d.Name, Outcome: models.NoOutcome,
		Source: did.source, ItemID: did.itemID, Before: s.Belief, Reason: d.Reason, Note: did.note, Decision: string(raw),
	}
}

// book adds an observed step to the episode, by the rules of the replay.
func book(m *control.Model, e *models.Episode, row *models.EpisodeStep, s control.State, d control.Decision, did performed, step control.Step) {
	switch {
	case d.Action == control.Verify || d.Action == control.VerifyBest:
		row.Outcome, row.Says = int(did.outcome), "fail"
		if did.outcome == belief.Pass {
			row.Says, e.Solved = "pass", true
		}
		e.Status = string(control.Verified)
	case d.Action == control.Stop:
		e.Status = string(control.Stopped)
		if d.Ships && !s.Failed {
			e.Status, row.Says, row.Reward = string(control.Shipped), "pass", m.Problem.Reward
			if did.outcome == belief.Fail {
				row.Says, row.Reward = "fail", -*m.Problem.ShipLoss
			}
		}
	case d.Action >= control.Ask(0):
		i, _ := d.Action.Critic()
		row.Outcome, row.Says = int(did.outcome), m.Problem.Critics[i].Label(did.outcome)
	}
	e.Steps++
	e.Cost += row.Cost
	e.Reward += row.Reward
	e.Belief = row.After
	if step.Done {
		e.State = models.EpisodeDone
	} else {
		e.Status = ""
	}
}

// censor books a regeneration past the last recorded candidate: it is paid for,
// and the episode ends.
func (c *controlRun) censor(ctx context.Context, m *control.Model, w *models.EpisodeWork, e models.Episode, s control.State, d control.Decision, did performed) error {
	row := c.row(e, w, s, d, did)
	row.After, row.Cost, row.Note = s.Belief, m.Problem.CostRegenerate, did.why
	e.Steps++
	e.Cost += row.Cost
	_, err := c.store.TakeStep(ctx, e, row)
	return err
}
