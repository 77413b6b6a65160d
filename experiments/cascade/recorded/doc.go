// Package recorded holds replies of a test generator for the bundled cases, so that
// the cascade can be tried without any endpoint. They were written for this
// project, in the form and with the faults of real ones: prose, tests that cannot
// be imported before the change, tests that ask too much or too little, tests that
// hang. Whatever uses them says that they are recorded.
//
// An archive replies/NAME.txtar belongs to the bundled case NAME.txtar. Its file
// N.md is reply N for any patch of the case; NN-slug/N.md takes its place for the
// attempt of that name.
package recorded
