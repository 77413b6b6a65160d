package runner

import (
	"cmp"
	"errors"
	"fmt"
	"math"
	"strings"

	"plumbline/experiments/belief"
	"plumbline/experiments/control"
)

// FoldRule says which tasks the parameters used on a task come from.
type FoldRule string

// The rules. BySplit fits on the design split and judges on the held-out split
// alone.
const (
	FiveFolds   FoldRule = "folds"
	LeaveOneOut FoldRule = "loo"
	BySplit     FoldRule = "split"
)

// KernelRule says what a regeneration is taken for.
type KernelRule string

// The rules. Measured counts consecutive candidates; Fresh takes a regeneration for
// a fresh draw from the prior; Given is the reader's own.
const (
	MeasuredKernel KernelRule = "measured"
	FreshKernel    KernelRule = "iid"
	GivenKernel    KernelRule = "given"
)

// CostRule names a cost vector.
type CostRule string

// The rules: two cost vectors of paper B, that of its earlier drafts, the reader's
// own in units of utility, and the reader's own in money and time.
const (
	SlowCosts  CostRule = "slow"
	FastCosts  CostRule = "fast"
	DraftCosts CostRule = "draft"
	OwnCosts   CostRule = "own"
	MoneyCosts CostRule = "money"
)

// CostChoice are the costs. Maps are by the key of a critic, or "verify" and
// "regenerate"; what is not in them takes the preset, or what was measured.
type CostChoice struct {
	Rule   CostRule
	Reward *float64 // nil: 100
	Units  map[string]float64
	// Worth is what a solved task is worth in money, Second the price of a second.
	Worth, Second *float64
	Money         map[string]float64
	Seconds       map[string]float64
}

// Names of the actions that are not critics, in CostChoice.
const (
	VerifyCost     = "verify"
	RegenerateCost = "regenerate"
)

// BeliefChoice is what the reader of a belief page chose. The zero value takes the
// defaults that the fields name.
type BeliefChoice struct {
	Critics   []string // keys; nil: the usual ones
	Group     string   // of an imported table; empty: all
	FirstOnly bool     // prior and likelihoods from the first candidates of tasks
	Fold      FoldRule // empty: by split where there are both, else five folds
	Pool      bool     // shrink small classes
	Joint     bool     // all critics as one with their joint table
	Temper    bool     // fit λ; for beliefs as scores only
	Kernel    KernelRule
	Given     belief.Kernel
	Costs     CostChoice
	// Regenerations and Actions bound an episode; nil and 0: as many as are recorded,
	// and no bound.
	Regenerations *int
	Actions       int
	Continue      bool     // a failed verification does not end the episode
	ShipLoss      *float64 // a stop may hand over unverified
}

// maxRegenerations bounds plans and exact evaluation, which grow with it.
const maxRegenerations = 5

// jointName is the critic that Joint makes.
const jointName = "joint"

// presetCosts gives the preset of a rule.
func (c CostChoice) preset() control.Costs {
	switch c.Rule {
	case FastCosts:
		return control.FastOracle()
	case DraftCosts, OwnCosts, MoneyCosts:
		return control.DraftOracle()
	}
	return control.SlowOracle()
}

// presetName says as which of the preset's critics a critic is priced: a reviewer
// and a generated test as the review by a model, a column by what its name says.
func presetName(c RecordedCritic) string {
	switch c.Kind {
	case CriticStatic:
		return "syntax"
	case CriticPublic:
		return "tests"
	case CriticColumn, CriticCut:
	default:
		return "llm"
	}
	name := strings.ToLower(c.Name)
	for _, p := range []struct{ part, as string }{{"syntax", "syntax"}, {"lint", "syntax"}, {"compile", "syntax"}, {"type", "syntax"}, {"test", "tests"}} {
		if strings.Contains(name, p.part) {
			return p.as
		}
	}
	if c.Kind == CriticCut {
		return "syntax" // a score that is there already is as cheap as a parse
	}
	return "llm"
}

// PricedAction is one line of a cost vector: what an action costs in units of
// utility, and from what that follows.
type PricedAction struct {
	Key    string // of a critic, or VerifyCost or RegenerateCost
	Name   string
	Cost   float64
	As     string        // the preset's critic that it is priced as; empty: own price
	Spent  control.Spent // in money and seconds, where costs are in money
	Own    bool          // the reader's own figure
	Broken error         // why there is no price
}

// priced computes the costs of verify, regenerate and the critics, in this order.
// The error joins what stands in the way.
func (c CostChoice) priced(critics []RecordedCritic, verify, regenerate control.Spent) (reward float64, out []PricedAction, err error) {
	preset := c.preset()
	reward = preset.Reward
	if c.Reward != nil {
		reward = *c.Reward
	}
	lines := []PricedAction{
		{Key: VerifyCost, Name: "verify", Cost: preset.Verify, Spent: verify},
		{Key: RegenerateCost, Name: "regenerate", Cost: preset.Regenerate, Spent: regenerate},
	}
	for _, k := range critics {
		as := presetName(k)
		lines = append(lines, PricedAction{Key: k.Key, Name: k.Name, Cost: preset.Critics[as], As: as, Spent: k.Spent})
	}
	var errs []error
	for i := range lines {
		l := &lines[i]
		switch c.Rule {
		case OwnCosts:
			if x, ok := c.Units[l.Key]; ok {
				l.Cost, l.As, l.Own = x, "", true
			}
			if math.IsNaN(l.Cost) || math.IsInf(l.Cost, 0) || l.Cost < 0 {
				l.Broken = fmt.Errorf("the cost of %s must be a number that is not negative", l.Name)
			}
		case MoneyCosts:
			l.As = ""
			l.money(c, reward)
		}
		if l.Broken != nil {
			errs = append(errs, l.Broken)
		}
	}
	return reward, lines, errors.Join(errs...)
}

// money prices an action by what it takes.
func (l *PricedAction) money(c CostChoice, reward float64) {
	if x, ok := c.Money[l.Key]; ok {
		l.Spent.Money, l.Own = &x, true
	}
	if x, ok := c.Seconds[l.Key]; ok {
		l.Spent.Seconds, l.Own = &x, true
	}
	if c.Worth == nil {
		l.Broken = errors.New("say what a solved task is worth in money")
		l.Cost = math.NaN()
		return
	}
	second := 0.0
	if c.Second != nil {
		second = *c.Second
	}
	var err error
	if l.Cost, err = (control.Exchange{Reward: reward, Worth: *c.Worth, Second: second}).Units(l.Spent); err != nil {
		l.Cost = math.NaN()
		l.Broken = fmt.Errorf("%s: %s", l.Name, strings.TrimPrefix(err.Error(), "convert a cost: "))
	} else if l.Cost < 0 {
		l.Broken = fmt.Errorf("the cost of %s must be a number that is not negative", l.Name)
	}
}

// options of the estimates.
func (c BeliefChoice) options() belief.Options {
	o := belief.Options{Scope: belief.AllCandidates}
	if c.FirstOnly {
		o.Scope = belief.FirstCandidates
	}
	if c.Pool {
		o.Pool = &belief.Pool{}
	}
	return o
}

func (c BeliefChoice) kernelRule() KernelRule { return cmp.Or(c.Kernel, MeasuredKernel) }
