package runner

import (
	"errors"
	"fmt"
	"slices"
	"strings"

	"plumbline/experiments/belief"
	"plumbline/experiments/control"
	"plumbline/experiments/stats"
)

// Study is a choice made over recorded candidates: the critics chosen, what they
// are estimated to be, and the decision problem they make with the costs. Its parts
// are pure functions of what is recorded and chosen.
type Study struct {
	Recorded *Recorded
	Choice   BeliefChoice
	Critics  []RecordedCritic // chosen, in the order of the problem
	Table    belief.Table     // the chosen critics other than cuts, before Joint
	// Estimate is over all tasks, for what is shown of the critics. What judges a
	// policy or a score on a task never uses it, see Fits.
	Estimate belief.Estimate
	Cuts     []belief.Cut // thresholds of the estimate
	full     belief.Table // the table of the estimate
	Fold     FoldRule
	Fits     []belief.FoldFit // the folds that are judged; nil with FoldError
	// FoldError says why nothing can be judged on tasks it was not fitted on.
	FoldError error
	Reward    float64
	Prices    []PricedAction
	Budget    control.Budget
	Problem   control.Problem // with the estimate over all tasks
	// ProblemError says, in words for the reader, why there is no problem to solve.
	ProblemError error
	Warnings     []string
}

// NewStudy makes a study. The error is for a choice that names what is not there;
// everything else that is amiss is said inside the study.
func NewStudy(r *Recorded, c BeliefChoice) (*Study, error) {
	s := &Study{Recorded: r, Choice: c}
	if err := s.choose(); err != nil {
		return nil, err
	}
	if err := s.estimate(); err != nil {
		return nil, err
	}
	s.fold()
	s.price()
	return s, nil
}

// ErrChoice marks a choice that names what is not there.
var ErrChoice = errors.New("the choice")

func (s *Study) choose() error {
	keys := s.Choice.Critics
	for _, c := range s.Recorded.Critics {
		if (keys == nil && c.Usual) || slices.Contains(keys, c.Key) {
			s.Critics = append(s.Critics, c)
		}
	}
	for _, key := range keys {
		if _, ok := s.Recorded.Critic(key); !ok {
			return fmt.Errorf("%w: there is no critic %q", ErrChoice, key)
		}
	}
	if len(s.Critics) > control.MaxCritics {
		return fmt.Errorf("%w: %d critics are more than %d", ErrChoice, len(s.Critics), control.MaxCritics)
	}
	table := s.Recorded.Table
	if g := s.Choice.Group; g != "" {
		if table = table.Only(g); len(table.Tasks) == 0 {
			return fmt.Errorf("%w: there is no group %q", ErrChoice, g)
		}
	}
	var names []string
	for _, c := range s.Critics {
		if c.Kind != CriticCut {
			names = append(names, c.Name)
		}
	}
	var err error
	if s.Table, err = table.Select(names...); err != nil {
		return fmt.Errorf("%w: %w", ErrChoice, err)
	}
	return s.join()
}

// join replaces the chosen critics by one with their joint table.
func (s *Study) join() error {
	if !s.Choice.Joint || len(s.Table.Critics) < 2 {
		return nil
	}
	var names []string
	joint := RecordedCritic{Key: jointName, Name: jointName, Kind: CriticColumn, Arm: -1}
	size := 1
	kept := s.Critics[:0:0]
	for _, c := range s.Critics {
		if c.Kind == CriticCut {
			kept = append(kept, c)
			continue
		}
		names = append(names, c.Name)
		joint.Simulated = joint.Simulated || c.Simulated
		joint.UpperBound = joint.UpperBound || c.UpperBound
		size *= s.Table.Critics[s.Table.Critic(c.Name)].Outcomes
	}
	if size > maxJoint {
		return fmt.Errorf("%w: the joint table of these critics has %d outcomes, more than %d can be estimated", ErrChoice, size, maxJoint)
	}
	t, err := s.Table.Join(jointName, names...)
	if err != nil {
		return fmt.Errorf("%w: %w", ErrChoice, err)
	}
	if s.Table, err = t.Select(jointName); err != nil {
		return err
	}
	s.Critics = append([]RecordedCritic{joint}, kept...)
	return nil
}

// maxJoint bounds the outcomes of a joint critic.
const maxJoint = 64

// cutSpecs are the cuts to be made on training tasks.
func (s *Study) cutSpecs() []belief.CutSpec {
	var out []belief.CutSpec
	for _, c := range s.Critics {
		if c.Kind == CriticCut {
			out = append(out, belief.CutSpec{Name: c.Name, Score: c.Score})
		}
	}
	return out
}

