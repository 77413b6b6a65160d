package pages

import (
	"time"

	"plumbline/web/components"
	"plumbline/web/layout"
)

// CriticTables is the list of imported critic tables.
type CriticTables struct {
	Frame  layout.Frame
	Now    time.Time
	Rows   []CriticTableLine
	NewURL string // empty: the reader may not import
}

// CriticTableLine is one table.
type CriticTableLine struct {
	Name, Href, Origin       string
	Tasks, Candidates        int
	Rows, Errors, Dropped    int
	Critics, Hash, ErrorsURL string
	Added                    time.Time
}

// CriticImport is the form that takes a table.
type CriticImport struct {
	Frame   layout.Frame
	Action  string
	Fields  []components.Input
	Chains  components.Input
	Error   string // of the file
	Most    string
	Command string
}

// CriticErrors lists what could not be read of a table.
type CriticErrors struct {
	Frame layout.Frame
	Rows  []CriticError
	More  int
	Says  string
}

// CriticError is a value that could not be used.
type CriticError struct {
	Line              int
	Field, Value, Why string
}

func (c CriticTables) table() components.Table {
	t := components.Table{ID: "tables", Caption: "Critic tables", Columns: []components.Column{
		{Head: "Table", Primary: true}, {Head: "Critics"}, {Head: "Tasks", Numeric: true}, {Head: "Candidates", Numeric: true}, {Head: "Rows", Numeric: true},
		{Head: "Errors", Numeric: true}, {Head: "Left out", Numeric: true, Title: "tasks left out because of a row that could not be read"}, {Head: "File"}, {Head: "Added"},
	}, Empty: components.Empty{Why: "No table of recorded critics has been imported. A CSV file with a task, a truth and one column for each critic is enough.",
		Text: "Import a table", Href: c.NewURL, Code: "plumbline critics import FILE.csv --name NAME --task id --label y --critic tests"}}
	if c.NewURL == "" {
		t.Empty.Text = ""
	}
	for _, r := range c.Rows {
		t.Rows = append(t.Rows, components.Row{Cells: cells(
			components.TextLink(components.FirstLine(r.Name, 80), r.Href), components.Text(components.FirstLine(r.Critics, 80)), components.Text(components.Count(r.Tasks)),
			components.Text(components.Count(r.Candidates)), components.Text(components.Count(r.Rows)), components.CountLink(r.Errors, r.ErrorsURL), components.CountLink(r.Dropped, r.ErrorsURL),
			tableFile(r), components.When(r.Added, c.Now),
		)})
	}
	return t
}

func (c CriticErrors) table() components.Table {
	t := components.Table{ID: "errors", Caption: "Errors", Columns: []components.Column{{Head: "Line", Numeric: true, Primary: true}, {Head: "Column"}, {Head: "Value"}, {Head: "Why"}},
		Empty: components.Empty{Why: "Every row could be read."}}
	for _, r := range c.Rows {
		t.Rows = append(t.Rows, components.Row{Cells: cells(components.Text(components.Count(r.Line)), components.Text(components.FirstLine(r.Field, 60)),
			components.Text(components.FirstLine(r.Value, 80)), components.Text(components.FirstLine(r.Why, 200)))})
	}
	return t
}
