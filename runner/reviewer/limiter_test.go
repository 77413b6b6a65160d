package reviewer

import (
	"context"
	"errors"
	"sync"
	"testing"
	"time"

	"plumbline/runner/reviewer/reviewertest"
)

func TestLimitsAreSharedByAllCallers(t *testing.T) {
	srv := reviewertest.New(t, reviewertest.Options{Latency: 5 * time.Millisecond})
	other := reviewertest.New(t, reviewertest.Options{Latency: 5 * time.Millisecond})
	d, _ := testDeps(t)
	a, b := openAISpec(srv), openAISpec(srv)
	a.Concurrency, b.Concurrency, b.Model = 4, 4, "another"
	c := openAISpec(other)
	c.Concurrency = 6
	var wg sync.WaitGroup
	for _, s := range []Spec{a, b, c} {
		r := mustNew(t, s, d)
		for i := range 30 {
			wg.Add(1)
			go func() {
				defer wg.Done()
				if _, err := r.Ask(t.Context(), testRequest(t, i)); err != nil {
					t.Error(err)
				}
			}()
		}
	}
	wg.Wait()
	if got := srv.Stats().MaxInFlight; got != 4 {
		t.Errorf("%d requests in flight at one endpoint, want 4", got)
	}
	if got := other.Stats().MaxInFlight; got != 6 {
		t.Errorf("%d requests in flight at the other, want 6", got)
	}
	if n := d.Limits.InFlight(a); n != 0 {
		t.Errorf("%d places are still taken", n)
	}
}

// fakeTime is a clock that goes on when somebody sleeps.
type fakeTime struct {
	mu sync.Mutex
	at time.Time
}

func (f *fakeTime) now() time.Time {
	f.mu.Lock()
	defer f.mu.Unlock()
	return f.at
}

func (f *fakeTime) sleep(ctx context.Context, d time.Duration) error {
	f.mu.Lock()
	defer f.mu.Unlock()
	f.at = f.at.Add(d)
	return ctx.Err()
}

func TestLimiterSpacesStarts(t *testing.T) {
	clock := &fakeTime{at: time.Unix(1000, 0)}
	l := &limiter{now: clock.now}
	for i := range 5 {
		if err := l.acquire(t.Context(), 100, 4, clock.sleep); err != nil {
			t.Fatal(err)
		}
		if got, want := clock.now().Sub(time.Unix(1000, 0)), time.Duration(i)*250*time.Millisecond; got != want {
			t.Errorf("start %d after %v, want %v", i, got, want)
		}
	}
	l.hold(10 * time.Second)
	if err := l.acquire(t.Context(), 100, 0, clock.sleep); err != nil {
		t.Fatal(err)
	}
	if got, want := clock.now().Sub(time.Unix(1000, 0)), 11*time.Second; got != want {
		t.Errorf("start after a hold at %v, want %v", got, want)
	}
	if l.inFlight != 6 {
		t.Errorf("%d in flight, want 6", l.inFlight)
	}
}

// queued waits until n callers stand in the queue.
func queued(l *limiter, n int) {
	for {
		l.mu.Lock()
		got := len(l.queue)
		l.mu.Unlock()
		if got == n {
			return
		}
		time.Sleep(time.Millisecond)
	}
}

func TestLimiterServesInOrder(t *testing.T) {
	l := &limiter{now: time.Now}
	take := func(ctx context.Context, limit int) error { return l.acquire(ctx, limit, 0, sleep) }
	for range 2 {
		if err := take(t.Context(), 2); err != nil {
			t.Fatal(err)
		}
	}
	// A caller that gives up makes room for the one behind it.
	ctx, cancel := context.WithCancel(t.Context())
	gone := make(chan error, 1)
	go func() { gone <- take(ctx, 1) }()
	queued(l, 1)
	order := make(chan int, 2)
	go func() {
		if take(t.Context(), 1) == nil {
			order <- 1
		}
	}()
	queued(l, 2)
	go func() {
		if take(t.Context(), 1) == nil {
			order <- 2
		}
	}()
	queued(l, 3)
	cancel()
	if err := <-gone; !errors.Is(err, context.Canceled) {
		t.Errorf("error %v", err)
	}
	l.release()
	queued(l, 2) // one place is free, but the first in the queue wants to be alone
	l.release()
	if first := <-order; first != 1 {
		t.Errorf("caller %d was served first", first)
	}
	queued(l, 1)
	l.release()
	if second := <-order; second != 2 {
		t.Errorf("caller %d was served second", second)
	}
	l.release()
	if l.inFlight != 0 || len(l.queue) != 0 {
		t.Errorf("%d in flight, %d waiting", l.inFlight, len(l.queue))
	}
}
