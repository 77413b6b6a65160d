package reviewer

import (
	"context"
	"time"

	"plumbline/experiments/review"
)

// Backoff between attempts: full jitter under a ceiling that doubles.
const (
	backoffBase = 500 * time.Millisecond
	backoffMax  = 30 * time.Second
	// longestWait is the longest Retry-After that a call waits for. A longer one is
	// returned, so that the caller's queue can wait instead of a connection.
	longestWait = 2 * time.Minute
	// maxLearned bounds the steps down in one call: modes and settings.
	maxLearned = 6
)

// Ask asks for one vote, with retries.
func (e *endpoint) Ask(ctx context.Context, req Request) (Answer, error) {
	if e.spec.Tools != nil {
		return Answer{}, &Error{Class: ClassBadRequest, Message: "this reviewer uses tools, which a single answer has no place for", Permanent: true}
	}
	var got reading
	x, fail := e.exchange(ctx, e.learned, func(a accepted) ([]byte, Applied, error) {
		if e.spec.Structured != StructuredAuto {
			a.mode = e.spec.Structured
		} else if a.mode == "" {
			a.mode = e.proto.start(e.spec)
		}
		return e.proto.body(e.spec, a, req)
	}, func(raw []byte) (fail *Error) {
		got, fail = e.proto.answer(raw)
		return fail
	})
	if fail != nil {
		return Answer{}, fail
	}
	a := e.finish(req, got, x.applied)
	a.Latency, a.Attempts, a.Failures = x.took, x.calls, x.failures
	return a, nil
}

// exchanged is a request that was answered.
type exchanged struct {
	applied  Applied
	took     time.Duration // of the attempt that was answered
	calls    int
	failures []Failure
}

// exchange makes calls until one is read, with limits, waits and retries. learned
// names what is remembered of the server's refusals; write gets them and read takes
// the body of a 200.
func (e *endpoint) exchange(ctx context.Context, learned string, write func(accepted) ([]byte, Applied, error), read func([]byte) *Error) (exchanged, *Error) {
	gate := gateOf(ctx)
	var x exchanged
	failed, steps := 0, 0
	for {
		if err := e.limiter.acquire(gate, e.spec.Concurrency, e.spec.RPS, e.deps.sleep); err != nil {
			return x, withHistory(canceled(err), x.calls, x.failures)
		}
		// Written now and not before the wait: hundreds of votes may wait, and a
		// prompt can be large.
		acc := e.deps.refused.get(learned)
		body, applied, err := write(acc)
		if err != nil {
			e.limiter.release()
			return x, &Error{Class: ClassBadRequest, Message: "the request cannot be written", Permanent: true}
		}
		raw, took, fail := e.post(ctx, body)
		e.limiter.release()
		x.calls++
		if fail == nil {
			fail = read(raw)
		}
		if fail == nil {
			x.applied, x.took = applied, took
			return x, nil
		}
		fail.Message = sanitise(fail.Message, e.key)
		acc.mode = applied.Structured
		if fail.Class == ClassBadRequest && steps < maxLearned && e.deps.refused.learn(learned, acc, e.spec.Structured == StructuredAuto, fail.Message) {
			steps++
			x.failures = append(x.failures, Failure{Class: fail.Class, Status: fail.Status, Message: fail.Message})
			continue
		}
		if failed++; fail.Permanent || fail.Class == ClassCanceled || failed >= e.spec.MaxAttempts || fail.RetryAfter > longestWait {
			return x, withHistory(fail, x.calls, x.failures)
		}
		wait := e.backoff(failed, fail)
		x.failures = append(x.failures, Failure{Class: fail.Class, Status: fail.Status, Message: fail.Message, Waited: wait})
		if err := e.deps.sleep(gate, wait); err != nil {
			return x, withHistory(canceled(err), x.calls, x.failures)
		}
	}
}

// withHistory completes an error with what led to it.
func withHistory(e *Error, calls int, failures []Failure) *Error {
	e.Attempts, e.Failures = calls, failures
	return e
}

// backoff is the wait before the next attempt. A Retry-After is kept to, with up to
// a quarter on top so that those who were refused together do not return together,
// and holds back the other callers of the endpoint too.
func (e *endpoint) backoff(failed int, fail *Error) time.Duration {
	if fail.RetryAfter > 0 {
		if fail.Class == ClassRateLimited {
			e.limiter.hold(fail.RetryAfter)
		}
		return fail.RetryAfter + time.Duration(e.deps.jitter()*float64(fail.RetryAfter)/4)
	}
	ceiling := backoffMax
	if n := failed - 1; n < 10 {
		ceiling = min(ceiling, backoffBase<<n)
	}
	// Not less than a tenth: a wait of nothing would be no backoff.
	return ceiling/10 + time.Duration(e.deps.jitter()*0.9*float64(ceiling))
}

// finish turns a reading into an answer.
func (e *endpoint) finish(req Request, got reading, applied Applied) Answer {
	stop := review.StopUnknown
	switch {
	case got.refused:
		stop = review.StopRefusal
	case got.length:
		stop = review.StopLength
	case got.done:
		stop = review.StopDone
	}
	a := Answer{
		Reply: review.ParseStopped(got.text, stop), Raw: got.text, Stop: stop,
		RequestHash: hash(e.spec, req), Model: got.model, Applied: applied, Usage: got.usage,
		CostUSD: e.spec.Price.Cost(got.usage),
	}
	if a.Model == "" {
		a.Model = e.spec.Model
	}
	if e.spec.Price != nil {
		a.PriceVersion = e.spec.Price.Version
	}
	return a
}
