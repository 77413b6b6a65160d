package sandbox

import (
	"context"
	"errors"
	"fmt"
	"strings"
	"time"
)

// Backend runs commands in one way of isolating them. It is safe for concurrent
// use.
type Backend interface {
	// Name is one of the names of Open.
	Name() string
	// Sandboxed is false for the backend that protects nothing.
	Sandboxed() bool
	// Images reports whether commands run in the file system of Cmd.Image, which
	// they then must name.
	Images() bool
	// Run runs a command to its end. The error says that the sandbox itself could
	// not be set up, or that ctx is over; whatever the program does is in the
	// Report.
	Run(ctx context.Context, c Cmd) (Report, error)
}

// Names of backends.
const (
	Auto       = "auto"       // the first of bubblewrap and namespaces that works
	Bubblewrap = "bubblewrap" // bwrap
	Namespaces = "namespaces" // this program makes namespaces itself; with Landlock and seccomp
	Docker     = "docker"
	Podman     = "podman"
	Apptainer  = "apptainer"
	None       = "none" // no protection at all; only by name
)

// Options of Open.
type Options struct {
	// Pull lets container engines fetch an image that is not there. Without it
	// nothing is ever downloaded.
	Pull bool
	// ReadOnly are folders of the host that programs see at the same path, beside
	// /usr and what belongs to it, such as a language's installation elsewhere.
	ReadOnly []string
}

// ErrUnavailable is wrapped by Open's error when a backend does not work here.
var ErrUnavailable = errors.New("not available here")

// Open returns a backend that was seen working. Auto never takes a container
// engine, which needs an image, nor None.
func Open(ctx context.Context, name string, o Options) (Backend, error) {
	if name == "" || name == Auto {
		var errs []string
		for _, n := range []string{Bubblewrap, Namespaces} {
			b, err := Open(ctx, n, o)
			if err == nil || ctx.Err() != nil {
				return b, err
			}
			errs = append(errs, err.Error())
		}
		return nil, fmt.Errorf("open a sandbox: %w: %s; install bubblewrap, or ask for the backend %q by name to run without protection",
			ErrUnavailable, strings.Join(errs, "; "), None)
	}
	b, err := open(ctx, name, o)
	if err != nil {
		return nil, fmt.Errorf("open the sandbox %s: %w", name, err)
	}
	if b.Images() {
		return b, nil // tried with the first image
	}
	r, err := b.Run(ctx, Cmd{Path: "/bin/true", Limits: Limits{Wall: trialTime}})
	switch {
	case err != nil:
		return nil, fmt.Errorf("open the sandbox %s: %w: %w", name, ErrUnavailable, err)
	case !r.OK():
		return nil, fmt.Errorf("open the sandbox %s: %w: a trial ended by %s %s: %s", name, ErrUnavailable, r.Cause, r.Detail, firstLine(string(r.Stderr)))
	}
	return b, nil
}

func open(ctx context.Context, name string, o Options) (Backend, error) {
	switch name {
	case Bubblewrap, Namespaces:
		return openIsolating(ctx, name, o)
	case Docker, Podman:
		return openEngine(ctx, name, o)
	case Apptainer:
		return openApptainer(ctx, o)
	case None:
		return &none{}, nil
	}
	return nil, fmt.Errorf("there is no backend %q; choose %s, %s, %s, %s, %s, %s or %s",
		name, Auto, Bubblewrap, Namespaces, Docker, Podman, Apptainer, None)
}

// tickEvery is how often limits are looked at that nothing else enforces.
const tickEvery = 20 * time.Millisecond
