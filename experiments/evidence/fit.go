package evidence

import "fmt"

// fit cuts sections until the text weighs at most budget tokens. Two rounds: the
// first leaves every part a share of the budget, the second takes all but the
// issue's share.
func (d *document) fit(budget int) error {
	limit := 4 * budget
	order := []part{partSteps, partDiff, partSummary, partNotes, partIssue}
	first := map[part]int{partDiff: limit / 3, partSummary: limit / 8, partNotes: limit / 8, partIssue: limit / 3}
	second := map[part]int{partIssue: limit / 3}
	for _, floors := range []map[part]int{first, second} {
		for _, p := range order {
			for _, s := range d.sections {
				over := d.weight() - limit
				if over <= 0 {
					return nil
				}
				if s.part == p {
					d.shrink(s, over, floors[p])
				}
			}
		}
	}
	if over := d.weight() - limit; over > 0 {
		return fmt.Errorf("%w: %d tokens, at least %d are needed", ErrBudget, budget, toTokens(d.weight()))
	}
	return nil
}

func (d *document) weight() int {
	w := 0
	for _, s := range d.sections {
		w += s.weight()
	}
	return w
}

// markerWeight is set aside for the line that says what was cut.
const markerWeight = 140

// shrink takes at least over quarter tokens out of the middle of s, as far as its
// content keeps floor of them.
func (d *document) shrink(s *section, over, floor int) {
	if len(s.steps) > 0 {
		d.dropSteps(s, over)
		return
	}
	d.dropLines(s, over, floor)
}

// dropSteps removes a run of whole steps around the middle. What stays is filled
// alternately from the start and from the end, so that the first look at the code
// and the last runs survive longest.
func (d *document) dropSteps(s *section, over int) {
	weights := make([]int, len(s.steps))
	total := 0
	for i, st := range s.steps {
		weights[i] = weightOf(st.lines)
		total += weights[i]
	}
	room := total - over - markerWeight
	from, to := 0, len(s.steps) // steps[from:to] go
	for head := true; from < to; head = !head {
		i := from
		if !head {
			i = to - 1
		}
		if weights[i] > room {
			// One more chance for the other end, then stop.
			j := to - 1
			if !head {
				j = from
			}
			if weights[j] > room {
				break
			}
			i = j
		}
		room -= weights[i]
		if i == from {
			from++
		} else {
			to--
		}
	}
	if from >= to {
		return
	}
	cut := Cut{Why: CutBudget, Steps: to - from}
	quarters := 0
	for i := from; i < to; i++ {
		cut.Lines += len(s.steps[i].lines)
		quarters += weights[i]
	}
	cut.Tokens = toTokens(quarters)
	cut.What = fmt.Sprintf("steps %d to %d", s.steps[from].number, s.steps[to-1].number)
	if to-from == 1 {
		cut.What = fmt.Sprintf("step %d", s.steps[from].number)
	}
	marker := Line{Own: true, Text: fmt.Sprintf("cut to fit the budget: %s (%d lines, about %d tokens)", cut.What, cut.Lines, cut.Tokens)}
	kept := append([]step(nil), s.steps[:from]...)
	kept = append(kept, step{lines: []Line{marker}})
	s.steps = append(kept, s.steps[to:]...)
	s.cuts = append(s.cuts, cut)
	for _, st := range s.steps {
		s.lines = append(s.lines, st.lines...)
	}
	s.steps = nil // a second cut goes by lines
}

// dropLines removes a run of lines around the middle, keeping three parts of what
// stays at the start and two at the end. A second cut of a section starts again
// from its full lines, so that one marker tells the whole of it.
func (d *document) dropLines(s *section, over, floor int) {
	if s.full == nil {
		s.full = s.lines
	}
	now, total := weightOf(s.lines), weightOf(s.full)
	keep := max(now-over, floor) - markerWeight
	if keep >= total || len(s.full) == 0 {
		return
	}
	from, to := 0, len(s.full)
	for room := keep * 3 / 5; from < to && s.full[from].weight() <= room; from++ {
		room -= s.full[from].weight()
	}
	for room := keep * 2 / 5; from < to && s.full[to-1].weight() <= room; to-- {
		room -= s.full[to-1].weight()
	}
	gone := weightOf(s.full[from:to])
	if gone <= markerWeight {
		return
	}
	cut := Cut{What: s.name, Why: CutBudget, Lines: to - from, Tokens: toTokens(gone)}
	marker := Line{Own: true, Text: fmt.Sprintf("cut to fit the budget: %d lines of the %s (about %d tokens)", cut.Lines, s.name, cut.Tokens)}
	s.lines = append(append(append([]Line(nil), s.full[:from]...), marker), s.full[to:]...)
	if n := len(s.cuts); n > 0 && s.cuts[n-1].What == s.name {
		s.cuts = s.cuts[:n-1]
	}
	s.cuts = append(s.cuts, cut)
}
