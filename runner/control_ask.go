package runner

import (
	"context"
	"fmt"

	"plumbline/experiments/belief"
	"plumbline/experiments/control"
	"plumbline/models"
)

// Sources of an outcome, as the log marks them.
const (
	SourceRecorded  = "recorded"
	SourceLive      = "live"
	SourceSimulated = "simulated"
)

// performed is what came of an action.
type performed struct {
	candidate int
	outcome   belief.Outcome
	source    string
	itemID    string
	note      string
	// end is set where the action could not be observed; failed marks an end that
	// resuming may mend.
	end    control.Status
	failed bool
	why    string
	// open: work was stopped before anything came; nothing is to be written.
	open bool
}

// perform does what a decision says. The error is the store's.
func (c *controlRun) perform(ctx context.Context, m *control.Model, w *models.EpisodeWork, s control.State, d control.Decision) (performed, error) {
	out := performed{candidate: s.Candidate}
	switch a := d.Action; {
	case a == control.Verify || a == control.VerifyBest || (a == control.Stop && d.Ships && !s.Failed):
		if a == control.VerifyBest && !s.BestInHand() {
			out.candidate = s.Best
		}
		return out, c.verify(ctx, w, &out)
	case a == control.Stop:
	case a == control.Regenerate:
		return out, c.regenerate(ctx, w, &out)
	default:
		i, _ := a.Critic()
		if c.config.Ask == AskRecords {
			c.lookUp(m.Problem.Critics[i].Name, w, &out)
			return out, nil
		}
		if critic := c.config.Critics[i]; critic.Kind.check() {
			return out, c.check(ctx, critic, w, &out)
		}
		return out, c.ask(ctx, c.config.Critics[i], w, &out)
	}
	return out, nil
}

// lookUp takes the outcome of a critic from the source experiment.
func (c *controlRun) lookUp(critic string, w *models.EpisodeWork, out *performed) {
	out.source = SourceRecorded
	id := w.Candidates[out.candidate].ID
	at := c.recorded.Table.Critic(critic)
	task, j, ok := c.recorded.Find(id)
	out.outcome = belief.Unrecorded
	if at >= 0 && ok {
		out.outcome = c.recorded.Table.Tasks[task].Candidates[j].Outcomes[at]
	}
	if out.outcome == belief.Unrecorded {
		out.end, out.why = control.Unreplayable, fmt.Sprintf("%s was not recorded on candidate %d", critic, out.candidate+1)
	}
}

// ask puts the question to the reviewer of a critic, or takes the answer that the
// same question had before in this experiment.
func (c *controlRun) ask(ctx context.Context, critic ControlCritic, w *models.EpisodeWork, out *performed) error {
	arm, ok := c.arm(critic.Arm)
	if !ok {
		return fmt.Errorf("experiment %s has no arm %d", c.work.Experiment.ID, critic.Arm)
	}
	out.source = SourceLive
	if arm.Simulated {
		out.source = SourceSimulated
	}
	it, voted, err := c.store.OpenItem(ctx, c.work.Experiment.ID, arm.ID, w.Candidates[out.candidate].ID, c.work.Shard.ID)
	if err != nil {
		return err
	}
	out.itemID = it.ID
	switch it.State {
	case models.ItemDone, models.ItemBlocked:
		out.note = "asked before in this experiment"
	default:
		spent, err := c.spend(ctx, c.work.Experiment.Votes-len(voted))
		if err != nil {
			return err
		}
		if spent {
			out.open = true
			c.stop()
			return c.store.HaltExperiment(ctx, c.work.Experiment.ID)
		}
		one := &shardRun{Runner: c.Runner, snap: c.snap, gate: c.gate, stop: c.stop, work: models.ShardWork{
			Shard: c.work.Shard, Experiment: c.work.Experiment, Arms: c.work.Arms, Voted: map[string][]int{it.ID: voted},
		}}
		err = one.item(it)
		c.unspend(c.work.Experiment.Votes - len(voted))
		if err != nil {
			return err
		}
	}
	return c.answer(ctx, critic, out)
}

// answer reads what the item says.
func (c *controlRun) answer(ctx context.Context, critic ControlCritic, out *performed) error {
	it, d, err := c.store.ItemAnswer(ctx, out.itemID)
	if err != nil {
		return err
	}
	said := models.CriticItem{State: it.State, Decision: d.Decision, NAccept: d.NAccept}
	switch it.State {
	case models.ItemDone:
		out.outcome = outcomeFrom(said, true, critic.Kind)
		if out.outcome == belief.Missing {
			out.note = joinNotes(out.note, "the decision is "+d.Decision+", which is no usable answer")
		}
	case models.ItemBlocked:
		out.outcome = belief.Missing
		out.note = joinNotes(out.note, "the leakage audit let nothing be asked")
	case models.ItemError:
		if it.ErrorClass == "no_evidence" || it.ErrorClass == "budget" { // asking again cannot help
			out.outcome = belief.Missing
			out.note = joinNotes(out.note, it.ErrorMessage)
			return nil
		}
		out.end, out.failed, out.why = control.Unreplayable, true, it.ErrorClass+": "+it.ErrorMessage
	default:
		out.open = true // the experiment was stopped while it was asked
	}
	return nil
}

func joinNotes(a, b string) string {
	if a == "" {
		return b
	}
	return a + "; " + b
}

func (c *controlRun) arm(idx int) (models.Arm, bool) {
	for _, a := range c.work.Arms {
		if a.Idx == idx {
			return a, true
		}
	}
	return models.Arm{}, false
}

// spend reserves calls and reports whether a limit of the experiment forbids them.
// It waits for calls in flight where these decide. What other workers have in
// flight is not seen, so that a limit may be passed by their calls.
func (c *controlRun) spend(ctx context.Context, calls int) (over bool, err error) {
	if c.config.MaxVotes == 0 && c.config.MaxUSD == nil {
		return false, nil
	}
	c.mu.Lock()
	defer c.mu.Unlock()
	for {
		asked, _, usd, err := c.store.CallsAsked(ctx, c.work.Experiment.ID)
		if err != nil {
			return false, err
		}
		if m := c.config.MaxUSD; m != nil && usd >= *m {
			return true, nil
		}
		m := c.config.MaxVotes
		if m > 0 && asked+calls > m {
			return true, nil
		}
		if m == 0 || asked+c.inFlight+calls <= m || c.inFlight == 0 {
			c.inFlight += calls
			return false, nil
		}
		c.landed.Wait()
	}
}

func (c *controlRun) unspend(calls int) {
	if c.config.MaxVotes == 0 && c.config.MaxUSD == nil {
		return
	}
	c.mu.Lock()
	defer c.mu.Unlock()
	c.inFlight -= calls
	c.landed.Broadcast()
}
