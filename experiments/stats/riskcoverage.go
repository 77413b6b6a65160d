package stats

import (
	"cmp"
	"fmt"
	"math"
	"slices"
)

// tie is the distance below which two scores are equal.
const tie = 1e-12

// Item is one trace with a confidence and a loss.
type Item struct {
	// Confidence may be any number; higher is surer.
	Confidence float64
	// Loss is in [0,1]: 0 right, 1 wrong, anything between for graded losses.
	Loss float64
	// Abstained items are never covered, whatever their confidence.
	Abstained bool
}

// Group is a set of decided items of equal confidence with losses 0 or 1.
type Group struct {
	Confidence float64
	// N items, Wrong of which have loss 1.
	N, Wrong int
}

// Point is an achievable working point: everything at least as sure as
// Threshold is decided.
type Point struct {
	Threshold float64
	Covered   int
	Coverage  float64
	// SelectiveRisk is the mean loss of the covered, GeneralizedRisk their loss
	// over all items.
	SelectiveRisk, GeneralizedRisk float64
}

// Curve is a risk–coverage curve with its areas. Items of equal confidence are
// covered together; areas use the expected order inside such a group, so no
// sort order can change them.
type Curve struct {
	// N counts all items, Decided those not abstained on.
	N, Decided int
	// MaxCoverage is Decided/N and Risk the selective risk there.
	MaxCoverage, Risk Number
	// Points are ordered by coverage, ascending.
	Points []Point

	// AURC is the mean selective risk over the coverages 1/N..1 (Geifman et al.
	// 2019). It and the other areas of this block need a curve without
	// abstention; with abstention read the Partial ones.
	AURC Number
	// AURCOptimal orders by the loss itself; EAURC = AURC - AURCOptimal ≥ 0.
	AURCOptimal, EAURC Number
	// The asymptotic optimum r + (1-r) ln(1-r), for losses 0 and 1 only.
	AURCOptimalAsymptotic, EAURCAsymptotic Number
	// AURCTrapezoid joins the points linearly and is flat before the first: a
	// variant of some public code, for comparison only.
	AURCTrapezoid Number
	// AUGRC is the trapezoid area of the generalized risk over coverage, the mean
	// probability of an undetected failure (Traub et al. 2024).
	AUGRC, AUGRCOptimal, EAUGRC Number

	// The same from coverage 0 to MaxCoverage, not rescaled: curves with different
	// MaxCoverage must not be compared by them.
	AURCPartial, AUGRCPartial Number
	// AURCDecided is the AURC of the decided items alone.
	AURCDecided Number

	// Reason says why there is no curve at all; it is empty otherwise.
	Reason string
}

// level is a group of equal confidence with the sum of its losses.
type level struct {
	confidence, loss float64
	n                int
}

// RiskCoverage builds the curve of single items. A confidence that is NaN or a
// loss outside of [0,1] makes the whole curve undefined.
func RiskCoverage(items []Item) Curve {
	var decided []level
	var losses []float64
	binary := true
	for i, it := range items {
		switch {
		case math.IsNaN(it.Confidence):
			return undefinedCurve(fmt.Sprintf("the confidence of item %d is not a number", i))
		case !(it.Loss >= 0 && it.Loss <= 1):
			return undefinedCurve(fmt.Sprintf("the loss of item %d is outside of 0..1", i))
		}
		binary = binary && (it.Loss == 0 || it.Loss == 1)
		if it.Abstained {
			continue
		}
		decided = append(decided, level{it.Confidence, it.Loss, 1})
		losses = append(losses, it.Loss)
	}
	levels := merge(decided)
	if binary {
		return newCurve(levels, len(items)-len(losses), func(n int) (float64, float64) {
			return optimal01(n, sumLoss(levels))
		}, true)
	}
	slices.Sort(losses)
	return newCurve(levels, len(items)-len(losses), func(int) (float64, float64) {
		return optimalLosses(losses)
	}, false)
}

// RiskCoverageGroups builds the curve from counts, for losses 0 and 1, with the
// number of items that were abstained on. Groups may come in any order and
// confidences may repeat.
func RiskCoverageGroups(groups []Group, abstained int) Curve {
	levels := make([]level, 0, len(groups))
	for i, g := range groups {
		switch {
		case math.IsNaN(g.Confidence):
			return undefinedCurve(fmt.Sprintf("the confidence of group %d is not a number", i))
		case g.Wrong < 0 || g.Wrong > g.N:
			return undefinedCurve(fmt.Sprintf("group %d has more losses than items", i))
		case g.N > 0:
			levels = append(levels, level{g.Confidence, float64(g.Wrong), g.N})
		}
	}
	if abstained < 0 {
		return undefinedCurve("the number of abstentions is negative")
	}
	levels = merge(levels)
	return newCurve(levels, abstained, func(n int) (float64, float64) {
		return optimal01(n, sumLoss(levels))
	}, true)
}

// merge sorts by confidence, surest first, and joins ties.
func merge(levels []level) []level {
	slices.SortStableFunc(levels, func(a, b level) int {
		return cmp.Or(cmp.Compare(b.confidence, a.confidence), cmp.Compare(a.loss, b.loss))
	})
	merged := levels[:0]
	for _, l := range levels {
		if last := len(merged) - 1; last >= 0 && (merged[last].confidence == l.confidence || merged[last].confidence-l.confidence < tie) {
			merged[last].n += l.n
			merged[last].loss += l.loss
			continue
		}
		merged = append(merged, l)
	}
	return merged
}

func sumLoss(levels []level) float64 {
	sum := 0.0
	for _, l := range levels {
		sum += l.loss
	}
	return sum
}

func undefinedCurve(reason string) Curve {
	u := unknown(reason)
	return Curve{
		Reason: reason, MaxCoverage: u, Risk: u,
		AURC: u, AURCOptimal: u, EAURC: u, AURCOptimalAsymptotic: u, EAURCAsymptotic: u, AURCTrapezoid: u,
		AUGRC: u, AUGRCOptimal: u, EAUGRC: u, AURCPartial: u, AUGRCPartial: u, AURCDecided: u,
	}
}
