package models

import (
	"fmt"
	"slices"
	"strings"

	"gorm.io/gorm"

	"plumbline/models/migrate"
)

// TraceFilter narrows a list of traces; zero fields do not.
type TraceFilter struct {
	DatasetID   string
	SplitID     string
	Label       string
	Bucket      string
	Agent       string
	Repo        string
	Model       string
	PatchState  string
	Reason      string // outcome reason
	LabelSource string
	Text        string // part of the instance id
	// Without names fields whose value must be empty, by their names in a URL: bucket,
	// agent, repo, model, reason, source, split. Unknown names are refused.
	Without []string
}

// withoutColumns are the columns that may be asked to be empty.
var withoutColumns = map[string]string{
	"bucket": "t.bucket", "agent": "t.agent", "repo": "t.repo", "model": "t.model", "reason": "t.outcome_reason", "source": "t.label_source",
}

// check refuses a filter that cannot be asked for.
func (f TraceFilter) check() error {
	for _, name := range f.Without {
		if withoutColumns[name] == "" && name != "split" {
			return Invalid("without", fmt.Sprintf("there is no %q that could be empty", name))
		}
	}
	return nil
}

// Narrows reports whether the filter selects less than the dataset.
func (f TraceFilter) Narrows() bool {
	return f.SplitID != "" || f.Text != "" || len(f.Without) > 0 || slices.ContainsFunc(f.columns(), func(c condition) bool { return c.value != "" })
}

type condition struct{ column, value string }

func (f TraceFilter) columns() []condition {
	return []condition{
		{"t.label", f.Label}, {"t.bucket", f.Bucket}, {"t.agent", f.Agent}, {"t.repo", f.Repo}, {"t.model", f.Model},
		{"t.patch_state", f.PatchState}, {"t.outcome_reason", f.Reason}, {"t.label_source", f.LabelSource},
	}
}

// apply adds the conditions. A split's traces are a set that is read once, not a
// question asked for each trace.
func (f TraceFilter) apply(q *gorm.DB) *gorm.DB {
	q = q.Where("t.dataset_id = ?", f.DatasetID)
	if f.SplitID != "" {
		q = q.Where("t.id IN (SELECT st.trace_id FROM split_traces st WHERE st.split_id = ?)", f.SplitID)
	}
	for _, c := range f.columns() {
		if c.value != "" {
			q = q.Where(c.column+" = ?", c.value)
		}
	}
	for _, name := range f.Without {
		if name == "split" {
			q = q.Where("NOT EXISTS (SELECT 1 FROM split_traces st WHERE st.trace_id = t.id)")
			continue
		}
		q = q.Where(withoutColumns[name] + " = ''")
	}
	if f.Text != "" {
		// Many traces share an instance; its id is looked at once.
		q = q.Where(`t.instance_id IN (SELECT i.instance_id FROM instances i WHERE i.dataset_id = ? AND lower(i.instance_id) LIKE ? ESCAPE '\')`,
			f.DatasetID, "%"+likeEscape(strings.ToLower(f.Text))+"%")
	}
	return q
}

func likeEscape(s string) string {
	return strings.NewReplacer(`\`, `\\`, `%`, `\%`, `_`, `\_`).Replace(s)
}

// tracesBy is the traces table with the index that holds every column of filters
// and sorts. SQLite has no statistics to choose it by, so it is told; PostgreSQL
// chooses itself.
func (s *Store) tracesBy(index string) string {
	if s.dialect == migrate.SQLite {
		return "traces t INDEXED BY " + index
	}
	return "traces t"
}
