package belief

import "math"

// Tempering is a fitted λ with the log loss it reaches, beside those of λ = 0
// (the prior alone) and λ = 1 (critics taken as independent).
type Tempering struct {
	Lambda  *float64 `json:"lambda"` // nil if it cannot be fitted
	LogLoss float64  `json:"log_loss"`
	Ignored float64  `json:"log_loss_0"`
	Trusted float64  `json:"log_loss_1"`
	N       int      `json:"n"`
	Why     string   `json:"why,omitempty"`
}

// FitTempering finds the λ in [0,1] with the smallest mean log loss of the
// tempered beliefs logit b = logit prior + λ Σ LLR. The loss is convex in λ, so
// bisection on its derivative finds the minimum. Candidates without a label are
// left out. Use beliefs of held-out tasks: on the data the likelihoods come from
// λ is drawn towards 1.
func FitTempering(scored []Scored) Tempering {
	var out Tempering
	type point struct{ offset, slope, y float64 }
	var points []point
	classes := [2]int{}
	for _, s := range scored {
		if s.Y == Unknown {
			continue
		}
		var sum float64
		for _, l := range s.LLR {
			sum += l
		}
		if s.Prior <= 0 || s.Prior >= 1 || math.IsNaN(sum) || math.IsInf(sum, 0) {
			out.Why = "a prior or likelihood is 0 or 1; smooth the estimates"
			return out
		}
		points = append(points, point{Logit(s.Prior), sum, float64(s.Y - Defective)})
		classes[s.Y-Defective]++
	}
	out.N = len(points)
	if classes[0] == 0 || classes[1] == 0 {
		out.Why = "it needs correct and defective candidates"
		return out
	}
	loss := func(lambda float64) float64 {
		var l float64
		for _, p := range points {
			x := p.offset + lambda*p.slope
			if p.y == 1 {
				x = -x
			}
			l += math.Max(x, 0) + math.Log1p(math.Exp(-math.Abs(x))) // ln(1+e^x)
		}
		return l / float64(len(points))
	}
	slope := func(lambda float64) float64 {
		var d float64
		for _, p := range points {
			d += (Sigmoid(p.offset+lambda*p.slope) - p.y) * p.slope
		}
		return d
	}
	lo, hi := 0.0, 1.0
	switch {
	case slope(1) <= 0:
		lo = 1
	case slope(0) >= 0:
		hi = 0
	default:
		for range 60 {
			if mid := (lo + hi) / 2; slope(mid) > 0 {
				hi = mid
			} else {
				lo = mid
			}
		}
	}
	lambda := math.Min(lo, hi)
	if lo == 1 {
		lambda = 1
	}
	out.Lambda = &lambda
	out.LogLoss, out.Ignored, out.Trusted = loss(lambda), loss(0), loss(1)
	return out
}
