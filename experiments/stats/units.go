package stats

// BootstrapUnits is the percentile bootstrap of any statistic of n units (traces,
// tasks), for statistics that no counts carry: an AUROC, a PRR, the difference
// of two of them on the same units. statistic gets the units of a resample, with
// repeats, reports false when it is undefined and must not keep its argument.
func BootstrapUnits(label string, n int, o Options, statistic func(units []int) (float64, bool)) (*Interval, string) {
	o = o.filled()
	if n <= 0 {
		return nil, "nothing to resample"
	}
	units := make([]int, n)
	replicates := make([]float64, 0, o.Resamples)
	inBlocks(label, o, func(s source) {
		for i := range units {
			units[i] = int(s.below(uint64(n)))
		}
		if v, ok := statistic(units); ok {
			replicates = append(replicates, v)
		}
	})
	iv, reason := percentile(replicates, n, MethodBootstrap, o)
	if iv != nil && n < fewTraces {
		iv.warn("Only %d traces: the percentile bootstrap covers less than its level.", n)
	}
	return iv, reason
}

// BootstrapMean is BootstrapUnits of the mean of values, one a unit: a utility, or
// the paired difference of two (second minus first), which makes it the paired
// bootstrap.
func BootstrapMean(label string, values []float64, o Options) (*Interval, string) {
	return BootstrapUnits(label, len(values), o, func(units []int) (float64, bool) {
		sum := 0.0
		for _, u := range units {
			sum += values[u]
		}
		return sum / float64(len(units)), true
	})
}
