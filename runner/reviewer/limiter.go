package reviewer

import (
	"context"
	"sync"
	"time"
)

// Limits holds one limiter for each endpoint and key, so that all callers of a
// process share it: experiments, arms and screening runs alike.
type Limits struct {
	mu  sync.Mutex
	all map[string]*limiter
	now func() time.Time
}

// NewLimits is an empty registry.
func NewLimits() *Limits { return &Limits{all: map[string]*limiter{}, now: time.Now} }

// InFlight is the number of requests in flight for the endpoint and key of a spec.
func (l *Limits) InFlight(s Spec) int {
	x := l.get(endpointKey(s.Filled()))
	x.mu.Lock()
	defer x.mu.Unlock()
	return x.inFlight
}

func endpointKey(s Spec) string { return string(s.Kind) + "\x00" + s.BaseURL + "\x00" + string(s.Key) }

func (l *Limits) get(key string) *limiter {
	l.mu.Lock()
	defer l.mu.Unlock()
	x := l.all[key]
	if x == nil {
		x = &limiter{now: l.now}
		l.all[key] = x
	}
	return x
}

// limiter counts requests in flight and spaces their starts. Each caller brings its
// own limits and holds them against what all callers do together; the queue is first
// come, first served, so that a caller with a small limit is not passed for ever.
type limiter struct {
	now func() time.Time

	mu       sync.Mutex
	inFlight int
	queue    []*waiter
	next     time.Time // earliest start of the next paced request
	pause    time.Time // no start before, as a server asked
}

type waiter struct {
	max   int
	ready chan struct{}
}

// acquire waits for a place. The caller must release it, also before it waits for a
// retry. sleep waits or returns the context's error.
func (l *limiter) acquire(ctx context.Context, limit int, rps float64, sleep sleeper) error {
	if err := ctx.Err(); err != nil {
		return err
	}
	l.mu.Lock()
	if len(l.queue) == 0 && l.inFlight < limit {
		l.inFlight++
		l.mu.Unlock()
	} else {
		w := &waiter{limit, make(chan struct{})}
		l.queue = append(l.queue, w)
		l.mu.Unlock()
		select {
		case <-w.ready:
		case <-ctx.Done():
			if !l.leave(w) {
				l.release() // the place had just been given
			}
			return ctx.Err()
		}
	}
	for {
		wait := l.reserve(rps)
		if wait <= 0 {
			return nil
		}
		if err := sleep(ctx, wait); err != nil {
			l.release()
			return err
		}
		// A paced start is reserved; only a pause that began meanwhile delays it more.
		rps = 0
	}
}

// reserve takes the next start and says how long to wait for it.
func (l *limiter) reserve(rps float64) time.Duration {
	l.mu.Lock()
	defer l.mu.Unlock()
	now := l.now()
	start := now
	if l.pause.After(start) {
		start = l.pause
	}
	if rps > 0 {
		if l.next.After(start) {
			start = l.next
		}
		l.next = start.Add(time.Duration(float64(time.Second) / rps))
	}
	return start.Sub(now)
}

// leave takes a waiter out of the queue; false when it was already served.
func (l *limiter) leave(w *waiter) bool {
	l.mu.Lock()
	defer l.mu.Unlock()
	for i, x := range l.queue {
		if x == w {
			l.queue = append(l.queue[:i], l.queue[i+1:]...)
			l.serve()
			return true
		}
	}
	return false
}

func (l *limiter) release() {
	l.mu.Lock()
	defer l.mu.Unlock()
	l.inFlight--
	l.serve()
}

// serve admits waiters from the front while they fit.
func (l *limiter) serve() {
	for len(l.queue) > 0 && l.inFlight < l.queue[0].max {
		l.inFlight++
		close(l.queue[0].ready)
		l.queue = l.queue[1:]
	}
}

// hold delays every start of the endpoint, as a Retry-After asks.
func (l *limiter) hold(d time.Duration) {
	l.mu.Lock()
	defer l.mu.Unlock()
	if until := l.now().Add(d); until.After(l.pause) {
		l.pause = until
	}
}
