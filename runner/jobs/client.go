package jobs

import (
	"context"
	"database/sql"
	"encoding/json"
	"errors"
	"fmt"
	"log/slog"
	"runtime"
	"time"

	"github.com/riverqueue/river"
	"github.com/riverqueue/river/riverdriver"
	"github.com/riverqueue/river/riverdriver/riverdatabasesql"
	"github.com/riverqueue/river/riverdriver/riversqlite"
	"github.com/riverqueue/river/rivermigrate"
	"github.com/riverqueue/river/rivertype"

	"plumbline/models"
)

// Queue puts jobs into the database. It needs no worker.
type Queue struct{ client *river.Client[*sql.Tx] }

// Migrate brings the queue's own tables up to date.
func Migrate(ctx context.Context, s *models.Store) error {
	m, err := rivermigrate.New(driver(s), &rivermigrate.Config{Logger: slog.New(slog.DiscardHandler)})
	if err != nil {
		return fmt.Errorf("read the queue's migrations: %w", err)
	}
	if _, err := m.Migrate(ctx, rivermigrate.DirectionUp, nil); err != nil {
		return fmt.Errorf("migrate the queue: %w", err)
	}
	return nil
}

func driver(s *models.Store) riverdriver.Driver[*sql.Tx] {
	if s.Pool() != nil {
		return riverdatabasesql.NewWithPgxListener(s.WriteDB(), s.Pool())
	}
	return riversqlite.New(s.WriteDB())
}

// NewQueue opens the queue of a store for inserting.
func NewQueue(s *models.Store, log *slog.Logger) (*Queue, error) {
	c, err := river.NewClient(driver(s), &river.Config{Logger: log})
	if err != nil {
		return nil, fmt.Errorf("open the queue: %w", err)
	}
	return &Queue{c}, nil
}

// EnqueueShards is a models.Enqueue.
func (q *Queue) EnqueueShards(ctx context.Context, tx *sql.Tx, shards []models.ShardRef) error {
	for len(shards) > 0 {
		n := min(len(shards), 1000)
		many := make([]river.InsertManyParams, n)
		for i, ref := range shards[:n] {
			many[i] = river.InsertManyParams{Args: ShardArgs{ShardID: ref.ShardID, Generation: ref.Generation}}
		}
		if _, err := q.client.InsertManyTx(ctx, tx, many); err != nil {
			return fmt.Errorf("queue %d shards: %w", n, err)
		}
		shards = shards[n:]
	}
	return nil
}

// EnqueueLabels is a models.EnqueueLabels.
func (q *Queue) EnqueueLabels(ctx context.Context, tx *sql.Tx, tasks []models.LabelTaskRef) error {
	for len(tasks) > 0 {
		n := min(len(tasks), 1000)
		many := make([]river.InsertManyParams, n)
		for i, ref := range tasks[:n] {
			many[i] = river.InsertManyParams{Args: LabelArgs{TaskID: ref.TaskID, Generation: ref.Generation}}
		}
		if _, err := q.client.InsertManyTx(ctx, tx, many); err != nil {
			return fmt.Errorf("queue %d label tasks: %w", n, err)
		}
		tasks = tasks[n:]
	}
	return nil
}

// EnqueueImport queues the reading of an upload.
func (q *Queue) EnqueueImport(ctx context.Context, reportID string) error {
	if _, err := q.client.Insert(ctx, ImportArgs{ReportID: reportID}, nil); err != nil {
		return fmt.Errorf("queue import %s: %w", reportID, err)
	}
	return nil
}

// Options of a Worker.
type Options struct {
	Shards  int  // shards performed at a time; 0 takes 8, less leaves them to other workers
	Imports bool // read uploads too, which needs the server's disk
	// Labels performs label tasks, LabelTasks of them at a time (0 takes one for each
	// processor); nil leaves them to other workers. They need a sandbox, and the
	// repositories that a run names.
	Labels     Labeller
	LabelTasks int
	Log        *slog.Logger
}

