package belief

import "fmt"

// CutSpec asks for a critic made from a score, with the threshold chosen on the
// training tasks of each fold.
type CutSpec struct {
	Name, Score string
	Quantiles   int // 0 means CutQuantiles
}

// CrossOptions of CrossFit.
type CrossOptions struct {
	Options
	Cuts []CutSpec
	// Temper fits λ in each fold on out-of-fold beliefs within its training tasks
	// (five inner folds).
	Temper bool
}

// FoldFit is what was fitted without the tasks of one fold, and those tasks.
type FoldFit struct {
	Fold     int
	Estimate Estimate
	Cuts     []Cut
	Lambda   float64 // 1 unless Temper
	Tasks    []int   // indices of the held-out tasks in the table
	Held     Table   // the held-out tasks with the cuts of this fold applied
}

// CrossFit fits one estimate for each fold on the tasks of the other folds.
// folds comes from KFold, LeaveOneOut or a fixed split (fold number by task); an
// empty fold is skipped. Training tasks are those of another fold; a task id in
// two folds is an error, since it would leak.
func CrossFit(t Table, folds []int, o CrossOptions) ([]FoldFit, error) {
	opts, err := o.Options.normal()
	if err != nil {
		return nil, fmt.Errorf("cross-fit: %w", err)
	}
	o.Options = opts
	if err := t.Validate(); err != nil {
		return nil, fmt.Errorf("cross-fit: %w", err)
	}
	if err := checkFolds(t, folds); err != nil {
		return nil, fmt.Errorf("cross-fit: %w", err)
	}
	of, members, order := map[string]int{}, map[int][]int{}, []int{}
	for i, f := range folds {
		id := t.Tasks[i].ID
		if g, ok := of[id]; ok && g != f {
			return nil, fmt.Errorf("cross-fit: task %s is in fold %d and in fold %d", id, g, f)
		}
		of[id] = f
		if _, ok := members[f]; !ok {
			order = append(order, f)
		}
		members[f] = append(members[f], i)
	}
	out := make([]FoldFit, 0, len(order))
	for _, f := range order {
		train := Table{Critics: t.Critics, Scores: t.Scores}
		held := train
		for i, k := range t.Tasks {
			if folds[i] == f {
				held.Tasks = append(held.Tasks, k)
			} else {
				train.Tasks = append(train.Tasks, k)
			}
		}
		fold, err := fitFold(train, held, o)
		if err != nil {
			return nil, fmt.Errorf("cross-fit: fold %d: %w", f, err)
		}
		fold.Fold, fold.Tasks = f, members[f]
		out = append(out, fold)
	}
	return out, nil
}

func fitFold(train, held Table, o CrossOptions) (FoldFit, error) {
	out := FoldFit{Lambda: 1}
	plain := train
	for _, spec := range o.Cuts {
		cut, err := train.ChooseCut(spec.Score, spec.Quantiles, o.Options)
		if err != nil {
			return out, err
		}
		out.Cuts = append(out.Cuts, cut)
		if train, err = train.Cut(spec.Name, spec.Score, cut.Threshold); err != nil {
			return out, err
		}
		if held, err = held.Cut(spec.Name, spec.Score, cut.Threshold); err != nil {
			return out, err
		}
	}
	out.Held = held
	out.Estimate = fit(train, o.Options)
	if o.Temper {
		folds, err := KFold(plain, 5)
		if err != nil {
			return out, err
		}
		inner := o
		inner.Temper = false
		fits, err := CrossFit(plain, folds, inner)
		if err != nil {
			return out, err
		}
		t := FitTempering(CrossBeliefs(fits, o.Scope))
		if t.Lambda != nil {
			out.Lambda = *t.Lambda
		} else {
			out.Estimate.Warnings = append(out.Estimate.Warnings, "tempering is off: "+t.Why)
		}
	}
	return out, nil
}

// Scored is the belief in one candidate after all its recorded critics, with
// parameters that did not see its task.
type Scored struct {
	Task      string
	Group     string
	Candidate int // index within the task
	Fold      int
	Y         Label
	Prior     float64
	LLR       []float64 // of every critic, 0 without an outcome
	Belief    float64
}

// CrossBeliefs scores the held-out candidates of every fold from the prior of
// that fold and all their recorded outcomes: the belief as an uncertainty score
// (paper B §1). Every candidate starts from the prior; chains are not followed.
func CrossBeliefs(fits []FoldFit, scope Scope) []Scored {
	var out []Scored
	for _, f := range fits {
		critics := f.Estimate.Model()
		for _, k := range f.Held.Tasks {
			for j, c := range k.scoped(scope) {
				s := Scored{
					Task: k.ID, Group: k.Group, Candidate: j, Fold: f.Fold, Y: c.Y,
					Prior: f.Estimate.Prior.Value, LLR: make([]float64, len(critics)),
				}
				for i, z := range c.Outcomes {
					s.LLR[i] = critics[i].LLR(z)
				}
				s.Belief = Temper(s.Prior, s.LLR, f.Lambda)
				out = append(out, s)
			}
		}
	}
	return out
}
