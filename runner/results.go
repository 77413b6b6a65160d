package runner

import (
	"cmp"
	"context"
	"slices"

	"plumbline/experiments/stats"
	"plumbline/experiments/trace"
	"plumbline/experiments/vote"
	"plumbline/models"
)

// Results are an experiment's arms as measured from its stored decisions.
type Results struct {
	Experiment models.Experiment
	Arms       []ArmResult // in the order of the experiment
	// SharedInstances reports that several traces of the experiment share an
	// instance, so that intervals by trace take dependent traces as independent.
	SharedInstances bool
}

// ArmResult is one arm. Every figure is a function of the stored decisions.
type ArmResult struct {
	Arm      models.Arm
	Cells    []models.ResultCell // the counts everything else derives from
	Counts   stats.ReviewCounts  // traces of known truth
	Unknown  vote.Counts         // decisions on traces of unknown truth
	Measures stats.Measures      // every rate with its intervals
	// ByInstance is Measures with the bootstrap by instance; nil unless asked for.
	ByInstance stats.Measures
	Patterns   []vote.Pattern // votes of all decided traces
	Fleiss     vote.Agreement
	Alpha      vote.Agreement
	// Agree are the intervals of Fleiss and Alpha.
	Agree stats.AgreementIntervals
	// Voted counts the traces with votes; on Ties of them the largest count is
	// shared, on Unanimous all votes are one class.
	Voted, Ties, Unanimous int
	Groups                 []stats.Group // decided traces of known truth by confidence, the share of the winning class
	Curve                  stats.Curve
	CurveCI                stats.CurveIntervals
	Items                  map[string]int // by item state
	Cost                   models.ArmCost

	abstained int // traces of known truth decided uncertain
}

// ResultOptions chooses what costs more.
type ResultOptions struct {
	ByInstance bool // bootstrap by instance too
}

// Results measures an experiment. The seed of the bootstrap is the experiment's,
// so that the same decisions give the same bits.
func (r *Runner) Results(ctx context.Context, v models.Viewer, experimentID string, o ResultOptions) (Results, error) {
	e, err := r.store.Experiment(ctx, v, experimentID)
	if err != nil {
		return Results{}, err
	}
	arms, err := r.store.Arms(ctx, v, experimentID)
	if err != nil {
		return Results{}, err
	}
	cells, err := r.store.ResultCells(ctx, v, experimentID)
	if err != nil {
		return Results{}, err
	}
	states, err := r.store.ArmStates(ctx, v, experimentID)
	if err != nil {
		return Results{}, err
	}
	costs, err := r.store.ArmCosts(ctx, v, experimentID)
	if err != nil {
		return Results{}, err
	}
	out := Results{Experiment: e, Arms: make([]ArmResult, len(arms))}
	index := make(map[string]int, len(arms))
	for i, a := range arms {
		index[a.ID] = i
		out.Arms[i] = ArmResult{Arm: a, Items: map[string]int{}, Cost: models.ArmCost{ArmID: a.ID}}
	}
	for _, c := range cells {
		a := &out.Arms[index[c.ArmID]]
		a.Cells = append(a.Cells, c)
	}
	for _, s := range states {
		out.Arms[index[s.ArmID]].Items[s.State] = s.N
	}
	for _, c := range costs {
		out.Arms[index[c.ArmID]].Cost = c
	}
	measured := make([]stats.Arm, len(arms))
	for i := range out.Arms {
		out.Arms[i].count()
		measured[i] = stats.Arm{Label: armLabel(out.Arms[i].Arm), Counts: out.Arms[i].Counts}
	}
	for i, m := range stats.MeasureAll(measured, stats.Options{Seed: uint64(e.Seed)}) {
		out.Arms[i].Measures = m
	}
	out.intervals()
	return out, r.clusters(ctx, v, &out, index, o)
}

// armLabel names an arm for the seed: it does not hold ids, so that the same
// experiment run again elsewhere draws the same resamples.
func armLabel(a models.Arm) string { return a.ReviewerName + " · " + a.Form }

