// Package bundled holds the project's own cases: small repositories written for
// it, each with an issue, the tree before, a gold patch, hidden tests and
// recorded attempts. They are what a newcomer sees first and what the checks are
// tried on, so their labels are facts: the test in runner/bundledtest runs the
// hidden tests on every attempt and compares.
//
// The records (steps, summaries, figures of usage) are written by hand and say
// so; agents and models have invented names. The patches are real patches: each
// applies to the base tree, and its label is what the hidden tests say. The
// repositories need nothing but the standard library (Python 3.9 or later, the
// project's own version of Go) and no network.
//
// # Format
//
// A case is one txtar archive, cases/py-SLUG.txtar or cases/go-SLUG.txtar, with
// these files (every file ends with a newline; no line of a file may look like
// a txtar marker):
//
//	case.json                        the record below
//	issue.md                         the issue, Markdown
//	base/PATH                        the tree before; about 3 to 12 files, with visible tests
//	gold.patch                       unified diff, "diff --git a/… b/…" headers
//	hidden/PATH                      test files laid over the tree before a label run
//	attempts/NN-SLUG/attempt.json    the record below; NN is 01, 02, …
//	attempts/NN-SLUG/patch.diff      as gold.patch; an empty file for no change
//	attempts/NN-SLUG/steps.jsonl     one step a line
//	attempts/NN-SLUG/summary.md      the agent's final words
//
// case.json, all fields required, unknown fields are an error:
//
//	{
//	  "id": "plumbline-cases__SLUG-N",      unique over all cases
//	  "repo": "plumbline-cases/SLUG",
//	  "language": "python" | "go",
//	  "title": "one line",
//	  "split": "design" | "held-out",
//	  "created": "2025-03-14T00:00:00Z",    RFC 3339, a plausible day
//	  "runner": "unittest" | "gotest",
//	  "fail_to_pass": ["…"],                fail on base, pass on gold
//	  "pass_to_pass": ["…"]                 pass on base and on gold
//	}
//
// Test ids: for unittest the dotted name, "tests_hidden.test_x.Class.test_y"
// (importable from the root of the tree, also collected by pytest); for gotest
// the package path and the top-level test, "./limiter TestBurst". Every test
// named is defined in a hidden file, and a hidden path never exists in base, so
// that an attempt which edits visible tests cannot change its label.
//
// A hidden test that needs a name the issue introduces must not take the
// pass-to-pass tests down with it when the name is missing. In Python, the
// fail-to-pass and pass-to-pass tests are in different modules. In Go, either
// the fail-to-pass tests use only names that exist in base, or the pass-to-pass
// tests are in a directory of their own (hidden/existing/existing_test.go).
//
// attempt.json, unknown fields are an error:
//
//	{
//	  "recorded": "hand-written",
//	  "agent": "atlas-agent",               invented; (agent, model, attempt) is
//	  "model": "recorded-m1",               unique in a case
//	  "attempt": 1,                         1 for the first of this agent and model
//	  "label": "acceptable" | "defective",
//	  "bucket": "" | "omission" | "regression" | "no_change",
//	  "why": "one sentence for the maintainer: the missing item, or what is right",
//	  "status": "submitted",                the agent's own exit status
//	  "cost_usd": 0.0412,
//	  "input_tokens": 18234,
//	  "output_tokens": 1630,
//	  "duration_ms": 74100,
//	  "tests": {"f2p_ok": 5, "f2p_all": 5, "p2p_ok": 4, "p2p_all": 4}
//	}
//
// The label and bucket follow from the counts: acceptable when both are full;
// no_change when the patch is empty; regression when a pass-to-pass test fails;
// else omission. The counts of a no-change attempt are those of base.
//
// A line of steps.jsonl; kind is one of trace.StepKind, the rest is optional,
// unknown fields are an error:
//
//	{"kind": "action", "tool": "bash", "thought": "…", "action": "…",
//	 "observation": "…", "error": true, "exit_code": 1, "duration_ms": 420,
//	 "input_tokens": 1200, "output_tokens": 90, "cost_usd": 0.002}
package bundled
