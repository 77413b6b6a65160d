//go:build unix

package sandbox

import (
	"os/exec"
	"syscall"
)

// ownGroup starts a process in a process group of its own, out of reach of the
// terminal's signals.
func ownGroup(cmd *exec.Cmd) { cmd.SysProcAttr = &syscall.SysProcAttr{Setpgid: true} }

// killGroup ends a process and those of its group; they may be gone already.
func killGroup(cmd *exec.Cmd) { _ = syscall.Kill(-cmd.Process.Pid, syscall.SIGKILL) }
