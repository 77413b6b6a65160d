package freeze

import (
	"cmp"
	"fmt"
	"slices"
	"strings"
)

// State is what is stored now of what a manifest froze.
type State struct {
	Design      []Trace           // the traces of the design experiment that still exist
	Splits      map[string]Split  // by id: the evaluation splits that still exist
	Specs       map[string]Spec   // by reviewer version id: the versions that still exist
	Prompts     map[string]string // SHA-256 by prompt version: those this program knows
	CodeVersion string
}

// Spec is a stored reviewer version: the hash that was written with it, and the
// hash of its settings as they are now. Newest is the newest version of its reviewer.
type Spec struct {
	Written string
	Actual  string
	Newest  int
}

// Thing says what kind of thing has changed.
type Thing string

// The things a manifest fixes.
const (
	ThingTrace    Thing = "trace"
	ThingSplit    Thing = "split"
	ThingPrompt   Thing = "prompt"
	ThingReviewer Thing = "reviewer version"
	ThingCode     Thing = "code"
	ThingManifest Thing = "manifest"
)

// Change is one difference between a manifest and what is stored now.
type Change struct {
	Thing Thing
	ID    string // of a trace, split or reviewer version
	Name  string
	What  string // what is different, in words
	// Note marks a difference that does not stop an evaluation: it cannot change
	// what a reviewer is shown.
	Note bool
}

// String is the change as a sentence without its full stop.
func (c Change) String() string { return string(c.Thing) + " " + c.Name + ": " + c.What }

// Changes lists what differs, the differences that stop an evaluation first. Within
// a split, traces are in the order of the manifest.
func (m Manifest) Changes(now State) []Change {
	var out []Change
	official := m.showsOutcomes()
	design := Split{Name: m.Design.Name, Traces: now.Design}
	out = append(out, splitChanges(m.Design, design, "design", official)...)
	for _, s := range m.Evaluation {
		have, ok := now.Splits[s.ID]
		if !ok {
			out = append(out, Change{Thing: ThingSplit, ID: s.ID, Name: s.Name, What: "does not exist any more"})
			continue
		}
		out = append(out, splitChanges(s, have, s.Name, official)...)
	}
	out = append(out, m.reviewerChanges(now)...)
	for _, p := range m.Prompts {
		switch have, ok := now.Prompts[p.Version]; {
		case !ok:
			out = append(out, Change{Thing: ThingPrompt, Name: p.Version, What: "this program does not know it"})
		case have != p.SHA256:
			out = append(out, Change{Thing: ThingPrompt, Name: p.Version, What: "its text is another one" + fromTo(p.SHA256, have)})
		}
	}
	if now.CodeVersion != m.CodeVersion {
		out = append(out, Change{Thing: ThingCode, Name: "version", Note: true, What: fmt.Sprintf("frozen with %s, running %s", m.CodeVersion, now.CodeVersion)})
	}
	slices.SortStableFunc(out, func(a, b Change) int { return cmp.Compare(rank(a), rank(b)) })
	return out
}

func rank(c Change) int {
	if c.Note {
		return 1
	}
	return 0
}

// showsOutcomes reports whether a frozen arm shows official outcomes, so that a
// changed outcome is a changed evidence text.
func (m Manifest) showsOutcomes() bool {
	return slices.ContainsFunc(m.Arms, func(a Frozen) bool { return a.Form.UpperBound() })
}

func splitChanges(was, now Split, split string, official bool) []Change {
	var out []Change
	have := make(map[string]Trace, len(now.Traces))
	for _, t := range now.Traces {
		have[t.ID] = t
	}
	for _, t := range was.Traces {
		x, ok := have[t.ID]
		delete(have, t.ID)
		name := fmt.Sprintf("%s (%s, %s)", t.Instance, split, t.ID)
		add := func(note bool, format string, args ...any) {
			out = append(out, Change{Thing: ThingTrace, ID: t.ID, Name: name, What: fmt.Sprintf(format, args...), Note: note})
		}
		if !ok {
			add(false, "is not in the %s any more", place(split))
			continue
		}
		if x.Content != t.Content {
			add(false, "patch, summary or steps changed%s", fromTo(t.Content, x.Content))
		}
		if x.Issue != t.Issue {
			add(false, "the issue changed%s", fromTo(t.Issue, x.Issue))
		}
		if x.Outcome != t.Outcome {
			add(!official, "its outcome was %q and is %q", t.Outcome, x.Outcome)
		}
	}
	for _, t := range now.Traces { // what is left came later, in its own order
		if _, later := have[t.ID]; later {
			out = append(out, Change{Thing: ThingTrace, ID: t.ID, Name: fmt.Sprintf("%s (%s, %s)", t.Instance, split, t.ID), What: "was added after the freeze"})
		}
	}
	return out
}

func place(split string) string {
	if split == "design" {
		return "design experiment"
	}
	return "split"
}

func (m Manifest) reviewerChanges(now State) []Change {
	var out []Change
	for _, r := range m.Reviewers {
		c := Change{Thing: ThingReviewer, ID: r.VersionID, Name: fmt.Sprintf("%s, version %d", r.Name, r.Version)}
		have, ok := now.Specs[r.VersionID]
		switch {
		case !ok:
			c.What = "does not exist any more"
		case have.Actual != r.SpecSHA256:
			c.What = "its settings changed" + fromTo(r.SpecSHA256, have.Actual)
		case have.Written != r.SpecSHA256:
			c.What = "its recorded hash changed" + fromTo(r.SpecSHA256, have.Written)
		case have.Newest > r.Version:
			c.What, c.Note = fmt.Sprintf("there is a newer version %d; the frozen one is asked", have.Newest), true
		default:
			continue
		}
		out = append(out, c)
	}
	return out
}

func fromTo(was, is string) string {
	return fmt.Sprintf(" (sha256 %.12s, now %.12s)", was, is)
}

// ChangedError stops an evaluation and names what changed.
type ChangedError struct{ Changes []Change }

func (e *ChangedError) Error() string {
	const shown = 5
	var parts []string
	for _, c := range e.Changes[:min(shown, len(e.Changes))] {
		parts = append(parts, c.String())
	}
	if more := len(e.Changes) - shown; more > 0 {
		parts = append(parts, fmt.Sprintf("and %d more", more))
	}
	return "changed after the freeze: " + strings.Join(parts, "; ")
}

// Verify returns a *ChangedError with the differences that stop an evaluation, nil
// when there are none.
func (m Manifest) Verify(now State) error {
	var stop []Change
	for _, c := range m.Changes(now) {
		if !c.Note {
			stop = append(stop, c)
		}
	}
	if len(stop) > 0 {
		return &ChangedError{stop}
	}
	return nil
}

// Overlap lists the traces of two splits that are the same, and the instances that
// both hold through different traces. A held-out split must share no trace with
// the design split; a shared instance is a reason for care.
func Overlap(design, other []Trace) (traces []string, instances []string) {
	ids, names := map[string]bool{}, map[string]bool{}
	for _, t := range design {
		ids[t.ID], names[t.Instance] = true, true
	}
	seen := map[string]bool{}
	for _, t := range other {
		switch {
		case ids[t.ID]:
			traces = append(traces, t.ID)
		case names[t.Instance] && !seen[t.Instance]:
			seen[t.Instance] = true
			instances = append(instances, t.Instance)
		}
	}
	return traces, instances
}
