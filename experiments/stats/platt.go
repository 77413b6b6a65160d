package stats

import "math"

// Platt is a fitted logistic map from a score to a probability: Map(x) =
// 1/(1 + exp(-(Slope·x + Intercept))).
type Platt struct {
	Slope, Intercept float64
	// Steps is the number of Newton steps; Converged is false if the gradient did
	// not vanish, and the fit should not be used then.
	Steps     int
	Converged bool
}

// FitPlatt fits the map by maximum likelihood to targets that are pulled in from
// 0 and 1 (Platt 1999), with the damped Newton steps of Lin, Lin and Weng (2007).
// P of a Forecast may be any finite score. Fit on other data than it is judged on.
// It returns nil and the reason when a class is missing.
func FitPlatt(data []Forecast) (*Platt, string) {
	right := 0
	for _, f := range data {
		if math.IsNaN(f.P) || math.IsInf(f.P, 0) {
			return nil, "a score is not a finite number"
		}
		if f.Right {
			right++
		}
	}
	wrong := len(data) - right
	switch {
	case right == 0:
		return nil, "no right items"
	case wrong == 0:
		return nil, "no wrong items"
	}
	hi, lo := (float64(right)+1)/(float64(right)+2), 1/(float64(wrong)+2)
	fit := &Platt{Intercept: math.Log((float64(right) + 1) / (float64(wrong) + 1))}
	loss := fit.loss(data, hi, lo)
	for ; fit.Steps < 100; fit.Steps++ {
		g1, g2 := 0.0, 0.0
		// The ridge keeps the Hessian invertible for constant scores.
		h11, h22, h12 := 1e-12, 1e-12, 0.0
		for _, f := range data {
			target := lo
			if f.Right {
				target = hi
			}
			p := fit.Map(f.P)
			w := p * (1 - p)
			h11 += f.P * f.P * w
			h22 += w
			h12 += f.P * w
			g1 += f.P * (p - target)
			g2 += p - target
		}
		if math.Abs(g1) < 1e-9 && math.Abs(g2) < 1e-9 {
			fit.Converged = true
			return fit, ""
		}
		det := h11*h22 - h12*h12
		dSlope, dIntercept := -(h22*g1-h12*g2)/det, -(h11*g2-h12*g1)/det
		if !fit.step(data, hi, lo, dSlope, dIntercept, g1*dSlope+g2*dIntercept, &loss) {
			// No shorter step lowers the loss: this is the optimum to rounding.
			fit.Converged = math.Abs(g1) < 1e-6 && math.Abs(g2) < 1e-6
			return fit, ""
		}
	}
	return fit, ""
}

// step halves the Newton step until the loss falls enough.
func (f *Platt) step(data []Forecast, hi, lo, dSlope, dIntercept, descent float64, loss *float64) bool {
	for size := 1.0; size >= 1e-10; size /= 2 {
		next := *f
		next.Slope += size * dSlope
		next.Intercept += size * dIntercept
		if l := next.loss(data, hi, lo); l < *loss+1e-4*size*descent {
			*f, *loss = next, l
			return true
		}
	}
	return false
}

// loss is the negative log likelihood, written so that no exponential overflows.
func (f *Platt) loss(data []Forecast, hi, lo float64) float64 {
	sum := 0.0
	for _, d := range data {
		target := lo
		if d.Right {
			target = hi
		}
		x := f.Slope*d.P + f.Intercept
		sum += math.Log1p(math.Exp(-math.Abs(x))) + max(x, 0) - target*x
	}
	return sum
}

// Map is the fitted probability of a score.
func (f *Platt) Map(score float64) float64 {
	x := f.Slope*score + f.Intercept
	if x >= 0 {
		return 1 / (1 + math.Exp(-x))
	}
	e := math.Exp(x)
	return e / (1 + e)
}
