package sandbox

import "context"

func openIsolating(ctx context.Context, name string, o Options) (Backend, error) {
	if name == Bubblewrap {
		return openBubblewrap(ctx, o)
	}
	return openNamespaces(o)
}
