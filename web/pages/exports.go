package pages

import (
	"strings"

	"github.com/a-h/templ"

	"plumbline/web/components"
	"plumbline/web/layout"
)

// Exports is the page of the files that can be downloaded.
type Exports struct {
	Frame    layout.Frame
	Traces   *int64 // of a dataset: how many are exported
	Filtered bool   // by the filter of the list
	List     string // address of that list
	Command  string // what does the same on the command line
	Files    []ExportFile
}

// ExportFile is one file: "votes.csv" and the like.
type ExportFile struct{ Name, Holds, Href string }

// table has a line for what is exported, with its forms beside each other.
func (e Exports) table() components.Table {
	t := components.Table{ID: "files", Caption: "Files", Plain: true, Columns: []components.Column{
		{Head: "File", Primary: true}, {Head: "Holds"}, {Head: "Download"},
	}}
	last := ""
	var forms []ExportFile
	flush := func() {
		if last != "" {
			t.Rows = append(t.Rows, components.Row{ID: last, Cells: []templ.Component{components.Text(exportTitle(last)), components.Text(forms[0].Holds), exportForms(exportTitle(last), forms)}})
		}
		forms = nil
	}
	for _, f := range e.Files {
		what, _, _ := strings.Cut(f.Name, ".")
		if what != last {
			flush()
			last = what
		}
		forms = append(forms, f)
	}
	flush()
	return t
}

// exportTitle is what a file is called.
func exportTitle(what string) string {
	if what == "inspect" {
		return "Inspect log"
	}
	return strings.ToUpper(what[:1]) + what[1:]
}

// tables reports whether rows are among the files.
func (e Exports) tables() bool {
	for _, f := range e.Files {
		if strings.HasSuffix(f.Name, ".csv") {
			return true
		}
	}
	return false
}

// form is what follows the dot, as people say it.
func (f ExportFile) form() string {
	_, form, _ := strings.Cut(f.Name, ".")
	return map[string]string{"csv": "CSV", "jsonl": "JSON lines", "parquet": "Parquet", "json": "JSON"}[form]
}