// Worker performs jobs until Stop.
type Worker struct{ client *river.Client[*sql.Tx] }

// StartWorker starts performing jobs. With a nil Performer it performs label tasks
// alone.
func StartWorker(ctx context.Context, s *models.Store, do Performer, o Options) (*Worker, error) {
	if o.Shards == 0 {
		o.Shards = 8
	}
	if o.LabelTasks <= 0 {
		o.LabelTasks = runtime.NumCPU()
	}
	workers := river.NewWorkers()
	queues := map[string]river.QueueConfig{}
	if do != nil {
		river.AddWorker(workers, &shardWorker{do: do})
		river.AddWorker(workers, &importWorker{do: do})
		if o.Shards > 0 {
			queues[queueReview] = river.QueueConfig{MaxWorkers: o.Shards}
		}
		if o.Imports {
			queues[queueImport] = river.QueueConfig{MaxWorkers: 1}
		}
	}
	if o.Labels != nil {
		river.AddWorker(workers, &labelWorker{do: o.Labels})
		queues[queueLabel] = river.QueueConfig{MaxWorkers: o.LabelTasks}
	}
	c, err := river.NewClient(driver(s), &river.Config{
		Queues: queues, Workers: workers, Logger: o.Log,
		// At the default of 100 ms each worker is capped at 10 jobs a second.
		FetchCooldown: 10 * time.Millisecond, FetchPollInterval: 500 * time.Millisecond,
		JobTimeout: shardTimeout, RescueStuckJobsAfter: shardTimeout + time.Hour,
	})
	if err != nil {
		return nil, fmt.Errorf("make the worker: %w", err)
	}
	// Start's context is the jobs' too; it must outlive the request to stop.
	if err := c.Start(context.WithoutCancel(ctx)); err != nil {
		return nil, fmt.Errorf("start the worker: %w", err)
	}
	return &Worker{c}, nil
}

// Stop tells running jobs to end, which lets calls in flight end first, and
// waits for them until ctx is over.
func (w *Worker) Stop(ctx context.Context) error {
	if err := w.client.StopAndCancel(ctx); err != nil {
		return fmt.Errorf("stop the worker: %w", err)
	}
	return nil
}

// LiveShards lists the shards for which a job waits. Running jobs are not among
// them: whether a worker is alive is known by its lease alone.
func (q *Queue) LiveShards(ctx context.Context) (map[models.ShardRef]bool, error) {
	live := make(map[models.ShardRef]bool)
	err := q.waiting(ctx, ShardArgs{}.Kind(), func(args []byte) error {
		ref, err := decodeShard(args)
		live[ref] = true
		return err
	})
	return live, err
}

// LiveLabels lists the label tasks for which a job waits.
func (q *Queue) LiveLabels(ctx context.Context) (map[models.LabelTaskRef]bool, error) {
	live := make(map[models.LabelTaskRef]bool)
	err := q.waiting(ctx, LabelArgs{}.Kind(), func(raw []byte) error {
		var a LabelArgs
		err := json.Unmarshal(raw, &a)
		live[models.LabelTaskRef{TaskID: a.TaskID, Generation: a.Generation}] = true
		return err
	})
	return live, err
}

// waiting calls f with the arguments of each job of a kind that waits.
func (q *Queue) waiting(ctx context.Context, kind string, f func(args []byte) error) error {
	p := river.NewJobListParams().Kinds(kind).First(10000).
		States(rivertype.JobStateAvailable, rivertype.JobStatePending, rivertype.JobStateRetryable, rivertype.JobStateScheduled)
	for {
		res, err := q.client.JobList(ctx, p)
		if err != nil {
			return fmt.Errorf("list waiting jobs: %w", err)
		}
		for _, row := range res.Jobs {
			if err := f(row.EncodedArgs); err != nil {
				return errors.Join(fmt.Errorf("read job %d", row.ID), err)
			}
		}
		if res.LastCursor == nil || len(res.Jobs) < 10000 {
			return nil
		}
		p = p.After(res.LastCursor)
	}
}
