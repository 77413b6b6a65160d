package jobs

import (
	"context"
	"encoding/json"
	"log/slog"
	"time"

	"plumbline/models"
)

// Requeuer finds shards whose worker died and queues them anew.
type Requeuer interface {
	RequeueLost(ctx context.Context, live func(context.Context) (map[models.ShardRef]bool, error)) (int, error)
}

// Sweep looks for lost work at once and then at every interval until ctx ends.
// The interval bounds how long work of a dead worker waits once its lease ran
// out. Every worker process sweeps; they do not disturb each other.
func Sweep(ctx context.Context, q *Queue, r Requeuer, every time.Duration, log *slog.Logger) {
	sweep(ctx, every, log, "shards", func() (int, error) { return r.RequeueLost(ctx, q.LiveShards) })
}

// LabelRequeuer finds label tasks whose worker died and queues them anew.
type LabelRequeuer interface {
	RequeueLost(ctx context.Context, live func(context.Context) (map[models.LabelTaskRef]bool, error)) (int, error)
}

// SweepLabels is Sweep for label tasks.
func SweepLabels(ctx context.Context, q *Queue, r LabelRequeuer, every time.Duration, log *slog.Logger) {
	sweep(ctx, every, log, "label tasks", func() (int, error) { return r.RequeueLost(ctx, q.LiveLabels) })
}

func sweep(ctx context.Context, every time.Duration, log *slog.Logger, what string, once func() (int, error)) {
	tick := time.NewTicker(every)
	defer tick.Stop()
	for {
		n, err := once()
		switch {
		case err != nil && ctx.Err() == nil:
			log.Error("lost work not requeued", "of", what, "err", err)
		case n > 0:
			log.Info("work of a dead worker requeued", what, n)
		}
		select {
		case <-ctx.Done():
			return
		case <-tick.C:
		}
	}
}

func decodeShard(raw []byte) (models.ShardRef, error) {
	var a ShardArgs
	if err := json.Unmarshal(raw, &a); err != nil {
		return models.ShardRef{}, err
	}
	return models.ShardRef{ShardID: a.ShardID, Generation: a.Generation}, nil
}
