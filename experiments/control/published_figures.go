package control

import (
	"crypto/sha256"
	"encoding/hex"
	"fmt"

	"plumbline/experiments/belief"
)

// PublishedFigure is a line of paper B's published policy comparison: mean utility,
// difference to always_verify with its bootstrap interval, and share of tasks with
// a verified correct candidate. LeaveOne is the mean with parameters that leave the
// task out; nil where it was not published.
type PublishedFigure struct {
	Policy        string
	Mean          float64
	Delta, Lo, Hi float64
	PassRate      float64
	LeaveOne      *float64
}

// PublishedCell is the published comparison of one benchmark and generator.
type PublishedCell struct {
	Benchmark, Generator string
	Figures              []PublishedFigure // in the order of PublishedPolicies
}

// PublishedFor finds the published comparison that was made on these very records:
// the same tasks, candidates, labels and verdicts of syntax, tests and llm, in the
// same order. False for any other table.
func PublishedFor(t belief.Table) (PublishedCell, bool) {
	sub, err := t.Select("syntax", "tests", "llm")
	if err != nil {
		return PublishedCell{}, false
	}
	h := sha256.New()
	for _, k := range sub.Tasks {
		fmt.Fprintf(h, "%s:", k.ID)
		for _, c := range k.Candidates {
			if c.Y == belief.Unknown {
				return PublishedCell{}, false
			}
			fmt.Fprintf(h, "%d%d%d%d ", c.Y-belief.Defective, c.Outcomes[0], c.Outcomes[1], c.Outcomes[2])
		}
		fmt.Fprint(h, "\n")
	}
	cell, ok := publishedCells[hex.EncodeToString(h.Sum(nil))]
	return cell, ok
}

func at(x float64) *float64 { return &x }

// publishedCells are the published numbers by the digest of the records they were
// computed from (policy comparison of the authors' release, kernel of a fresh draw,
// R = 100, C_ver = 30, C_gen = 5, critics at 1, 2 and 5).
var publishedCells = map[string]PublishedCell{
	"64383f40754b03d53aa4f6ba60773a0c2a97687d61165aed5a5c3add882fb7be": {"lcb_hard", "gpt5_mini", []PublishedFigure{
		{"always_verify", 1.0344827586206897, 0.0, 0.0, 0.0, 0.3103448275862069, at(1.0344827586206897)},
		{"threshold_L0", 1.8620689655172413, 0.8275862068965517, -0.9310344827586207, 2.8275862068965516, 0.3103448275862069, at(1.8620689655172413)},
		{"threshold_L2", 7.413793103448276, 6.379310344827586, 0.8620689655172413, 14.517241379310345, 0.3448275862068966, at(7.413793103448276)},
		{"threshold_L3", -5.0, -6.0344827586206895, -8.10344827586207, -4.137931034482759, 0.3103448275862069, at(-5.0)},
		{"fixed_pipeline", -6.620689655172414, -7.655172413793103, -9.758620689655173, -5.758620689655173, 0.3103448275862069, at(-6.620689655172414)},
		{"best_of_3", -22.75862068965517, -23.79310344827586, -41.03448275862069, -6.551724137931035, 0.1724137931034483, at(-22.75862068965517)},
		{"bayesian_DP", 2.896551724137931, 1.8620689655172413, -3.897413793103448, 10.206896551724139, 0.3448275862068966, nil},
		{"bayesian_greedy", 13.586206896551724, 12.551724137931034, 7.0344827586206895, 18.06896551724138, 0.3103448275862069, at(13.586206896551724)},
	}},
	"86311573abc01ba0195d6a42cf089450352356657bebeeb8e61c43ad4a2f5be5": {"lcb_hard", "haiku45", []PublishedFigure{
		{"always_verify", -16.20689655172414, 0.0, 0.0, 0.0, 0.13793103448275862, at(-16.20689655172414)},
		{"threshold_L0", -17.20689655172414, -1.0, -1.0, -1.0, 0.13793103448275862, at(-17.20689655172414)},
		{"threshold_L2", -3.5517241379310347, 12.655172413793103, 9.551724137931034, 15.137931034482758, 0.13793103448275862, at(-3.5517241379310347)},
		{"threshold_L3", -26.551724137931036, -10.344827586206897, -18.275862068965516, -5.172413793103448, 0.10344827586206896, at(-26.551724137931036)},
		{"fixed_pipeline", -28.689655172413794, -12.482758620689655, -20.34655172413793, -7.205172413793105, 0.10344827586206896, at(-28.689655172413794)},
		{"best_of_3", -26.20689655172414, -10.0, -10.0, -10.0, 0.13793103448275862, at(-26.20689655172414)},
		{"bayesian_DP", 4.068965517241379, 20.275862068965516, 14.758620689655173, 24.689655172413794, 0.13793103448275862, nil},
		{"bayesian_greedy", 4.068965517241379, 20.275862068965516, 14.758620689655173, 24.689655172413794, 0.13793103448275862, at(4.068965517241379)},
	}},
	"efd0859888799fea8d7143270bdfa059a4477ed3af3f842ed2192c60a49d240f": {"lcb_medium", "haiku45", []PublishedFigure{
		{"always_verify", -8.88888888888889, 0.0, 0.0, 0.0, 0.2111111111111111, at(-8.88888888888889)},
		{"threshold_L0", -8.844444444444445, 0.044444444444444446, -1.0, 2.1333333333333333, 0.2222222222222222, at(-8.844444444444445)},
		{"threshold_L2", 5.977777777777778, 14.866666666666667, 10.755, 19.313888888888886, 0.24444444444444444, at(5.977777777777778)},
		{"threshold_L3", -17.22222222222222, -8.333333333333334, -13.722222222222221, -3.2208333333333345, 0.18888888888888888, at(-17.22222222222222)},
		{"fixed_pipeline", -18.666666666666668, -9.777777777777779, -15.28888888888889, -4.621666666666667, 0.18888888888888888, at(-18.666666666666668)},
		{"best_of_3", -17.77777777777778, -8.88888888888889, -13.333333333333334, -4.444444444444445, 0.2222222222222222, at(-17.77777777777778)},
		{"bayesian_DP", 2.933333333333333, 11.822222222222223, 7.733055555555556, 16.236388888888886, 0.24444444444444444, nil},
		{"bayesian_greedy", 10.177777777777777, 19.066666666666666, 15.421111111111111, 22.31111111111111, 0.2, at(10.177777777777777)},
	}},
}
