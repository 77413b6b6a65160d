// Package ablation makes controlled cases: it takes exactly one load-bearing piece
// out of a reference patch, so that what is missing is known by construction
// (paper G §4, Synthetic and controlled cases).
//
// Propose reads the base tree and the reference patch and lists what could be
// taken out: a used import, an implementation whose interface stays, a branch. It
// changes patches only, never adds behaviour, and knows nothing of tests. Whether
// a proposal really is a defect is for somebody who can run it; a proposal that
// passes the official tests is no ablation.
//
// Go is read with its own parser. Python is read by indentation, strings and
// brackets, which is enough to find statements and their blocks.
package ablation
