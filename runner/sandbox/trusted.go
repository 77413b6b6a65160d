package sandbox

import (
	"bytes"
	"context"
	"fmt"
	"io"
	"os/exec"
	"strings"
	"time"
)

// TrustedCmd is a program of this system, such as git, that works on the
// operator's own data. Nothing limits it but the context.
type TrustedCmd struct {
	Path   string // looked up in the host's PATH
	Args   []string
	Env    []string // all of it: nothing is inherited but PATH
	Dir    string
	Stdin  io.Reader
	Stdout io.Writer // nil: dropped
}

// Trusted runs a program without any sandbox. Use it for programs of the host on
// data of the operator only; nothing that an agent or a task wrote may decide
// what runs. The error holds what the program said.
func Trusted(ctx context.Context, c TrustedCmd) error {
	var errs bytes.Buffer
	cmd := exec.CommandContext(ctx, c.Path, c.Args...)
	cmd.Env = append(environment(), c.Env...)
	cmd.Dir, cmd.Stdin, cmd.Stdout = c.Dir, c.Stdin, c.Stdout
	cmd.Stderr = &head{buf: &errs}
	cmd.WaitDelay = 5 * time.Second
	if err := cmd.Run(); err != nil {
		if ctx.Err() != nil {
			err = context.Cause(ctx)
		}
		if text := strings.TrimSpace(errs.String()); text != "" {
			return fmt.Errorf("%s: %w: %s", c.Path, err, strings.ToValidUTF8(text, "\uFFFD"))
		}
		return fmt.Errorf("%s: %w", c.Path, err)
	}
	return nil
}

// LookPath finds a program of the host.
func LookPath(name string) (string, error) { return exec.LookPath(name) }

// head keeps the first 4 KiB of a stream, which is where programs say what is
// wrong.
type head struct{ buf *bytes.Buffer }

func (t *head) Write(p []byte) (int, error) {
	if room := 4<<10 - t.buf.Len(); room > 0 {
		t.buf.Write(p[:min(len(p), room)])
	}
	return len(p), nil
}
