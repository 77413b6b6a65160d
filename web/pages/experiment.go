package pages

import (
	"time"

	"plumbline/web/charts"
	"plumbline/web/components"
	"plumbline/web/layout"
)

// Experiment is the page of one experiment.
type Experiment struct {
	Frame  layout.Frame // title, crumbs, badges and actions (stop, resume, share)
	Now    time.Time
	State  ExperimentState
	Result Result
	Facts  []Fact // provenance: seed, K, split, versions, hashes
	Share  *SharePanel
	// HeldOut is set for a run of a frozen choice.
	HeldOut *HeldOutPanel
}

// ExperimentState is the live line under the title.
type ExperimentState struct {
	Status    components.Status
	Progress  components.Progress
	Started   time.Time
	Finished  time.Time
	Now       time.Time
	Actions   []layout.Action // stop or resume
	EventsURL string          // stream of "progress" and "results" events; empty: nothing will change
	ReloadURL string          // answers the results fragment
}

// Problem counts tries that did not end in a vote.
type Problem struct {
	Arm     string
	Class   string
	Status  int // HTTP status; 0: none
	Count   int
	Example string
	Href    string
}

// SharePanel lists the secret links of an experiment; only editors get it.
type SharePanel struct {
	CreateURL  string
	Experiment string // its id; the form that revokes comes back to it
	New        string // address of a link just made: shown once, stored nowhere
	Links      []ShareLink
	Error      string
}

// Shared is the answer to the form that makes a link: the one page that shows it.
type Shared struct {
	Frame layout.Frame
	Now   time.Time
	Panel SharePanel
	Back  string // the experiment
}

// ShareLink is one secret link. Its token cannot be shown again.
type ShareLink struct {
	By        string
	Made      time.Time
	Expires   time.Time // zero: never
	Revoked   bool
	Expired   bool
	RevokeURL string
}

func (l ShareLink) state() string {
	switch {
	case l.Revoked:
		return "revoked"
	case l.Expired:
		return "expired"
	}
	return "open"
}

// expiries are the choices of the share form, in days; empty is for ever.
var expiries = []components.Choice{
	{Value: "7", Text: "7 days"}, {Value: "30", Text: "30 days", Selected: true}, {Value: "90", Text: "90 days"}, {Value: "", Text: "never"},
}

// ShareForm carries the field names of the form that makes a link.
const (
	ShareExpiryField = "days"
)

// figure adapts a figure to the page: it carries the marks of the whole result,
// and strangers get no links.
func (r Result) figure(f charts.Figure) charts.Figure {
	f.Badges = r.Badges
	if r.Public {
		return charts.WithoutLinks(f)
	}
	return f
}

func (e Experiment) frame() layout.Frame {
	f := e.Frame
	f.Scripts = append(append([]string(nil), f.Scripts...), charts.Scripts...)
	f.Live = e.State.EventsURL != ""
	if len(f.Keys) == 0 {
		f.Keys = []layout.Key{{Keys: "e", Does: "wrong decisions"}}
	}
	return f
}
