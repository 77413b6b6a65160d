package runner

import (
	"context"
	"fmt"
	"math"

	"plumbline/experiments/stats"
	"plumbline/experiments/trace"
	"plumbline/experiments/vote"
	"plumbline/models"
)

// PowerSpec is what is believed of a planned experiment before a vote is paid for:
// its size, and how two of its arms will vote.
type PowerSpec struct {
	Defective, Acceptable int // labelled traces
	Votes                 int // K
	Seed                  int64
	First, Second         PowerArm
	// VotesAlike, in [0,1], is the correlation of two votes of an assumed arm on one
	// trace.
	VotesAlike float64
	// ArmsAlike, in [0,1], is how alike the two arms decide. Two measured arms with
	// common traces say it themselves.
	ArmsAlike float64
}

// PowerArm is an arm of the plan: measured, when ArmID names an arm of the past, or
// assumed by the rates of one vote. Votes that neither reject nor are uncertain
// accept.
type PowerArm struct {
	ArmID         string
	Catch         float64 // P(reject | defective) of one vote
	OverRejection float64 // P(reject | acceptable) of one vote
	Uncertain     float64 // P(uncertain) of one vote, in both classes
}

// PowerPlan says what the experiment could show.
type PowerPlan struct {
	First, Second PlannedArm
	Pair          stats.PlannedPair
	Simulated     stats.PowerResult
	Experiments   int     // simulated
	Seed          uint64  // of the simulation
	ArmsAlike     float64 // as used
	ArmsMeasured  bool    // ArmsAlike comes from the common traces of two measured arms
	ArmsWhy       string  // why the common traces of two measured arms do not tell it
	Notes         []string
}

// PlannedArm is one arm of the plan.
type PlannedArm struct {
	Name       string // of a measured arm, else empty
	Experiment models.Experiment
	Assumption stats.Assumption // of decisions at K votes
	Rates      []stats.PlannedRate
	Simulated  []stats.SimulatedRate
}

// PowerExperiments is how many experiments are simulated.
const PowerExperiments = 1000

// check returns an *models.InvalidError with a sentence for what cannot be.
func (s PowerSpec) check() error {
	share := func(name string, x float64) error {
		if !(x >= 0 && x <= 1) {
			return models.Invalid("power", name+" must be between 0 and 1")
		}
		return nil
	}
	if s.Votes < 1 || s.Votes > 99 {
		return models.Invalid("power", "choose 1 to 99 votes")
	}
	for _, x := range []struct {
		name  string
		value float64
	}{{"the likeness of votes", s.VotesAlike}, {"the likeness of the arms", s.ArmsAlike}} {
		if err := share(x.name, x.value); err != nil {
			return err
		}
	}
	for i, a := range []PowerArm{s.First, s.Second} {
		if a.ArmID != "" {
			continue
		}
		of := []string{"of the first arm", "of the second arm"}[i]
		for _, x := range []struct {
			name  string
			value float64
		}{{"catch", a.Catch}, {"over-rejection", a.OverRejection}, {"uncertain", a.Uncertain}} {
			if err := share(x.name+" "+of, x.value); err != nil {
				return err
			}
		}
		if a.Uncertain+max(a.Catch, a.OverRejection) > 1+1e-9 {
			return models.Invalid("power", "uncertain and rejected votes "+of+" are more than all")
		}
	}
	return nil
}

