// Package belief keeps the probability that a candidate is correct, and
// estimates everything that probability rests on. It is the "believe" of
// observe → believe → decide → measure, in the terms of paper B ("Bayesian
// control for coding agents", §3–4).
//
// # The model
//
// A candidate is correct (Y = 1) or defective (Y = 0). A critic looks at it and
// gives one of a few outcomes: pass or fail, or the number of accepting votes
// among k. A [Critic] is its likelihood table, P(outcome | Y). [Critic.Update]
// is Bayes' rule:
//
//	b' = P(z|1) b / (P(z|1) b + P(z|0) (1-b))
//
// or, in log-odds, logit b' = logit b + ln(P(z|1)/P(z|0)): evidence adds up and
// its order does not matter. Three cases have rules of their own:
//
//   - A missing outcome (the critic crashed, timed out or could not be read)
//     leaves the belief as it is.
//   - An outcome that the model calls impossible leaves the belief as it is and
//     is flagged: the likelihoods are wrong, not the world.
//   - A critic with the same likelihoods in both classes moves nothing.
//
// A new candidate moves the belief through a [Kernel]: a defective one is fixed
// with probability Fix, a correct one is broken with probability Break.
//
// # The data
//
// A [Table] holds recorded candidates by task with the outcomes of the critics
// and the label. [ReadTable] reads one from a CSV file with declared columns.
// Derived critics come from [Table.Count] (the number of passes among several
// votes), [Table.Join] (several critics as one with all their combinations) and
// [Table.Cut] (a score cut at a threshold).
//
// # The estimates
//
// [Fit] gives the prior, the likelihoods and the kernel with Beta smoothing, so
// that no rate is 0 or 1, and keeps the counts, Wilson intervals and warnings.
// [Estimate.Bootstrap] adds intervals by task. Which candidates count matters:
// the prior is the rate of *first* candidates, since later ones exist because
// earlier ones failed ([FirstCandidates]); [AllCandidates] is for independent
// samples. The kernel counts consecutive pairs; on independent samples of one
// task these measure how hard the task is, not how well a defect is repaired.
//
// Two critics may be multiplied only if they are independent given Y.
// [Table.Dependence] tests it within each class. Where it fails, use a joint or
// a count critic, or temper the evidence ([FitTempering]).
//
// Parameters used on a task must come from other tasks: [KFold] and
// [LeaveOneOut] assign folds by task, [CrossFit] fits one estimate a fold, and
// [CrossBeliefs] scores every candidate with the estimate that has not seen it.
//
// # Undefined
//
// What has no value is nil with a warning or an error in plain words, never 0
// and never NaN. Randomness is always an argument.
package belief
