package main

import (
	"context"
	"os"
	"os/signal"
	"syscall"
	"testing"

	"github.com/rogpeppe/go-internal/testscript"
)

// asProgram makes the test binary behave as the program itself, for tests that
// need a process they can kill.
const asProgram = "PLUMBLINE_TEST_AS_PROGRAM"

func TestMain(m *testing.M) {
	if os.Getenv(asProgram) != "" {
		main()
	}
	testscript.Main(m, map[string]func(){"plumbline": main})
}

func TestScripts(t *testing.T) {
	t.Parallel()
	testscript.Run(t, testscript.Params{
		Dir: "testdata/script",
		Setup: func(e *testscript.Env) error {
			e.Setenv("PLUMBLINE_DATA", e.Getenv("WORK")+"/data")
			e.Setenv("HOME", e.Getenv("WORK"))
			return nil
		},
	})
}

// program runs the program in this process and returns its exit code.
func program(t *testing.T, std streams, args ...string) int {
	t.Helper()
	ctx, stop := signal.NotifyContext(context.Background(), syscall.SIGUSR2) // never sent: a context of the test's own
	defer stop()
	return run(ctx, args, std)
}
