// Package rewrite asks a model for a new patch and reads one off its reply: it is
// the regenerate action of paper B §3 for a generator that is a model behind an
// endpoint.
//
// The generator sees the issue and files of the base tree, and nothing else: no
// oracle, no critic's outcome, no earlier candidate. So a regeneration is a fresh
// draw, all policies that come to the k-th candidate of a task can share it, and
// nothing hidden has a way into the prompt.
//
// A reply gives whole files between marks, from which the diff is made here, since
// models count lines badly; a reply that is a diff is taken as it is.
package rewrite
