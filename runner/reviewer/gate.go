package reviewer

import "context"

type gateKey struct{}

// WithGate separates the end of waiting from the end of a call: when gate is over
// no new attempt starts and every wait ends with class Canceled, while an attempt
// in flight goes on under ctx. It is how an experiment is stopped without paying
// for answers that are then thrown away.
func WithGate(ctx, gate context.Context) context.Context {
	return context.WithValue(ctx, gateKey{}, gate)
}

// gateOf is the context of waits: the gate, or ctx itself where none is set.
func gateOf(ctx context.Context) context.Context {
	if gate, ok := ctx.Value(gateKey{}).(context.Context); ok {
		return gate
	}
	return ctx
}
