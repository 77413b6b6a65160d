package stats

// BootstrapIndices is the percentile bootstrap over given resamples: each row of
// indices lists the units of one resample. It exists for resamples drawn
// elsewhere or enumerated; statistic reports false when it is undefined. The
// replicates come back in the order of the resamples, without the undefined ones.
func BootstrapIndices(indices [][]int, level float64, statistic func(units []int) (float64, bool)) ([]float64, *Interval, string) {
	o := Options{Resamples: len(indices), Level: level}.filled()
	if len(indices) == 0 {
		return nil, nil, "no resamples"
	}
	replicates := make([]float64, 0, len(indices))
	for _, units := range indices {
		if v, ok := statistic(units); ok {
			replicates = append(replicates, v)
		}
	}
	iv, reason := percentile(append([]float64(nil), replicates...), len(indices[0]), MethodBootstrap, o)
	return replicates, iv, reason
}
