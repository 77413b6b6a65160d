package runner

import (
	"plumbline/experiments/belief"
	"plumbline/experiments/control"
)

// PlanReport is the optimal policy of the problem: where on the belief axis each
// action is best, and the decisions it comes to.
type PlanReport struct {
	Axes       []RegionAxis
	Thresholds control.Thresholds
	// Information of every critic at the prior, and that of the truth.
	Information []control.Information
	Perfect     float64
	Decision    control.Decision // the first one
	Value       float64          // V at the start
	Tree        []control.TreeNode
	TreeCut     string // why there is no tree
}

// RegionAxis is the belief axis of one state.
type RegionAxis struct {
	Regenerations int
	Used          []string // critics used on the candidate in hand
	Regions       []control.Region
	Current       bool // the state at the start
}

// Plan solves the problem.
func (s *Study) Plan() (PlanReport, error) {
	var out PlanReport
	if s.ProblemError != nil {
		return out, s.ProblemError
	}
	plan, err := control.Solve(s.Problem, s.Budget)
	if err != nil {
		return out, err
	}
	policy := plan.Policy()
	start := policy.Model().Start(s.Budget)
	out.Thresholds = s.Problem.Thresholds()
	out.Decision = policy.Decide(start)
	out.Information, out.Perfect = out.Decision.Information, out.Decision.Perfect
	out.Value = plan.Value(start)
	out.Axes = s.axes(plan)
	if out.Tree, err = control.Tree(policy, s.Budget); err != nil {
		out.Tree, out.TreeCut = nil, lastWords(err)
	}
	return out, nil
}

// axes are the states that matter most: no critic used, for every number of
// regenerations left, and one critic used at the start.
func (s *Study) axes(plan *control.Plan) []RegionAxis {
	var out []RegionAxis
	add := func(g int, used control.Mask, names ...string) {
		st := control.At(s.Budget.Actions, g, used, 0)
		out = append(out, RegionAxis{
			Regenerations: g, Used: names, Regions: plan.Regions(st), Current: used == 0 && g == s.Budget.Regenerations,
		})
	}
	for g := s.Budget.Regenerations; g >= 0; g-- {
		add(g, 0)
	}
	if len(s.Problem.Critics) < 2 {
		return out
	}
	for i := range s.Problem.Critics {
		add(s.Budget.Regenerations, control.Mask(0).With(i), s.Problem.Critics[i].Name)
	}
	return out
}

// Path is how a policy goes from a candidate on: each decision with its reason and
// what came of it, by parameters that have not seen its task.
type Path struct {
	Policy  string
	Prior   float64
	Fold    int
	Tasks   int // that the parameters were fitted on
	Episode control.Episode
	// All applies every recorded outcome of the candidate, whatever the policy asks.
	All   []belief.Step
	Final float64 // after all of them
	Label belief.Label
	// Thresholds at which the one-step choices turn.
	Thresholds control.Thresholds
}

// PathOf plays a policy from a candidate on. The candidates before it in its task
// are left out, so that it is the one in hand at the start.
func (s *Study) PathOf(task, candidate int, policy string) (Path, error) {
	out := Path{Policy: policy}
	if s.FoldError != nil {
		return out, s.FoldError
	}
	if s.ProblemError != nil {
		return out, s.ProblemError
	}
	want := s.Recorded.Table.Tasks[task]
	for _, f := range s.Fits {
		for _, k := range f.Held.Tasks {
			if k.ID != want.ID || k.Group != want.Group {
				continue
			}
			return s.pathIn(f, k, candidate, policy)
		}
	}
	return out, errNotHeld
}

func (s *Study) pathIn(f belief.FoldFit, k belief.Task, candidate int, policy string) (Path, error) {
	out := Path{Policy: policy, Fold: f.Fold, Tasks: f.Estimate.Tasks, Prior: f.Estimate.Prior.Value}
	c := k.Candidates[candidate]
	out.Label = c.Y
	critics := f.Estimate.Model()
	var seen []belief.Observation
	for i, z := range c.Outcomes {
		if z != belief.Unrecorded {
			seen = append(seen, belief.Observation{Critic: i, Outcome: z})
		}
	}
	out.All = belief.Path(out.Prior, critics, seen)
	out.Final = out.Prior
	if n := len(out.All); n > 0 {
		out.Final = out.All[n-1].After
	}
	p, err := s.policy(policy, f)
	if err != nil {
		return out, err
	}
	out.Thresholds = p.Model().Problem.Thresholds()
	o := s.replayOptions()
	o.Explain = true
	k.Candidates = k.Candidates[candidate:]
	got, err := control.Replay(p, belief.Table{Critics: f.Held.Critics, Scores: f.Held.Scores, Tasks: []belief.Task{k}}, o)
	if err != nil {
		return out, err
	}
	out.Episode = got.Episodes[0]
	return out, nil
}

// TaskBeliefs are the beliefs in the candidates of a task after all their recorded
// outcomes, with parameters from other tasks. Every candidate starts from the prior.
type TaskBeliefs struct {
	Prior    float64
	Beliefs  []float64
	Outcomes [][]string // by candidate and critic
}

// Beliefs are those of all judged tasks, by group and id.
func (s *Study) Beliefs() map[[2]string]TaskBeliefs {
	out := map[[2]string]TaskBeliefs{}
	for _, f := range s.Fits {
		critics := f.Estimate.Model()
		for _, k := range f.Held.Tasks {
			b := TaskBeliefs{Prior: f.Estimate.Prior.Value}
			for _, c := range k.Candidates {
				b.Beliefs = append(b.Beliefs, beliefIn(f, critics, c))
				names := make([]string, len(critics))
				for i, z := range c.Outcomes {
					names[i] = critics[i].Label(z)
				}
				b.Outcomes = append(b.Outcomes, names)
			}
			out[[2]string{k.Group, k.ID}] = b
		}
	}
	return out
}

// OutcomesOf names the outcomes of the chosen critics on a candidate of the table
// of all tasks.
func (s *Study) OutcomesOf(task, candidate int) []string {
	want := s.Recorded.Table.Tasks[task]
	critics := s.Estimate.Model()
	for _, k := range s.full.Tasks {
		if k.ID != want.ID || k.Group != want.Group {
			continue
		}
		var out []string
		for i, z := range k.Candidates[candidate].Outcomes {
			out = append(out, critics[i].Label(z))
		}
		return out
	}
	return nil
}
