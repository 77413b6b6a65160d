package control

import "math"

// Thresholds are the beliefs at which one-step choices turn. A nil is a choice
// that never turns; values outside [0,1] mean never or always.
type Thresholds struct {
	// VerifyOverStop: verify beats stop from here on, C_ver/R; nil if R is 0.
	VerifyOverStop *float64 `json:"verify_over_stop_at_or_above"`
	// RegenerateOverVerify: regenerating and then verifying beats verifying now
	// below this, (Fix - C_gen/R)/(Fix + Break); nil if the kernel moves nothing.
	RegenerateOverVerify *float64 `json:"regenerate_over_verify_below"`
	// RegenerateOverStop: regenerating and then verifying beats stop above this,
	// ((C_gen + C_ver)/R - Fix)/(1 - Fix - Break); nil unless Fix + Break < 1.
	RegenerateOverStop *float64        `json:"regenerate_over_stop_above"`
	Critics            []CriticPayback `json:"critics"`
	// ShipOverDiscard and VerifyOverShip exist if shipping is allowed: L/(R+L) and
	// 1 - C_ver/L.
	ShipOverDiscard *float64 `json:"ship_over_discard_above,omitempty"`
	VerifyOverShip  *float64 `json:"verify_over_ship_below,omitempty"`
}

// CriticPayback is the open interval of beliefs in which buying a critic once
// beats the better of verify and stop; nil if there is none.
type CriticPayback struct {
	Name     string      `json:"name"`
	Interval *[2]float64 `json:"interval"`
}

// Thresholds are those of the problem with discard-stop and verify-end.
func (p *Problem) Thresholds() Thresholds {
	var t Thresholds
	some := func(x float64) *float64 { return &x }
	k := p.Kernel
	if p.Reward > 0 {
		t.VerifyOverStop = some(p.CostVerify / p.Reward)
		if k.Fix+k.Break > 0 {
			t.RegenerateOverVerify = some((k.Fix - p.CostRegenerate/p.Reward) / (k.Fix + k.Break))
		}
		if c := k.Contraction(); c > tie {
			t.RegenerateOverStop = some(((p.CostRegenerate+p.CostVerify)/p.Reward - k.Fix) / c)
		}
	}
	if p.ShipLoss != nil && *p.ShipLoss > 0 {
		t.ShipOverDiscard = some(*p.ShipLoss / (p.Reward + *p.ShipLoss))
		t.VerifyOverShip = some(1 - p.CostVerify / *p.ShipLoss)
	}
	for i := range p.Critics {
		t.Critics = append(t.Critics, CriticPayback{p.Critics[i].Name, p.payback(&p.Critics[i])})
	}
	return t
}

// payback is where a critic is worth its cost one step ahead. Below C_ver/R some
// outcome must lift the belief enough to verify; above it some outcome must
// drop it enough to stop. For two outcomes these are closed forms; for more, the
// convex value of the critic is intersected with stop and with verify.
func (p *Problem) payback(c *Critic) *[2]float64 {
	cv, r := p.CostVerify, p.Reward
	if cv <= 0 || cv >= r {
		return nil
	}
	var lo, hi float64
	if c.IsBinary() {
		p1, p0 := c.Correct[1], c.Defect[1]
		if p1 < p0 { // fail is the good sign
			p1, p0 = 1-p1, 1-p0
		}
		lo = (c.Cost + p0*cv) / (p1*(r-cv) + p0*cv)
		hi = ((1-p0)*cv - c.Cost) / ((1-p0)*cv + (1-p1)*(r-cv))
	} else {
		lo, hi = p.paybackOfMany(c)
	}
	if !(lo < hi) {
		return nil
	}
	return &[2]float64{lo, hi}
}

func (p *Problem) paybackOfMany(c *Critic) (lo, hi float64) {
	end := upper([]line{{-p.CostVerify, p.Reward - p.CostVerify}, {0, 0}})
	value := upper(c.afterCritic(end))
	lo, hi = math.Inf(1), math.Inf(-1)
	from := 0.0
	for i, l := range value.lines {
		to := 1.0
		if i < len(value.cuts) {
			to = value.cuts[i]
		}
		// Where this piece crosses zero upwards, and verify downwards.
		if a, b := l.at(from), l.at(to); a <= 0 && b > 0 {
			lo = min(lo, from+(to-from)*-a/(b-a))
		}
		ga, gb := l.at(from)-p.verify(from), l.at(to)-p.verify(to)
		if ga > 0 && gb <= 0 {
			hi = max(hi, from+(to-from)*ga/(ga-gb))
		}
		from = to
	}
	return lo, hi
}

// Information is the value of asking one critic before ending.
type Information struct {
	Critic int     `json:"-"`
	Name   string  `json:"name"`
	EVSI   float64 `json:"evsi"` // Σ_z P(z|b) M(b_z) - M(b) ≥ 0
	Cost   float64 `json:"cost"`
	Net    float64 `json:"net"` // EVSI - Cost
}

// EVSI is the expected value of sample information of critic i at belief b: what
// its outcome adds, before its cost, to the better of verify and stop.
func (p *Problem) EVSI(i int, b float64) float64 {
	c, x := &p.Critics[i], 0.0
	for z := range c.Correct {
		w0, w1 := c.Defect[z]*(1-b), c.Correct[z]*b
		if w := w0 + w1; w > 0 {
			x += w * p.terminal(w1/w)
		}
	}
	return math.Max(0, x-p.terminal(b))
}

// PerfectInformation bounds every EVSI: the value of ending with the truth known
// in advance, less that of ending now.
func (p *Problem) PerfectInformation(b float64) float64 {
	return math.Max(0, b*p.terminal(1)+(1-b)*p.terminal(0)-p.terminal(b))
}

func (p *Problem) unusedInformation(s *State) []Information {
	var out []Information
	for i := range p.Critics {
		if s.Used.Has(i) || s.Failed {
			continue
		}
		x := p.EVSI(i, s.Belief)
		out = append(out, Information{Critic: i, Name: p.Critics[i].Name, EVSI: x, Cost: p.Critics[i].Cost, Net: x - p.Critics[i].Cost})
	}
	return out
}
