// Package checks runs tests on trees and says what their outcome means.
//
// A Runner runs the tests that an instance names in one sandbox and answers with a
// Run: what became of each test, and in which phase. A test that failed in its
// call phase is behaviour. One that could not be collected, imported or set up, a
// run that ended by a limit, and one that collected nothing are faults of the
// environment until the same run on another tree shows otherwise. What a report
// says is a claim: code under test may write it. So results are looked up by the
// tests that were expected, and a test that is not there did not pass.
//
// A Subject is an instance made ready to run. It checks the instance itself (the
// gold patch must pass and the base must fail) and then traces, see CheckInstance
// and CheckTrace. A Labeller does both for a dataset and keeps what came out.
package checks
