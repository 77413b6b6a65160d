package control_test

import (
	"fmt"

	"plumbline/experiments/belief"
	"plumbline/experiments/control"
)

// A live run performs what the policy says and feeds back what came of it. Here
// the answers are given: the tests fail on the first candidate and pass on the
// second, which is correct.
func ExamplePolicy() {
	problem := control.Problem{
		Reward: 100, CostVerify: 30, CostRegenerate: 10, Prior: 0.4, Kernel: belief.Kernel{Fix: 0.5, Break: 0.05},
		Critics: []control.Critic{{Critic: belief.Binary("tests", 0.92, 0.15), Cost: 2}},
	}
	budget := control.Budget{Actions: control.Unlimited, Regenerations: 1}
	policy, err := control.New("dp", problem, budget)
	if err != nil {
		fmt.Println(err)
		return
	}
	tests, verification := []belief.Outcome{belief.Fail, belief.Pass}, belief.Pass
	s, utility := policy.Model().Start(budget), 0.0
	for {
		d := policy.Decide(s)
		fmt.Printf("%.2f  %s\n", s.Belief, d.Reason)
		event := control.Event{Action: d.Action}
		switch d.Name {
		case "critic:tests":
			event.Outcome = tests[s.Candidate]
		case "verify":
			event.Outcome = verification
		}
		step, err := policy.Model().Observe(s, event)
		if err != nil {
			fmt.Println(err)
			return
		}
		utility += step.Reward - step.Cost
		if step.Done {
			break
		}
		s = step.State
	}
	fmt.Println("utility", utility)
	// Output:
	// 0.40  tests: net value of information 21.8, verify: 10.0 → run tests
	// 0.06  regenerate: 19.8, stop: 0.0 → regenerate
	// 0.53  tests: net value of information 7.1, verify: 22.7 → run tests
	// 0.87  verify: 57.2, stop: 0.0 → verify
	// utility 56
}
