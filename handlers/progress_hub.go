package handlers

import (
	"context"
	"log/slog"
	"sync"
	"time"

	"plumbline/models"
)

// progressHub reads the progress of the experiments that somebody watches, once
// for all watchers, and hands it on. A watcher that does not keep up misses
// intermediate states and never holds up the others. Web and work processes meet
// in the database alone.
type progressHub struct {
	store *models.Store
	log   *slog.Logger

	mu       sync.Mutex
	watchers map[string]map[chan models.Progress]bool // by experiment id
	quit     chan struct{}
	done     sync.WaitGroup
}

const progressEvery = 400 * time.Millisecond

func newProgressHub(s *models.Store, log *slog.Logger) *progressHub {
	h := &progressHub{store: s, log: log, watchers: make(map[string]map[chan models.Progress]bool), quit: make(chan struct{})}
	h.done.Add(1)
	go h.run()
	return h
}

// watch subscribes to an experiment. The channel holds the newest state only and
// is closed when the server ends.
func (h *progressHub) watch(experimentID string) (<-chan models.Progress, func()) {
	ch := make(chan models.Progress, 1)
	h.mu.Lock()
	defer h.mu.Unlock()
	select {
	case <-h.quit:
		close(ch)
		return ch, func() {}
	default:
	}
	if h.watchers[experimentID] == nil {
		h.watchers[experimentID] = make(map[chan models.Progress]bool)
	}
	h.watchers[experimentID][ch] = true
	return ch, func() {
		h.mu.Lock()
		defer h.mu.Unlock()
		delete(h.watchers[experimentID], ch)
		if len(h.watchers[experimentID]) == 0 {
			delete(h.watchers, experimentID)
		}
	}
}

func (h *progressHub) close() {
	h.mu.Lock()
	select {
	case <-h.quit:
		h.mu.Unlock()
		return
	default:
		close(h.quit)
	}
	h.mu.Unlock()
	h.done.Wait()
	h.mu.Lock()
	defer h.mu.Unlock()
	for _, chans := range h.watchers {
		for ch := range chans {
			close(ch)
		}
	}
	h.watchers = nil
}

func (h *progressHub) run() {
	defer h.done.Done()
	tick := time.NewTicker(progressEvery)
	defer tick.Stop()
	for {
		select {
		case <-h.quit:
			return
		case <-tick.C:
			h.poll()
		}
	}
}

func (h *progressHub) poll() {
	h.mu.Lock()
	ids := make([]string, 0, len(h.watchers))
	for id := range h.watchers {
		ids = append(ids, id)
	}
	h.mu.Unlock()
	for _, id := range ids {
		ctx, cancel := context.WithTimeout(context.Background(), 5*time.Second)
		// Who may watch was decided when the stream was opened.
		p, err := h.store.Progress(ctx, models.LocalAdmin(), id)
		cancel()
		if err != nil {
			h.log.Warn("progress not read", "experiment", id, "err", err)
			continue
		}
		h.mu.Lock()
		for ch := range h.watchers[id] {
			select {
			case <-ch: // drop the state nobody took
			default:
			}
			ch <- p
		}
		h.mu.Unlock()
	}
}
