// Package models stores everything Plumbline knows. It is the only package that
// knows gorm. A Store is opened on PostgreSQL or on an embedded SQLite file and
// behaves alike on both; its methods take the context and the Viewer, own their
// transaction and answer ErrNotFound for what the viewer may not see.
//
// Truth is in these tables: experiments → arms → items (arm × trace) → votes
// (item, index) → decision. Queue rows are transport only. Large texts live in
// tables of their own (trace_texts, trace_step_texts, instance_texts,
// vote_texts, evidences), so that no list reads a blob. What only labels may
// depend on lives in instance_oracles.
//
// Times are UTC, cut to microseconds. Texts are valid UTF-8 without NUL: Clean
// replaces what is not.
package models
