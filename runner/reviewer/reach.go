package reviewer

import (
	"context"
	"fmt"
	"io"
	"net/http"
	"strings"
	"time"
)

// Reach reports whether the endpoint of a spec can be reached and takes its key, by
// listing its models, which costs nothing. Servers that have no such list count as
// reached. Simulated and replayed reviewers are always there. The error is an
// *Error, or the one of New for a spec that cannot be built.
func Reach(ctx context.Context, spec Spec, deps Deps) error {
	deps.Cache = nil
	r, err := New(spec, deps)
	if err != nil {
		return err
	}
	e, is := r.(*endpoint)
	if !is {
		return nil
	}
	ctx, cancel := context.WithTimeout(ctx, min(10*time.Second, time.Duration(e.spec.TimeoutS*float64(time.Second))))
	defer cancel()
	base := e.spec.BaseURL
	if e.spec.Kind == KindAnthropic {
		base = strings.TrimSuffix(base, "/v1") + "/v1"
	}
	req, err := http.NewRequestWithContext(ctx, http.MethodGet, base+"/models", nil)
	if err != nil {
		return fmt.Errorf("reach %s: the address is not usable", base)
	}
	e.proto.header(req.Header, e.key)
	res, err := deps.Client.Do(req)
	if err != nil {
		// Here the deadline is ours, so that the end of it is the endpoint's time-out.
		return withHistory(e.transport(context.WithoutCancel(ctx), err), 1, nil)
	}
	defer func() { _ = res.Body.Close() }()                 // a close error of a read body says nothing
	body, _ := io.ReadAll(io.LimitReader(res.Body, 64<<10)) // a message that is cut is still a message
	if fail := e.refusal(res, body); res.StatusCode >= 300 && fail.Class != ClassBadRequest && fail.Class != ClassRateLimited {
		return withHistory(fail, 1, nil)
	}
	return nil
}
