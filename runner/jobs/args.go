package jobs

import (
	"time"

	"github.com/riverqueue/river"
)

// Queues. Imports read files on the disk of the server that took the upload, so
// workers elsewhere leave that queue alone.
const (
	queueReview = "review"
	queueImport = "import"
	queueLabel  = "label"
)

// ShardArgs asks for a shard at a generation; a job for an older generation is void.
type ShardArgs struct {
	ShardID    string `json:"shard_id"`
	Generation int    `json:"generation"`
}

// Kind names the job.
func (ShardArgs) Kind() string { return "review_shard" }

// InsertOpts: a shard that failed is found again by its lease, so that few
// attempts are enough.
func (ShardArgs) InsertOpts() river.InsertOpts {
	return river.InsertOpts{Queue: queueReview, MaxAttempts: 3}
}

// shardTimeout ends a shard that hangs in spite of every call's own time-out.
const shardTimeout = 6 * time.Hour

// ImportArgs asks for an upload to be read into a dataset.
type ImportArgs struct {
	ReportID string `json:"report_id"`
}

// Kind names the job.
func (ImportArgs) Kind() string { return "import" }

// InsertOpts: reading a file again is safe, but seldom better the second time.
func (ImportArgs) InsertOpts() river.InsertOpts {
	return river.InsertOpts{Queue: queueImport, MaxAttempts: 2}
}

const importTimeout = 6 * time.Hour

// LabelArgs asks for a label task at a generation; a job for an older generation is
// void.
type LabelArgs struct {
	TaskID     string `json:"task_id"`
	Generation int    `json:"generation"`
}

// Kind names the job.
func (LabelArgs) Kind() string { return "label_task" }

// InsertOpts: a task that failed is found again by its lease.
func (LabelArgs) InsertOpts() river.InsertOpts {
	return river.InsertOpts{Queue: queueLabel, MaxAttempts: 3}
}

// labelTimeout ends a task that hangs in spite of the limits of every run in it;
// it goes on where it was.
const labelTimeout = 6 * time.Hour
