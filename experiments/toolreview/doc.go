// Package toolreview is the turn logic of a reviewer that looks for itself: it
// reads, searches and runs commands on the patched tree before it decides (paper G
// §S4.2).
//
//	Start(policy, first) → State
//	Next(state)          → Action: ask the model, perform calls, or stop
//	State.Observe(o)     → State with what came of it
//	Record               the transcript that is kept, with its counts
//
// It asks nobody and runs nothing: a driver does what an action says and feeds the
// outcome back. Only a whole verdict that stands alone decides. Whatever else ends a
// review has a name: a refusal, a reply cut off at its limit, no turns left, replies
// that cannot be read. Those are unparseable votes; trouble with the endpoint or the
// sandbox is no vote at all.
package toolreview
