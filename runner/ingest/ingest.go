// Package ingest brings files of other tools into a dataset: it walks files and
// folders, lets experiments/formats read and join them, and stores what was read
// with a report of what was not.
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
	Uploads string                                           // folder that uploads are streamed into
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
	Split  string // name of a split to put the traces into; empty: none
	// Progress is told after each file; nil tells nobody.
	Progress func(done, total int)
}
