package control

// dp plays a plan.
type dp struct {
	base
	plan *Plan
}

// NewDP is the policy of the exact programme within a budget.
func NewDP(p Problem, b Budget) (Policy, error) {
	plan, err := Solve(p, b)
	if err != nil {
		return nil, err
	}
	return plan.Policy(), nil
}

// Policy plays the plan.
func (p *Plan) Policy() Policy {
	return &dp{base{"dp", Model{Problem: p.problem}}, p}
}

// PlanOf returns the plan behind a policy of NewDP or Plan.Policy, if it is one.
func PlanOf(p Policy) (*Plan, bool) {
	d, ok := p.(*dp)
	if !ok {
		return nil, false
	}
	return d.plan, true
}

func (d *dp) Act(s State) Action {
	v := d.plan.values(&s)
	a, _ := v.best()
	return a
}

func (d *dp) Decide(s State) Decision {
	v := d.plan.values(&s)
	a, _ := v.best()
	return d.decide(&s, &v, a)
}

func (*dp) sees() sight { return sight{belief: true} }
