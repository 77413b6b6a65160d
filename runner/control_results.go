package runner

import (
	"context"
	"fmt"
	"math"
	"slices"
	"strings"

	"plumbline/experiments/belief"
	"plumbline/experiments/control"
	"plumbline/experiments/stats"
	"plumbline/models"
)

// ControlResults are the policies of a control experiment as they were played.
type ControlResults struct {
	Experiment models.Experiment
	Config     ControlConfig
	Policies   []PlayedPolicy
	Episodes   []models.ControlEpisode
	Steps      map[string][]models.EpisodeStep
	// Live, Simulated and Recorded count outcomes by where they come from.
	Live, Simulated, Recorded int
	Votes                     int // calls of models: votes and patches
	Written                   int // patches of a generator among them
	UnknownCost               int
	USD                       float64
	// Spent says which limit stopped the experiment; empty: none.
	Spent string
}

// PlayedPolicy is one policy over the episodes that ended.
type PlayedPolicy struct {
	Name     string
	Played   control.Replayed // of ended episodes
	Mean     *stats.Interval
	Delta    *control.Delta // to always_verify, on the tasks that ended under both
	Open     int
	Errors   int
	Replayed int // episodes that were replayed from the log
	// Differs names episodes whose replay from the logged outcomes took other actions
	// or earned something else.
	Differs []string
}

// ControlResults computes what a control experiment has come to, and replays it
// from its log.
func (r *Runner) ControlResults(ctx context.Context, v models.Viewer, id string) (ControlResults, error) {
	var out ControlResults
	var err error
	if out.Experiment, err = r.store.Experiment(ctx, v, id); err != nil {
		return out, err
	}
	if out.Experiment.Kind != models.KindControl {
		return out, fmt.Errorf("experiment %s plays no policies: %w", id, models.ErrNotFound)
	}
	if out.Config, err = ControlConfigOf(out.Experiment); err != nil {
		return out, err
	}
	if out.Episodes, err = r.store.Episodes(ctx, v, id); err != nil {
		return out, err
	}
	if out.Steps, err = r.store.EpisodeSteps(ctx, v, id); err != nil {
		return out, err
	}
	candidates, err := r.store.ControlCandidates(ctx, v, id)
	if err != nil {
		return out, err
	}
	if out.Votes, out.UnknownCost, out.USD, err = r.store.CallsAsked(ctx, id); err != nil {
		return out, err
	}
	written, err := r.store.ControlGenerations(ctx, v, id)
	if err != nil {
		return out, err
	}
	out.Written = len(written)
	out.count()
	log := out.logged(candidates)
	reference := -1
	for i, name := range out.Config.Policies {
		p, err := out.policyResult(i, name, log)
		if err != nil {
			return out, err
		}
		out.Policies = append(out.Policies, p)
		if name == referencePolicy {
			reference = i
		}
	}
	out.compare(reference)
	return out, nil
}

// count tells outcomes apart by their source, and whether a limit was reached.
func (r *ControlResults) count() {
	for _, steps := range r.Steps {
		for _, x := range steps {
			switch x.Source {
			case SourceLive:
				r.Live++
			case SourceSimulated:
				r.Simulated++
			case SourceRecorded:
				r.Recorded++
			}
		}
	}
	if r.Experiment.State != models.StateStopped {
		return
	}
	switch c := r.Config; {
	case c.MaxVotes > 0 && r.Votes+r.Experiment.Votes > c.MaxVotes:
		r.Spent = fmt.Sprintf("the limit of %d calls", c.MaxVotes)
	case c.MaxUSD != nil && r.USD >= *c.MaxUSD:
		r.Spent = fmt.Sprintf("the limit of %g dollars", *c.MaxUSD)
	}
}

// logged is the record that the steps of all episodes make: what was asked has an
// outcome, everything else is unrecorded.
func (r *ControlResults) logged(candidates []models.CandidateLabel) map[int]belief.Task {
	critics := len(r.Config.Critics)
	out := map[int]belief.Task{}
	for _, c := range candidates {
		k := out[c.TaskIdx]
		cand := belief.Candidate{ID: c.TraceID, Y: labelOf(c.Label), Outcomes: make([]belief.Outcome, critics)}
		for i := range cand.Outcomes {
			cand.Outcomes[i] = belief.Unrecorded
		}
		k.Candidates = append(k.Candidates, cand)
		out[c.TaskIdx] = k
	}
	for _, e := range r.Episodes {
		k := out[e.TaskIdx]
		k.ID, k.Group = e.InstanceID, e.TaskGroup
		for _, x := range r.Steps[e.ID] {
			if strings.HasPrefix(x.Action, "verify") && x.Candidate < len(k.Candidates) {
				k.Candidates[x.Candidate].Y = belief.LabelOf(x.Outcome == int(belief.Pass)) // what was found then, whatever the label is now
			}
			name, ok := strings.CutPrefix(x.Action, "critic:")
			if !ok {
				continue
			}
			at := slices.IndexFunc(r.Config.Critics, func(c ControlCritic) bool { return c.Name == name })
			if at >= 0 && x.Candidate < len(k.Candidates) {
				k.Candidates[x.Candidate].Outcomes[at] = belief.Outcome(x.Outcome)
			}
		}
		out[e.TaskIdx] = k
	}
	return out
}

