// Package formats reads the files that agents, evaluation harnesses and analyzers
// leave behind, and joins what several files say about one attempt.
//
// It does no I/O of its own. Somebody else walks folders and archives, undoes
// compression, and for each file does
//
//	format, _ := formats.Sniff(path, head)             // head: the first SniffLen bytes
//	report, err := formats.Read(format, r, src, emit)  // emit gets the records in order
//	joiner.File(report)
//
// with emit handing each Record to Joiner.Add and, if wanted, to a store. After
// the last file, Joiner.Finish gives attempts, instances and a report of what was
// read, skipped, joined, repeated and contradictory, with every reason counted.
//
// # Reading rules
//
//   - The content decides the format, the name only where contents are alike.
//   - A bad record is a *Problem with file, line, field and reason; reading goes
//     on behind it. Read returns an error only for a failing reader or emit.
//   - Memory stays flat. Lines are split on LF only and may have any length; of a
//     trajectory one step is held at a time. Steps are emitted before the
//     Trajectory that they belong to and name its Ref.
//   - A Joiner keeps hashes, counts and positions, not texts (see Options). Ref
//     names a record inside an import, so that a second pass over the same files
//     can fetch the texts of the attempts that were joined.
//   - Unknown is nil or empty, never zero. A count that can be recomputed is.
//
// # Outcomes
//
// "Not resolved" keeps its reason. Judge turns an outcome into a label: only a
// judged failure is a defect. When reports of an attempt disagree the label stays
// unknown and the conflict is listed. Resolved ids of a run report say nothing
// about instances nobody attempted here.
package formats
