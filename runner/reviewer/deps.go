package reviewer

import (
	"context"
	"math/rand/v2"
	"net"
	"net/http"
	"os"
	"time"
)

// Deps is what reviewers of one process share. Make one with NewDeps.
type Deps struct {
	Client *http.Client
	Limits *Limits
	Cache  Cache    // nil: no cache
	Record Recorded // where a replay takes its votes from; nil: a replay cannot be built

	Env      func(name string) (string, bool)
	ReadFile func(name string) ([]byte, error)

	refused *refusals
	sleep   sleeper
	jitter  func() float64 // in [0,1)
}

// sleeper waits or returns the context's error.
type sleeper func(ctx context.Context, d time.Duration) error

// idlePerHost keeps the connections of every concurrency that a spec allows open.
const idlePerHost = 1000

// NewDeps makes the shared parts with the process's environment and a transport
// that keeps connections open and follows no redirect, so that no key travels to
// another host.
func NewDeps() Deps {
	transport := &http.Transport{
		Proxy:               http.ProxyFromEnvironment,
		DialContext:         (&net.Dialer{Timeout: 15 * time.Second, KeepAlive: 30 * time.Second}).DialContext,
		TLSHandshakeTimeout: 15 * time.Second,
		ForceAttemptHTTP2:   true,
		MaxIdleConns:        2 * idlePerHost,
		MaxIdleConnsPerHost: idlePerHost,
		IdleConnTimeout:     90 * time.Second,
	}
	return Deps{
		Client:   &http.Client{Transport: transport, CheckRedirect: func(*http.Request, []*http.Request) error { return http.ErrUseLastResponse }},
		Limits:   NewLimits(),
		Env:      os.LookupEnv,
		ReadFile: os.ReadFile,
		refused:  newRefusals(),
		sleep:    sleep,
		jitter:   rand.Float64,
	}
}

// Close ends idle connections.
func (d Deps) Close() { d.Client.CloseIdleConnections() }

func sleep(ctx context.Context, d time.Duration) error {
	t := time.NewTimer(d)
	defer t.Stop()
	select {
	case <-t.C:
		return nil
	case <-ctx.Done():
		return ctx.Err()
	}
}