func (r *ControlResults) policyResult(idx int, name string, log map[int]belief.Task) (PlayedPolicy, error) {
	out := PlayedPolicy{Name: name}
	var last control.Policy
	var episodes []control.Episode
	policies := map[int]control.Policy{}
	for _, e := range r.Episodes {
		if e.PolicyIdx != idx {
			continue
		}
		p, ok := policies[e.Fold]
		if !ok {
			var err error
			if p, err = r.policy(name, e.Fold); err != nil {
				return out, err
			}
			policies[e.Fold] = p
		}
		last = p
		switch e.State {
		case models.EpisodeDone:
		case models.EpisodeError:
			out.Errors++
			continue
		default:
			out.Open++
			continue
		}
		played := playedEpisode(e, r.Steps[e.ID])
		episodes = append(episodes, played)
		if err := r.check(&out, p, played, log[e.TaskIdx]); err != nil {
			return out, err
		}
	}
	if last == nil {
		return out, nil
	}
	out.Played = control.Summarise(last, episodes)
	return out, nil
}

func (r *ControlResults) policy(name string, fold int) (control.Policy, error) {
	b := control.Budget{Actions: control.Unlimited, Regenerations: replayRegenerations}
	if r.Config.Actions > 0 {
		b.Actions = r.Config.Actions
	}
	if g := r.Config.Regenerations; g != nil {
		b.Regenerations = min(*g, replayRegenerations)
	}
	p, err := control.New(name, r.Config.Problems[fold], b)
	if err != nil {
		return nil, fmt.Errorf("policy %s of experiment %s: %w", name, r.Experiment.ID, err)
	}
	return p, nil
}

// playedEpisode is an episode in the words of the replay.
func playedEpisode(e models.ControlEpisode, steps []models.EpisodeStep) control.Episode {
	out := control.Episode{
		Task: e.InstanceID, Group: e.TaskGroup, Status: control.Status(e.Status), Why: e.Why, Cost: e.Cost, Reward: e.Reward,
		Utility: e.Reward - e.Cost, FinalBelief: e.Belief, Solved: e.Solved,
	}
	for _, x := range steps {
		out.Events = append(out.Events, control.Taken{Action: x.Action, Outcome: x.Says, Before: x.Before, After: x.After, Cost: x.Cost})
		switch {
		case strings.HasPrefix(x.Action, "critic:"):
			out.CriticCalls++
		case x.Action == "regenerate":
			out.Regenerations++
		}
		if x.Impossible {
			out.Impossible++
		}
	}
	return out
}

// check replays an episode from the logged outcomes with the same policy.
func (r *ControlResults) check(out *PlayedPolicy, p control.Policy, played control.Episode, k belief.Task) error {
	t := belief.Table{Tasks: []belief.Task{k}}
	problem := &p.Model().Problem
	for i := range problem.Critics {
		t.Critics = append(t.Critics, belief.Column{Name: problem.Critics[i].Name, Outcomes: problem.Critics[i].Outcomes()})
	}
	again, err := control.Replay(p, t, control.ReplayOptions{Regenerations: r.Config.Regenerations, Actions: r.Config.Actions})
	if err != nil {
		return err
	}
	out.Replayed++
	e := again.Episodes[0]
	if !slices.Equal(e.Actions(), played.Actions()) || math.Abs(e.Utility-played.Utility) > 1e-9 || e.Status != played.Status {
		out.Differs = append(out.Differs, played.Task)
	}
	return nil
}

// compare adds intervals and the differences to the reference, on the tasks that
// ended under both.
func (r *ControlResults) compare(reference int) {
	o := belief.Resampling(stats.Options{Seed: uint64(r.Experiment.Seed)})
	for i := range r.Policies {
		p := &r.Policies[i]
		utilities := make([]float64, 0, len(p.Played.Episodes))
		for _, e := range p.Played.Episodes {
			if e.Status != control.Unreplayable {
				utilities = append(utilities, e.Utility)
			}
		}
		if len(utilities) > 1 {
			p.Mean, _ = stats.BootstrapMean(p.Name, utilities, o)
			p.Mean.Method = methodTasks
		}
		if reference < 0 {
			continue
		}
		a, b := onBoth(p.Played, r.Policies[reference].Played)
		problem := anyProblem(r.Config.Problems)
		if d, err := control.Compare(a, b, math.Max(0, problem.Reward-problem.CostVerify), o); err == nil {
			p.Delta = &d
		}
	}
}

// onBoth keeps the episodes of tasks that ended under both policies.
func onBoth(a, b control.Replayed) (control.Replayed, control.Replayed) {
	keep := func(x, y control.Replayed) control.Replayed {
		other := map[[2]string]bool{}
		for _, e := range y.Episodes {
			other[[2]string{e.Group, e.Task}] = true
		}
		x.Episodes = slices.DeleteFunc(slices.Clone(x.Episodes), func(e control.Episode) bool { return !other[[2]string{e.Group, e.Task}] })
		return x
	}
	return keep(a, b), keep(b, a)
}

// anyProblem gives the costs, which all folds share.
func anyProblem(problems map[int]control.Problem) control.Problem {
	for _, p := range problems {
		return p
	}
	return control.Problem{}
}
