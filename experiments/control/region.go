package control

import (
	"cmp"
	"slices"
)

// Region is an interval of beliefs with the action that is best in it. Regions
// cover [0,1] without gaps; at a common end both actions are equally good and
// the policy takes the first in the order of ties.
type Region struct {
	From   float64 `json:"from"`
	To     float64 `json:"to"`
	Action Action  `json:"-"`
	Name   string  `json:"action"`
	// ValueFrom and ValueTo are V at the ends.
	ValueFrom float64 `json:"value_from"`
	ValueTo   float64 `json:"value_to"`
}

// piece is the value of one action between two neighbouring cuts.
type piece struct {
	action   Action
	from, to float64 // values at the ends
}

// Regions cuts the belief axis of a state of the plan (its belief is not looked
// at) into the intervals in which each action is best, exactly, from the lines
// of all actions. For verify-end problems without shipping the last region is
// verify if R ≥ C_ver, and stop has at most one region; critics and regeneration
// may have several.
func (p *Plan) Regions(s State) []Region {
	h, g := p.level(&s)
	type curve struct {
		action Action
		envelope
	}
	var curves []curve
	cuts := []float64{0, 1}
	for a := Verify; a < Ask(p.critics); a++ {
		if lines := p.action(a, h, g, s.Used); len(lines) > 0 {
			e := upper(lines)
			curves = append(curves, curve{a, e})
			cuts = append(cuts, e.cuts...)
		}
	}
	slices.Sort(cuts)
	cuts = slices.Compact(cuts)
	var out []Region
	for i := 1; i < len(cuts); i++ {
		from, to := cuts[i-1], cuts[i]
		pieces := make([]piece, len(curves))
		for j, c := range curves {
			l := c.lines[c.index((from+to)/2)]
			pieces[j] = piece{c.action, l.at(from), l.at(to)}
		}
		out = walk(out, pieces, from, to)
	}
	for i := range out {
		out[i].Name = p.problem.ActionName(out[i].Action)
	}
	return out
}

// walk follows the highest of straight pieces from left to right.
func walk(out []Region, pieces []piece, from, to float64) []Region {
	at, x := first(pieces), 0.0 // x in [0,1] is the position between from and to
	for {
		now := pieces[at]
		next, until := -1, 1.0
		for i, o := range pieces {
			if o.to <= now.to+tie {
				continue // never overtakes
			}
			d0, d1 := now.from-o.from, o.to-now.to
			cross := x
			if d0+d1 > 0 {
				cross = max(cross, d0/(d0+d1))
			}
			if cross < until || (cross == until && next >= 0 && o.to > pieces[next].to+tie) {
				next, until = i, cross
			}
		}
		end := from + until*(to-from)
		out = extend(out, Region{
			From: from + x*(to-from), To: end, Action: now.action,
			ValueFrom: now.from + x*(now.to-now.from), ValueTo: now.from + until*(now.to-now.from),
		})
		if next < 0 {
			return out
		}
		at, x = next, until
	}
}

// first is the piece that is highest at the left end, the first action among
// equals; a steeper equal overtakes it there at once.
func first(pieces []piece) int {
	best := 0
	for i, o := range pieces {
		if o.from > pieces[best].from+tie {
			best = i
		}
	}
	return best
}

// extend appends a region, or lengthens the last one of the same action; regions
// without width are dropped.
func extend(out []Region, r Region) []Region {
	if n := len(out); n > 0 && out[n-1].Action == r.Action {
		out[n-1].To, out[n-1].ValueTo = r.To, r.ValueTo
		return out
	}
	if r.To-r.From <= tie && len(out) > 0 {
		out[len(out)-1].To, out[len(out)-1].ValueTo = r.To, r.ValueTo
		return out
	}
	return append(out, r)
}

// VerifyFrom is the lowest belief from which on verify is best, nil if it is
// not best at 1.
func VerifyFrom(regions []Region) *float64 {
	last := slices.MaxFunc(regions, func(a, b Region) int { return cmp.Compare(a.To, b.To) })
	if last.Action != Verify {
		return nil
	}
	return &last.From
}
