package sandbox

import (
	"encoding/json"
	"strings"
	"testing"
)

// The group may tell of a limit only after the end, when no look in between has
// seen it: then it explains a command that ended badly and nothing else.
func TestLateLimit(t *testing.T) {
	t.Parallel()
	late := ended{late: &limitHit{Memory, "too much"}}
	for told, want := range map[string]Cause{
		`{"Ended": true, "Signal": 9}`: Memory,
		`{"Ended": true, "Exit": 1}`:   Memory,
		`{}`:                           Memory, // the first process was killed itself
		`{"Ended": true}`:              Exited,
	} {
		r, err := (&namespaces{}).report(Limits{}.filled(), late, json.NewDecoder(strings.NewReader(told)))
		if err != nil || r.Cause != want {
			t.Errorf("%s: %s (%v), not %s", told, r.Cause, err, want)
		}
	}
}
