package sandbox

import (
	"context"
	"errors"
	"os"
	"path/filepath"
	"slices"
	"strings"
)

// Standing is what a backend that runs the host's programs can do here, as tried.
type Standing struct {
	Name    string
	Works   bool
	Problem string   // why it does not work, one line
	Gaps    []string // limits that it cannot enforce here
	// CopyOnWrite says that a private copy of a tree takes no room and time but for
	// what is changed in it.
	CopyOnWrite bool
	Auto        bool // the one that Auto takes
}

// Survey tries the backends between which Auto chooses, in its order.
func Survey(ctx context.Context) []Standing {
	var out []Standing
	taken := false
	for _, name := range []string{Bubblewrap, Namespaces} {
		s := Standing{Name: name}
		b, err := Open(ctx, name, Options{})
		if err == nil {
			s.Gaps, s.CopyOnWrite, err = tryCopy(ctx, b)
		}
		if err != nil {
			s.Problem = firstLine(err.Error())
		} else {
			s.Works, s.Auto = true, !taken
			taken = true
		}
		out = append(out, s)
	}
	return out
}

// tryCopy gives a program a private copy of a file that is larger than its whole
// allowance of disk: only a copy on write fits.
func tryCopy(ctx context.Context, b Backend) (gaps []string, onWrite bool, err error) {
	dir, err := os.MkdirTemp("", "plumbline-survey-")
	if err != nil {
		return nil, false, err
	}
	defer os.RemoveAll(dir)
	if err := os.WriteFile(filepath.Join(dir, "large"), make([]byte, 4<<20), 0o644); err != nil {
		return nil, false, err
	}
	r, err := b.Run(ctx, Cmd{
		Path: "/bin/sh", Args: []string{"-c", "echo changed >>tree/small && wc -c <tree/large"}, Mounts: []Mount{{Source: dir, Target: "tree", Mode: Copy}},
		Limits: Limits{Wall: trialTime, Disk: 1 << 20},
	})
	switch {
	case err == nil:
		return slices.Clone(r.Gaps), r.OK() && strings.TrimSpace(string(r.Stdout)) == "4194304", nil
	case ctx.Err() != nil:
		return nil, false, err
	}
	// A copy that does not fit can keep the sandbox from being set up at all.
	r, again := b.Run(ctx, Cmd{Path: "/bin/true", Limits: Limits{Wall: trialTime}})
	if again != nil {
		return nil, false, errors.Join(err, again)
	}
	return slices.Clone(r.Gaps), false, nil
}
