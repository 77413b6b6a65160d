package pages

import "time"

// Note is what somebody wrote about an arm's look at a trace, with the form that
// writes another.
type Note struct {
	Text   string
	Author string
	When   time.Time
	Action string // empty: the viewer may not write
	Back   string
	Label  string // names the item for screen readers
	Error  string
	Older  []NoteLine // newest first, the current one left out
}

// NoteLine is an earlier note; an empty text took the note away.
type NoteLine struct {
	Text   string
	Author string
	When   time.Time
}
