package reviewer

import (
	"context"
	"errors"
	"net/http"
	"strings"
	"testing"
	"time"

	"plumbline/experiments/vote"
	"plumbline/runner/reviewer/reviewertest"
)

func TestFaults(t *testing.T) {
	rt := reviewertest.Once
	tests := []struct {
		name     string
		fault    func(reviewertest.Call) reviewertest.Fault
		timeout  float64
		class    Class // empty: an answer
		status   int
		attempts int
		message  string // part of the message, or of the last failure before an answer
	}{
		{"429 then answer", rt(reviewertest.RateLimited(-1)), 0, "", 0, 2, "slow down"},
		{"500 then answer", rt(reviewertest.Status(500, "boom")), 0, "", 0, 2, "boom"},
		{"503 page, reset, half, hang, then answer", rt(reviewertest.HTML(503), reviewertest.Reset(), reviewertest.Half(), reviewertest.Hang()), 0.2, "", 0, 5, "no complete answer in time"},
		{"half a body as if whole, then answer", rt(reviewertest.HalfWhole()), 0, "", 0, 2, "not the JSON"},
		{"429 for ever", reviewertest.Always(reviewertest.RateLimited(0)), 0, ClassRateLimited, 429, 5, "slow down"},
		{"529", reviewertest.Always(reviewertest.Status(529, "overloaded")), 0, ClassRateLimited, 529, 5, "overloaded"},
		{"500 for ever", reviewertest.Always(reviewertest.Status(500, "boom")), 0, ClassServer, 500, 5, "boom"},
		{"web page with 502", reviewertest.Always(reviewertest.HTML(502)), 0, ClassServer, 502, 5, "Bad Gateway nginx"},
		{"web page with 200", reviewertest.Always(reviewertest.HTML(200)), 0, ClassMalformed, 200, 5, "web page"},
		{"half a body", reviewertest.Always(reviewertest.Half()), 0, ClassNetwork, 0, 5, "in the middle"},
		{"empty body", reviewertest.Always(reviewertest.RawBody(200, "application/json", "")), 0, ClassMalformed, 200, 5, "empty"},
		{"no choices", reviewertest.Always(reviewertest.RawBody(200, "application/json", `{"choices":[]}`)), 0, ClassMalformed, 200, 5, "no choice"},
		{"hang", reviewertest.Always(reviewertest.Hang()), 0.05, ClassTimeout, 0, 5, "in time"},
		{"reset", reviewertest.Always(reviewertest.Reset()), 0, ClassNetwork, 0, 5, "reset by peer"},
		{"error object in a 200", reviewertest.Always(reviewertest.ErrorIn200("server_error", "gpu on fire")), 0, ClassServer, 200, 5, "gpu on fire"},
		{"rate limit in a 200", rt(reviewertest.ErrorIn200("rate_limit_exceeded", "later")), 0, "", 0, 2, "later"},
		{"400", reviewertest.Always(reviewertest.Status(400, "messages: too long")), 0, ClassBadRequest, 400, 1, "too long"},
		{"404", reviewertest.Always(reviewertest.Status(404, "no such model")), 0, ClassBadRequest, 404, 1, "no such model"},
		{"403", reviewertest.Always(reviewertest.Status(403, "not yours")), 0, ClassAuth, 403, 1, "not yours"},
		{"no money", reviewertest.Always(reviewertest.RawBody(429, "application/json", `{"error":{"message":"pay","type":"insufficient_quota"}}`)), 0, ClassAuth, 429, 1, "pay"},
		{"filter", reviewertest.Always(reviewertest.RawBody(400, "application/json", `{"error":{"message":"blocked","code":"content_filter"}}`)), 0, ClassContentFilter, 400, 1, "blocked"},
		{"redirect", reviewertest.Always(func(w http.ResponseWriter, r *http.Request, _ *reviewertest.Given) {
			http.Redirect(w, r, "http://elsewhere.invalid/", http.StatusTemporaryRedirect)
		}), 0, ClassBadRequest, 307, 1, "redirects"},
	}
	for _, tt := range tests {
		t.Run(tt.name, func(t *testing.T) {
			t.Parallel()
			srv := reviewertest.New(t, reviewertest.Options{Fault: tt.fault, Answer: func(reviewertest.Call) string { return reviewertest.Decide("reject") }})
			d, _ := testDeps(t)
			spec := openAISpec(srv)
			spec.TimeoutS = tt.timeout
			a, err := mustNew(t, spec, d).Ask(t.Context(), testRequest(t, 0))
			if got := srv.Stats().Requests; got != tt.attempts {
				t.Errorf("%d requests, want %d", got, tt.attempts)
			}
			if tt.class == "" {
				if err != nil {
					t.Fatal(err)
				}
				if a.Reply.Vote != vote.Reject || a.Attempts != tt.attempts || len(a.Failures) != tt.attempts-1 {
					t.Errorf("vote %s after %d attempts with failures %+v", a.Reply.Vote, a.Attempts, a.Failures)
				}
				if last := a.Failures[len(a.Failures)-1]; !strings.Contains(last.Message, tt.message) || last.Waited <= 0 {
					t.Errorf("last failure %+v, want %q and a wait", last, tt.message)
				}
				return
			}
			e := asError(t, err)
			if e.Class != tt.class || e.Status != tt.status || e.Attempts != tt.attempts || len(e.Failures) != tt.attempts-1 {
				t.Errorf("%+v, want class %s, status %d, %d attempts", e, tt.class, tt.status, tt.attempts)
			}
			if !strings.Contains(e.Message, tt.message) || strings.ContainsAny(e.Message, "<>") {
				t.Errorf("message %q, want %q and no markup", e.Message, tt.message)
			}
			if e.Permanent != (tt.attempts == 1) {
				t.Errorf("permanent is %v after %d attempts", e.Permanent, tt.attempts)
			}
		})
	}
}