func (a *ArmResult) count() {
	groups := map[float64]*stats.Group{}
	for _, c := range a.Cells {
		counts := vote.Counts{Accept: c.NAccept, Reject: c.NReject, Uncertain: c.NUncertain, Unparseable: c.NUnparseable}
		a.Patterns = append(a.Patterns, vote.Pattern{Counts: counts, Traces: c.N})
		decision := vote.Decision(c.Decision)
		if c.Label == string(trace.Unknown) {
			addN(&a.Unknown, decision, c.N)
			continue
		}
		defect := c.Label == string(trace.Defective)
		a.Counts.AddN(defect, outcomeOf(decision), c.N)
		if decision == vote.Uncertain {
			a.abstained += c.N
			continue
		}
		share := counts.Tally(vote.Plurality).Share // not nil: a decided item has votes
		g := groups[*share]
		if g == nil {
			g = &stats.Group{Confidence: *share}
			groups[*share] = g
		}
		g.N += c.N
		if wrongDecision(defect, decision) {
			g.Wrong += c.N
		}
	}
	for _, g := range groups {
		a.Groups = append(a.Groups, *g)
	}
	slices.SortFunc(a.Groups, func(x, y stats.Group) int { return cmp.Compare(y.Confidence, x.Confidence) })
	a.Curve = stats.RiskCoverageGroups(a.Groups, a.abstained)
	a.Fleiss, a.Alpha, a.Ties = vote.Fleiss(a.Patterns), vote.Krippendorff(a.Patterns), vote.Ties(a.Patterns)
	a.Voted, a.Unanimous = voted(a.Patterns)
}

func addN(c *vote.Counts, d vote.Decision, n int) {
	switch d {
	case vote.Accept:
		c.Accept += n
	case vote.Reject:
		c.Reject += n
	case vote.Uncertain:
		c.Uncertain += n
	default:
		c.Unparseable += n
	}
}

func outcomeOf(d vote.Decision) stats.Outcome {
	switch d {
	case vote.Accept:
		return stats.Accepted
	case vote.Reject:
		return stats.Rejected
	case vote.Uncertain:
		return stats.Abstained
	}
	return stats.Unparsed
}

// wrongDecision is the loss of a decided trace; unparseable is always wrong.
func wrongDecision(defect bool, d vote.Decision) bool {
	if defect {
		return d != vote.Reject
	}
	return d != vote.Accept
}

func (r *Runner) clusters(ctx context.Context, v models.Viewer, out *Results, index map[string]int, o ResultOptions) error {
	shared, err := r.store.SharesInstances(ctx, v, out.Experiment.ID)
	if err != nil {
		return err
	}
	out.SharedInstances = shared
	if !o.ByInstance {
		return nil
	}
	cells, err := r.store.ClusterCells(ctx, v, out.Experiment.ID)
	if err != nil {
		return err
	}
	byArm := make([]map[string]*stats.ReviewCounts, len(out.Arms))
	for i := range byArm {
		byArm[i] = map[string]*stats.ReviewCounts{}
	}
	order := make([][]string, len(out.Arms))
	for _, c := range cells {
		if c.Label == string(trace.Unknown) {
			continue
		}
		i := index[c.ArmID]
		if byArm[i][c.InstanceID] == nil {
			byArm[i][c.InstanceID] = &stats.ReviewCounts{}
			order[i] = append(order[i], c.InstanceID)
		}
		byArm[i][c.InstanceID].AddN(c.Label == string(trace.Defective), outcomeOf(vote.Decision(c.Decision)), c.N)
	}
	arms := make([]stats.ClusteredArm, len(out.Arms))
	for i := range arms {
		arms[i].Label = armLabel(out.Arms[i].Arm)
		for _, id := range order[i] {
			arms[i].Clusters = append(arms[i].Clusters, *byArm[i][id])
		}
	}
	for i, m := range stats.MeasureClusters(arms, stats.Options{Seed: uint64(out.Experiment.Seed)}) {
		out.Arms[i].ByInstance = m
	}
	return nil
}
