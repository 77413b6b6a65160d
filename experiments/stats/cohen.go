package stats

import "fmt"

// MeasureCohen is the percentile bootstrap over traces of Cohen's kappa of the
// decisions of two arms, from their joint table of traces in the order of Outcome.
// Resamples in which both arms decide everything alike and in one class have no
// kappa; they are dropped and counted. A nil interval has its reason beside it.
func MeasureCohen(label string, table [4][4]int, o Options) (*Interval, string) {
	o = o.filled()
	type cell struct{ first, second int }
	var cells []cell
	var sizes []int
	for i, row := range table {
		for j, n := range row {
			if n > 0 {
				cells, sizes = append(cells, cell{i, j}), append(sizes, n)
			}
		}
	}
	if len(cells) == 0 {
		return nil, "no trace has a decision of both"
	}
	var kappas []float64
	m := newMultinomial(sizes)
	resample(m, label+"\x00cohen", o, func(counts []int) {
		var first, second [4]float64
		total, same := 0.0, 0.0
		for k, n := range counts {
			w := float64(n)
			total += w
			first[cells[k].first] += w
			second[cells[k].second] += w
			if cells[k].first == cells[k].second {
				same += w
			}
		}
		chance := 0.0
		for c := range first {
			chance += first[c] * second[c] / (total * total)
		}
		if 1-chance < tie {
			return
		}
		kappas = append(kappas, (same/total-chance)/(1-chance))
	})
	iv, reason := percentile(kappas, m.units, MethodBootstrap, o)
	if iv != nil && m.units < fewTraces {
		iv.Warnings = append(iv.Warnings, fmt.Sprintf("Only %d traces: the percentile bootstrap covers less than its level.", m.units))
	}
	return iv, reason
}
