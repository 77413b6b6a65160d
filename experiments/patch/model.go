package patch

// Diff is a parsed patch.
type Diff struct {
	Files []File
	// Flags about the text as a whole.
	Fenced    bool // inside a Markdown code fence
	Prose     bool // text before the first file header that is not a mail header
	ANSI      bool // terminal escape codes were removed
	CRLF      bool // every line ended in CRLF; the line ends were normalised
	Stray     bool // lines outside every hunk look like changed lines
	Truncated bool // the last hunk ends before its header says so
}

// Kind says what happens to a file.
type Kind string

// Kinds of file changes. Mode is a change of the mode without a change of text.
const (
	Modified Kind = "modified"
	Added    Kind = "added"
	Deleted  Kind = "deleted"
	Renamed  Kind = "renamed"
	Copied   Kind = "copied"
	Mode     Kind = "mode"
)

// File is the change of one file.
type File struct {
	Old, New   string // paths without the a/ and b/ prefixes; empty on the /dev/null side
	Kind       Kind
	OldMode    string // octal as written, empty when not stated
	NewMode    string
	Similarity int  // percent of a rename or copy; -1 when not stated
	Binary     bool // "Binary files differ" or a GIT binary patch
	BinaryData bool // the binary content is in the patch (it can be applied)
	Submodule  bool
	Symlink    bool
	GitHeader  bool // introduced by a "diff --git" line
	Hunks      []Hunk
	Added      int // lines, counted
	Removed    int
}

// Path is the name to show: the new path, or the old one of a deleted file.
func (f *File) Path() string {
	if f.New != "" {
		return f.New
	}
	return f.Old
}

// Hunk is one changed region.
type Hunk struct {
	OldStart, OldLines int // as the header states; a missing length means 1
	NewStart, NewLines int
	Section            string // text after the second @@
	Lines              []Line
	// Lied is true when the stated lengths differ from the counted ones.
	Lied bool
}

// Op is the kind of a line in a hunk.
type Op byte

// Operations.
const (
	Context Op = ' '
	Insert  Op = '+'
	Delete  Op = '-'
)

// Line is one line of a hunk. Text has neither the operation nor the line feed;
// a carriage return that belongs to the source file stays.
type Line struct {
	Op        Op
	Text      string
	Old, New  int  // 1-based line numbers; 0 on the side where the line is absent
	NoNewline bool // followed by "\ No newline at end of file"
}
