package control

// greedy looks one step ahead and then takes the better of verify and stop
// (paper B §1, with the formulas of its code release): the value of a critic is
// its cost and the expected better end after it, that of a regeneration its cost
// and the better end with the new belief. It replans after each observation.
type greedy struct{ base }

// NewGreedyPrior sees a regeneration as a fresh draw from the prior and needs no
// kernel.
func NewGreedyPrior(p Problem) (Policy, error) {
	return newGreedy("greedy_prior", p, Rules{After: ToPrior})
}

// NewGreedyKernel moves the belief by the kernel; it is the exact programme with
// one action left.
func NewGreedyKernel(p Problem) (Policy, error) { return newGreedy("greedy_kernel", p, Rules{}) }

func newGreedy(name string, p Problem, r Rules) (Policy, error) {
	if err := p.valid(); err != nil {
		return nil, err
	}
	return &greedy{base{name, Model{p.Clone(), r}}}, nil
}

func (g *greedy) values(s *State) (v values) {
	p, b := &g.model.Problem, s.Belief
	v.set(Stop, p.stop(b))
	if g.model.Allowed(s, Verify) {
		v.set(Verify, p.verify(b))
	}
	if g.model.Allowed(s, Regenerate) {
		next := g.model.regenerated(*s).Belief
		v.set(Regenerate, -p.CostRegenerate+p.terminal(next))
	}
	for i := range p.Critics {
		if !g.model.Allowed(s, Ask(i)) {
			continue
		}
		c, x := &p.Critics[i], -p.Critics[i].Cost
		for z := range c.Correct {
			w0, w1 := c.Defect[z]*(1-b), c.Correct[z]*b
			if w := w0 + w1; w > 0 {
				x += w * p.terminal(w1/w)
			}
		}
		v.set(Ask(i), x)
	}
	return v
}

func (g *greedy) Act(s State) Action {
	v := g.values(&s)
	a, _ := v.best()
	return a
}

func (g *greedy) Decide(s State) Decision {
	v := g.values(&s)
	a, _ := v.best()
	return g.decide(&s, &v, a)
}

func (*greedy) sees() sight { return sight{belief: true} }
