package pages

import "plumbline/web/layout"

// Login is the sign-in page of a server with a password.
type Login struct {
	Frame  layout.Frame // bare
	Action string
	Next   string // path to go to afterwards
	Error  string // what was wrong; the same sentence for every wrong password
	Wait   string // how long to wait after too many tries; empty when not throttled
}
