package control

import (
	"fmt"
	"math"
)

// Value is the exact expectation of a policy under a model.
type Value struct {
	Policy  string  `json:"policy"`
	Utility float64 `json:"expected_utility"`
	// SD is the standard deviation of the utility of one episode.
	SD            float64 `json:"sd"`
	Verify        float64 `json:"expected_verify"` // expected number of verifications paid
	Solved        float64 `json:"expected_solved"` // probability of a verified correct candidate
	Shipped       float64 `json:"expected_shipped"`
	Regenerations float64 `json:"expected_regenerations"`
	CriticCalls   float64 `json:"expected_critic_calls"`
	Cost          float64 `json:"expected_cost"`
}

// MaxDepth bounds the length of an episode; it is reached only by policies that
// repeat critics without end.
const MaxDepth = 64

// Evaluate is the exact expected value of a policy in a world with the given
// parameters: the sum over all outcomes, with the belief of the world weighing
// them and the belief of the policy's own model choosing the actions. The two
// are the same unless the policy was made for another problem (wrong
// likelihoods, a wrong kernel). The world must have the critics of the policy's
// model, in the same order and with as many outcomes.
//
// Histories that the policy cannot tell apart are merged, which leaves the
// expectation as it is; beliefs within 1e-12 count as equal for this.
func Evaluate(p Policy, world *Problem, b Budget) (Value, error) {
	if err := world.valid(); err != nil {
		return Value{}, err
	}
	if err := b.valid(); err != nil {
		return Value{}, fmt.Errorf("evaluate %s: %w", p.Name(), err)
	}
	m := p.Model()
	if len(m.Problem.Critics) != len(world.Critics) {
		return Value{}, fmt.Errorf("evaluate %s: it knows %d critics, the world has %d", p.Name(), len(m.Problem.Critics), len(world.Critics))
	}
	for i := range world.Critics {
		w, k := &world.Critics[i], &m.Problem.Critics[i]
		if w.Name != k.Name || w.Outcomes() != k.Outcomes() {
			return Value{}, fmt.Errorf("evaluate %s: critic %d is %s with %d outcomes to the policy and %s with %d in the world",
				p.Name(), i, k.Name, k.Outcomes(), w.Name, w.Outcomes())
		}
	}
	e := evaluation{policy: p, model: m, world: world, sees: sightOf(p), value: Value{Policy: p.Name()}}
	// Before anything is known the best candidate is the one in hand.
	start := moments{}
	start[0] = weights{{1 - world.Prior, 0}, {0, world.Prior}}
	if err := e.run(m.Start(b), start); err != nil {
		return Value{}, fmt.Errorf("evaluate %s: %w", p.Name(), err)
	}
	e.value.SD = math.Sqrt(math.Max(0, e.square-e.value.Utility*e.value.Utility))
	return e.value, nil
}

// front is a state that an episode can be in after some number of events, with
// what is known of the histories that lead there.
type front struct {
	state State
	moments
}

type evaluation struct {
	policy Policy
	model  *Model
	world  *Problem
	sees   sight
	value  Value
	square float64
	next   []front
	index  map[State]int
}

// run moves all histories forward together, one event at a time.
func (e *evaluation) run(s State, m moments) error {
	now := []front{{s, m}}
	e.index = map[State]int{}
	for depth := 0; len(now) > 0; depth++ {
		if depth > MaxDepth {
			return fmt.Errorf("an episode has more than %d actions", MaxDepth)
		}
		clear(e.index)
		for i := range now {
			if err := e.advance(&now[i]); err != nil {
				return err
			}
		}
		now, e.next = e.next, now[:0]
	}
	return nil
}

// reach adds histories to the next front, merged with those the policy cannot
// tell from them.
func (e *evaluation) reach(s State, m moments) {
	if m[0].total() <= 0 {
		return
	}
	key := e.sees.blur(s)
	if i, ok := e.index[key]; ok {
		e.next[i].moments.add(&m)
		return
	}
	e.index[key] = len(e.next)
	e.next = append(e.next, front{s, m})
}

// end books episodes of the given class weights that earned a reward; m holds
// the probability and the first two moments of the cost.
func (e *evaluation) end(m [3]float64, reward float64) {
	e.value.Utility += reward*m[0] - m[1]
	e.value.Cost += m[1]
	e.square += reward*reward*m[0] - 2*reward*m[1] + m[2]
}

func (e *evaluation) advance(f *front) error {
	s := f.state
	a := e.policy.Act(s)
	if !e.model.Allowed(&s, a) {
		return fmt.Errorf("it wants to %s, which is not available", e.model.Problem.ActionName(a))
	}
	total := f.moments[0].total()
	switch a {
	case Stop:
		loss := 0.0
		reward := 0.0
		if e.model.Problem.Ships(s.Belief) && !s.Failed {
			e.value.Shipped += total
			reward = e.world.Reward
			if e.world.ShipLoss != nil {
				loss = *e.world.ShipLoss
			}
		}
		e.end(f.moments.class(1), reward)
		e.end(f.moments.class(0), -loss)
	case Verify, VerifyBest:
		e.verify(a, f)
	case Regenerate:
		e.value.Regenerations += total
		m := f.moments
		m.pay(e.world.CostRegenerate)
		e.reach(e.model.regenerated(s), m.each(func(w weights) weights { return e.world.regenerated(&s, w) }))
	default:
		i, _ := a.Critic()
		e.value.CriticCalls += total
		c := &e.world.Critics[i]
		m := f.moments
		m.pay(c.Cost)
		for z := range c.Correct {
			after, _ := e.model.asked(s, i, outcome(z))
			l := [2]float64{c.Defect[z], c.Correct[z]}
			e.reach(after, m.each(func(w weights) weights {
				return weights{{w[0][0] * l[0], w[0][1] * l[1]}, {w[1][0] * l[0], w[1][1] * l[1]}}
			}))
		}
	}
	return nil
}

func (e *evaluation) verify(a Action, f *front) {
	m := f.moments
	m.pay(e.world.CostVerify)
	good, bad := m.class(1), m.class(0)
	if a == VerifyBest && !f.state.BestInHand() {
		good, bad = m.best(1), m.best(0)
	}
	e.value.Verify += good[0] + bad[0]
	e.value.Solved += good[0]
	e.end(good, e.world.Reward)
	if !e.model.continues(&f.state, a) {
		e.end(bad, 0)
		return
	}
	e.reach(e.model.refuted(f.state), m.each(func(w weights) weights { return weights{{w[0][0], 0}, {w[1][0], 0}} }))
}

// EvaluateAll builds the named policies for the problem and evaluates them in
// the world the problem describes.
func EvaluateAll(names []string, p *Problem, b Budget) ([]Value, error) {
	out := make([]Value, len(names))
	for i, name := range names {
		policy, err := New(name, *p, b)
		if err != nil {
			return nil, err
		}
		if out[i], err = Evaluate(policy, p, b); err != nil {
			return nil, err
		}
	}
	return out, nil
}
