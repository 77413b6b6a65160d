package runner

import (
	"errors"
	"fmt"
	"math"
	"slices"
	"strings"
	"sync"

	"plumbline/experiments/belief"
	"plumbline/experiments/control"
	"plumbline/experiments/stats"
)

// PolicyResult is one policy: what the model says it is worth, and what it earned
// on the recorded tasks.
type PolicyResult struct {
	Name  string
	Exact *control.Value // under the estimate over all tasks; nil with Why
	// ExactInterval comes from estimates on resampled tasks; nil unless asked for.
	ExactInterval *stats.Interval
	Replay        *control.Replayed // with parameters of other tasks; nil with ReplayWhy
	// Mean is the interval of the mean utility of the replay, Delta the paired
	// difference to always_verify.
	Mean  *stats.Interval
	Delta *control.Delta
	// Simulated stands in for Exact where the histories are too many to enumerate.
	Simulated *control.Replayed
	Why       string
	ReplayWhy string
}

// PolicyReport compares all policies of the problem.
type PolicyReport struct {
	Policies []PolicyResult
	Refits   int // resamples behind the exact intervals; 0: not asked for
	Dropped  int // of them, without a usable estimate
	Tasks    int // replayed
	Notes    []string
	// PerfectValue is the exact utility of knowing every label for nothing.
	Perfect *float64
}

// referencePolicy is what all differences are taken to.
const referencePolicy = "always_verify"

// Policies evaluates every policy of the problem exactly and replays it on the held
// tasks. refits > 0 adds intervals to the exact values, by fitting on that many
// resamples of the tasks; it takes as many times as long.
func (s *Study) Policies(refits int) PolicyReport {
	var out PolicyReport
	if s.ProblemError != nil {
		return out
	}
	names := control.Names(&s.Problem)
	out.Policies = make([]PolicyResult, len(names))
	var wait sync.WaitGroup
	for i, name := range names {
		out.Policies[i].Name = name
		wait.Go(func() { s.evaluate(&out.Policies[i]) })
	}
	wait.Wait()
	s.replayAll(&out)
	if refits > 0 {
		out.Refits = refits
		s.exactIntervals(&out, refits)
	}
	perfect := s.Problem.Prior * math.Max(0, s.Problem.Reward-s.Problem.CostVerify)
	out.Perfect = &perfect
	out.Notes = append(out.Notes, s.replayNotes()...)
	return out
}

// evaluate computes the exact value. best_of_n_select looks at the beliefs in all
// candidates, so that no two histories of it can be merged: beyond maxHistories it is
// simulated instead.
func (s *Study) evaluate(r *PolicyResult) {
	if r.Name == "best_of_n_select" && s.histories() > maxHistories {
		got, err := control.Simulate([]string{r.Name}, &s.Problem, s.Budget, simulatedTasks, s.Recorded.Seed)
		if err != nil {
			r.Why = lastWords(err)
			return
		}
		r.Simulated = &got[0]
		utilities := make([]float64, len(got[0].Episodes))
		for i, e := range got[0].Episodes {
			utilities[i] = e.Utility
		}
		r.ExactInterval, _ = stats.BootstrapMean(r.Name, utilities, stats.Options{Seed: s.Recorded.Seed, Resamples: 500})
		if r.ExactInterval != nil {
			r.ExactInterval.Method = fmt.Sprintf("%d simulated tasks, percentile bootstrap", simulatedTasks)
		}
		return
	}
	p, err := control.New(r.Name, s.Problem, s.Budget)
	if err == nil {
		var v control.Value
		if v, err = control.Evaluate(p, &s.Problem, s.Budget); err == nil {
			r.Exact = &v
		}
	}
	if err != nil {
		r.Why = lastWords(err)
	}
}

const (
	maxHistories   = 5000
	simulatedTasks = 500
)

// histories is how many ways the outcomes of all critics on all candidates can fall.
func (s *Study) histories() float64 {
	one := 1.0
	for i := range s.Problem.Critics {
		one *= float64(s.Problem.Critics[i].Outcomes())
	}
	return math.Pow(one, float64(s.Budget.Regenerations+1))
}

