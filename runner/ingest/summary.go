package ingest

import (
	"cmp"
	"fmt"
	"maps"
	"slices"
	"strings"

	"plumbline/experiments/formats"
	"plumbline/experiments/trace"
	"plumbline/models"
)

// Summary is what an import did; it is stored with its report as JSON.
type Summary struct {
	Read     formats.JoinReport      `json:"read"`
	Files    []formats.FileReport    `json:"files"`
	Outcomes map[models.Imported]int `json:"outcomes"`
	Notes    []Note                  `json:"notes"` // conflicts and new attempts, capped at noteLimit
	Labels   map[trace.Label]int     `json:"labels"`
	Splits   map[string]int          `json:"splits"` // traces put into each split, known ones among them
	// Column is what the rows of the column of labels came to, empty without one.
	Column *ColumnSummary `json:"label_column,omitempty"`
	// Same is the earlier import that read the very same, so that nothing was read
	// again; empty otherwise.
	Same string `json:"same,omitempty"`
}

// ColumnSummary counts the rows that have the column of labels.
type ColumnSummary struct {
	Name     string                  `json:"name"`
	Rows     int                     `json:"rows"`
	Blank    int                     `json:"blank"`    // say nothing
	Unread   int                     `json:"unread"`   // no label, or no instance; each is a problem of its file
	Outcomes map[models.Imported]int `json:"outcomes"` // of the others
}

// Note is what a reader should know of one trace.
type Note struct {
	InstanceID string          `json:"instance_id"`
	Agent      string          `json:"agent"`
	Outcome    models.Imported `json:"outcome"`
	Message    string          `json:"message"`
}

const noteLimit = 500

func newSummary() Summary {
	return Summary{Outcomes: map[models.Imported]int{}, Labels: map[trace.Label]int{}, Notes: []Note{}, Splits: map[string]int{}}
}

func (s *Summary) note(t trace.Trace, r models.ImportResult) {
	s.Outcomes[r.Outcome]++
	if r.Note != "" && len(s.Notes) < noteLimit {
		s.Notes = append(s.Notes, Note{t.InstanceID, t.Agent, r.Outcome, r.Note})
	}
}

// added counts traces that were not stored before.
func (s *Summary) added() int {
	return s.Outcomes[models.ImportAdded] + s.Outcomes[models.ImportAttempt]
}

// sentence says in words what an import did.
func (s *Summary) sentence() string {
	o := s.Outcomes
	if s.Same != "" {
		return fmt.Sprintf("The same files were imported before, as report %s: nothing was added, %d traces are known.", s.Same, o[models.ImportKnown])
	}
	said := fmt.Sprintf("%d files read: %d traces added, %d new attempts, %d completed, %d known already, %d conflicts, %d problems.",
		s.Read.Files, o[models.ImportAdded], o[models.ImportAttempt], o[models.ImportCompleted], o[models.ImportKnown],
		o[models.ImportConflict]+len(s.Read.Conflicts), s.Read.Problems)
	if c := s.Column; c != nil {
		o := c.Outcomes
		said += fmt.Sprintf(" Column %q: %d labels given, %d known already, %d conflicts, %d without a trace.",
			c.Name, o[models.LabelGiven], o[models.LabelKnown], o[models.ImportConflict], o[models.LabelNoTrace])
	}
	return said
}

// problem adds a problem that turned up after the files were joined.
func (s *Summary) problem(p *formats.Problem) {
	s.Read.Problems++
	i, ok := slices.BinarySearchFunc(s.Files, p.Path, func(f formats.FileReport, path string) int { return cmp.Compare(f.Path, path) })
	if !ok {
		i = slices.IndexFunc(s.Files, func(f formats.FileReport) bool { return f.Path == p.Path })
	}
	if i >= 0 && i < len(s.Files) {
		s.Files[i].Problems = append(s.Files[i].Problems, p)
	}
}

func sortedKeys[V any](m map[string]V) []string { return slices.Sorted(maps.Keys(m)) }

// originOf names what an import read.
func originOf(paths []string) string { return strings.Join(paths, ", ") }
