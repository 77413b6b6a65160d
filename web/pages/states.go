package pages

import "plumbline/web/layout"

// State is a page that stands where another was asked for: not found, not
// allowed, failed. It says what happened, to what, and what to do.
type State struct {
	Frame   layout.Frame // the title says what happened
	Code    int
	What    string        // to what it happened
	Todo    string        // what the reader can do
	Request string        // id of the request in the log; shown for failures
	Links   []layout.Link // where to go from here
}
