package control_test

import (
	"testing"

	"plumbline/experiments/control"
)

func TestReferenceControllerGreedy(t *testing.T) {
	t.Parallel()
	type input struct {
		Problem problemJSON `json:"problem"`
	}
	type expected struct {
		Thresholds struct {
			Verify         *float64              `json:"verify_over_stop_at_or_above"`
			RegenVerify    *float64              `json:"regenerate_over_verify_below"`
			RegenStop      *float64              `json:"regenerate_over_stop_above"`
			CriticPaybacks map[string]*[]float64 `json:"critic_intervals"`
		} `json:"thresholds"`
		States []struct {
			Belief        float64            `json:"belief"`
			Mask          uint16             `json:"mask"`
			CanRegenerate bool               `json:"can_regenerate"`
			QKernel       map[string]float64 `json:"q_kernel"`
			ActionKernel  string             `json:"action_kernel"`
			QPrior        map[string]float64 `json:"q_prior"`
			ActionPrior   string             `json:"action_prior"`
		} `json:"states"`
	}
	f := readFixture[input, expected](t, "controller_greedy.json")
	for _, c := range f.Cases {
		t.Run(c.ID, func(t *testing.T) {
			p := c.Input.Problem.problem()
			got := p.Thresholds()
			samePointer(t, "verify over stop", got.VerifyOverStop, c.Expected.Thresholds.Verify, f.Tolerance)
			samePointer(t, "regenerate over verify", got.RegenerateOverVerify, c.Expected.Thresholds.RegenVerify, f.Tolerance)
			samePointer(t, "regenerate over stop", got.RegenerateOverStop, c.Expected.Thresholds.RegenStop, f.Tolerance)
			if len(got.Critics) != len(c.Expected.Thresholds.CriticPaybacks) {
				t.Errorf("%d critics, want %d", len(got.Critics), len(c.Expected.Thresholds.CriticPaybacks))
			}
			for _, k := range got.Critics {
				want := c.Expected.Thresholds.CriticPaybacks[k.Name]
				if (want == nil) != (k.Interval == nil) {
					t.Errorf("%s: interval %v, want %v", k.Name, k.Interval, want)
					continue
				}
				if want != nil {
					sameNumber(t, k.Name+" from", k.Interval[0], (*want)[0], f.Tolerance)
					sameNumber(t, k.Name+" to", k.Interval[1], (*want)[1], f.Tolerance)
				}
			}
			prior, err := control.NewGreedyPrior(p)
			if err != nil {
				t.Fatal(err)
			}
			kernel, err := control.NewGreedyKernel(p)
			if err != nil {
				t.Fatal(err)
			}
			for _, s := range c.Expected.States {
				at := control.At(control.Unlimited, 0, control.Mask(s.Mask), s.Belief)
				if s.CanRegenerate {
					at.Regenerations = 1
				}
				check := func(p control.Policy, q map[string]float64, action string) {
					t.Helper()
					d := p.Decide(at)
					if d.Name != action || p.Act(at) != d.Action {
						t.Errorf("%s at %v, mask %d: %s, want %s", p.Name(), s.Belief, s.Mask, d.Name, action)
					}
					sameValues(t, p.Name(), d.Values, q, f.Tolerance)
				}
				check(kernel, s.QKernel, s.ActionKernel)
				if s.QPrior != nil {
					check(prior, s.QPrior, s.ActionPrior)
				}
			}
		})
	}
}
