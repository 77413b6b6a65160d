// Package tooluse holds reviews with tools: it asks an endpoint for replies and
// performs the calls in them on a patched tree, in a sandbox, as the turn logic of
// experiments/toolreview says.
//
// The tree is the base and the agent's patch. The hidden tests and the reference
// patch of an instance are no part of it and are given to nobody here.
package tooluse
