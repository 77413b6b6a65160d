package control

import "fmt"

// reach solves the programme by recursion on the beliefs reachable from a state.
// It shares no code with the alpha vectors and checks them; it is the right
// method for one start belief.
type reach struct {
	base
	budget Budget
}

// NewReach is the exact programme by the tree of reachable beliefs. Its actions
// and values are those of NewDP; every decision solves the tree below it anew.
// The tree grows exponentially with the budget.
func NewReach(p Problem, b Budget) (Policy, error) {
	if err := p.valid(); err != nil {
		return nil, err
	}
	if err := b.valid(); err != nil {
		return nil, fmt.Errorf("solve: %w", err)
	}
	return &reach{base{"dp_tree", Model{Problem: p.Clone()}}, b}, nil
}

// node is a state of the recursion; failed states have one value for each (h, g).
type node struct {
	h, g   int
	used   Mask
	belief float64
	failed bool
}

func (r *reach) Act(s State) Action {
	v := r.values(&s)
	a, _ := v.best()
	return a
}

func (r *reach) Decide(s State) Decision {
	v := r.values(&s)
	a, _ := v.best()
	return r.decide(&s, &v, a)
}

func (r *reach) values(s *State) values {
	n := node{h: s.Actions, g: min(s.Regenerations, r.budget.Regenerations), used: s.Used, belief: s.Belief, failed: s.Failed}
	if r.budget.Actions != Unlimited && (n.h == Unlimited || n.h > r.budget.Actions) {
		n.h = r.budget.Actions
	}
	return r.expand(n, map[node]float64{})
}

func (r *reach) value(n node, memo map[node]float64) float64 {
	if v, ok := memo[n]; ok {
		return v
	}
	v := r.expand(n, memo)
	_, q := v.best()
	memo[n] = q
	return q
}

func (r *reach) expand(n node, memo map[node]float64) (v values) {
	p := &r.model.Problem
	next := n
	if n.h > 0 {
		next.h--
	}
	left := n.h != 0
	if !n.failed {
		q := p.Reward*n.belief - p.CostVerify
		if p.VerifyFail == Continue && left && n.belief < 1 {
			after := next
			after.used, after.belief, after.failed = full(len(p.Critics)), 0, true
			q += (1 - n.belief) * r.value(after, memo)
		}
		v.set(Verify, q)
	}
	v.set(Stop, p.stop(n.belief))
	if left && n.g > 0 {
		after := next
		after.g, after.used, after.belief, after.failed = n.g-1, 0, p.Kernel.Next(n.belief), false
		v.set(Regenerate, -p.CostRegenerate+r.value(after, memo))
	}
	for i := range p.Critics {
		if !left || n.failed || n.used.Has(i) {
			continue
		}
		c, q := &p.Critics[i].Critic, -p.Critics[i].Cost
		for z := range c.Correct {
			if chance := c.Chance(n.belief, outcome(z)); chance > 0 {
				after := next
				after.used = n.used.With(i)
				after.belief, _ = c.Update(n.belief, outcome(z))
				q += chance * r.value(after, memo)
			}
		}
		v.set(Ask(i), q)
	}
	return v
}

func (*reach) sees() sight { return sight{belief: true} }
