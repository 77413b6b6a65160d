// Package evidence turns one trace into the text a reviewer reads, in one of the
// evidence forms of paper G §3–4, within a token budget, and audits that text for
// hidden material before a vote is asked.
//
// A rendered text is a function of its input, form and budget alone: the same
// three give the same bytes and so the same hash. Its lines are numbered, so that
// a reviewer cites lines and a page can light them up.
//
// The input of Render has no place for an oracle, a label or a bucket. Only the
// two official forms read aggregate outcomes of the official suites.
package evidence
