package control

import (
	"fmt"
	"math"
)

// Grid reproduces the belief-grid programme of paper B's code release. It
// differs from the exact one: the horizon counts candidates, only a regeneration
// advances it; a critic is looked ahead one at a time, and used critics are not
// part of the state; beliefs after a regeneration and at a decision are rounded
// to the nearest grid point (the lower one at a tie). Use it to reproduce, not to
// decide.
type Grid struct {
	base
	horizon int
	points  int
	table   [][]values // by step and point
	value   [][]float64
	action  [][]Action
}

// GridPoints and GridHorizon are those of the release.
const (
	GridPoints  = 51
	GridHorizon = 3
)

// NewGrid solves the grid programme; points ≥ 2 and horizon ≥ 1.
func NewGrid(p Problem, horizon, points int, rules Rules) (*Grid, error) {
	if err := p.valid(); err != nil {
		return nil, err
	}
	if points < 2 || points > 1<<20 || horizon < 1 || horizon > 1<<12 {
		return nil, fmt.Errorf("solve on a grid: %d points and horizon %d make no grid", points, horizon)
	}
	g := &Grid{base: base{fmt.Sprintf("dp_grid%d", points), Model{p.Clone(), rules}}, horizon: horizon, points: points}
	g.table = make([][]values, horizon)
	g.value = make([][]float64, horizon)
	g.action = make([][]Action, horizon)
	for t := horizon - 1; t >= 0; t-- {
		g.table[t] = make([]values, points)
		g.value[t] = make([]float64, points)
		g.action[t] = make([]Action, points)
		for i := range points {
			g.table[t][i] = g.solve(t, g.belief(i))
			g.action[t][i], g.value[t][i] = g.table[t][i].best()
		}
	}
	return g, nil
}

func (g *Grid) belief(i int) float64 { return float64(i) / float64(g.points-1) }

// Nearest is the index of the grid point nearest to b, the lower at a tie.
func (g *Grid) Nearest(b float64) int {
	from := int(math.Floor(b * float64(g.points-1)))
	best, distance := 0, math.Inf(1)
	for i := max(from-1, 0); i <= min(from+2, g.points-1); i++ {
		if d := math.Abs(g.belief(i) - b); d < distance {
			best, distance = i, d
		}
	}
	return best
}

// Value and Action are the tables: step t (candidates generated so far) and grid
// point i.
func (g *Grid) Value(t, i int) float64 { return g.value[t][i] }

// Action is the action at step t and grid point i.
func (g *Grid) Action(t, i int) Action { return g.action[t][i] }

func (g *Grid) regenerate(t int, b float64) float64 {
	p := &g.model.Problem
	if t+1 >= g.horizon {
		return -p.CostRegenerate
	}
	return -p.CostRegenerate + g.value[t+1][g.Nearest(p.Kernel.Next(b))]
}

func (g *Grid) solve(t int, b float64) (v values) {
	p := &g.model.Problem
	v.set(Verify, p.verify(b))
	v.set(Stop, 0)
	v.set(Regenerate, g.regenerate(t, b))
	then := func(b float64) float64 {
		x := math.Max(p.verify(b), 0)
		if t+1 < g.horizon {
			x = math.Max(x, g.regenerate(t, b))
		}
		return x
	}
	for i := range p.Critics {
		c, x := &p.Critics[i].Critic, -p.Critics[i].Cost
		for z := range c.Correct {
			after, _ := c.Update(b, outcome(z))
			x += c.Chance(b, outcome(z)) * then(after)
		}
		v.set(Ask(i), x)
	}
	return v
}

// lookup is the step and the values of a state.
func (g *Grid) lookup(s *State) (int, *values) {
	t := min(s.Candidate, g.horizon-1)
	return t, &g.table[t][g.Nearest(s.Belief)]
}

// Act reads the table. A critic that was already used, and a regeneration beyond
// the budget, are replaced as in the release's live runner: verify if that is
// worth something and not less than a fresh regeneration, else regenerate if
// that is worth something, else stop.
func (g *Grid) Act(s State) Action {
	t, _ := g.lookup(&s)
	a := g.action[t][g.Nearest(s.Belief)]
	if g.model.Allowed(&s, a) {
		return a
	}
	p := &g.model.Problem
	now, fresh := p.verify(s.Belief), -p.CostRegenerate+p.verify(p.Prior)
	canRegenerate := g.model.Allowed(&s, Regenerate)
	switch {
	case !s.Failed && now >= 0 && (now >= fresh || !canRegenerate):
		return Verify
	case canRegenerate && fresh > 0:
		return Regenerate
	}
	return Stop
}

// Decide shows the values at the grid point, of the actions that are available.
func (g *Grid) Decide(s State) Decision {
	_, tab := g.lookup(&s)
	v := *tab
	for a := Verify; int(a) < actions; a++ {
		v.ok[a] = v.ok[a] && g.model.Allowed(&s, a)
	}
	return g.decide(&s, &v, g.Act(s))
}

func (*Grid) sees() sight { return sight{belief: true} }
