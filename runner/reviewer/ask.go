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
	gate := gateOf(ctx)
	var failures []Failure
	calls, failed, learned := 0, 0, 0
	for {
		if err := e.limiter.acquire(gate, e.spec.Concurrency, e.spec.RPS, e.deps.sleep); err != nil {
			return Answer{}, withHistory(canceled(err), calls, failures)
		}
		// Written now and not before the wait: hundreds of votes may wait, and a
		// prompt can be large.
		acc := e.accepted()
		body, applied, err := e.proto.body(e.spec, acc, req)
		if err != nil {
			e.limiter.release()
			return Answer{}, &Error{Class: ClassBadRequest, Message: "the request cannot be written", Permanent: true}
		}
		raw, took, fail := e.post(ctx, body)
		e.limiter.release()
		calls++
		var got reading
		if fail == nil {
			got, fail = e.proto.answer(raw)
		}
		if fail == nil {
			a := e.finish(req, got, applied)
			a.Latency, a.Attempts, a.Failures = took, calls, failures
			return a, nil
		}
		fail.Message = sanitise(fail.Message, e.key)
		if fail.Class == ClassBadRequest && learned < maxLearned && e.deps.refused.learn(e.learned, acc, e.spec.Structured == StructuredAuto, fail.Message) {
			learned++
			failures = append(failures, Failure{Class: fail.Class, Status: fail.Status, Message: fail.Message})
			continue
		}
		if failed++; fail.Permanent || fail.Class == ClassCanceled || failed >= e.spec.MaxAttempts || fail.RetryAfter > longestWait {
			return Answer{}, withHistory(fail, calls, failures)
		}
		wait := e.backoff(failed, fail)
		failures = append(failures, Failure{Class: fail.Class, Status: fail.Status, Message: fail.Message, Waited: wait})
		if err := e.deps.sleep(gate, wait); err != nil {
			return Answer{}, withHistory(canceled(err), calls, failures)
		}
	}
}

// withHistory completes an error with what led to it.
func withHistory(e *Error, calls int, failures []Failure) *Error {
	e.Attempts, e.Failures = calls, failures
	return e
}

// accepted is what the endpoint takes, with the mode to use now.
func (e *endpoint) accepted() accepted {
	a := e.deps.refused.get(e.learned)
	if e.spec.Structured != StructuredAuto {
		a.mode = e.spec.Structured
	} else if a.mode == "" {
		a.mode = e.proto.start(e.spec)
	}
	return a
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
