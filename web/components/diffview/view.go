package diffview

import (
	"plumbline/web/components/visible"
)

// Layout is how the two sides stand.
type Layout string

// Layouts.
const (
	Unified Layout = "unified"
	Split   Layout = "split"
)

// Options say which window to show and how its links look.
type Options struct {
	Layout Layout                  // Unified when empty or unknown
	Prefix string                  // put before every id; for a page with several diffs
	At     Target                  // where the window starts
	URL    func(at string) string  // page with the window at a position; nil leaves out the links
	Part   func(at string) string  // answers the diff alone, for "show more"; nil takes URL
	Raw    func(row string) string // the row's text as text/plain; nil leaves out the links
	Other  string                  // URL of the same place in the other layout
	Whole  string                  // URL of the whole patch as text/plain
}

// View is a window of a diff, ready to render.
type View struct {
	Layout         Layout
	ID             string // of the section
	Other, Whole   string
	TotalFiles     int
	Added, Removed int
	TestFiles      int
	Notes          []string // facts about the text and guards that switched something off
	Index          []FileLink
	Files          []File
	Before, After  string // URLs of the windows around; empty at the ends
	AfterPart      string // the window after, without the page around it
	Done, Rows     int    // rows up to the end of this window, and in all
}

// FileLink is one line of the list of files.
type FileLink struct {
	Path           string
	Href           string
	Added, Removed int
	Marks          []Mark
}

// Mark is a short word about a file or hunk, with its explanation.
type Mark struct{ Text, Title string }

// File is one file of the window.
type File struct {
	Number         int    // from 1
	Anchor         string // f1; empty when the window begins inside the file
	Path, OldPath  string // OldPath only when it differs
	Added, Removed int
	Marks          []Mark
	Note           string // why there are no lines, or no colours
	Hunks          []Hunk
}

// Hunk is one region of a file, or the part of it in the window.
type Hunk struct {
	Anchor  string // f1h1
	Header  string // @@ -1,3 +1,4 @@ as stated
	Section string
	Marks   []Mark
	Rows    []Row
}

// Row is one row of the table. In the unified layout only Left or Right is set,
// and a context row uses Right; in the split layout a missing side is nil.
type Row struct{ Left, Right *Cell }

// Cell is one line on one side.
type Cell struct {
	Op        byte // ' ', '+' or '-'
	Old, New  int  // numbers, 0 when absent
	OldAnchor string
	NewAnchor string
	OldHref   string
	NewHref   string
	Runs      []visible.Run
	CutBytes  int
	CutHref   string
	NoNewline bool
}
