// Package gentest is what stands between an issue and a generated test: the prompt
// of the generator, the reading of its reply, and the recognition of tests that
// need not be run because they cannot say anything.
//
// A generator sees issue and patch and nothing else (paper G §3, S3.3). A repair
// attempt also sees its own last test and what the base said of it; there is no
// place in an Input for the patched tree, the reference patch or official tests.
package gentest
