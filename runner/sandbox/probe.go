package sandbox

import (
	"context"
	"errors"
	"fmt"
	"os/exec"
	"strings"
	"sync"
	"time"
)

// Tool is a program that a host may have.
type Tool struct {
	Name    string     // program, looked up in PATH
	Version []string   // arguments that make it print its version
	Try     [][]string // commands that must succeed, tried in order; nil: Version is enough
}

// Finding is what a host has of a Tool.
type Finding struct {
	Name    string
	Path    string // empty: not in PATH
	Version string // first line of what it printed; empty when it would not
	Works   bool   // every command of Try ended with exit code 0
	Problem string // why it does not work, one line; empty when it works
}

// trialTime bounds one command of a trial.
const trialTime = 15 * time.Second

// backends in the order in which they are preferred. What is tried is the least
// that running a stranger's code needs: own namespaces, no network, a read-only
// system.
var backends = []Tool{
	{Name: "bwrap", Version: []string{"--version"}, Try: [][]string{{
		"--unshare-all", "--die-with-parent", "--new-session", "--clearenv", "--ro-bind", "/usr", "/usr",
		"--ro-bind-try", "/bin", "/bin", "--ro-bind-try", "/lib", "/lib", "--ro-bind-try", "/lib64", "/lib64",
		"--proc", "/proc", "--dev", "/dev", "--tmpfs", "/tmp", "/bin/true",
	}}},
	{Name: "unshare", Version: []string{"--version"}, Try: [][]string{{
		"--user", "--map-root-user", "--mount", "--pid", "--fork", "--net", "--ipc", "--uts", "true",
	}}},
	{Name: "docker", Version: []string{"--version"}, Try: [][]string{{"version", "--format", "{{.Server.Version}}"}}},
	{Name: "podman", Version: []string{"--version"}, Try: [][]string{{"info", "--format", "{{.Host.OCIRuntime.Name}}"}}},
	{Name: "apptainer", Version: []string{"--version"}},
}

// Probe tries every backend and reports them in the order of preference.
func Probe(ctx context.Context) []Finding { return Look(ctx, backends) }

// Look tries tools, all at once, and reports them in their order.
func Look(ctx context.Context, tools []Tool) []Finding {
	out := make([]Finding, len(tools))
	var wg sync.WaitGroup
	for i, t := range tools {
		wg.Go(func() { out[i] = look(ctx, t) })
	}
	wg.Wait()
	return out
}

func look(ctx context.Context, t Tool) Finding {
	f := Finding{Name: t.Name}
	path, err := exec.LookPath(t.Name)
	if err != nil {
		f.Problem = "not found in PATH"
		return f
	}
	f.Path = path
	text, err := try(ctx, path, t.Version)
	if err != nil {
		f.Problem = trouble(t.Name, t.Version, text, err)
		return f
	}
	f.Version = firstLine(text)
	for _, args := range t.Try {
		if text, err := try(ctx, path, args); err != nil {
			f.Problem = trouble(t.Name, args, text, err)
			return f
		}
	}
	f.Works = true
	return f
}

func try(ctx context.Context, path string, args []string) (string, error) {
	ctx, cancel := context.WithTimeoutCause(ctx, trialTime, errTooLong)
	defer cancel()
	text, err := run(ctx, path, args...)
	if cause := context.Cause(ctx); cause != nil && err != nil {
		err = cause
	}
	return text, err
}

var errTooLong = fmt.Errorf("no answer within %v", trialTime)

// trouble says in one line why a command failed, by its own words if it had any.
func trouble(name string, args []string, text string, err error) string {
	var exit *exec.ExitError
	if line := firstLine(text); line != "" && errors.As(err, &exit) {
		return line
	}
	what := name
	if len(args) > 0 {
		what += " " + args[0]
	}
	return fmt.Sprintf("%s: %v", what, err)
}

func firstLine(text string) string {
	for line := range strings.Lines(text) {
		if line = strings.TrimSpace(line); line != "" {
			return strings.ToValidUTF8(line, "\uFFFD")
		}
	}
	return ""
}
