package control_test

import (
	"testing"

	"github.com/google/go-cmp/cmp"
	"plumbline/experiments/belief"
	"plumbline/experiments/control"
)

type taskJSON struct {
	ID         string
	Candidates []struct {
		Critics map[string]*bool
		Y       *int
	}
}

// tableOf turns recorded tasks into a table with the critics of the problem.
func tableOf(p control.Problem, tasks []taskJSON) belief.Table {
	var out belief.Table
	for i := range p.Critics {
		out.Critics = append(out.Critics, belief.Column{Name: p.Critics[i].Name, Outcomes: 2})
	}
	for _, k := range tasks {
		task := belief.Task{ID: k.ID}
		for _, c := range k.Candidates {
			row := belief.Candidate{}
			if c.Y != nil {
				row.Y = belief.LabelOf(*c.Y == 1)
			}
			for i := range p.Critics {
				z := belief.Missing
				if pass := c.Critics[p.Critics[i].Name]; pass != nil {
					z = belief.Fail
					if *pass {
						z = belief.Pass
					}
				}
				row.Outcomes = append(row.Outcomes, z)
			}
			task.Candidates = append(task.Candidates, row)
		}
		out.Tasks = append(out.Tasks, task)
	}
	return out
}

func TestReferenceReplay(t *testing.T) {
	t.Parallel()
	type input struct {
		Policy        string `json:"policy"`
		Regenerations *int   `json:"regenerations"`
		After         string `json:"belief_after_regeneration"`
	}
	type expected struct {
		Tasks []struct {
			ID      string   `json:"id"`
			Actions []string `json:"actions"`
			Status  string   `json:"status"`
			Cost    float64  `json:"cost"`
			Reward  float64  `json:"reward"`
			Utility float64  `json:"utility"`
			Final   float64  `json:"final_belief"`
		} `json:"tasks"`
		Mean     float64 `json:"mean_utility"`
		Censored int     `json:"censored"`
		Upper    float64 `json:"mean_utility_upper"`
		Solve    float64 `json:"solve_rate"`
		Verify   float64 `json:"verify_rate"`
	}
	f := readFixture[input, expected](t, "replay.json")
	p := f.Problem.problem()
	table := tableOf(p, f.Tasks)
	longest := 0
	for _, k := range table.Tasks {
		longest = max(longest, len(k.Candidates)-1)
	}
	for _, c := range f.Cases {
		t.Run(c.ID, func(t *testing.T) {
			policy, err := control.New(c.Input.Policy, p, control.Budget{Actions: control.Unlimited, Regenerations: longest})
			if err != nil {
				t.Fatal(err)
			}
			after := control.After("")
			if c.Input.After == "prior" {
				after = control.ToPrior
			}
			if policy.Model().Rules.After != after {
				t.Errorf("the belief after a regeneration follows %q, want %s", policy.Model().Rules.After, c.Input.After)
			}
			got, err := control.Replay(policy, table, control.ReplayOptions{Regenerations: c.Input.Regenerations})
			if err != nil {
				t.Fatal(err)
			}
			if len(got.Episodes) != len(c.Expected.Tasks) {
				t.Fatalf("%d episodes, want %d", len(got.Episodes), len(c.Expected.Tasks))
			}
			for i, want := range c.Expected.Tasks {
				e := got.Episodes[i]
				if d := cmp.Diff(want.Actions, e.Actions()); d != "" || e.Task != want.ID || string(e.Status) != want.Status {
					t.Errorf("task %s (%s): status %s, want %s, actions %s", want.ID, e.Task, e.Status, want.Status, d)
				}
				sameNumber(t, want.ID+" cost", e.Cost, want.Cost, f.Tolerance)
				sameNumber(t, want.ID+" reward", e.Reward, want.Reward, f.Tolerance)
				sameNumber(t, want.ID+" utility", e.Utility, want.Utility, f.Tolerance)
				sameNumber(t, want.ID+" final belief", e.FinalBelief, want.Final, f.Tolerance)
			}
			sameNumber(t, "mean utility", *got.MeanUtility, c.Expected.Mean, f.Tolerance)
			sameNumber(t, "upper bound", *got.MeanUtilityUpper, c.Expected.Upper, f.Tolerance)
			sameNumber(t, "solve rate", *got.Solve.Value, c.Expected.Solve, f.Tolerance)
			sameNumber(t, "verify rate", *got.Verify.Value, c.Expected.Verify, f.Tolerance)
			if got.Censored != c.Expected.Censored {
				t.Errorf("%d censored, want %d", got.Censored, c.Expected.Censored)
			}
		})
	}
}

func TestReferenceControllerDPTrees(t *testing.T) {
	t.Parallel()
	type node struct {
		Path        []string `json:"path"`
		H           int      `json:"h"`
		G           int      `json:"g"`
		Mask        uint16   `json:"mask"`
		Belief      float64  `json:"belief"`
		Probability float64  `json:"probability"`
		Action      string   `json:"action"`
		Value       float64  `json:"value"`
	}
	type expected struct {
		Nodes []node `json:"nodes"`
	}
	f := readFixture[dpInput, expected](t, "controller_dp_trees.json")
	for _, c := range f.Cases {
		t.Run(c.ID, func(t *testing.T) {
			t.Parallel()
			budget := control.Budget{Actions: c.Input.Actions, Regenerations: c.Input.Regenerations}
			for _, name := range []string{"dp", "dp_tree"} {
				policy, err := control.New(name, c.Input.Problem.problem(), budget)
				if err != nil {
					t.Fatal(err)
				}
				got, err := control.Tree(policy, budget)
				if err != nil {
					t.Fatal(err)
				}
				if len(got) != len(c.Expected.Nodes) {
					t.Fatalf("%s: %d nodes, want %d", name, len(got), len(c.Expected.Nodes))
				}
				for i, want := range c.Expected.Nodes {
					n := got[i]
					if len(n.Path)+len(want.Path) > 0 && !cmp.Equal(n.Path, want.Path) {
						t.Errorf("%s: node %d is after %v, want %v", name, i, n.Path, want.Path)
					}
					if n.Action != want.Action || n.Actions != want.H || n.Regenerations != want.G || uint16(n.Used) != want.Mask {
						t.Errorf("%s: node %d: %s with h %d, g %d, mask %d, want %s with %d, %d, %d",
							name, i, n.Action, n.Actions, n.Regenerations, n.Used, want.Action, want.H, want.G, want.Mask)
					}
					sameNumber(t, "belief", n.Belief, want.Belief, f.Tolerance)
					sameNumber(t, "probability", n.Probability, want.Probability, f.Tolerance)
					sameNumber(t, "value", n.Value, want.Value, f.Tolerance)
				}
			}
		})
	}
}
