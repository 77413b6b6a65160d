package control

import "fmt"

// Plan is the exact solution of the finite-horizon dynamic programme (paper B
// §1 names it; the recursion is that of a controller who may use each critic
// once for a candidate) for all beliefs at once. It is immutable.
//
//	Q_verify     = R b - C_ver
//	Q_stop       = 0
//	Q_regenerate = -C_gen + V(h-1, g-1, ∅, T(b))
//	Q_critic i   = -C_i + Σ_z P(z|b) V(h-1, g, M∪{i}, b_z)
//	V            = max of the available
type Plan struct {
	problem  Problem
	budget   Budget
	critics  int
	value    []envelope // by index(h, g, M)
	fallback []float64  // Continue: V after a failed verification, by h and g
}

// MaxStates bounds the tables of a plan.
const MaxStates = 1 << 20

// Solve computes the plan for every state within the budget. The error is for an
// invalid problem or budget, or one with more than MaxStates states.
func Solve(problem Problem, budget Budget) (*Plan, error) {
	if err := problem.valid(); err != nil {
		return nil, err
	}
	if err := budget.valid(); err != nil {
		return nil, fmt.Errorf("solve: %w", err)
	}
	p := &Plan{problem: problem.Clone(), budget: budget, critics: len(problem.Critics)}
	levels, states := p.levels(), 0
	if budget.Regenerations >= MaxStates || levels > MaxStates {
		states = MaxStates + 1
	} else {
		states = levels * (budget.Regenerations + 1)
		if states <= MaxStates {
			states <<= p.critics
		}
	}
	if states > MaxStates {
		return nil, fmt.Errorf("solve: %d critics with %d actions and %d regenerations have more than %d states",
			p.critics, budget.Actions, budget.Regenerations, MaxStates)
	}
	p.value = make([]envelope, states)
	p.fallback = make([]float64, levels*(budget.Regenerations+1))
	for h := range levels {
		for g := 0; g <= budget.Regenerations; g++ {
			p.solveFallback(h, g)
			for m := int(full(p.critics)); m >= 0; m-- {
				p.value[p.index(h, g, Mask(m))] = upper(p.lines(h, g, Mask(m)))
			}
		}
	}
	return p, nil
}

// levels is the number of values of h in the tables. Without a limit on actions
// there is one level, which refers to itself for fewer regenerations and more
// used critics only.
func (p *Plan) levels() int {
	if p.budget.Actions == Unlimited {
		return 1
	}
	return p.budget.Actions + 1
}

func (p *Plan) index(h, g int, m Mask) int {
	return (h*(p.budget.Regenerations+1)+g)<<p.critics | int(m)
}

// level finds the tables of a state: its h and g, cut down to those of the plan.
func (p *Plan) level(s *State) (h, g int) {
	g = min(s.Regenerations, p.budget.Regenerations)
	if p.budget.Actions == Unlimited {
		return 0, g
	}
	if s.Actions == Unlimited {
		return p.budget.Actions, g
	}
	return min(s.Actions, p.budget.Actions), g
}

// before is the level after one action, and whether there is one.
func (p *Plan) before(h int) (int, bool) {
	if p.budget.Actions == Unlimited {
		return 0, true
	}
	return h - 1, h > 0
}

// lines collects the lines of every action.
func (p *Plan) lines(h, g int, m Mask) []line {
	var out []line
	for a := Verify; a < Ask(p.critics); a++ {
		out = append(out, p.action(a, h, g, m)...)
	}
	return out
}

// action gives the lines of one action, none if it is not available.
func (p *Plan) action(a Action, h, g int, m Mask) []line {
	q := &p.problem
	last, left := p.before(h)
	switch a {
	case Verify:
		v := line{-q.CostVerify, q.Reward - q.CostVerify}
		if q.VerifyFail == Continue && left {
			v.at0 += p.fallback[last*(p.budget.Regenerations+1)+g]
		}
		return []line{v}
	case Stop:
		out := []line{{0, 0}}
		if q.ShipLoss != nil {
			out = append(out, line{-*q.ShipLoss, q.Reward})
		}
		return out
	case Regenerate:
		if !left || g == 0 {
			return nil
		}
		return q.afterKernel(p.value[p.index(last, g-1, 0)])
	}
	i, _ := a.Critic()
	if !left || m.Has(i) {
		return nil
	}
	return q.Critics[i].afterCritic(p.value[p.index(last, g, m.With(i))])
}

// solveFallback computes what is left after a failed verification, when the
// belief is 0 and every critic used: stop or regenerate. Verifying again could
// only cost.
func (p *Plan) solveFallback(h, g int) {
	v := 0.0
	if last, left := p.before(h); left && g > 0 {
		next := p.value[p.index(last, g-1, 0)]
		v = max(v, -p.problem.CostRegenerate+next.at(p.problem.Kernel.Fix))
	}
	p.fallback[h*(p.budget.Regenerations+1)+g] = v
}

// values is Q of every available action.
func (p *Plan) values(s *State) (v values) {
	q := &p.problem
	h, g := p.level(s)
	last, left := p.before(h)
	b := s.Belief
	if !s.Failed {
		x := q.verify(b)
		if q.VerifyFail == Continue && left && b < 1 {
			x += (1 - b) * p.fallback[last*(p.budget.Regenerations+1)+g]
		}
		v.set(Verify, x)
	}
	v.set(Stop, q.stop(b))
	if !left {
		return v
	}
	if g > 0 {
		v.set(Regenerate, -q.CostRegenerate+p.value[p.index(last, g-1, 0)].at(q.Kernel.Next(b)))
	}
	if s.Failed {
		return v
	}
	for i := range q.Critics {
		if s.Used.Has(i) {
			continue
		}
		c := &q.Critics[i]
		next, x := p.value[p.index(last, g, s.Used.With(i))], -c.Cost
		for z := range c.Correct {
			x += next.weighed(c.Defect[z]*(1-b), c.Correct[z]*b)
		}
		v.set(Ask(i), x)
	}
	return v
}

// Value is V of a state: the expected utility still to be had from it.
func (p *Plan) Value(s State) float64 {
	v := p.values(&s)
	_, q := v.best()
	return q
}

// Budget is the budget the plan was solved for. States with more are treated as
// having this much.
func (p *Plan) Budget() Budget { return p.budget }

// Problem is the problem that was solved.
func (p *Plan) Problem() Problem { return p.problem.Clone() }

// At is a state of the plan's problem by hand: h actions and g regenerations
// left, the critics in used asked, belief b.
func At(h, g int, used Mask, b float64) State {
	return State{Actions: h, Regenerations: g, Used: used, Belief: b, Best: -1, BestBelief: -1}
}
