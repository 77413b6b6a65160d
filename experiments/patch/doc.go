// Package patch reads unified diffs the way agents really produce them and
// answers the questions the record asks about a patch: which files, how many
// lines, is it a change at all, does it touch anything but tests.
//
// Parse never fails and never panics. It is lenient where agents are sloppy
// (prose, Markdown fences, terminal colours, hunk headers whose lengths lie, a
// diff cut off in the middle) and says so in the flags of the result instead of
// guessing silently. Everything is counted again from the lines that are there.
//
// Three questions are kept apart on purpose:
//
//   - State and Stats look at the text as submitted; they feed the import report.
//   - Parse builds files, hunks and numbered lines for display and matching.
//   - StripTests edits text; bytes of the parts it keeps are never changed.
package patch