// replayAll replays the policies and compares them with the reference and with
// doing nothing, whose utility is 0 on every task.
func (s *Study) replayAll(out *PolicyReport) {
	if s.FoldError != nil {
		for i := range out.Policies {
			out.Policies[i].ReplayWhy = s.FoldError.Error()
		}
		return
	}
	for _, f := range s.Fits {
		out.Tasks += len(f.Held.Tasks)
	}
	played := make([]*control.Replayed, len(out.Policies))
	var wait sync.WaitGroup
	for i := range out.Policies {
		wait.Go(func() {
			r := &out.Policies[i]
			if got, err := s.replay(r.Name, false); err != nil {
				r.ReplayWhy = lastWords(err)
			} else {
				played[i], r.Replay = &got, &got
			}
		})
	}
	wait.Wait()
	find := func(name string) *control.Replayed {
		i := slices.IndexFunc(out.Policies, func(r PolicyResult) bool { return r.Name == name })
		return played[i]
	}
	reference, nothing := find(referencePolicy), find("stop")
	bonus := math.Max(0, s.Problem.Reward-s.Problem.CostVerify)
	for i := range out.Policies {
		r := &out.Policies[i]
		if r.Replay == nil {
			continue
		}
		if nothing != nil && s.Choice.ShipLoss == nil {
			if d, err := control.Compare(*r.Replay, *nothing, bonus, s.resampling()); err == nil && d.Interval != nil {
				d.Interval.Method = "percentile bootstrap by task"
				r.Mean = d.Interval
			}
		}
		if reference != nil {
			if d, err := control.Compare(*r.Replay, *reference, bonus, s.resampling()); err == nil {
				r.Delta = &d
			}
		}
	}
}

// replay plays a policy on the held tasks of every fold with the parameters of that
// fold.
func (s *Study) replay(name string, explain bool) (control.Replayed, error) {
	var episodes []control.Episode
	var last control.Policy
	for _, f := range s.Fits {
		p, err := s.policy(name, f)
		if err != nil {
			return control.Replayed{}, err
		}
		o := s.replayOptions()
		o.Explain = explain
		part, err := control.Replay(p, f.Held, o)
		if err != nil {
			return control.Replayed{}, err
		}
		episodes, last = append(episodes, part.Episodes...), p
	}
	if last == nil {
		return control.Replayed{}, errors.New("no task is held")
	}
	return control.Summarise(last, episodes), nil
}

// policy builds a policy with the parameters of a fold.
func (s *Study) policy(name string, f belief.FoldFit) (control.Policy, error) {
	p, err := s.problem(f.Estimate)
	if err != nil {
		return nil, err
	}
	b := s.Budget
	for _, k := range f.Held.Tasks {
		if s.Choice.Regenerations == nil {
			b.Regenerations = max(b.Regenerations, len(k.Candidates)-1)
		}
	}
	b.Regenerations = min(b.Regenerations, replayRegenerations)
	return control.New(name, p, b)
}

// replayRegenerations bounds the plans of a replay; a task with more candidates is
// planned as if it had so many left.
const replayRegenerations = 20

func (s *Study) replayOptions() control.ReplayOptions {
	return control.ReplayOptions{Regenerations: s.Choice.Regenerations, Actions: s.Choice.Actions, Chains: s.Recorded.Chains}
}

// exactIntervals fits on resamples of the tasks and evaluates every policy again.
func (s *Study) exactIntervals(out *PolicyReport, refits int) {
	values := make([][]float64, len(out.Policies))
	for i := range values {
		values[i] = make([]float64, refits)
	}
	var wait sync.WaitGroup
	next := make(chan int)
	for range 2 {
		wait.Go(func() {
			for n := range next {
				p, err := s.refit(n)
				for i := range out.Policies {
					values[i][n] = math.NaN()
					if err != nil || out.Policies[i].Exact == nil {
						continue
					}
					if got, err := control.EvaluateAll([]string{out.Policies[i].Name}, &p, s.Budget); err == nil {
						values[i][n] = got[0].Utility
					}
				}
			}
		})
	}
	for n := range refits {
		next <- n
	}
	close(next)
	wait.Wait()
	o := stats.Options{Seed: s.Recorded.Seed, Resamples: refits}
	for i := range out.Policies {
		out.Policies[i].ExactInterval = belief.Percentile(values[i], len(s.full.Tasks), "estimate refitted on resampled tasks", o)
	}
}

func (s *Study) refit(n int) (control.Problem, error) {
	rng := stats.Rand(s.Recorded.Seed, "refit", n)
	t := belief.Table{Critics: s.full.Critics, Scores: s.full.Scores}
	for range s.full.Tasks {
		t.Tasks = append(t.Tasks, s.full.Tasks[rng.IntN(len(s.full.Tasks))])
	}
	e, err := belief.Fit(t, s.Choice.options())
	if err != nil {
		return control.Problem{}, err
	}
	return s.problem(e)
}

