package reviewer

import (
	"sync"
	"testing"
	"time"

	"plumbline/runner/reviewer/reviewertest"
)

// askAll asks for n votes with this many callers and gives the time it took.
func askAll(tb testing.TB, r Reviewer, n, callers int) time.Duration {
	tb.Helper()
	req := testRequest(tb, 0)
	next := make(chan int)
	var wg sync.WaitGroup
	start := time.Now()
	for range callers {
		wg.Add(1)
		go func() {
			defer wg.Done()
			for i := range next {
				one := req
				one.VoteIndex = i
				if _, err := r.Ask(tb.Context(), one); err != nil {
					tb.Error(err)
				}
			}
		}()
	}
	for i := range n {
		next <- i
	}
	close(next)
	wg.Wait()
	return time.Since(start)
}

// BenchmarkVotes asks for votes from an endpoint that takes 20 ms, 20 at a time, and
// reports the time over the ideal.
func BenchmarkVotes(b *testing.B) {
	const latency, callers, votes = 20 * time.Millisecond, 20, 2000
	srv := reviewertest.New(b, reviewertest.Options{Latency: latency})
	d := NewDeps()
	defer d.Close()
	r := mustNew(b, openAISpec(srv), d)
	askAll(b, r, callers, callers)
	b.ReportAllocs()
	b.ResetTimer()
	var took time.Duration
	for b.Loop() {
		took += askAll(b, r, votes, callers)
	}
	ideal := time.Duration(b.N) * votes / callers * latency
	b.ReportMetric(float64(took)/float64(ideal), "of-ideal")
	b.ReportMetric(float64(votes*b.N)/took.Seconds(), "votes/s")
}

// Connections are reused: as many as callers, whatever the number of votes.
func TestConnectionsAreReused(t *testing.T) {
	srv := reviewertest.New(t, reviewertest.Options{})
	d, _ := testDeps(t)
	askAll(t, mustNew(t, openAISpec(srv), d), 400, 20)
	if got := srv.Connections(); got > 25 {
		t.Errorf("%d connections for 20 callers", got)
	}
}
