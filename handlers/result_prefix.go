package handlers

import (
	"context"
	"sort"

	"plumbline/experiments/stats"
	"plumbline/experiments/trace"
	"plumbline/experiments/vote"
	"plumbline/models"
	"plumbline/web/components"
	"plumbline/web/layout"
	"plumbline/web/pages"
)

// What the two ways of asking for fewer votes say.
const (
	saysSubsets = "Fewer votes: expected over all subsets of K recorded votes, exact."
	saysPrefix  = "Fewer votes: the first K recorded votes of each trace, in the order they were asked for."
)

// prefixSwitch says how fewer votes are asked for, and leads to the other way.
func prefixSwitch(r *pages.Result, o resultOptions) {
	r.ScalingSays, r.ScalingSwitch = saysSubsets, layout.Link{Text: "Show the first K votes instead", Href: components.With(o.path, o.query, "scaling", "prefix")}
	if o.prefix {
		r.ScalingSays, r.ScalingSwitch = saysPrefix, layout.Link{Text: "Show all subsets instead", Href: components.With(o.path, o.query, "scaling", "")}
	}
}

// prefixes measures what the first votes of every trace decided. The result is kept
// with the measurement it belongs to.
func (c *resultCache) prefixes(ctx context.Context, v models.Viewer, m *measured) ([][][]stats.ExpectedRate, error) {
	m.prefixMu.Lock()
	defer m.prefixMu.Unlock()
	if m.prefix != nil {
		return m.prefix, nil
	}
	cells, err := c.store.PrefixCells(ctx, v, m.Experiment.ID)
	if err != nil {
		return nil, err
	}
	// The order of the rows is that of random ids; the draws must not depend on it.
	sort.Slice(cells, func(i, j int) bool {
		if cells[i].Label != cells[j].Label {
			return cells[i].Label < cells[j].Label
		}
		return cells[i].Votes < cells[j].Votes
	})
	arms := make([]stats.ExpectedArm, len(m.Arms))
	for i, a := range m.Arms {
		arms[i].Label = a.Arm.ReviewerName + " · " + a.Arm.Form + "\x00prefix"
		for _, x := range cells {
			if x.ArmID != a.Arm.ID || x.Label == string(trace.Unknown) {
				continue
			}
			arms[i].Kinds = append(arms[i].Kinds, stats.Expected{Defect: x.Label == string(trace.Defective), Traces: x.N, P: prefixDecisions(x.Votes, m.steps)})
		}
	}
	m.prefix = stats.MeasureExpected(arms, scalingMetrics, stats.Options{Seed: uint64(m.Experiment.Seed), Resamples: scalingResamples})
	return m.prefix, nil
}

var letterVotes = map[byte]vote.Vote{'a': vote.Accept, 'r': vote.Reject, 'u': vote.Uncertain, 'x': vote.Unparseable}

// prefixDecisions is the decision of the first k votes for every step, as
// probabilities that are 0 or 1.
func prefixDecisions(letters string, steps []int) [][4]float64 {
	votes := make([]vote.Vote, len(letters))
	for i := range letters {
		votes[i] = letterVotes[letters[i]]
	}
	out := make([][4]float64, len(steps))
	for i, k := range steps {
		at := vote.Prefix(votes, min(k, len(votes)), vote.Plurality).Decision.Index()
		out[i][at] = 1
	}
	return out
}
