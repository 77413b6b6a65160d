// Command plumbline is a dashboard and experiment tracker for one question: when
// may an automated reviewer be trusted with a coding agent's patch?
package main

import (
	"context"
	"errors"
	"fmt"
	"io"
	"os"
	"os/signal"
	"runtime/debug"
	"syscall"

	"github.com/alecthomas/kong"
)

func main() {
	if os.Getenv("GOGC") == "" {
		// What it works on streams through, so that half the usual garbage costs no
		// time that can be measured and leaves the memory to others.
		debug.SetGCPercent(50)
	}
	ctx, stop := signal.NotifyContext(context.Background(), os.Interrupt, syscall.SIGTERM)
	defer stop()
	os.Exit(run(ctx, os.Args[1:], streams{os.Stdin, os.Stdout, os.Stderr}))
}

type streams struct {
	in       io.Reader
	out, err io.Writer
}

// exitError carries an exit code other than 1. A nil cause has been told already.
type exitError struct {
	code  int
	cause error
}

func (e *exitError) Error() string {
	if e.cause == nil {
		return fmt.Sprintf("exit code %d", e.code)
	}
	return e.cause.Error()
}

func (e *exitError) Unwrap() error { return e.cause }

// run is the whole program: it parses args, performs the command and returns the
// exit code: 0 done, 1 it did not work, 2 the command line is wrong.
func run(ctx context.Context, args []string, std streams) (code int) {
	var c cli
	exited := -1
	parser, err := kong.New(&c,
		kong.Name("plumbline"),
		kong.Description("When may an automated reviewer be trusted with a coding agent's patch?"),
		kong.UsageOnError(), kong.Writers(std.out, std.err),
		kong.Exit(func(code int) { exited = code }),
		kong.ConfigureHelp(kong.HelpOptions{Compact: true}),
		kong.DefaultEnvars("PLUMBLINE"),
		kong.Vars{"version": version(), "data": defaultData()},
	)
	if err != nil {
		fmt.Fprintln(std.err, "plumbline:", err)
		return 2
	}
	k, err := parser.Parse(args)
	if exited >= 0 {
		return exited // --help or --version
	}
	if err != nil {
		fmt.Fprintln(std.err, "plumbline:", err)
		fmt.Fprintln(std.err, "See plumbline --help.")
		return usageCode(args)
	}
	k.BindTo(ctx, (*context.Context)(nil))
	err = k.Run(&c.Globals, std)
	if err == nil || errors.Is(err, context.Canceled) {
		return 0
	}
	var exit *exitError
	if errors.As(err, &exit) {
		if exit.cause != nil {
			fmt.Fprintln(std.err, "plumbline:", exit.cause)
		}
		return exit.code
	}
	fmt.Fprintln(std.err, "plumbline:", err)
	return 1
}
