// Package jobs carries work through River, on PostgreSQL and on SQLite alike. It
// is the only package that knows River. Jobs hold ids only and are transport: the
// state of the work is in the store, so that a job lost with its worker costs
// nothing but a few seconds.
package jobs
