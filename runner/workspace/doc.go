// Package workspace makes the trees that checks run on: a base tree, taken from a
// git repository at a commit or from files in memory, and changes on top of it,
// such as an agent's patch and the hidden tests.
//
// Base trees are kept in a Cache, once for each content, and are never written
// again. A Tree holds its changes in memory. A sandbox gets both by Stage: the
// base read-only and the few changed files beside it, from which the sandbox makes
// a private copy. Nothing of a stranger is ever written over the base, and nothing
// but reading happens to the operator's repository: no checkout, no hook, no
// filter, and none of its settings decides what runs.
package workspace
