package sandbox

import (
	"fmt"
	"os"
	"syscall"
	"time"

	"golang.org/x/sys/unix"
)

// rlimits are the limits of each process by itself. Data, and not the address
// space, stands for memory: Go and Node reserve far more addresses than they use.
func rlimits(l Limits, alone bool) map[int]uint64 {
	seconds := uint64((l.CPU + time.Second - 1) / time.Second)
	out := map[int]uint64{
		unix.RLIMIT_CPU: seconds, unix.RLIMIT_FSIZE: uint64(l.Disk), unix.RLIMIT_NOFILE: uint64(l.OpenFiles), unix.RLIMIT_CORE: 0,
	}
	if alone {
		out[unix.RLIMIT_DATA], out[unix.RLIMIT_NPROC] = uint64(l.Memory), uint64(l.Processes)
	}
	return out
}

// limitProcess sets the limits of a process; its children inherit them. A limit
// that is lower already stays.
func limitProcess(pid int, l Limits, alone bool) error {
	for what, n := range rlimits(l, alone) {
		var old unix.Rlimit
		if err := unix.Prlimit(pid, what, nil, &old); err != nil {
			return fmt.Errorf("read a limit of the process: %w", err)
		}
		n = min(n, old.Max)
		hard := n
		if what == unix.RLIMIT_CPU && hard < old.Max {
			hard++ // the soft limit sends a signal of its own, which tells the cause
		}
		if err := unix.Prlimit(pid, what, &unix.Rlimit{Cur: n, Max: hard}, nil); err != nil {
			return fmt.Errorf("limit the process: %w", err)
		}
	}
	return nil
}

// peakRSS is the largest resident size of an ended process and its children, each
// by itself.
func peakRSS(s *os.ProcessState) *int64 {
	ru, ok := s.SysUsage().(*syscall.Rusage)
	if !ok {
		return nil
	}
	n := ru.Maxrss << 10
	return &n
}

// signalCause tells what a signal means that a limit sends.
func signalCause(sig int, l Limits) *limitHit {
	switch syscall.Signal(sig) {
	case syscall.SIGXCPU:
		return &limitHit{Time, fmt.Sprintf("a process used more than %v of processor time", l.CPU)}
	case syscall.SIGXFSZ:
		return &limitHit{Output, "a file grew larger than allowed"}
	}
	return nil
}