// replayNotes say what a replay of these records can and cannot show.
func (s *Study) replayNotes() []string {
	var out []string
	if s.Recorded.Chains {
		out = append(out, "The recorded candidates are chains: each was made with feedback on the one before. A policy that ran other critics before it regenerated would have given the generator other feedback; such tasks are counted as mismatched.")
	} else {
		out = append(out, "The recorded candidates are independent attempts: regenerating moves to the next recorded attempt, which nobody told what was wrong with the one before.")
	}
	if s.KernelFallsBack() {
		out = append(out, "No task has two labelled candidates in a row, so the kernel is unknown: a regeneration is taken for a fresh draw from the prior.")
	} else if s.Choice.kernelRule() == MeasuredKernel && !s.Recorded.Chains {
		out = append(out, "The kernel counts consecutive attempts, so it measures how hard the tasks are, not how well a defect is repaired.")
	}
	if s.Choice.Temper {
		out = append(out, "Tempering changes beliefs as scores only: a controller cannot plan with it.")
	}
	var most int
	for _, k := range s.Table.Tasks {
		most = max(most, len(k.Candidates)-1)
	}
	if s.Choice.Regenerations == nil && most > s.Budget.Regenerations {
		out = append(out, fmt.Sprintf("Exact values allow %d regenerations; the replay allows as many as are recorded, up to %d.", s.Budget.Regenerations, most))
	}
	return out
}

// Published replays the policies by the published rules, where the table has the
// three critics that they need and every task as many candidates.
type Published struct {
	Policies []PublishedRow
	Why      string // why there is no such replay
	// Cell names the published comparison that was made on these very records; empty:
	// none is known, and Printed is nil everywhere.
	Cell string
}

// PublishedRow is a policy by the published rules, in sample and with parameters
// that leave the task out.
type PublishedRow struct {
	Name     string
	InSample control.Replayed
	Interval *stats.Interval // of the difference to always_verify, as published
	Delta    *float64
	LeaveOne control.Replayed
	Printed  *control.PublishedFigure // what was published
	// Reached counts the published numbers of the line that are equal to these, of Of.
	Reached, Of int
}

// compare counts which published numbers are reached, to within rounding.
func (r *PublishedRow) compare(p control.PublishedFigure) {
	r.Printed = &p
	same := func(got *float64, want float64) {
		r.Of++
		if got != nil && math.Abs(*got-want) <= 1e-9 {
			r.Reached++
		}
	}
	same(r.InSample.MeanUtility, p.Mean)
	same(r.Delta, p.Delta)
	same(r.InSample.Solve.Value, p.PassRate)
	if r.Interval != nil {
		same(&r.Interval.Lo, p.Lo)
		same(&r.Interval.Hi, p.Hi)
	}
	if p.LeaveOne != nil {
		same(r.LeaveOne.MeanUtility, *p.LeaveOne)
	}
}

// publishedSeed is the seed of the published intervals.
const publishedSeed = 42

// PublishedRules makes that replay of a recorded table.
func PublishedRules(t belief.Table) Published {
	var missing []string
	for _, name := range []string{"syntax", "tests", "llm"} {
		if i := t.Critic(name); i < 0 || t.Critics[i].Outcomes != 2 {
			missing = append(missing, name)
		}
	}
	if len(missing) > 0 {
		return Published{Why: "the published policies need the pass/fail critics syntax, tests and llm; this table has no " + strings.Join(missing, ", ")}
	}
	in, err := control.ReplayPublished(t, control.PublishedOptions{})
	if err != nil {
		return Published{Why: strings.TrimPrefix(err.Error(), "replay the published policies: ")}
	}
	loo, err := control.ReplayPublished(t, control.PublishedOptions{LeaveOneOut: true})
	if err != nil {
		return Published{Why: strings.TrimPrefix(err.Error(), "replay the published policies: ")}
	}
	out := Published{}
	cell, known := control.PublishedFor(t)
	if known {
		out.Cell = cell.Benchmark + ", " + cell.Generator
	}
	for i := range in {
		row := PublishedRow{Name: in[i].Policy, InSample: in[i], LeaveOne: loo[i]}
		if iv, err := control.PublishedInterval(in[i], in[0], publishedSeed); err == nil {
			row.Interval = iv
		}
		if a, b := in[i].MeanUtility, in[0].MeanUtility; a != nil && b != nil {
			d := *a - *b
			row.Delta = &d
		}
		if known {
			row.compare(cell.Figures[i])
		}
		out.Policies = append(out.Policies, row)
	}
	return out
}
