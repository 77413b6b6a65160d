package pages

import (
	"time"

	"plumbline/web/components"
	"plumbline/web/layout"
)

// Reviewers lists the reviewers of a project.
type Reviewers struct {
	Frame     layout.Frame
	Now       time.Time
	Reviewers []ReviewerRow
	New       string // URL of the form; empty: not allowed
	Presets   []PresetLink
}

// ReviewerRow is one reviewer in its newest version.
type ReviewerRow struct {
	Name     string
	Href     string
	Note     string
	Kind     string
	Model    string
	Endpoint string // host only
	Key      string // the reference, never a key
	KeyState string // what is wrong with the key; empty when it is there or not needed
	Prompt   string
	Price    string // version and price; empty: unknown
	Version  int
	When     time.Time
	Badges   []components.Badge
}

// PresetLink opens the form with settings filled in.
type PresetLink struct{ Name, Says, Href string }
