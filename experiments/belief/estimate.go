package belief

import (
	"errors"
	"fmt"
	"math"

	"plumbline/experiments/stats"
)

// Scope says which candidates the prior and the likelihoods are counted on.
type Scope int

const (
	// FirstCandidates: the first candidate of each task. The right choice for
	// chains, where later candidates exist because earlier ones failed.
	FirstCandidates Scope = iota
	// AllCandidates: every candidate, for pools of independent samples.
	AllCandidates
)

// Options of Fit. The zero value is Laplace smoothing on first candidates.
type Options struct {
	Scope Scope
	// Alpha and Beta are the Beta prior of every rate of two outcomes; both zero
	// means Beta(1,1).
	Alpha, Beta float64
	// Dirichlet is the pseudo-count of each outcome of a critic with more than
	// two; zero means 1.
	Dirichlet float64
	// Pool, if not nil, shrinks the likelihoods of small classes.
	Pool *Pool
}

// Pool replaces the Beta prior of a critic in a class with few observations by a
// pull of Weight pseudo-observations towards a pooled rate π: (k + m π)/(n + m).
type Pool struct {
	Below  int     // classes with fewer observations are shrunk; 0 means 10
	Weight float64 // m; 0 means 2
	// From gives the pooled rates, as fitted on more data (other generators or
	// benchmarks), by the name of the critic. A critic it lacks, or a nil From,
	// is pulled towards its own rate over both classes, which shrinks the gap.
	From *Estimate
}

// Estimate is everything a controller needs to know, with its counts.
type Estimate struct {
	Prior    Rate             `json:"prior"`
	Critics  []CriticEstimate `json:"critics"`
	Kernel   KernelEstimate   `json:"kernel"`
	Tasks    int              `json:"tasks"`
	Warnings []string         `json:"warnings"`
}

// CriticEstimate is a fitted critic.
type CriticEstimate struct {
	Critic
	CountCorrect []int `json:"count_correct"` // observations of each outcome on correct candidates
	CountDefect  []int `json:"count_defect"`
	// PassCorrect and PassDefect are the two rates of a binary critic; nil for
	// one with more outcomes.
	PassCorrect *Rate           `json:"pass_correct"`
	PassDefect  *Rate           `json:"pass_defect"`
	GapByTask   *stats.Interval `json:"gap_by_task"` // set by Bootstrap
	Missing     int             `json:"missing"`     // asked in vain, with a known label
	Unrecorded  int             `json:"unrecorded"`
	Pooled      bool            `json:"pooled"` // a class was small and shrunk
	Findings    []Finding       `json:"findings"`
}

// Model returns the fitted critics.
func (e Estimate) Model() []Critic {
	out := make([]Critic, len(e.Critics))
	for i, c := range e.Critics {
		out[i] = c.Critic
	}
	return out
}

// Critic returns a fitted critic by name.
func (e Estimate) Critic(name string) (CriticEstimate, bool) {
	for _, c := range e.Critics {
		if c.Name == name {
			return c, true
		}
	}
	return CriticEstimate{}, false
}

func (o Options) normal() (Options, error) {
	if o.Alpha == 0 && o.Beta == 0 {
		o.Alpha, o.Beta = 1, 1
	}
	if o.Dirichlet == 0 {
		o.Dirichlet = 1
	}
	for _, p := range []struct {
		name string
		v    float64
	}{{"alpha", o.Alpha}, {"beta", o.Beta}, {"dirichlet", o.Dirichlet}} {
		if !(p.v > 0) || math.IsInf(p.v, 0) {
			return o, fmt.Errorf("smoothing %s is %g; it must be positive", p.name, p.v)
		}
	}
	if o.Pool != nil {
		p := *o.Pool
		if p.Below == 0 {
			p.Below = 10
		}
		if p.Weight == 0 {
			p.Weight = 2
		}
		if !(p.Weight > 0) || math.IsInf(p.Weight, 0) {
			return o, fmt.Errorf("pooling weight is %g; it must be positive", p.Weight)
		}
		o.Pool = &p
	}
	return o, nil
}

// Fit estimates prior, likelihoods and kernel from a table. Candidates without a
// label are left out; a missing outcome is left out of the counts of its critic
// only. Empty classes fall back on the mean of the smoothing prior with a
// warning. The error is for a table or options that make no sense.
func Fit(t Table, o Options) (Estimate, error) {
	o, err := o.normal()
	if err != nil {
		return Estimate{}, fmt.Errorf("fit critics: %w", err)
	}
	if err := t.Validate(); err != nil {
		return Estimate{}, fmt.Errorf("fit critics: %w", err)
	}
	return fit(t, o), nil
}

