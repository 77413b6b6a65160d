// Package ladder sets reviewers of different sizes in an order and asks whether
// size goes with quality (paper G §5.3, Fig. 2 and S7).
package ladder

import (
	"regexp"
	"strconv"
	"strings"

	"plumbline/experiments/stats"
)

// total is a count of parameters in a model's name: a number and b, between
// separators. Counts of active parameters ("A22B") have another letter before them.
var total = regexp.MustCompile(`(?i)(?:^|[^a-z0-9.])(?:(\d+)x)?(\d+(?:\.\d+)?)b(?:$|[^a-z0-9])`)

// SizeOf reads billions of parameters from a model's name ("Llama-3.1-8B-Instruct",
// "qwen3-235b-a22b", "mixtral-8x7b", "llama3:70b"). It reports false for a name
// that states none. Of several numbers the first counts; experts are multiplied,
// which overstates what they share.
func SizeOf(model string) (billions float64, ok bool) {
	m := total.FindStringSubmatch(strings.ReplaceAll(model, "_", "-"))
	if m == nil {
		return 0, false
	}
	v, err := strconv.ParseFloat(m[2], 64)
	if err != nil || v <= 0 {
		return 0, false
	}
	if m[1] != "" {
		experts, err := strconv.Atoi(m[1])
		if err != nil || experts <= 0 {
			return 0, false
		}
		v *= float64(experts)
	}
	return v, true
}

// Trend is how the order by size goes with the order by a rate.
type Trend struct {
	N int // reviewers with a size and a rate
	// Tau is Kendall's tau-b, undefined for fewer than three reviewers.
	Tau stats.Number
	// Monotonic reports that no larger reviewer has a lower rate, or that none has
	// a higher one; it says nothing for fewer than three.
	Monotonic bool
}

// Rung is a reviewer of known size with a rate.
type Rung struct{ Size, Rate float64 }

// TrendOf describes the rungs. It is a description of these reviewers, which differ
// in much besides their size, and no estimate of an effect.
func TrendOf(rungs []Rung) Trend {
	t := Trend{N: len(rungs)}
	if len(rungs) < 3 {
		t.Tau = stats.Number{Reason: "fewer than three reviewers have a known size and a rate"}
		return t
	}
	x, y := make([]float64, len(rungs)), make([]float64, len(rungs))
	for i, r := range rungs {
		x[i], y[i] = r.Size, r.Rate
	}
	k := stats.Kendall(x, y)
	t.Tau = k.TauB
	t.Monotonic = k.Concordant == 0 || k.Discordant == 0
	return t
}
