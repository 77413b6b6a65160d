// Package ingest brings files of other tools into a dataset: it walks files,
// folders and archives, lets experiments/formats read and join them, and stores
// what was read with a report of what was not.
//
// Files are read twice. The first pass joins what they say of each attempt and
// keeps no text; the second fetches the texts that the store lacks and stores each
// attempt in one piece. Memory is bounded by the number of attempts and by the
// largest single text, not by the size of the files.
package ingest

import (
	"context"
	"log/slog"

	"plumbline/models"
)

// Config of an Ingest.
type Config struct {
	Store   *models.Store
	Enqueue func(ctx context.Context, reportID string) error // queues the reading of an upload
	Uploads string                                           // folder of uploads and temporary files; empty: the system's place for the latter
	Log     *slog.Logger
}

// Ingest imports files. Make one with New.
type Ingest struct {
	store   *models.Store
	enqueue func(ctx context.Context, reportID string) error
	uploads string
	log     *slog.Logger
}

// New makes an Ingest.
func New(c Config) *Ingest {
	if c.Log == nil {
		c.Log = slog.Default()
	}
	return &Ingest{store: c.Store, enqueue: c.Enqueue, uploads: c.Uploads, log: c.Log}
}

// Options of an import.
type Options struct {
	Format string // name of a format for all files; empty: decided from the content
	Agent  string // replaces what the files say, when not empty
	Model  string
	Split  string // rule of trace.SplitRule; empty: none
	// LabelColumn names a column of tables among the files that labels the attempts;
	// see experiments/labelcolumn. Empty: none does.
	LabelColumn string
	Again       bool // read the files even if an earlier import read the very same
	// Progress is told as the import goes on; nil tells nobody.
	Progress func(Progress)
}
