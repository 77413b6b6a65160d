package reviewer

import (
	"context"
	"errors"
	"sync"
	"testing"
	"time"

	"go.uber.org/goleak"

	"plumbline/experiments/evidence"
	"plumbline/experiments/review"
	"plumbline/experiments/trace"
	"plumbline/runner/reviewer/reviewertest"
)

func TestMain(m *testing.M) { goleak.VerifyTestMain(m) }

// waits records waits in place of sleeping them; its clock goes on by each.
type waits struct {
	mu  sync.Mutex
	at  time.Time
	all []time.Duration
}

func (w *waits) now() time.Time {
	w.mu.Lock()
	defer w.mu.Unlock()
	return w.at
}

func (w *waits) sleep(ctx context.Context, d time.Duration) error {
	w.mu.Lock()
	w.all = append(w.all, d)
	w.at = w.at.Add(d)
	w.mu.Unlock()
	return ctx.Err()
}

func testDeps(t testing.TB) (Deps, *waits) {
	t.Helper()
	d := NewDeps()
	t.Cleanup(d.Close)
	w := &waits{at: time.Now()}
	d.sleep, d.Limits.now = w.sleep, w.now
	d.jitter = func() float64 { return 0.5 }
	d.Env = func(name string) (string, bool) {
		v, ok := map[string]string{"GOOD": testKey, "WRONG": wrongKey}[name]
		return v, ok
	}
	return d, w
}

const (
	testKey  = "sk-test-1234567890abcdef"
	wrongKey = "wr0ng+k3y/that=no.pattern~knows"
)

func openAISpec(s *reviewertest.Server) Spec {
	return Spec{Kind: KindOpenAI, BaseURL: s.URL, Model: "m", Concurrency: 20}
}

func anthropicSpec(s *reviewertest.Server) Spec {
	return Spec{Kind: KindAnthropic, BaseURL: s.Root, Model: "m", Concurrency: 20}
}

func mustNew(t testing.TB, s Spec, d Deps) Reviewer {
	t.Helper()
	r, err := New(s, d)
	if err != nil {
		t.Fatal(err)
	}
	return r
}

func testRequest(t testing.TB, index int) Request {
	t.Helper()
	ev, err := evidence.Render(evidence.Input{
		Issue: "Empty input should give an empty list.", PatchState: trace.PatchText,
		Patch: "--- a/x.py\n+++ b/x.py\n@@ -1 +1,2 @@\n-return None\n+if not text:\n+    return []\n",
		Tests: &trace.TestCounts{FailToPassOK: 1, FailToPassAll: 2, PassToPassOK: 3, PassToPassAll: 3, Applied: true},
	}, evidence.Official, 0)
	if err != nil {
		t.Fatal(err)
	}
	m, err := review.Prompt(ev, review.Current)
	if err != nil {
		t.Fatal(err)
	}
	return Request{TraceID: "trace-1", Form: evidence.Official, VoteIndex: index, Seed: 7, Messages: m, Truth: trace.Defective}
}

func asError(t *testing.T, err error) *Error {
	t.Helper()
	var e *Error
	if !errors.As(err, &e) {
		t.Fatalf("error %v (%T), want an *Error", err, err)
	}
	return e
}
