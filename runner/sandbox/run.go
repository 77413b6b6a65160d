package sandbox

import (
	"bytes"
	"context"
	"os"
	"os/exec"
	"time"
)

// outputLimit bounds what is kept of a trial's output.
const outputLimit = 16 << 10

// run starts a program of the host and returns what it printed, standard error
// after standard output, cut at outputLimit. It does not inherit the
// environment: a variable for another program must not change the outcome.
func run(ctx context.Context, path string, args ...string) (string, error) {
	var out, errs capped
	cmd := exec.CommandContext(ctx, path, args...)
	cmd.Env = environment()
	cmd.Stdout, cmd.Stderr = &out, &errs
	cmd.WaitDelay = time.Second
	err := cmd.Run()
	return out.String() + errs.String(), err
}

// environment keeps what programs need to find themselves and their engine.
func environment() []string {
	env := []string{"LC_ALL=C"}
	for _, name := range []string{"PATH", "HOME", "USER", "DOCKER_HOST", "CONTAINER_HOST", "XDG_RUNTIME_DIR", "GOROOT", "GOPATH", "GOCACHE"} {
		if v, ok := os.LookupEnv(name); ok {
			env = append(env, name+"="+v)
		}
	}
	return env
}

// capped keeps the first bytes of a stream and swallows the rest.
type capped struct{ bytes.Buffer }

func (c *capped) Write(p []byte) (int, error) {
	if room := outputLimit - c.Len(); room > 0 {
		c.Buffer.Write(p[:min(len(p), room)])
	}
	return len(p), nil
}
