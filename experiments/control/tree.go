package control

import (
	"fmt"

	"plumbline/experiments/belief"
)

// TreeNode is one decision of a policy after one history.
type TreeNode struct {
	Path   []string `json:"path"` // what happened since the start, such as "critic:tests=pass"
	Parent int      `json:"parent"`
	// Actions left (Unlimited for no limit), regenerations left, critics used.
	Actions       int     `json:"h"`
	Regenerations int     `json:"g"`
	Used          Mask    `json:"mask"`
	Belief        float64 `json:"belief"`
	Probability   float64 `json:"probability"` // of the history under the policy's model
	Action        string  `json:"action"`
	Value         float64 `json:"value"` // expected utility from here on, past costs not counted
	Reason        string  `json:"reason"`
}

// MaxTreeNodes bounds a decision tree.
const MaxTreeNodes = 100_000

// Tree lists all decisions that a policy can come to under its own model, in
// depth-first order with the highest outcome of a critic first; parents precede
// their children and the root has parent -1. Histories of probability 0 are left
// out. best_of_n_select, which verifies an earlier candidate, has no such tree.
func Tree(p Policy, b Budget) ([]TreeNode, error) {
	if err := b.valid(); err != nil {
		return nil, fmt.Errorf("decision tree of %s: %w", p.Name(), err)
	}
	t := tree{policy: p, model: p.Model()}
	if _, err := t.grow(t.model.Start(b), nil, -1, 1, 0); err != nil {
		return nil, fmt.Errorf("decision tree of %s: %w", p.Name(), err)
	}
	return t.nodes, nil
}

type tree struct {
	policy Policy
	model  *Model
	nodes  []TreeNode
}

// grow adds the node of a state and all below it, and returns its value.
func (t *tree) grow(s State, path []string, parent int, chance float64, depth int) (float64, error) {
	if len(t.nodes) >= MaxTreeNodes || depth > MaxDepth {
		return 0, fmt.Errorf("it has more than %d decisions or a path of more than %d", MaxTreeNodes, MaxDepth)
	}
	p := &t.model.Problem
	d := t.policy.Decide(s)
	if !t.model.Allowed(&s, d.Action) || d.Action == VerifyBest {
		return 0, fmt.Errorf("the action %s has no place in a tree", d.Name)
	}
	at := len(t.nodes)
	t.nodes = append(t.nodes, TreeNode{
		Path: path, Parent: parent, Actions: s.Actions, Regenerations: s.Regenerations, Used: s.Used,
		Belief: s.Belief, Probability: chance, Action: d.Name, Reason: d.Reason,
	})
	below := func(event string, next State, weight float64) (float64, error) {
		grown := append(append(make([]string, 0, len(path)+1), path...), event)
		v, err := t.grow(next, grown, at, chance*weight, depth+1)
		return weight * v, err
	}
	var value float64
	switch i, critic := d.Action.Critic(); {
	case d.Action == Stop:
		value = p.stop(s.Belief)
	case d.Action == Verify:
		value = p.verify(s.Belief)
		if t.model.continues(&s, Verify) && s.Belief < 1 {
			v, err := below("verify=fail", t.model.refuted(s), 1-s.Belief)
			if err != nil {
				return 0, err
			}
			value += v
		}
	case d.Action == Regenerate:
		v, err := below("regenerate", t.model.regenerated(s), 1)
		if err != nil {
			return 0, err
		}
		value = v - p.CostRegenerate
	case critic:
		c := &p.Critics[i]
		value = -c.Cost
		for z := belief.Outcome(c.Outcomes() - 1); z >= 0; z-- {
			weight := c.Chance(s.Belief, z)
			if weight <= 0 {
				continue
			}
			next, _ := t.model.asked(s, i, z)
			v, err := below(d.Name+"="+c.Label(z), next, weight)
			if err != nil {
				return 0, err
			}
			value += v
		}
	}
	t.nodes[at].Value = value
	return value, nil
}
