package stats

import (
	"fmt"
	"math"
	"slices"
)

// Forecast is a probability of being right and whether it was.
type Forecast struct {
	P     float64
	Right bool
}

// y is the outcome as a number.
func (f Forecast) y() float64 {
	if f.Right {
		return 1
	}
	return 0
}

// Bin is a non-empty bin of a reliability diagram.
type Bin struct {
	// Index counts bins from 0; Lo and Hi are its edges. A probability equal to an
	// inner edge belongs to the bin below it.
	Index  int
	Lo, Hi float64
	// Count forecasts, Right of which came true.
	Count, Right int
	// MeanP is the mean forecast, Accuracy is Right/Count.
	MeanP, Accuracy float64
	// Gap is Accuracy - MeanP: negative bins are overconfident.
	Gap float64
	// Interval is the Wilson interval of Accuracy; it never is nil.
	Interval *Interval
}

// Calibration is a reliability diagram with its summary.
type Calibration struct {
	N int
	// ECE is the mean |Gap| weighted by count, MCE the largest (Naeini et al.
	// 2015; Guo et al. 2017). Both are biased upwards for few items a bin.
	ECE, MCE Number
	// Bins lists the non-empty bins, in order.
	Bins []Bin
	// Reason says why there is no diagram; it is empty otherwise.
	Reason string
}

// EqualWidth bins forecasts into (i/bins, (i+1)/bins], the first closed at 0.
// The edges are the float64 quotients, and a forecast falls into the first bin
// whose upper edge is not below it.
func EqualWidth(forecasts []Forecast, bins int) Calibration {
	if reason := badForecasts(forecasts, bins); reason != "" {
		return noCalibration(reason)
	}
	edges := make([]float64, bins+1)
	for i := range edges {
		edges[i] = float64(i) / float64(bins)
	}
	return calibrate(forecasts, edges, func(i int) int {
		b, _ := slices.BinarySearch(edges[1:], forecasts[i].P)
		return min(b, bins-1)
	})
}

// EqualMass bins forecasts into at most bins groups of about the same count,
// cut at quantiles. Equal forecasts stay together, so bins can be fewer and
// uneven.
func EqualMass(forecasts []Forecast, bins int) Calibration {
	if reason := badForecasts(forecasts, bins); reason != "" {
		return noCalibration(reason)
	}
	sorted := make([]float64, len(forecasts))
	for i, f := range forecasts {
		sorted[i] = f.P
	}
	slices.Sort(sorted)
	edges := []float64{sorted[0]}
	for i := 1; i <= bins; i++ {
		last := max(len(sorted)*i/bins-1, 0)
		if e := sorted[last]; e > edges[len(edges)-1] || len(edges) == 1 {
			edges = append(edges, e)
		}
	}
	return calibrate(forecasts, edges, func(i int) int {
		b, _ := slices.BinarySearch(edges[1:], forecasts[i].P)
		return b
	})
}

func calibrate(forecasts []Forecast, edges []float64, bin func(i int) int) Calibration {
	bins := make([]Bin, len(edges)-1)
	for i, f := range forecasts {
		b := &bins[bin(i)]
		b.Count++
		b.MeanP += f.P
		if f.Right {
			b.Right++
		}
	}
	c := Calibration{N: len(forecasts)}
	ece, mce := 0.0, 0.0
	for i, b := range bins {
		if b.Count == 0 {
			continue
		}
		b.Index, b.Lo, b.Hi = i, edges[i], edges[i+1]
		b.MeanP /= float64(b.Count)
		b.Accuracy = float64(b.Right) / float64(b.Count)
		b.Gap = b.Accuracy - b.MeanP
		b.Interval, _ = Wilson(b.Right, b.Count, DefaultLevel)
		ece += float64(b.Count) / float64(c.N) * math.Abs(b.Gap)
		mce = max(mce, math.Abs(b.Gap))
		c.Bins = append(c.Bins, b)
	}
	c.ECE, c.MCE = known(ece), known(mce)
	return c
}

func noCalibration(reason string) Calibration {
	return Calibration{ECE: unknown(reason), MCE: unknown(reason), Reason: reason}
}

func badForecasts(forecasts []Forecast, bins int) string {
	if bins < 1 {
		return "no bins"
	}
	if len(forecasts) == 0 {
		return "no forecasts"
	}
	for i, f := range forecasts {
		if !(f.P >= 0 && f.P <= 1) {
			return fmt.Sprintf("forecast %d is not a probability", i)
		}
	}
	return ""
}
