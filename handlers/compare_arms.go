package handlers

import (
	"net/url"
	"slices"

	"github.com/labstack/echo/v4"

	"plumbline/models"
)

const (
	mostCompared = 40 // arms at once
	mostPairs    = 400
	flipsShown   = 10 // of each kind in the page; the counts lead to all
)

// comparedArm is an arm with what a comparison needs to know of it.
type comparedArm struct {
	arm        models.Arm
	experiment models.Experiment
}

func (a comparedArm) name() string { return a.arm.ReviewerName + " · " + a.arm.Form }

// label names the arm where arms of several experiments meet.
func (a comparedArm) label(several bool) string {
	if several {
		return a.name() + " (" + a.experiment.Name + ")"
	}
	return a.name()
}

// pairing says which arms are held against each other.
type pairing string

const (
	withBaseline pairing = "baseline" // the first with every other
	allPairs     pairing = "all"
	sameArm      pairing = "same" // the same reviewer and form in two experiments
)

// compareState is the address of the page as it was read.
type compareState struct {
	arms  []comparedArm
	pairs pairing
	all   bool   // rows in which nothing differs are shown too
	focus string // the pair that is opened, as two arm ids with a tilde
}

// compareStateOf reads the address: arms in order, then the arms of whole
// experiments; the first arm is the baseline.
func (h *Handlers) compareStateOf(c echo.Context) (compareState, error) {
	ctx, v, q := c.Request().Context(), viewer(c), c.QueryParams()
	s := compareState{all: q.Get("rows") == "all", focus: q.Get("pair")}
	seen := map[string]bool{}
	add := func(a models.Arm, e models.Experiment) {
		if !seen[a.ID] {
			seen[a.ID] = true
			s.arms = append(s.arms, comparedArm{a, e})
		}
	}
	for _, id := range q["arm"] {
		if seen[id] {
			continue
		}
		a, e, err := h.store.Arm(ctx, v, id)
		if err != nil {
			return s, err
		}
		add(a, e)
	}
	for _, id := range q["experiment"] {
		e, err := h.store.Experiment(ctx, v, id)
		if err != nil {
			return s, err
		}
		arms, err := h.store.Arms(ctx, v, id)
		if err != nil {
			return s, err
		}
		for _, a := range arms {
			add(a, e)
		}
	}
	if len(s.arms) > mostCompared {
		return s, models.Invalid("arm", "compare at most 40 arms at once")
	}
	switch p := pairing(q.Get("pairs")); {
	case p == withBaseline || p == allPairs || p == sameArm:
		s.pairs = p
	case len(q["experiment"]) > 1 && len(s.pairsOf(sameArm)) > 0:
		s.pairs = sameArm
	default:
		s.pairs = withBaseline
	}
	return s, nil
}

// pairsOf lists pairs of arms by index, the one nearer to the baseline first.
func (s compareState) pairsOf(p pairing) (out [][2]int) {
	for j := range s.arms {
		for i := range j {
			a, b := s.arms[i], s.arms[j]
			same := a.experiment.ID != b.experiment.ID && a.arm.ReviewerName == b.arm.ReviewerName && a.arm.Form == b.arm.Form
			if p == allPairs || p == withBaseline && i == 0 || p == sameArm && same {
				out = append(out, [2]int{i, j})
			}
		}
	}
	return out
}

// several reports that the arms are of more than one experiment.
func (s compareState) several() bool {
	return slices.ContainsFunc(s.arms, func(a comparedArm) bool { return a.experiment.ID != s.arms[0].experiment.ID })
}

// address is the page with these arms and all else as it is, except what change
// sets.
func (s compareState) address(arms []comparedArm, change ...string) string {
	q := url.Values{}
	for _, a := range arms {
		q.Add("arm", a.arm.ID)
	}
	if s.pairs != withBaseline {
		q.Set("pairs", string(s.pairs))
	}
	if s.all {
		q.Set("rows", "all")
	}
	if s.focus != "" {
		q.Set("pair", s.focus)
	}
	for i := 0; i+1 < len(change); i += 2 {
		q.Set(change[i], change[i+1])
		if change[i+1] == "" {
			q.Del(change[i])
		}
	}
	return "/compare?" + q.Encode()
}

// without is the arms except the i-th, or with it first.
func (s compareState) without(i int, first bool) []comparedArm {
	out := slices.Delete(slices.Clone(s.arms), i, i+1)
	if first {
		out = slices.Insert(out, 0, s.arms[i])
	}
	return out
}

// key names a pair in the address.
func (s compareState) key(pair [2]int) string {
	return s.arms[pair[0]].arm.ID + "~" + s.arms[pair[1]].arm.ID
}
