package runner

import (
	"context"
	"log/slog"
	"sync"
	"time"

	"plumbline/models"
)

// keeper renews the leases of all shards that this process works on, and stops
// those whose experiment was asked to stop or that another worker took over.
type keeper struct {
	store *models.Store
	owner string
	lease time.Duration
	log   *slog.Logger

	mu   sync.Mutex
	held map[string]func() // how to stop a shard's work, by shard id

	quit chan struct{}
	done sync.WaitGroup
}

func newKeeper(s *models.Store, owner string, lease time.Duration, log *slog.Logger) *keeper {
	k := &keeper{store: s, owner: owner, lease: lease, log: log, held: make(map[string]func()), quit: make(chan struct{})}
	k.done.Add(1)
	go k.run()
	return k
}

func (k *keeper) hold(shard string, stop func()) {
	k.mu.Lock()
	defer k.mu.Unlock()
	k.held[shard] = stop
}

func (k *keeper) drop(shard string) {
	k.mu.Lock()
	defer k.mu.Unlock()
	delete(k.held, shard)
}

func (k *keeper) close() {
	close(k.quit)
	k.done.Wait()
}

func (k *keeper) run() {
	defer k.done.Done()
	// Stops are noticed at the same beat, so it is shorter than leases need.
	beat := time.NewTicker(min(k.lease/3, 500*time.Millisecond))
	defer beat.Stop()
	for {
		select {
		case <-k.quit:
			return
		case <-beat.C:
			k.renew()
		}
	}
}

func (k *keeper) renew() {
	k.mu.Lock()
	ids := make([]string, 0, len(k.held))
	for id := range k.held {
		ids = append(ids, id)
	}
	k.mu.Unlock()
	if len(ids) == 0 {
		return
	}
	ctx, cancel := context.WithTimeout(context.Background(), k.lease)
	defer cancel()
	stop, err := k.store.KeepShards(ctx, k.owner, ids, k.store.Now().Add(k.lease))
	if err != nil {
		k.log.Warn("leases not renewed", "shards", len(ids), "err", err)
		return
	}
	k.mu.Lock()
	defer k.mu.Unlock()
	for id, halt := range k.held {
		if stop[id] {
			halt()
		}
	}
}
