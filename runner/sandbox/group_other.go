//go:build !unix

package sandbox

import "os/exec"

func ownGroup(*exec.Cmd) {}

// killGroup ends a process; it may be gone already.
func killGroup(cmd *exec.Cmd) { _ = cmd.Process.Kill() }
