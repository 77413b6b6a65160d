package jobs

import (
	"context"
	"time"

	"github.com/riverqueue/river"

	"plumbline/models"
)

// Performer does the work that jobs ask for.
type Performer interface {
	PerformShard(ctx context.Context, ref models.ShardRef) error
	PerformImport(ctx context.Context, reportID string) error
}

type shardWorker struct {
	river.WorkerDefaults[ShardArgs]
	do Performer
}

func (w *shardWorker) Timeout(*river.Job[ShardArgs]) time.Duration { return shardTimeout }

func (w *shardWorker) Work(ctx context.Context, job *river.Job[ShardArgs]) error {
	return w.do.PerformShard(ctx, models.ShardRef{ShardID: job.Args.ShardID, Generation: job.Args.Generation})
}

type importWorker struct {
	river.WorkerDefaults[ImportArgs]
	do Performer
}

func (w *importWorker) Timeout(*river.Job[ImportArgs]) time.Duration { return importTimeout }

func (w *importWorker) Work(ctx context.Context, job *river.Job[ImportArgs]) error {
	return w.do.PerformImport(ctx, job.Args.ReportID)
}

// Labeller performs label tasks.
type Labeller interface {
	PerformLabel(ctx context.Context, ref models.LabelTaskRef) error
}

type labelWorker struct {
	river.WorkerDefaults[LabelArgs]
	do Labeller
}

func (w *labelWorker) Timeout(*river.Job[LabelArgs]) time.Duration { return labelTimeout }

func (w *labelWorker) Work(ctx context.Context, job *river.Job[LabelArgs]) error {
	return w.do.PerformLabel(ctx, models.LabelTaskRef{TaskID: job.Args.TaskID, Generation: job.Args.Generation})
}
