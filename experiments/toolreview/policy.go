package toolreview

import "fmt"

// Policy bounds one review. The zero value of a field takes the default that it
// names; Filled writes the defaults out.
type Policy struct {
	// Turns are the replies of the model at most; default 12 (paper G §S4.2). The last
	// one is asked for without tools.
	Turns int `json:"turns"`
	// CommandS limits one command in seconds; default 60.
	CommandS float64 `json:"command_s"`
	// ResultBytes are shown of one result at most, half from its beginning and half
	// from its end; default 8000.
	ResultBytes int `json:"result_bytes"`
}

// Defaults and bounds of a policy.
const (
	DefaultTurns       = 12
	DefaultCommandS    = 60
	DefaultResultBytes = 8000
	// MaxCalls are performed of one reply; the others are answered without being
	// performed.
	MaxCalls = 4
	// MaxUnread is how often in a row a reply without call or verdict is answered with
	// a reminder of the protocol; after that the review ends.
	MaxUnread = 2
)

// Filled is p with every default written out.
func (p Policy) Filled() Policy {
	if p.Turns == 0 {
		p.Turns = DefaultTurns
	}
	if p.CommandS == 0 {
		p.CommandS = DefaultCommandS
	}
	if p.ResultBytes == 0 {
		p.ResultBytes = DefaultResultBytes
	}
	return p
}

// Validate names what is wrong, by the JSON names of the fields.
func (p Policy) Validate() map[string]string {
	p = p.Filled()
	bad := map[string]string{}
	if p.Turns < 1 || p.Turns > 100 {
		bad["turns"] = "must be between 1 and 100"
	}
	if !(p.CommandS >= 1 && p.CommandS <= 600) {
		bad["command_s"] = "must be between 1 and 600"
	}
	if p.ResultBytes < 500 || p.ResultBytes > 200_000 {
		bad["result_bytes"] = "must be between 500 and 200000"
	}
	return bad
}

// String is the policy in a few words.
func (p Policy) String() string {
	p = p.Filled()
	return fmt.Sprintf("at most %d turns, %g s a command", p.Turns, p.CommandS)
}
