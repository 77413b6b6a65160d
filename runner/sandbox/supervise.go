package sandbox

import (
	"context"
	"errors"
	"fmt"
	"io"
	"io/fs"
	"os"
	"os/exec"
	"path/filepath"
	"runtime"
	"sync"
	"time"
)

// limitHit ends a run for a reason of its own.
type limitHit struct {
	cause  Cause
	detail string
}

func (l *limitHit) Error() string { return string(l.cause) + ": " + l.detail }

// launch is a process on its way, with what supervising it needs.
type launch struct {
	cmd    *exec.Cmd
	stdin  io.Reader
	limits Limits
	group  group // counts and caps all processes together; nil: there is none
	// attach runs after the start and before the clock starts: it puts the process
	// under its limits and lets it go.
	attach func() error
	// kill ends every process; it is called until the process is gone.
	kill    func()
	watched []string // folders of the host that may grow to Limits.Disk
	// slow says that setting up takes long and that the first word on standard error
	// tells its end; the clock starts then.
	slow bool
}

// slowStart is how long a slow start may take.
const slowStart = 2 * time.Minute

// group is a control group of one run.
type group interface {
	add(pid int) error
	// hit tells the limit that was run into, nil if none.
	hit() *limitHit
	usage() (cpu *time.Duration, peak *int64)
	kill()
	remove()
}

// ended is a supervised process after its end.
type ended struct {
	state  *os.ProcessState
	hit    *limitHit // the limit that ended the run
	late   *limitHit // the limit that the end tells; it counts if the command did not end well
	report Report    // streams and figures; cause, exit and signal are for the caller
}

// run starts the process and waits until it and all it started are gone.
func (l *launch) run(ctx context.Context) (ended, error) {
	run, stop := context.WithCancelCause(ctx)
	defer stop(nil)
	out := &stream{limit: l.limits.Output, over: func() { stop(&limitHit{Output, "more than allowed was printed"}) }}
	errs := &stream{limit: l.limits.Output, over: out.over}
	l.cmd.Stdin, l.cmd.Stdout, l.cmd.Stderr = l.stdin, out, errs
	l.cmd.WaitDelay = 2 * time.Second

	type waited struct {
		state *os.ProcessState
		err   error
	}
	started, done := make(chan error, 1), make(chan waited, 1)
	go func() {
		// The parent-death signal is bound to the thread, so it must not end before.
		runtime.LockOSThread()
		defer runtime.UnlockOSThread()
		err := l.cmd.Start()
		started <- err
		if err == nil {
			err = l.cmd.Wait()
			done <- waited{l.cmd.ProcessState, err}
		}
	}()
	if err := <-started; err != nil {
		return ended{}, fmt.Errorf("start %s: %w", l.cmd.Path, err)
	}
	var attachErr error
	if l.attach != nil {
		if attachErr = l.attach(); attachErr != nil {
			stop(attachErr)
		}
	}
	begin := time.Now()
	clock := time.AfterFunc(l.limits.Wall, func() { stop(&limitHit{Time, fmt.Sprintf("it ran longer than %v", l.limits.Wall)}) })
	defer clock.Stop()
	if l.slow {
		errs.afterFirst(func() { clock.Reset(l.limits.Wall) }, func() { clock.Reset(slowStart) })
	}
	tick := time.NewTicker(tickEvery)
	defer tick.Stop()
	var w waited
	nextDisk := begin.Add(tickEvery)
wait:
	for {
		select {
		case w = <-done:
			break wait
		case <-run.Done():
			l.kill()
			if l.group != nil {
				l.group.kill()
			}
			select {
			case w = <-done:
				break wait
			case <-time.After(50 * time.Millisecond):
			}
		case now := <-tick.C:
			if l.group != nil {
				if h := l.group.hit(); h != nil {
					stop(h)
				}
			}
			if now.After(nextDisk) {
				if h := l.disk(); h != nil {
					stop(h)
				}
				// A large folder is looked at less often, so that looking stays cheap.
				nextDisk = now.Add(max(tickEvery, 10*time.Since(now)))
			}
		}
	}
	wall := time.Since(begin)
	l.kill()
	e := ended{state: w.state}
	var h *limitHit
	switch cause := context.Cause(run); {
	case attachErr != nil:
		return e, fmt.Errorf("%w%s", attachErr, said(errs.bytes()))
	case errors.As(cause, &h):
		e.hit = h
	case ctx.Err() != nil:
		return e, context.Cause(ctx)
	}
	if w.state == nil {
		return e, fmt.Errorf("wait for %s: %w", l.cmd.Path, w.err)
	}
	e.report = Report{Exit: -1, Stdout: out.bytes(), Stderr: errs.bytes(), Truncated: out.cut || errs.cut, Wall: wall}
	l.figures(&e)
	return e, nil
}

// figures fills in what the run used, and the limits that only the end tells.
func (l *launch) figures(e *ended) {
	cpu := e.state.UserTime() + e.state.SystemTime()
	e.report.CPU = &cpu
	e.report.MaxRSS = peakRSS(e.state)
	if l.group != nil {
		if c, p := l.group.usage(); c != nil || p != nil {
			if c != nil {
				e.report.CPU = c
			}
			if p != nil {
				e.report.MaxRSS = p
			}
		}
		e.late = l.group.hit()
	}
	if e.hit == nil {
		e.hit = l.disk()
	}
}

func (l *launch) disk() *limitHit {
	for _, dir := range l.watched {
		if n := treeSize(dir, l.limits.Disk); n > l.limits.Disk {
			return &limitHit{Output, "more than allowed was written to disk"}
		}
	}
	return nil
}

// treeSize sums the sizes of the files below dir and 1 KiB for each, and stops
// once it is over the limit.
func treeSize(dir string, limit int64) int64 {
	var n int64
	stop := errors.New("enough")
	_ = filepath.WalkDir(dir, func(_ string, d fs.DirEntry, err error) error {
		if err != nil {
			return nil // it vanished, or the program closed it to us: what is seen counts
		}
		n += 1 << 10
		if info, err := d.Info(); err == nil && info.Mode().IsRegular() {
			n += info.Size()
		}
		if n > limit {
			return stop
		}
		return nil
	})
	return n
}

func said(stderr []byte) string {
	if line := firstLine(string(stderr)); line != "" {
		return ": " + line
	}
	return ""
}

// stream keeps the first bytes written and calls over once when there are more.
type stream struct {
	mu    sync.Mutex
	buf   []byte
	limit int64
	cut   bool
	over  func()
	first func() // called with the first byte, once
}

func (s *stream) Write(p []byte) (int, error) {
	s.mu.Lock()
	defer s.mu.Unlock()
	if s.first != nil && len(p) > 0 {
		s.first()
		s.first = nil
	}
	room := s.limit - int64(len(s.buf))
	s.buf = append(s.buf, p[:min(int64(len(p)), room)]...)
	if int64(len(p)) > room && !s.cut {
		s.cut = true
		s.over()
	}
	return len(p), nil
}

// afterFirst calls then when the first byte comes, at once if it came already, and
// until in the meantime.
func (s *stream) afterFirst(then, until func()) {
	s.mu.Lock()
	defer s.mu.Unlock()
	if len(s.buf) > 0 {
		then()
		return
	}
	until()
	s.first = then
}

func (s *stream) bytes() []byte {
	s.mu.Lock()
	defer s.mu.Unlock()
	return s.buf
}
