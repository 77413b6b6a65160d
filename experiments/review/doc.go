// Package review is what stands between an evidence text and a vote: the prompt,
// the schema of the answer, the reading of a reply, and the audit of whether a
// vote misreads what it cites.
package review
