package sandbox

import "time"

// Cause says why a run ended.
type Cause string

// Causes. Only Exited and Signaled come from the program itself.
const (
	Exited    Cause = "exit"
	Signaled  Cause = "signal"
	Time      Cause = "time"      // wall clock or processor time is used up
	Memory    Cause = "memory"    // the memory cap was hit and a process killed
	Output    Cause = "output"    // it wrote more than it may, to a stream or to disk
	Processes Cause = "processes" // it started more processes than it may
	Refused   Cause = "refused"   // the program is not there or cannot be started
)

// Report is what happened to a Cmd.
type Report struct {
	Cause  Cause
	Exit   int    // exit code; -1 unless Cause is Exited
	Signal int    // signal number; 0 unless Cause is Signaled
	Detail string // which limit, or why it was refused; empty for Exited

	Stdout, Stderr []byte
	Truncated      bool // a stream was cut at Limits.Output

	Wall   time.Duration
	CPU    *time.Duration // nil: unknown
	MaxRSS *int64         // bytes; of all processes together with a control group, else of the largest; nil: unknown

	Backend     string
	Unsandboxed bool     // nothing protected the host
	Gaps        []string // limits that this backend could not enforce here, in words
}

// OK reports whether the program ended by itself with exit code 0.
func (r Report) OK() bool { return r.Cause == Exited && r.Exit == 0 }

// Ended reports whether the program came to its own end, whatever the code. If
// not, what it printed and wrote is only a part.
func (r Report) Ended() bool { return r.Cause == Exited || r.Cause == Signaled }