// Power computes what a planned experiment could show: the interval to be expected
// of every rate, the difference between two arms that it could detect, and what
// simulated experiments found, in which simulated reviewers vote as believed. It
// answers an *models.InvalidError for beliefs that cannot be. Nothing is stored
// and no endpoint is asked.
func (r *Runner) Power(ctx context.Context, v models.Viewer, s PowerSpec) (PowerPlan, error) {
	p := PowerPlan{Experiments: PowerExperiments, Seed: uint64(s.Seed), ArmsAlike: s.ArmsAlike}
	if err := s.check(); err != nil {
		return p, err
	}
	for i, x := range []struct {
		spec PowerArm
		out  *PlannedArm
	}{{s.First, &p.First}, {s.Second, &p.Second}} {
		which := []string{"first", "second"}[i]
		var note string
		var err error
		if *x.out, note, err = r.plannedArm(ctx, v, s, x.spec); err != nil {
			return p, err
		}
		if note != "" {
			p.Notes = append(p.Notes, "The "+which+" arm: "+note)
		}
		x.out.Rates = stats.PlannedRates(x.out.Assumption, 0)
		x.out.Simulated = stats.Simulate(stats.Rand(p.Seed, "power "+which, 0), x.out.Assumption, p.Experiments)
	}
	if s.First.ArmID != "" && s.Second.ArmID != "" {
		cells, _, _, err := r.store.PairCells(ctx, v, s.First.ArmID, s.Second.ArmID)
		if err != nil {
			return p, err
		}
		if c := stats.Coupling(pairOf(cells)); c.Value != nil {
			p.ArmsAlike, p.ArmsMeasured = *c.Value, true
		} else {
			p.ArmsWhy = c.Reason
		}
	}
	p.Pair = stats.PlanPair(p.First.Assumption, p.Second.Assumption, p.ArmsAlike)
	p.Simulated = stats.SimulatePower(stats.Rand(p.Seed, "power pair", 0), p.First.Assumption, p.Second.Assumption, p.ArmsAlike, p.Experiments)
	return p, nil
}

func (r *Runner) plannedArm(ctx context.Context, v models.Viewer, s PowerSpec, a PowerArm) (PlannedArm, string, error) {
	out := PlannedArm{Assumption: stats.Assumption{Defects: s.Defective, Acceptables: s.Acceptable}}
	if a.ArmID == "" {
		row := func(reject float64) [4]float64 {
			single := vote.Distribution{Accept: max(1-reject-a.Uncertain, 0), Reject: reject, Uncertain: a.Uncertain}
			return vote.Planned(single, s.VotesAlike, s.Votes, vote.Plurality).Array()
		}
		out.Assumption.Defect, out.Assumption.Acceptable = row(a.Catch), row(a.OverRejection)
		return out, "", nil
	}
	arm, e, err := r.store.Arm(ctx, v, a.ArmID)
	if err != nil {
		return out, "", err
	}
	out.Name, out.Experiment = armLabel(arm), e
	cells, err := r.store.ResultCells(ctx, v, e.ID)
	if err != nil {
		return out, "", err
	}
	patterns := map[trace.Label][]vote.Pattern{}
	for _, c := range cells {
		if c.ArmID == arm.ID {
			l := trace.Label(c.Label)
			patterns[l] = append(patterns[l], vote.Pattern{
				Counts: vote.Counts{Accept: c.NAccept, Reject: c.NReject, Uncertain: c.NUncertain, Unparseable: c.NUnparseable}, Traces: c.N,
			})
		}
	}
	note := ""
	for _, class := range []struct {
		label trace.Label
		name  string
		into  *[4]float64
		n     int
	}{
		{trace.Defective, "defective", &out.Assumption.Defect, s.Defective},
		{trace.Acceptable, "acceptable", &out.Assumption.Acceptable, s.Acceptable},
	} {
		d, exact, ok := vote.Foresee(patterns[class.label], s.Votes, vote.Plurality)
		if !ok && class.n > 0 {
			return out, "", models.Invalid("power", fmt.Sprintf("%s has no decision on a %s trace in %s, so it says nothing of them", out.Name, class.name, e.Name))
		}
		*class.into = d.Array()
		if ok && !exact && note == "" {
			b := vote.Observe(patterns[class.label])
			note = fmt.Sprintf("fewer than K = %d votes were recorded a trace; more are foreseen from how alike those are (on %s traces %.2f).", s.Votes, class.name, math.Round(100*b.Correlation)/100)
			if b.Why != "" {
				note = fmt.Sprintf("fewer than K = %d votes were recorded a trace and %s, so more votes are taken to change nothing.", s.Votes, b.Why)
			}
		}
	}
	return out, note, nil
}

// pairOf counts the common labelled traces of two arms.
func pairOf(cells []models.PairCell) (p stats.Pair) {
	for _, c := range cells {
		if c.Label != string(trace.Acceptable) && c.Label != string(trace.Defective) {
			continue
		}
		for range c.N {
			p.Add(c.Label == string(trace.Defective), outcomeOf(vote.Decision(c.First)), outcomeOf(vote.Decision(c.Second)))
		}
	}
	return p
}