func fit(t Table, o Options) Estimate {
	est := Estimate{Tasks: len(t.Tasks), Critics: make([]CriticEstimate, len(t.Critics))}
	correct, total := 0, 0
	for i, col := range t.Critics {
		est.Critics[i].Name = col.Name
		est.Critics[i].CountCorrect = make([]int, col.Outcomes)
		est.Critics[i].CountDefect = make([]int, col.Outcomes)
	}
	for _, k := range t.Tasks {
		for _, c := range k.scoped(o.Scope) {
			if c.Y == Unknown {
				continue
			}
			total++
			if c.Y == Correct {
				correct++
			}
			for i, z := range c.Outcomes {
				est.Critics[i].count(z, c.Y)
			}
		}
	}
	est.Prior = o.rate(correct, total)
	if total == 0 {
		est.Warnings = append(est.Warnings, fmt.Sprintf(
			"no candidate has a known label: the prior falls back on %g", est.Prior.Value))
	}
	for i := range est.Critics {
		est.Critics[i].finish(o)
		est.Critics[i].Findings = findings(est.Critics[i], t, i)
	}
	est.Kernel = fitKernel(t, o)
	est.Warnings = append(est.Warnings, est.classWarnings(correct, total)...)
	return est
}

func (k Task) scoped(s Scope) []Candidate {
	if s == FirstCandidates && len(k.Candidates) > 1 {
		return k.Candidates[:1]
	}
	return k.Candidates
}

func (c *CriticEstimate) count(z Outcome, y Label) {
	switch {
	case z == Missing:
		c.Missing++
	case z == Unrecorded:
		c.Unrecorded++
	case y == Correct:
		c.CountCorrect[z]++
	default:
		c.CountDefect[z]++
	}
}

// rate smooths k of n.
func (o Options) rate(k, n int) Rate {
	return Rate{K: k, N: n, Value: (float64(k) + o.Alpha) / (float64(n) + o.Alpha + o.Beta), Wilson: wilson(k, n)}
}

// finish turns counts into likelihoods.
func (c *CriticEstimate) finish(o Options) {
	both := make([]int, len(c.CountCorrect))
	for z := range both {
		both[z] = c.CountCorrect[z] + c.CountDefect[z]
	}
	var pooled *CriticEstimate
	if o.Pool != nil && o.Pool.From != nil {
		if p, ok := o.Pool.From.Critic(c.Name); ok && len(p.Correct) == len(both) {
			pooled = &p
		}
	}
	row := func(counts []int, from func(CriticEstimate) []float64) []float64 {
		if o.Pool == nil || sum(counts) >= o.Pool.Below {
			return o.smooth(counts)
		}
		c.Pooled = true
		target := o.smooth(both)
		if pooled != nil {
			target = from(*pooled)
		}
		n, out := float64(sum(counts)), make([]float64, len(counts))
		for z, k := range counts {
			out[z] = (float64(k) + o.Pool.Weight*target[z]) / (n + o.Pool.Weight)
		}
		return out
	}
	c.Correct = row(c.CountCorrect, func(p CriticEstimate) []float64 { return p.Correct })
	c.Defect = row(c.CountDefect, func(p CriticEstimate) []float64 { return p.Defect })
	if c.IsBinary() {
		c.PassCorrect = passRate(c.CountCorrect, c.Correct)
		c.PassDefect = passRate(c.CountDefect, c.Defect)
	}
}

func passRate(counts []int, row []float64) *Rate {
	n := sum(counts)
	return &Rate{K: counts[Pass], N: n, Value: row[Pass], Wilson: wilson(counts[Pass], n)}
}

// smooth gives the posterior mean of a row of counts: Beta(α,β) for two
// outcomes, symmetric Dirichlet for more.
func (o Options) smooth(counts []int) []float64 {
	n, out := float64(sum(counts)), make([]float64, len(counts))
	if len(counts) == 2 {
		total := n + o.Alpha + o.Beta
		out[Pass] = (float64(counts[Pass]) + o.Alpha) / total
		out[Fail] = 1 - out[Pass]
		return out
	}
	for z, k := range counts {
		out[z] = (float64(k) + o.Dirichlet) / (n + float64(len(counts))*o.Dirichlet)
	}
	return out
}

func sum(xs []int) int {
	n := 0
	for _, x := range xs {
		n += x
	}
	return n
}

func (e Estimate) classWarnings(correct, total int) []string {
	var out []string
	if total > 0 && (correct == 0 || correct == total) {
		class, other := "correct", "defective"
		if correct == 0 {
			class, other = other, class
		}
		out = append(out, fmt.Sprintf("all %d labelled candidates are %s: nothing is known about critics on %s ones", total, class, other))
	}
	if e.Tasks == 1 {
		out = append(out, "there is only one task: no interval by task and no cross-fitting is possible")
	}
	return append(out, e.Kernel.Warnings...)
}

// errNoTasks is for operations that need data.
var errNoTasks = errors.New("there are no tasks")
