package control

import (
	"fmt"

	"plumbline/experiments/belief"
	"plumbline/experiments/stats"
)

// Parameter names a number of a problem that can be swept.
type Parameter string

const (
	PriorParameter      Parameter = "prior"
	VerifyParameter     Parameter = "cost_verify"
	RegenerateParameter Parameter = "cost_regenerate"
	RewardParameter     Parameter = "reward"
	FixParameter        Parameter = "p01"
	BreakParameter      Parameter = "p10"
)

// Axis is a parameter with the values it takes.
type Axis struct {
	Parameter Parameter `json:"parameter"`
	Values    []float64 `json:"values"`
}

// set changes the parameter of a problem.
func (a Axis) set(p *Problem, x float64) error {
	switch a.Parameter {
	case PriorParameter:
		p.Prior = x
	case VerifyParameter:
		p.CostVerify = x
	case RegenerateParameter:
		p.CostRegenerate = x
	case RewardParameter:
		p.Reward = x
	case FixParameter:
		p.Kernel.Fix = x
	case BreakParameter:
		p.Kernel.Break = x
	default:
		return fmt.Errorf("there is no parameter %q to sweep", a.Parameter)
	}
	return nil
}

// RegimeAxes are the axes of the synthetic regime map of paper B's release:
// prior 0.10 to 0.85 by 0.05 and verification cost 5 to 95 by 10, with R = 100.
func RegimeAxes() (prior, verify Axis) {
	prior, verify = Axis{Parameter: PriorParameter}, Axis{Parameter: VerifyParameter}
	for i := range 16 {
		prior.Values = append(prior.Values, float64(10+5*i)/100)
	}
	for i := range 10 {
		verify.Values = append(verify.Values, float64(5+10*i))
	}
	return prior, verify
}

// CostAxis is the sweep of the verification cost in the authors' study, at
// R = 100, and RewardAxis that of the reward.
func CostAxis() Axis {
	return Axis{VerifyParameter, []float64{10, 15, 20, 30, 40, 60, 100}}
}

// RewardAxis is the sweep of the reward in the authors' study, at C_ver = 30.
func RewardAxis() Axis { return Axis{RewardParameter, []float64{25, 50, 100, 200, 500}} }

// SweepOptions of Sweep.
type SweepOptions struct {
	Policies []string // at least one
	Budget   Budget
	// IID ties the kernel to the prior of each cell: a regeneration is a fresh
	// draw.
	IID bool
	// Simulate adds, if positive, that many simulated tasks a cell, to see which
	// margins a data set of that size could show. Resampling sets its seed.
	Simulate   int
	Resampling stats.Options
}

// Cell is one problem of a sweep.
type Cell struct {
	X        float64   `json:"x"`
	Y        float64   `json:"y"`
	Values   []float64 `json:"values"` // exact expected utility of each policy
	Winner   int       `json:"winner"` // index of the best policy, the first among equals
	RunnerUp int       `json:"runner_up"`
	// Margin is the lead of the winner over the runner-up; 0 for a tie.
	Margin float64 `json:"margin"`
	// Simulated compares the winner with the runner-up on simulated tasks.
	Simulated *Delta `json:"simulated,omitempty"`
}

// Map is a grid of cells, Cells[i][j] at X.Values[i] and Y.Values[j].
type Map struct {
	Policies []string `json:"policies"`
	X        Axis     `json:"x"`
	Y        Axis     `json:"y"`
	Cells    [][]Cell `json:"cells"`
}

// equal is the margin below which two exact values are a tie.
const equal = 1e-9

// Sweep evaluates policies exactly over a grid of two parameters. A sweep of one
// parameter has a Y axis of one value. The regime map of paper B is a sweep over
// RegimeAxes with IID.
func Sweep(p *Problem, x, y Axis, o SweepOptions) (Map, error) {
	out := Map{Policies: o.Policies, X: x, Y: y, Cells: make([][]Cell, len(x.Values))}
	if len(o.Policies) == 0 || len(x.Values) == 0 || len(y.Values) == 0 {
		return out, fmt.Errorf("sweep: it needs a policy and a value on each axis")
	}
	for i, a := range x.Values {
		out.Cells[i] = make([]Cell, len(y.Values))
		for j, b := range y.Values {
			q := p.Clone()
			if err := x.set(&q, a); err != nil {
				return out, err
			}
			if err := y.set(&q, b); err != nil {
				return out, err
			}
			if o.IID {
				q.Kernel = belief.IID(q.Prior)
			}
			cell, err := evaluateCell(&q, o, i*len(y.Values)+j)
			if err != nil {
				return out, fmt.Errorf("sweep: %s %g, %s %g: %w", x.Parameter, a, y.Parameter, b, err)
			}
			cell.X, cell.Y = a, b
			out.Cells[i][j] = cell
		}
	}
	return out, nil
}

func evaluateCell(p *Problem, o SweepOptions, index int) (Cell, error) {
	values, err := EvaluateAll(o.Policies, p, o.Budget)
	if err != nil {
		return Cell{}, err
	}
	c := Cell{Values: make([]float64, len(values)), RunnerUp: -1}
	for i, v := range values {
		c.Values[i] = v.Utility
		if v.Utility > c.Values[c.Winner]+equal {
			c.Winner = i
		}
	}
	for i, v := range c.Values {
		if i != c.Winner && (c.RunnerUp < 0 || v > c.Values[c.RunnerUp]+equal) {
			c.RunnerUp = i
		}
	}
	if c.RunnerUp < 0 {
		return c, nil
	}
	if c.Margin = c.Values[c.Winner] - c.Values[c.RunnerUp]; c.Margin < equal {
		c.Margin = 0
	}
	if o.Simulate > 0 {
		seed := stats.SubSeed(o.Resampling.Seed, "sweep cell", index)
		pair := []string{o.Policies[c.Winner], o.Policies[c.RunnerUp]}
		played, err := Simulate(pair, p, o.Budget, o.Simulate, seed)
		if err != nil {
			return c, err
		}
		d, err := Compare(played[0], played[1], max(0, p.Reward-p.CostVerify), o.Resampling)
		if err != nil {
			return c, err
		}
		c.Simulated = &d
	}
	return c, nil
}