func TestNothingListens(t *testing.T) {
	srv := reviewertest.Start(reviewertest.Options{})
	srv.Close()
	d, _ := testDeps(t)
	_, err := mustNew(t, openAISpec(srv), d).Ask(t.Context(), testRequest(t, 0))
	if e := asError(t, err); e.Class != ClassNetwork || !strings.Contains(e.Message, "refused") {
		t.Errorf("%+v", e)
	}
}

func TestWaits(t *testing.T) {
	in := func(d, low, high time.Duration) bool { return d >= low && d <= high }
	tests := []struct {
		name      string
		fault     reviewertest.Fault
		low, high time.Duration
	}{
		{"seconds", reviewertest.RateLimited(3 * time.Second), 3 * time.Second, 3750 * time.Millisecond},
		{"date", reviewertest.RateLimitedUntil(time.Now().Add(20 * time.Second)), 15 * time.Second, 25 * time.Second},
		{"a date that is over", reviewertest.RateLimitedUntil(time.Now().Add(-time.Hour)), 50 * time.Millisecond, 500 * time.Millisecond},
		{"absent", reviewertest.RateLimited(-1), 50 * time.Millisecond, 500 * time.Millisecond},
	}
	for _, tt := range tests {
		t.Run(tt.name, func(t *testing.T) {
			srv := reviewertest.New(t, reviewertest.Options{Fault: reviewertest.Once(tt.fault)})
			d, w := testDeps(t)
			a, err := mustNew(t, openAISpec(srv), d).Ask(t.Context(), testRequest(t, 0))
			if err != nil {
				t.Fatal(err)
			}
			if len(w.all) == 0 || !in(w.all[0], tt.low, tt.high) || a.Failures[0].Waited != w.all[0] {
				t.Errorf("waited %v, want one of %v to %v first", w.all, tt.low, tt.high)
			}
		})
	}
}

func TestBackoffGrowsAndIsJittered(t *testing.T) {
	srv := reviewertest.New(t, reviewertest.Options{Fault: reviewertest.Always(reviewertest.Status(500, "x"))})
	run := func(jitter float64) []time.Duration {
		d, w := testDeps(t)
		d.jitter = func() float64 { return jitter }
		spec := openAISpec(srv)
		spec.MaxAttempts = 9
		if _, err := mustNew(t, spec, d).Ask(t.Context(), testRequest(t, 0)); err == nil {
			t.Fatal("no error")
		}
		return w.all
	}
	low, high := run(0), run(0.999)
	for i := range low {
		if low[i] >= high[i] || low[i] <= 0 || high[i] > backoffMax {
			t.Errorf("wait %d is between %v and %v", i, low[i], high[i])
		}
		if i > 0 && high[i] < high[i-1] {
			t.Errorf("wait %d is at most %v after %v", i, high[i], high[i-1])
		}
	}
	if len(low) != 8 || high[7] < 25*time.Second {
		t.Errorf("waits %v to %v", low, high)
	}
}

func TestALongRetryAfterIsReturned(t *testing.T) {
	srv := reviewertest.New(t, reviewertest.Options{Fault: reviewertest.Always(reviewertest.RateLimited(time.Hour))})
	d, w := testDeps(t)
	_, err := mustNew(t, openAISpec(srv), d).Ask(t.Context(), testRequest(t, 0))
	if e := asError(t, err); e.RetryAfter != time.Hour || e.Attempts != 1 || e.Permanent || len(w.all) != 0 {
		t.Errorf("%+v after waits %v", e, w.all)
	}
}

func TestTheCallerGivesUp(t *testing.T) {
	srv := reviewertest.New(t, reviewertest.Options{Fault: reviewertest.Always(reviewertest.Hang())})
	d, _ := testDeps(t)
	ctx, cancel := context.WithTimeout(t.Context(), 50*time.Millisecond)
	defer cancel()
	_, err := mustNew(t, openAISpec(srv), d).Ask(ctx, testRequest(t, 0))
	if e := asError(t, err); e.Class != ClassCanceled || !errors.Is(err, context.DeadlineExceeded) || e.Attempts != 1 {
		t.Errorf("%+v", e)
	}
}

func TestAnswersHaveALimit(t *testing.T) {
	big := strings.Repeat("x", maxBody+10)
	srv := reviewertest.New(t, reviewertest.Options{Fault: reviewertest.Always(reviewertest.RawBody(200, "application/json", big))})
	d, _ := testDeps(t)
	spec := openAISpec(srv)
	spec.MaxAttempts = 1
	_, err := mustNew(t, spec, d).Ask(t.Context(), testRequest(t, 0))
	if e := asError(t, err); e.Class != ClassMalformed || !strings.Contains(e.Message, "8 MB") {
		t.Errorf("%+v", e)
	}
}
