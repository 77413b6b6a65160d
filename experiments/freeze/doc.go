// Package freeze holds what makes a held-out number worth believing: the rule that
// chooses an evidence form for each reviewer on the design split (paper G §5.3),
// the manifest that fixes the choice with everything that could change it, and
// the comparison of a manifest with what is stored later.
//
// It is pure: fingerprints, times and names are arguments.
package freeze
