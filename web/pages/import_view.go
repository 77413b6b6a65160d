package pages

import (
	"time"

	"plumbline/web/components"
	"plumbline/web/layout"
)

// Import is the upload page. Its form is a plain multipart form; a script
// adds dragging and a progress bar.
type Import struct {
	Frame    layout.Frame
	Action   string
	Dataset  components.Input // select of the datasets the viewer may add to, with "new"
	NewName  components.Input
	Split    components.Input // rule: none, a split by name, or random shares
	Labels   components.Input // column of a table that holds labels
	Format   components.Input // detect, or one of the readers
	MaxBytes string           // limit of one upload in words
	Formats  []FormatLine     // what can be read
	Command  string           // the command that does the same
	Error    string           // of the files as a whole
}

// FormatLine is one kind of file that can be read.
type FormatLine struct{ Name, Holds string }

// ImportReport is what an import read, and what it could not.
type ImportReport struct {
	Frame     layout.Frame
	Now       time.Time
	State     string // running, done, broken
	Message   string
	Refresh   string // URL to ask again while it runs; empty when it has ended
	Started   time.Time
	Finished  time.Time
	Counts    []ImportCount
	Reasons   []ReasonCount // why records have no judged outcome or were skipped
	Files     []ImportFile
	FilesMore int
	Problems  []ImportProblem
	More      int // problems that are not listed
	Conflicts []ImportProblem
	JSON      string // URL of the whole report
}

// ImportCount is one count of a report, with the sentence that defines it.
type ImportCount struct {
	Name  string
	N     int
	Title string
	Href  string
	Bad   bool
}

// ReasonCount is a reason and how often it occurred.
type ReasonCount struct {
	Reason string
	Says   string
	N      int
	Href   string
}

// ImportFile is a file of an import.
type ImportFile struct {
	Path, Format, SHA256 string
	Records, Problems    int
	Bytes                int64
}

// ImportProblem is a record that could not be read, or a conflict that was not
// guessed at.
type ImportProblem struct {
	Path    string
	Line    int // 0: no line
	Field   string
	Message string
}
