package control

import (
	"math"

	"plumbline/experiments/belief"
)

// weights[a][c] is the probability of a history together with class a of the
// best earlier candidate and class c of the one in hand.
type weights [2][2]float64

// class is the weight of the candidate in hand being of class c.
func (w *weights) class(c int) float64 { return w[0][c] + w[1][c] }

func (w *weights) total() float64 { return w.class(0) + w.class(1) }

// moments are the weights times the powers 0, 1 and 2 of the cost so far: enough
// for the mean and the variance of the utility.
type moments [3]weights

// pay adds a cost to every history.
func (m *moments) pay(cost float64) {
	for a := range 2 {
		for c := range 2 {
			m[2][a][c] += 2*cost*m[1][a][c] + cost*cost*m[0][a][c]
			m[1][a][c] += cost * m[0][a][c]
		}
	}
}

func (m *moments) add(o *moments) {
	for k := range m {
		for a := range 2 {
			for c := range 2 {
				m[k][a][c] += o[k][a][c]
			}
		}
	}
}

// each applies a linear map to the weights of every power.
func (m moments) each(f func(weights) weights) moments {
	for k := range m {
		m[k] = f(m[k])
	}
	return m
}

// class and best are the moments with the candidate in hand, or the best earlier
// one, of class c.
func (m *moments) class(c int) (out [3]float64) {
	for k := range m {
		out[k] = m[k].class(c)
	}
	return out
}

func (m *moments) best(a int) (out [3]float64) {
	for k := range m {
		out[k] = m[k][a][0] + m[k][a][1]
	}
	return out
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

// sight is what a policy looks at in a state beside the budget, the used critics
// and whether a verification failed.
type sight struct{ belief, outcomes, best bool }

// sighted is implemented by the policies of this package; any other may look at
// everything.
type sighted interface{ sees() sight }

func sightOf(p Policy) sight {
	s := sight{true, true, true}
	if v, ok := p.(sighted); ok {
		s = v.sees()
	}
	// Whether a stop ships depends on the belief.
	s.belief = s.belief || p.Model().Problem.ShipLoss != nil
	return s
}

// blur removes what the policy cannot see, and differences of beliefs within the
// tie.
func (v sight) blur(s State) State {
	round := func(b float64) float64 { return math.Round(b/tie) * tie }
	s.Belief, s.BestBelief = round(s.Belief), round(s.BestBelief)
	if !v.belief {
		s.Belief = 0
	}
	if !v.best {
		s.Best, s.BestBelief = 0, 0
	}
	if !v.outcomes {
		s.Outcomes = [MaxCritics]belief.Outcome{}
	}
	return s
}
