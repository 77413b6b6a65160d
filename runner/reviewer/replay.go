package reviewer

import (
	"context"
	"errors"
)

// Recorded finds a recorded vote. found is false when there is none.
type Recorded func(ctx context.Context, req Request) (a Answer, found bool, err error)

// replay gives back recorded votes. A vote that was not recorded is an error of its
// own class and never an invented answer.
type replay struct {
	spec   Spec
	record Recorded
}

func (r replay) Ask(ctx context.Context, req Request) (Answer, error) {
	if err := ctx.Err(); err != nil {
		return Answer{}, canceled(err)
	}
	a, found, err := r.record(ctx, req)
	switch {
	case err != nil && (errors.Is(err, context.Canceled) || errors.Is(err, context.DeadlineExceeded)):
		return Answer{}, canceled(err)
	case err != nil:
		return Answer{}, &Error{Class: ClassServer, Message: "the recorded votes cannot be read: " + sanitise(err.Error(), secret{}), Attempts: 1}
	case !found:
		return Answer{}, &Error{Class: ClassNotRecorded, Message: "this vote was not recorded", Attempts: 1, Permanent: true}
	}
	a.Recorded, a.Cached, a.Attempts, a.Failures = true, false, 0, nil
	return a, nil
}
