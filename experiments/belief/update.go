package belief

import "math"

// Chance is P(z | b) = P(z|1) b + P(z|0)(1-b) for a recorded outcome z of the
// critic and a belief b in [0,1].
func (c *Critic) Chance(b float64, z Outcome) float64 {
	return c.Correct[z]*b + c.Defect[z]*(1-b)
}

// Update is Bayes' rule (paper B §1, §4). b is in [0,1]. A missing or unrecorded
// outcome returns b; so does an outcome of probability zero, with impossible
// set. It panics if z is not an outcome of the critic.
func (c *Critic) Update(b float64, z Outcome) (after float64, impossible bool) {
	if !z.Observed() {
		return b, false
	}
	joint := c.Correct[z] * b
	total := joint + c.Defect[z]*(1-b)
	if total <= 0 {
		return b, true
	}
	return joint / total, false
}

// LLR is the log likelihood ratio ln(P(z|1)/P(z|0)) of an outcome: what it adds
// to the log-odds. It is 0 without evidence and for an outcome that neither
// class can give, and ±Inf where one class cannot give it.
func (c *Critic) LLR(z Outcome) float64 {
	if !z.Observed() || c.Correct[z] == c.Defect[z] {
		return 0
	}
	return math.Log(c.Correct[z]) - math.Log(c.Defect[z])
}

// Logit is ln(b/(1-b)); ±Inf at 1 and 0.
func Logit(b float64) float64 { return math.Log(b) - math.Log1p(-b) }

// Sigmoid is the inverse of Logit, safe for large |x|.
func Sigmoid(x float64) float64 {
	if x >= 0 {
		return 1 / (1 + math.Exp(-x))
	}
	e := math.Exp(x)
	return e / (1 + e)
}

// Temper adds λ times the sum of the log likelihood ratios to the log-odds of b,
// with λ in [0,1]: 1 is Bayes' rule for independent critics, 0 ignores them. A
// prior of 0 or 1 stays.
func Temper(b float64, llr []float64, lambda float64) float64 {
	if b <= 0 || b >= 1 || lambda == 0 {
		return b
	}
	var sum float64
	for _, l := range llr {
		sum += l
	}
	if math.IsNaN(sum) { // one outcome excludes each class: no evidence is left
		return b
	}
	return Sigmoid(Logit(b) + lambda*sum)
}

// Observation is an outcome of a critic, by its index in the list of critics.
type Observation struct {
	Critic  int
	Outcome Outcome
}

// Step is one update in a path of beliefs.
type Step struct {
	Critic  string  `json:"critic"`
	Outcome string  `json:"outcome"`
	Before  float64 `json:"before"`
	After   float64 `json:"after"`
	// LLR is what the outcome adds to the log-odds; nil if it is infinite.
	LLR *float64 `json:"llr"`
	// Missing: the critic gave no usable answer. Impossible: the likelihoods
	// exclude this outcome at this belief. Both leave the belief as it was.
	Missing    bool `json:"missing,omitempty"`
	Impossible bool `json:"impossible,omitempty"`
}

// Path applies observations to a prior one by one and keeps every step.
func Path(prior float64, critics []Critic, seen []Observation) []Step {
	steps := make([]Step, 0, len(seen))
	b := prior
	for _, o := range seen {
		c := &critics[o.Critic]
		after, impossible := c.Update(b, o.Outcome)
		s := Step{
			Critic: c.Name, Outcome: c.Label(o.Outcome), Before: b, After: after,
			Missing: !o.Outcome.Observed(), Impossible: impossible,
		}
		if l := c.LLR(o.Outcome); !math.IsInf(l, 0) {
			s.LLR = &l
		}
		steps = append(steps, s)
		b = after
	}
	return steps
}
