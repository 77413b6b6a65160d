package sandbox

import (
	"encoding/json"
	"errors"
	"fmt"
	"os"
	"path/filepath"
	"runtime"
	"strings"
	"syscall"

	"golang.org/x/sys/unix"
)

// initName is the name under which this program is the first process of a
// sandbox.
const initName = "plumbline: sandbox"

// Files of the first process, after its standard streams.
const (
	fdAnswers = 3
	fdWait    = 4
	fdOrder   = 5
)

// A sandbox starts this program anew, whatever program imports the package, so
// the turn must be taken before main.
func init() {
	if len(os.Args) == 1 && os.Args[0] == initName && os.Getpid() == 1 {
		initMain()
	}
}

// initMain builds the sandbox from inside and runs the command in it. It never
// returns.
func initMain() {
	runtime.LockOSThread() // rights are dropped for one thread, and that one starts the command
	answers := json.NewEncoder(os.NewFile(fdAnswers, "answers"))
	tell := func(a answer) { _ = answers.Encode(a) } // nobody is left to hear it if this fails
	for _, fd := range []int{fdAnswers, fdWait, fdOrder} {
		unix.CloseOnExec(fd)
	}
	// Nothing is done before this process is in its control group.
	if n, err := unix.Read(fdWait, make([]byte, 1)); err != nil || n != 1 {
		os.Exit(1)
	}
	var o order
	if err := json.NewDecoder(os.NewFile(fdOrder, "order")).Decode(&o); err != nil {
		tell(answer{Broken: "read the order: " + err.Error()})
		os.Exit(1)
	}
	gaps, err := build(o)
	if err != nil {
		tell(answer{Broken: err.Error()})
		os.Exit(1)
	}
	program, why := findInside(o)
	if why != "" {
		tell(answer{Refused: why})
		os.Exit(126)
	}
	landlocked, err := drop(o)
	if err != nil {
		tell(answer{Broken: err.Error()})
		os.Exit(1)
	}
	if !landlocked {
		gaps = append(gaps, "the kernel has no Landlock")
	}
	pid, err := syscall.ForkExec(program, append([]string{o.Path}, o.Args...), &syscall.ProcAttr{Dir: o.Dir, Env: o.Env, Files: []uintptr{0, 1, 2}})
	if err != nil {
		tell(answer{Refused: fmt.Sprintf("the program cannot be run: %v", err)})
		os.Exit(126)
	}
	tell(answer{Started: true, Gaps: gaps})
	// This process keeps no end of the streams, so that they end with the command.
	for fd := range 3 {
		unix.Close(fd)
	}
	tell(reap(pid, gaps))
	os.Exit(0)
}

// reap waits for the command and buries what its descendants leave behind. When
// this process ends afterwards, the kernel ends all others.
func reap(pid int, gaps []string) answer {
	for {
		var ws syscall.WaitStatus
		got, err := syscall.Wait4(-1, &ws, 0, nil)
		switch {
		case errors.Is(err, syscall.EINTR):
		case err != nil:
			return answer{Broken: "wait for the command: " + err.Error()}
		case got == pid && ws.Signaled():
			return answer{Ended: true, Signal: int(ws.Signal()), Gaps: gaps}
		case got == pid:
			return answer{Ended: true, Exit: ws.ExitStatus(), Gaps: gaps}
		}
	}
}

// findInside looks the program up as a shell would.
func findInside(o order) (program, why string) {
	if info, err := os.Stat(o.Dir); err != nil || !info.IsDir() {
		return "", "the folder to start in is not there"
	}
	runnable := func(p string) bool {
		info, err := os.Stat(p)
		return err == nil && info.Mode().IsRegular() && unix.Access(p, unix.X_OK) == nil
	}
	if strings.Contains(o.Path, "/") {
		p := o.Path
		if !filepath.IsAbs(p) {
			p = filepath.Join(o.Dir, p)
		}
		if runnable(p) {
			return p, ""
		}
	} else {
		for _, e := range o.Env {
			dirs, ok := strings.CutPrefix(e, "PATH=")
			for _, dir := range filepath.SplitList(dirs) {
				if p := filepath.Join(dir, o.Path); ok && filepath.IsAbs(p) && runnable(p) {
					return p, ""
				}
			}
		}
	}
	return "", "the program is not there or cannot be run"
}

// drop takes every right from this thread and limits what it starts.
func drop(o order) (landlocked bool, err error) {
	if err := unix.Sethostname([]byte(sandboxHost)); err != nil {
		return false, fmt.Errorf("name the host: %w", err)
	}
	if err := loopbackUp(); err != nil {
		return false, fmt.Errorf("start the loopback network: %w", err)
	}
	if err := limitProcess(0, o.Limits, o.Alone); err != nil {
		return false, err
	}
	if err := unix.Prctl(unix.PR_SET_NO_NEW_PRIVS, 1, 0, 0, 0); err != nil {
		return false, fmt.Errorf("forbid new privileges: %w", err)
	}
	// The command runs as the same user; it must not be able to open this process,
	// whose other threads still have rights.
	if err := unix.Prctl(unix.PR_SET_DUMPABLE, 0, 0, 0, 0); err != nil {
		return false, fmt.Errorf("close this process to others: %w", err)
	}
	for c := range uintptr(unix.CAP_LAST_CAP + 1) {
		err := unix.Prctl(unix.PR_CAPBSET_DROP, c, 0, 0, 0)
		if err != nil && !errors.Is(err, unix.EINVAL) { // a capability this kernel does not know
			return false, fmt.Errorf("drop capability %d: %w", c, err)
		}
	}
	if err := unix.Prctl(unix.PR_CAP_AMBIENT, unix.PR_CAP_AMBIENT_CLEAR_ALL, 0, 0, 0); err != nil {
		return false, fmt.Errorf("drop ambient capabilities: %w", err)
	}
	hdr := unix.CapUserHeader{Version: unix.LINUX_CAPABILITY_VERSION_3}
	var none [2]unix.CapUserData
	if err := unix.Capset(&hdr, &none[0]); err != nil {
		return false, fmt.Errorf("drop capabilities: %w", err)
	}
	landlocked, err = landlock([]string{boxDir, "/tmp", "/dev"})
	if err != nil {
		return false, err
	}
	return landlocked, loadFilter(o.Filter)
}

func loadFilter(f []unix.SockFilter) error {
	prog := unix.SockFprog{Len: uint16(len(f)), Filter: &f[0]}
	if err := prctlPointer(unix.PR_SET_SECCOMP, unix.SECCOMP_MODE_FILTER, &prog); err != nil {
		return fmt.Errorf("load the system call filter: %w", err)
	}
	return nil
}
