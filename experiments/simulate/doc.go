// Package simulate stands in for reviewers and critics when no model is at
// hand: answers drawn from a confusion matrix and an injected seed. Everything
// it produces says "simulated", and whoever shows it must mark it so.
//
// A draw depends on (seed, reviewer name, evidence form, trace, vote index) and
// on nothing else, so neither the order of the calls nor the number of workers
// can change a result. Uniform numbers are cut from SHA-256 of those fields.
//
// # Correlated votes
//
// Votes of one reviewer on one trace share a latent answer. With r the wanted
// correlation, each vote copies the latent answer with probability √r and is a
// fresh draw otherwise; the latent answer and the fresh draws have the same
// distribution p. A mixture of p and p is p, so the marginals are exact for
// every r, and for two votes of a trace and every class c
//
//	P(both are c) = r·p_c + (1-r)·p_c²,  hence  corr(1[v₁=c], 1[v₂=c]) = r.
//
// The indicator correlation of a Dirichlet-multinomial with precision 1/r - 1
// is the same number (the overdispersion of a beta-binomial, Skellam 1948); the
// mixture reaches r = 0 and r = 1 without a limit and needs no gamma sampler.
//
// # One trace under several evidence forms
//
// The latent answer is the quantile, at one uniform number per (seed, reviewer,
// trace), of the classes ordered from right to wrong. Forms share that number:
// a trace that is hard under one form tends to be hard under another, which is
// what a paired comparison of forms meets in real votes.
package simulate
