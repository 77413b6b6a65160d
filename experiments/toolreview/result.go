package toolreview

import (
	"fmt"
	"strings"
)

// Result is what became of one call.
type Result struct {
	Argv    []string `json:"argv,omitempty"`  // what ran; empty: nothing did
	Cause   string   `json:"cause,omitempty"` // why the program ended, in the sandbox's words
	Exit    *int     `json:"exit,omitempty"`  // nil unless the program ended by itself
	WallMS  int64    `json:"wall_ms,omitempty"`
	Backend string   `json:"backend,omitempty"`
	// Unsandboxed says that nothing protected the host.
	Unsandboxed bool `json:"unsandboxed,omitempty"`
	// Shown is the text that the model gets.
	Shown string `json:"shown"`
	// Left counts bytes of the output that are not shown.
	Left int `json:"left,omitempty"`
}

// Ran is a result of a program: what it printed, cut to what a policy shows. detail
// names the limit that ended it; exit is nil unless it ended by itself.
func (p Policy) Ran(cmd Command, cause, detail string, exit *int, stdout, stderr []byte, cut bool) Result {
	r := Result{Argv: cmd.Argv, Cause: cause, Exit: exit}
	var b strings.Builder
	switch {
	case exit == nil:
		fmt.Fprintf(&b, "The command was ended: %s. What it printed is a part.\n", strings.TrimSpace(cause+" "+detail))
	case cmd.Reads && *exit == 0:
	default:
		fmt.Fprintf(&b, "exit code %d\n", *exit)
	}
	shown, left := p.cut(stdout)
	b.WriteString(shown)
	r.Left += left
	if len(stderr) > 0 {
		if s := b.String(); s != "" && !strings.HasSuffix(s, "\n") {
			b.WriteString("\n")
		}
		shown, left := p.cut(stderr)
		b.WriteString("standard error:\n" + shown)
		r.Left += left
	}
	if cut {
		b.WriteString("\n[more was printed than is kept]")
	}
	if r.Shown = b.String(); strings.TrimSpace(r.Shown) == "" {
		r.Shown = "(nothing was printed)"
	}
	return r
}

// cut keeps beginning and end of an output.
func (p Policy) cut(raw []byte) (shown string, left int) {
	limit := p.Filled().ResultBytes
	if len(raw) <= limit {
		return strings.ToValidUTF8(string(raw), "\uFFFD"), 0
	}
	head, tail := raw[:limit/2], raw[len(raw)-limit/2:]
	left = len(raw) - len(head) - len(tail)
	return strings.ToValidUTF8(string(head), "\uFFFD") + fmt.Sprintf("\n[… %d bytes are left out …]\n", left) + strings.ToValidUTF8(string(tail), "\uFFFD"), left
}
