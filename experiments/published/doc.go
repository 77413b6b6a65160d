// Package published holds results of the three papers as they are printed, each
// with its place, so that one's own results can stand beside them.
//
// A table keeps every cell as the text of the paper; Parse turns one into
// numbers. Nothing here is computed from other numbers, with one exception: the
// integer counts behind the cascade's rates (paper G, Table 3), which are printed
// as rates only. Each printed set of rates has exactly one solution in integers,
// and Points marks these counts as derived.
//
// Published numbers are never pooled with counts of an experiment: they have
// other traces, other reviewers and, where no interval is printed, none here.
package published