func (s *Study) estimate() error {
	o := s.Choice.options()
	s.full = s.Table
	for _, spec := range s.cutSpecs() {
		cut, err := s.full.ChooseCut(spec.Score, spec.Quantiles, o)
		if err != nil {
			return fmt.Errorf("%w: %w", ErrChoice, err)
		}
		if s.full, err = s.full.Cut(spec.Name, spec.Score, cut.Threshold); err != nil {
			return fmt.Errorf("%w: %w", ErrChoice, err)
		}
		s.Cuts = append(s.Cuts, cut)
	}
	var err error
	if s.Estimate, err = belief.Fit(s.full, o); err != nil {
		return fmt.Errorf("%w: %w", ErrChoice, err)
	}
	s.Warnings = append(s.Warnings, s.Estimate.Warnings...)
	return nil
}

// Intervals adds the intervals by task to the estimate.
func (s *Study) Intervals() belief.Estimate {
	e, err := s.Estimate.Bootstrap(s.full, s.Choice.options(), s.resampling())
	if err != nil {
		return s.Estimate // nothing to resample, which its warnings say
	}
	return e
}

// resampling keeps the work of a page within bounds for large tables.
func (s *Study) resampling() stats.Options {
	o := belief.Resampling(stats.Options{Seed: s.Recorded.Seed})
	for o.Resamples > 100 && o.Resamples*len(s.Table.Tasks) > 5_000_000 {
		o.Resamples /= 2
	}
	return o
}

// Dependence tests the chosen critics, cuts included, for independence given the
// truth: pairs first, then all that pass or fail together.
func (s *Study) Dependence() ([]belief.Dependence, []belief.JointTest) {
	scope := s.Choice.options().Scope
	pairs := s.full.Dependence(scope)
	var binary []string
	for _, c := range s.full.Critics {
		if c.Outcomes == 2 {
			binary = append(binary, c.Name)
		}
	}
	if len(binary) < 3 || len(binary) > 6 {
		return pairs, nil
	}
	joint, err := s.full.JointDependence(scope, binary...)
	if err != nil {
		return pairs, nil
	}
	return pairs, joint
}

func (s *Study) cross() belief.CrossOptions {
	return belief.CrossOptions{Options: s.Choice.options(), Cuts: s.cutSpecs(), Temper: s.Choice.Temper}
}

// splitsKnown reports whether both a design and a held-out split have tasks.
func (s *Study) splitsKnown() bool {
	return s.Choice.Group == "" && slices.Contains(s.Recorded.Splits, designSplit) && slices.Contains(s.Recorded.Splits, heldOutSplit)
}

const (
	designSplit  = "design"
	heldOutSplit = "held-out"
)

// fold fits the folds that are judged.
func (s *Study) fold() {
	s.Fold = s.Choice.Fold
	if s.Fold == "" {
		s.Fold = FiveFolds
		if s.splitsKnown() {
			s.Fold = BySplit
		}
	}
	table, folds, err := s.folds()
	if err == nil {
		s.Fits, err = belief.CrossFit(table, folds, s.cross())
	}
	if err != nil {
		s.Fits, s.FoldError = nil, errors.New(lastWords(err))
		return
	}
	if s.Fold == BySplit {
		s.Fits = slices.DeleteFunc(s.Fits, func(f belief.FoldFit) bool { return f.Fold != heldFold })
	}
}

// heldFold is the number of the held-out tasks where the split is the fold.
const heldFold = 1

func (s *Study) folds() (belief.Table, []int, error) {
	switch s.Fold {
	case LeaveOneOut:
		folds, err := belief.LeaveOneOut(s.Table)
		return s.Table, folds, err
	case BySplit:
		if !s.splitsKnown() {
			return s.Table, nil, errors.New("there are no design and held-out splits to fit and judge on")
		}
		t := belief.Table{Critics: s.Table.Critics, Scores: s.Table.Scores}
		var folds []int
		for i, k := range s.Table.Tasks {
			switch s.Recorded.Splits[i] {
			case designSplit:
				t.Tasks, folds = append(t.Tasks, k), append(folds, 0)
			case heldOutSplit:
				t.Tasks, folds = append(t.Tasks, k), append(folds, heldFold)
			}
		}
		return t, folds, nil
	}
	folds, err := belief.KFold(s.Table, kFolds)
	return s.Table, folds, err
}

