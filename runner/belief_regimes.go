package runner

import (
	"errors"
	"sync"

	"plumbline/experiments/belief"
	"plumbline/experiments/control"
	"plumbline/experiments/stats"
)

// errNotHeld answers a question about a task that no fold holds.
var errNotHeld = errors.New("the task is in neither the design nor the held-out split")

// RegimePolicies are the policies of a regime map: the simpler ones first, since
// the first of equals wins.
func (s *Study) RegimePolicies() []string {
	out := []string{"always_verify", "stop", "best_of_n_last"}
	for i := range s.Problem.Critics {
		out = append(out, "gate:"+s.Problem.Critics[i].Name)
	}
	if len(s.Problem.Critics) > 1 {
		out = append(out, "pipeline_early_exit")
	}
	return append(out, "greedy_kernel", "dp")
}

// Regimes is the map of the best policy over the prior and the cost of a
// verification, the axes of paper B's study scaled to the reward. The kernel of a
// cell is a fresh draw from its prior, as there, unless the reader gives one. The
// runner-up of a cell is the best policy that does not come to the same there: the
// optimal plan equals a simple rule wherever that rule is optimal, and says nothing
// about how clear the choice is. simulate > 0 plays the two on that many simulated
// tasks a cell.
func (s *Study) Regimes(simulate int) (control.Map, error) {
	if s.ProblemError != nil {
		return control.Map{}, s.ProblemError
	}
	x, y := control.RegimeAxes()
	y.Values = scaled(y.Values, s.Problem.Reward/100)
	o := control.SweepOptions{
		Policies: s.RegimePolicies(), IID: s.Choice.kernelRule() != GivenKernel,
		Budget: control.Budget{Actions: s.Budget.Actions, Regenerations: min(s.Budget.Regenerations, regimeRegenerations)},
	}
	out := control.Map{Policies: o.Policies, X: x, Y: y, Cells: make([][]control.Cell, len(x.Values))}
	errs := make([]error, len(x.Values))
	var wait sync.WaitGroup
	next := make(chan int)
	for range 2 {
		wait.Go(func() {
			for i := range next {
				out.Cells[i], errs[i] = s.regimeColumn(i, x, y, o, simulate)
			}
		})
	}
	for i := range x.Values {
		next <- i
	}
	close(next)
	wait.Wait()
	return out, errors.Join(errs...)
}

// regimeRegenerations are those of paper B's map, with five candidates.
const regimeRegenerations = 4

// regimeColumn is the cells of one prior.
func (s *Study) regimeColumn(i int, x, y control.Axis, o control.SweepOptions, simulate int) ([]control.Cell, error) {
	part, err := control.Sweep(&s.Problem, control.Axis{Parameter: x.Parameter, Values: x.Values[i : i+1]}, y, o)
	if err != nil {
		return nil, err
	}
	cells := part.Cells[0]
	for j := range cells {
		lead(&cells[j])
		if simulate == 0 || cells[j].RunnerUp < 0 {
			continue
		}
		p := s.Problem.Clone()
		p.Prior, p.CostVerify = x.Values[i], y.Values[j]
		if o.IID {
			p.Kernel = belief.IID(p.Prior)
		}
		seed := stats.SubSeed(s.Recorded.Seed, "regime", i*len(y.Values)+j)
		played, err := control.Simulate([]string{o.Policies[cells[j].Winner], o.Policies[cells[j].RunnerUp]}, &p, o.Budget, simulate, seed)
		if err != nil {
			return nil, err
		}
		d, err := control.Compare(played[0], played[1], max(0, p.Reward-p.CostVerify), stats.Options{Seed: seed, Resamples: 500})
		if err != nil {
			return nil, err
		}
		cells[j].Simulated = &d
	}
	return cells, nil
}

// lead finds the best policy that comes to something else than the winner, and by
// how much it is behind; -1 if all come to the same.
func lead(c *control.Cell) {
	c.RunnerUp, c.Margin = -1, 0
	best := c.Values[c.Winner]
	for i, v := range c.Values {
		if best-v > sameValue && (c.RunnerUp < 0 || v > c.Values[c.RunnerUp]) {
			c.RunnerUp, c.Margin = i, best-v
		}
	}
}

// sameValue is the difference below which two exact values are the same.
const sameValue = 1e-9

// Robustness is what mistakes in the parameters cost.
type Robustness struct {
	Shifts  []control.Sensitivity
	Unmoved []string // critics with more than two outcomes, which are not shifted
	Verify  control.Map
	Reward  control.Map
}

// Robust shifts the likelihoods and sweeps the cost of a verification and the
// reward, over the ranges of the authors' study scaled to this problem.
func (s *Study) Robust() (Robustness, error) {
	var out Robustness
	if s.ProblemError != nil {
		return out, s.ProblemError
	}
	for i := range s.Problem.Critics {
		if !s.Problem.Critics[i].IsBinary() {
			out.Unmoved = append(out.Unmoved, s.Problem.Critics[i].Name)
		}
	}
	b := s.Budget
	b.Regenerations = min(b.Regenerations, regimeRegenerations)
	names := []string{"always_verify"}
	if g := s.BestGate(); g != "" {
		names = append(names, g)
	}
	names = append(names, "greedy_kernel", "dp")
	var err error
	if out.Shifts, err = control.Sensitivities(names, &s.Problem, b); err != nil {
		return out, err
	}
	o := control.SweepOptions{Policies: append([]string{"stop"}, names...), Budget: b}
	one := control.Axis{Parameter: control.PriorParameter, Values: []float64{s.Problem.Prior}}
	verify := control.CostAxis()
	verify.Values = scaled(verify.Values, s.Problem.Reward/100)
	if out.Verify, err = control.Sweep(&s.Problem, verify, one, o); err != nil {
		return out, err
	}
	reward := control.RewardAxis()
	if s.Problem.CostVerify > 0 {
		reward.Values = scaled(reward.Values, s.Problem.CostVerify/30)
	}
	out.Reward, err = control.Sweep(&s.Problem, reward, one, o)
	return out, err
}

func scaled(values []float64, by float64) []float64 {
	out := make([]float64, len(values))
	for i, v := range values {
		out[i] = v * by
	}
	return out
}

// BestGate is the gate of the critic with the largest gap, empty without critics.
func (s *Study) BestGate() string {
	best := -1
	for i := range s.Problem.Critics {
		if best < 0 || s.Problem.Critics[i].Gap() > s.Problem.Critics[best].Gap() {
			best = i
		}
	}
	if best < 0 {
		return ""
	}
	return "gate:" + s.Problem.Critics[best].Name
}
