package runner

import (
	"math"
	"slices"

	"plumbline/experiments/stats"
)

// methodTasks names the intervals of this file.
const methodTasks = "percentile bootstrap by task"

// byTask groups held candidates: tasks are drawn with replacement and all
// candidates of a task go together.
type byTask [][]scored

func groupByTask(held []scored, tasks int) byTask {
	of := make(byTask, tasks)
	for _, x := range held {
		of[x.task] = append(of[x.task], x)
	}
	return slices.DeleteFunc(of, func(k []scored) bool { return len(k) == 0 })
}

// interval bootstraps a statistic of the drawn tasks.
func (of byTask) interval(label string, o stats.Options, statistic func(tasks []int) (float64, bool)) *stats.Interval {
	if len(of) < 2 {
		return nil
	}
	iv, _ := stats.BootstrapUnits(label, len(of), o, statistic)
	if iv != nil {
		iv.Method = methodTasks
	}
	return iv
}

// auroc draws tasks and adds up, for every pair of drawn tasks, how often a correct
// candidate of the one scores above a defective candidate of the other: the table
// of pairs is counted once. Equal scores count one half.
func (of byTask) auroc(label string, o stats.Options) *stats.Interval {
	n := len(of)
	wins := make([]float64, n*n)
	correct, defective := make([]float64, n), make([]float64, n)
	for i, a := range of {
		for _, x := range a {
			if !x.right {
				defective[i]++
				continue
			}
			correct[i]++
			for j, b := range of {
				for _, y := range b {
					switch {
					case y.right:
					case x.score > y.score:
						wins[i*n+j]++
					case x.score == y.score:
						wins[i*n+j] += 0.5
					}
				}
			}
		}
	}
	return of.interval(label, o, func(tasks []int) (float64, bool) {
		var n1, n0, sum float64
		for _, i := range tasks {
			n1, n0 = n1+correct[i], n0+defective[i]
			if correct[i] == 0 {
				continue
			}
			row := wins[i*n : (i+1)*n]
			for _, j := range tasks {
				sum += row[j]
			}
		}
		if n1 == 0 || n0 == 0 {
			return 0, false
		}
		return sum / (n1 * n0), true
	})
}

// maxPairs bounds the table of pairs of auroc; larger sets have no interval.
const maxPairs = 2000

// prr draws tasks and computes the ratio anew.
func (of byTask) prr(label string, rho float64, o stats.Options) *stats.Interval {
	var p, q []float64
	return of.interval(label, o, func(tasks []int) (float64, bool) {
		p, q = p[:0], q[:0]
		for _, i := range tasks {
			for _, x := range of[i] {
				y := 0.0
				if x.right {
					y = 1
				}
				p, q = append(p, x.score), append(q, y)
			}
		}
		v := stats.PRR(p, q, rho).PRR
		if v.Value == nil {
			return 0, false
		}
		return *v.Value, true
	})
}

// ece draws tasks and adds up their sums in bins of equal width, which no draw
// changes.
func (of byTask) ece(label string, bins int, o stats.Options) *stats.Interval {
	type part struct {
		bin int
		gap float64 // Σ outcome - Σ score
	}
	parts := make([][]part, len(of))
	for i, k := range of {
		for _, x := range k {
			f := stats.Forecast{P: x.score, Right: x.right}
			c := stats.EqualWidth([]stats.Forecast{f}, bins)
			if len(c.Bins) == 0 {
				return nil
			}
			gap := -x.score
			if x.right {
				gap++
			}
			parts[i] = append(parts[i], part{c.Bins[0].Index, gap})
		}
	}
	sums := make([]float64, bins)
	return of.interval(label, o, func(tasks []int) (float64, bool) {
		clear(sums)
		n := 0
		for _, i := range tasks {
			for _, x := range parts[i] {
				sums[x.bin] += x.gap
				n++
			}
		}
		total := 0.0
		for _, x := range sums {
			total += math.Abs(x)
		}
		return total / float64(n), n > 0
	})
}

// brier draws tasks and averages their squared errors.
func (of byTask) brier(label string, o stats.Options) *stats.Interval {
	sums, counts := make([]float64, len(of)), make([]float64, len(of))
	for i, k := range of {
		for _, x := range k {
			y := 0.0
			if x.right {
				y = 1
			}
			sums[i] += (x.score - y) * (x.score - y)
			counts[i]++
		}
	}
	return of.interval(label, o, func(tasks []int) (float64, bool) {
		var sum, n float64
		for _, i := range tasks {
			sum, n = sum+sums[i], n+counts[i]
		}
		return sum / n, n > 0
	})
}

// fewer halves the resamples until they touch at most so many candidates in all.
func fewer(o stats.Options, candidates, most int) stats.Options {
	for o.Resamples > 100 && o.Resamples*candidates > most {
		o.Resamples /= 2
	}
	return o
}
