// Package stats holds the statistics of review experiments. It takes numbers
// only: counts, confidences, losses, differences. It reads no clock and no file,
// and draws random numbers only from seeds it is given.
//
// # Counts first
//
// Every rate of a review depends on eight cells, ReviewCounts: the decisions
// accept, reject, uncertain, unparseable on the defects and on the acceptable
// patches. Abstentions stay in the denominators of the class rates, risk is over
// decided traces, unparseable is decided and wrong (paper G §3, S5.4). Definitions
// lists all rates with formula, base and source; ReviewCounts.Rate gives one.
//
// # Undefined is not zero
//
// A quantity that is not defined (empty denominator, missing class, constant
// input) is a nil Value with a Reason, in Number and in Rate, and a nil
// *Interval with a reason beside it. NaN never leaves the package.
//
// # Intervals
//
// Wilson is closed. Measure and MeasureAll add the percentile bootstrap by trace
// (type-7 quantiles, 10,000 resamples unless told otherwise), MeasureClusters
// the one by instance for traces that share an instance, Bootstrap the one of
// any statistic of counts. A resample of n traces reaches a rate only through
// the cells, so it is drawn as one multinomial: a few binomials instead of n
// draws, and exactly the same distribution.
//
// Same seed, same bits: replicates are drawn in blocks, each from a sub-seed
// hashed from (seed, label, block), so the number of cores changes nothing.
//
// The percentile bootstrap covers too little for rates near 0 and 1 and for few
// traces. The intervals carry Warnings where that is so; Wilson is there beside
// them.
package stats
