package pages

import (
	"plumbline/web/components"
	"plumbline/web/layout"
)

// CascadeNew is the form of a new review cascade.
type CascadeNew struct {
	Frame                         layout.Frame
	Action, Preview               string
	Error, PolicyError            string
	Name, Votes, Seed, Budget     components.Input
	Reviewer, Form, Generator     components.Input
	Repeats, Wall, Sandbox, Audit components.Input
	Datasets                      []components.Choice
	Splits                        []SplitChoice
	Policies, Baselines           []PolicyChoice
	NoReview                      components.Empty
}

// PolicyChoice is a rule, or an arm without checks, to tick.
type PolicyChoice struct {
	Name, Value, Text, Says string
	Selected                bool
}
