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
	e := evaluation{policy: p, model: m, world: world, value: Value{Policy: p.Name()}}
	// Before anything is known the best candidate is the one in hand.
	start := weights{{1 - world.Prior, 0}, {0, world.Prior}}
	if err := e.walk(m.Start(b), start, 0, 0); err != nil {
		return Value{}, fmt.Errorf("evaluate %s: %w", p.Name(), err)
	}
	e.value.SD = math.Sqrt(math.Max(0, e.square-e.value.Utility*e.value.Utility))
	return e.value, nil
}

// weights[a][c] is the probability of the history together with class a of the
// best earlier candidate and class c of the one in hand.
type weights [2][2]float64

// class is the weight of the candidate in hand being of class c.
func (w *weights) class(c int) float64 { return w[0][c] + w[1][c] }

func (w *weights) total() float64 { return w.class(0) + w.class(1) }

type evaluation struct {
	policy Policy
	model  *Model
	world  *Problem
	value  Value
	square float64
}

// end books an episode of weight w that earned reward and cost so much.
func (e *evaluation) end(w, reward, cost float64) {
	e.value.Utility += w * (reward - cost)
	e.square += w * (reward - cost) * (reward - cost)
	e.value.Cost += w * cost
}

func (e *evaluation) walk(s State, w weights, cost float64, depth int) error {
	if depth > MaxDepth {
		return fmt.Errorf("an episode has more than %d actions", MaxDepth)
	}
	a := e.policy.Act(s)
	if !e.model.Allowed(&s, a) {
		return fmt.Errorf("it wants to %s, which is not available", e.model.Problem.ActionName(a))
	}
	total := w.total()
	switch a {
	case Stop:
		if !e.model.Problem.Ships(s.Belief) || s.Failed {
			e.end(total, 0, cost)
			return nil
		}
		e.value.Shipped += total
		e.end(w.class(1), e.world.Reward, cost)
		e.end(w.class(0), -*e.world.shipLoss(), cost)
		return nil
	case Verify, VerifyBest:
		return e.verify(a, s, w, cost, depth)
	case Regenerate:
		e.value.Regenerations += total
		return e.walk(e.model.regenerated(s), e.world.regenerated(&s, w), cost+e.world.CostRegenerate, depth+1)
	}
	i, _ := a.Critic()
	e.value.CriticCalls += total
	c := &e.world.Critics[i]
	for z := range c.Correct {
		next := weights{
			{w[0][0] * c.Defect[z], w[0][1] * c.Correct[z]},
			{w[1][0] * c.Defect[z], w[1][1] * c.Correct[z]},
		}
		if next.total() <= 0 {
			continue
		}
		after, _ := e.model.asked(s, i, outcome(z))
		if err := e.walk(after, next, cost+c.Cost, depth+1); err != nil {
			return err
		}
	}
	return nil
}

func (e *evaluation) verify(a Action, s State, w weights, cost float64, depth int) error {
	good, bad := w.class(1), w.class(0)
	if a == VerifyBest && !s.BestInHand() {
		good, bad = w[1][0]+w[1][1], w[0][0]+w[0][1]
	}
	cost += e.world.CostVerify
	e.value.Verify += good + bad
	e.value.Solved += good
	e.end(good, e.world.Reward, cost)
	if bad <= 0 {
		return nil
	}
	if !e.model.continues(&s, a) {
		e.end(bad, 0, cost)
		return nil
	}
	return e.walk(e.model.refuted(s), weights{{w[0][0], 0}, {w[1][0], 0}}, cost, depth+1)
}

// regenerated moves the weights to the next candidate: the one in hand becomes
// the best earlier one if the policy says so, then the kernel draws its
// successor.
func (p *Problem) regenerated(s *State, w weights) weights {
	if s.BestInHand() && !s.Failed {
		w = weights{{w.class(0), 0}, {0, w.class(1)}}
	}
	k := p.Kernel
	var out weights
	for best := range w {
		out[best][0] = w[best][0]*(1-k.Fix) + w[best][1]*k.Break
		out[best][1] = w[best][0]*k.Fix + w[best][1]*(1-k.Break)
	}
	return out
}

// shipLoss is the loss of shipping a defect, 0 if the world has none.
func (p *Problem) shipLoss() *float64 {
	if p.ShipLoss == nil {
		return new(float64)
	}
	return p.ShipLoss
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
