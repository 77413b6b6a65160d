//go:build !linux

package sandbox

import (
	"context"
	"fmt"
	"os"
)

func openIsolating(context.Context, string, Options) (Backend, error) {
	return nil, fmt.Errorf("%w: it needs Linux; container engines work elsewhere", ErrUnavailable)
}

func reflink(_, _ *os.File) bool { return false }

func peakRSS(*os.ProcessState) *int64 { return nil }

func signalCause(int, Limits) *limitHit { return nil }
