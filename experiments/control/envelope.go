package control

import (
	"slices"
	"sort"
)

// line is the value of a plan as a function of the belief: at0 if the candidate
// is defective, at1 if it is correct, at0 (1-b) + at1 b in between.
type line struct{ at0, at1 float64 }

func (l line) at(b float64) float64 { return l.at0*(1-b) + l.at1*b }

// envelope is the maximum of lines on [0,1]. The lines are in order of slope and
// line i is highest between cuts[i-1] and cuts[i] (0 and 1 at the ends).
type envelope struct {
	lines []line
	cuts  []float64
}

// crossing is the belief at which b overtakes a, where a is not below b at 0 and
// not above it at 1; 0 for equal lines.
func crossing(a, b line) float64 {
	d0, d1 := a.at0-b.at0, b.at1-a.at1
	if !(d0+d1 > 0) {
		return 0
	}
	return d0 / (d0 + d1)
}

// upper builds the envelope of the lines, which it reorders. It keeps no line
// that is nowhere above the others.
func upper(lines []line) envelope {
	slices.SortFunc(lines, func(a, b line) int {
		switch {
		case a.at0 != b.at0:
			if a.at0 > b.at0 {
				return -1
			}
			return 1
		case a.at1 > b.at1:
			return -1
		case a.at1 < b.at1:
			return 1
		}
		return 0
	})
	var out envelope
	for _, l := range lines {
		if n := len(out.lines); n > 0 && l.at1 <= out.lines[n-1].at1 {
			continue // not above the last line anywhere
		}
		for n := len(out.lines); n > 0; n-- {
			from := 0.0
			if n > 1 {
				from = out.cuts[n-2]
			}
			at := crossing(out.lines[n-1], l)
			if at > from {
				break
			}
			out.lines = out.lines[:n-1]
			out.cuts = out.cuts[:max(n-2, 0)]
		}
		if n := len(out.lines); n > 0 {
			out.cuts = append(out.cuts, crossing(out.lines[n-1], l))
		}
		out.lines = append(out.lines, l)
	}
	return out
}

// index is the line that is highest at b.
func (e envelope) index(b float64) int { return sort.SearchFloat64s(e.cuts, b) }

// at is the value at b.
func (e envelope) at(b float64) float64 { return e.lines[e.index(b)].at(b) }

// weighed is the expectation part of an outcome: w0 = (1-b) P(z|0) and
// w1 = b P(z|1) are the joint weights of the classes with that outcome; the
// value is w0 at0 + w1 at1 of the line that is best after it. An outcome of
// probability 0 is worth 0.
func (e envelope) weighed(w0, w1 float64) float64 {
	if w0+w1 <= 0 {
		return 0
	}
	l := e.lines[e.index(w1/(w0+w1))]
	return w0*l.at0 + w1*l.at1
}

// afterKernel carries the lines of the next candidate back to this one.
func (p *Problem) afterKernel(next envelope) []line {
	k, out := p.Kernel, make([]line, len(next.lines))
	for i, l := range next.lines {
		out[i] = line{
			at0: -p.CostRegenerate + (1-k.Fix)*l.at0 + k.Fix*l.at1,
			at1: -p.CostRegenerate + k.Break*l.at0 + (1-k.Break)*l.at1,
		}
	}
	return out
}

// afterCritic carries the lines after a critic back to before it: the sum over
// its outcomes of convex functions is convex, and its pieces are found by
// walking the cuts of all outcomes from left to right.
func (c *Critic) afterCritic(next envelope) []line {
	type walker struct {
		l0, l1 float64 // likelihoods
		at     int     // current line
		until  float64 // where the next line takes over
	}
	walkers := make([]walker, 0, len(c.Correct))
	move := func(w *walker) {
		w.until = 2
		if w.at+1 < len(next.lines) {
			a, b := next.lines[w.at], next.lines[w.at+1]
			w.until = crossing(line{w.l0 * a.at0, w.l1 * a.at1}, line{w.l0 * b.at0, w.l1 * b.at1})
		}
	}
	for z := range c.Correct {
		if c.Correct[z] > 0 || c.Defect[z] > 0 {
			w := walker{l0: c.Defect[z], l1: c.Correct[z]}
			move(&w)
			walkers = append(walkers, w)
		}
	}
	out := make([]line, 0, len(walkers)*len(next.lines))
	b := 0.0
	for {
		sum, until := line{-c.Cost, -c.Cost}, 2.0
		for i := range walkers {
			w := &walkers[i]
			for w.until <= b {
				w.at++
				move(w)
			}
			l := next.lines[w.at]
			sum.at0 += w.l0 * l.at0
			sum.at1 += w.l1 * l.at1
			until = min(until, w.until)
		}
		out = append(out, sum)
		if until >= 1 {
			return out
		}
		b = until
	}
}
