// Package findings reads what static tools say, tells the few findings that can
// decide from the many that cannot, and attributes them to a patch.
//
//	Read       tool output → findings, each with its class
//	Caused     findings on base and on the patched tree → which the patch caused
//	Summary    counts of caused findings by class, for the cascade
//
// A finding may reject only when it is decisive, that is, when it shows that the
// code cannot load or will fail where it stands, and when the patch caused it: it
// is on the patched tree and not on the base (paper G §6, rule ii; S2.8). Line
// numbers decide nothing, because every patch moves lines.
package findings
