package sandbox

import (
	"fmt"
	"syscall"
)

// settle tells from the end of the process why the run ended.
func settle(r *Report, e ended, l Limits, mark string, shifted bool) {
	status, ok := e.state.Sys().(syscall.WaitStatus)
	exit, sig := e.state.ExitCode(), 0
	if ok && status.Signaled() {
		sig = int(status.Signal())
	} else if shifted && exit > 128 && exit <= 128+64 {
		sig = exit - 128
	}
	if reason, rest, refused := refusal(exit, r.Stderr, mark); refused && e.hit == nil {
		r.Cause, r.Detail, r.Stderr = Refused, reason, rest
		return
	}
	hit := e.hit
	if hit == nil && (exit != 0 || sig != 0) {
		hit = e.late
	}
	if hit == nil && sig != 0 {
		hit = signalCause(sig, l)
	}
	switch {
	case hit != nil:
		r.Cause, r.Detail = hit.cause, hit.detail
	case sig != 0:
		r.Cause, r.Signal, r.Detail = Signaled, sig, fmt.Sprintf("signal %d (%v)", sig, syscall.Signal(sig))
	default:
		r.Cause, r.Exit = Exited, exit
	}
}