const kFolds = 5

// lastWords drops what the code was doing from an error that is shown to readers.
func lastWords(err error) string {
	text := err.Error()
	for _, doing := range []string{"make folds: ", "cross-fit: ", "check decision problem: ", "solve: ", "make decision problem: "} {
		text = strings.TrimPrefix(text, doing)
	}
	return strings.ReplaceAll(text, "\n", "; ")
}

// price makes the decision problem.
func (s *Study) price() {
	var err error
	prices := s.Critics
	verify, regenerate := s.Recorded.Verify, s.Recorded.Regenerate
	if s.Choice.Joint && len(s.Critics) > 0 && s.Critics[0].Key == jointName {
		s.Reward, s.Prices, err = s.jointPrices(verify, regenerate)
	} else {
		s.Reward, s.Prices, err = s.Choice.Costs.priced(prices, verify, regenerate)
	}
	s.Budget = s.budget()
	if err != nil {
		s.ProblemError = errors.New(lastWords(err))
		return
	}
	if s.Problem, err = s.problem(s.Estimate); err != nil {
		s.ProblemError = errors.New(lastWords(err))
		return
	}
	warnings, err := s.Problem.Validate()
	if err != nil {
		s.ProblemError = errors.New(lastWords(err))
		return
	}
	s.Warnings = append(s.Warnings, warnings...)
}

// jointPrices prices the joint critic as the sum of its parts.
func (s *Study) jointPrices(verify, regenerate control.Spent) (float64, []PricedAction, error) {
	var parts []RecordedCritic
	for _, c := range s.Recorded.Critics {
		if (s.Choice.Critics == nil && c.Usual) || slices.Contains(s.Choice.Critics, c.Key) {
			parts = append(parts, c)
		}
	}
	reward, lines, err := s.Choice.Costs.priced(parts, verify, regenerate)
	joint := PricedAction{Key: jointName, Name: jointName, As: "the sum of its critics"}
	out := append([]PricedAction(nil), lines[:2]...)
	var cuts []PricedAction
	for i, l := range lines[2:] {
		if parts[i].Kind == CriticCut {
			cuts = append(cuts, l)
			continue
		}
		joint.Cost += l.Cost
	}
	return reward, append(append(out, joint), cuts...), err
}

func (s *Study) budget() control.Budget {
	b := control.Budget{Actions: control.Unlimited}
	if s.Choice.Actions > 0 {
		b.Actions = s.Choice.Actions
	}
	for _, k := range s.Table.Tasks {
		b.Regenerations = max(b.Regenerations, len(k.Candidates)-1)
	}
	b.Regenerations = min(b.Regenerations, maxRegenerations)
	if g := s.Choice.Regenerations; g != nil {
		b.Regenerations = min(max(*g, 0), maxRegenerations)
	}
	return b
}

// problem joins an estimate and the costs. Without a pair of consecutive candidates
// nothing was measured of the kernel, and a regeneration is a fresh draw.
func (s *Study) problem(e belief.Estimate) (control.Problem, error) {
	costs := control.Costs{Reward: s.Reward, Critics: map[string]float64{}}
	for _, l := range s.Prices {
		switch l.Key {
		case VerifyCost:
			costs.Verify = l.Cost
		case RegenerateCost:
			costs.Regenerate = l.Cost
		default:
			costs.Critics[l.Name] = l.Cost
		}
	}
	p, err := costs.Problem(e)
	if err != nil {
		return p, err
	}
	switch rule := s.Choice.kernelRule(); {
	case rule == GivenKernel:
		p.Kernel = s.Choice.Given
	case rule == FreshKernel || e.Kernel.Pairs() == 0:
		p.Kernel = belief.IID(p.Prior)
	}
	if s.Choice.Continue {
		p.VerifyFail = control.Continue
	}
	p.ShipLoss = s.Choice.ShipLoss
	return p, nil
}

// KernelFallsBack reports whether the kernel was to be measured and cannot be.
func (s *Study) KernelFallsBack() bool {
	return s.Choice.kernelRule() == MeasuredKernel && s.Estimate.Kernel.Pairs() == 0
}

// OutcomeNames are the names of the outcomes of a chosen critic, by their number.
func (s *Study) OutcomeNames(critic string) []string {
	e, ok := s.Estimate.Critic(critic)
	if !ok {
		return nil
	}
	out := make([]string, e.Outcomes())
	for z := range out {
		out[z] = e.Label(belief.Outcome(z))
	}
	return out
}
