// Package export writes what the store holds in forms that other tools take:
// votes, decisions and rates as CSV, JSON lines or Parquet; traces and predictions
// as JSON lines; votes as an Inspect log. It does no I/O of its own and streams:
// one row, or one step of a trace, is held at a time, in Parquet one row group.
//
// The three table forms have the same columns in the same order. Null in JSON and
// Parquet and an empty cell in CSV are unknown. Package formats reads all of it
// back to the same data.
//
// Nothing here can hold oracle data: the rows have no place for it.
package export
