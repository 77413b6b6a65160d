// Package reviewer asks a reviewer for one vote: clients of model endpoints, a
// simulated reviewer and a replay of recorded votes behind one interface, with
// retries, a limiter that all callers of a process share, and a cache.
//
// A provider error is an *Error and never a vote. A reply that cannot be read, a
// truncated one and a refusal are answers whose vote is unparseable.
package reviewer
