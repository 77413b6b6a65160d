package findings

import "strings"

// Finding is one thing a tool says about a tree.
type Finding struct {
	Tool    string `json:"tool"`
	Rule    string `json:"rule,omitempty"` // the tool's own code; empty when it has none
	File    string `json:"file"`           // slash-separated, from the root of the tree
	Line    int    `json:"line,omitempty"` // 1-based; 0 unknown
	Message string `json:"message"`
	Class   Class  `json:"class"`
	// Context is the text of the line without its white space; empty when the tree
	// was not at hand.
	Context string `json:"context,omitempty"`
}

// Class says what a finding shows.
type Class string

// Classes. The first three are decisive.
const (
	Syntax  Class = "does not parse"
	Compile Class = "does not compile" // a type or name error of a compiler that then gives no program
	Unbound Class = "unbound name"     // the name exists nowhere: NameError when the line runs
	Other   Class = "other"
)

// Classes lists every class, decisive ones first.
var Classes = [4]Class{Syntax, Compile, Unbound, Other}

// Decisive reports whether a caused finding of the class may reject.
func (c Class) Decisive() bool { return c == Syntax || c == Compile || c == Unbound }

// Explain is one sentence about the class.
func (c Class) Explain() string {
	switch c {
	case Syntax:
		return "The file is no valid program text, so nothing in it can be loaded."
	case Compile:
		return "The compiler refuses the file, so the package cannot be built."
	case Unbound:
		return "A name is used that is defined nowhere; the line fails when it runs."
	case Other:
		return "A hint that also stands in correct code; it decides nothing."
	}
	return ""
}

// squeeze is a line of code without its white space.
func squeeze(s string) string { return strings.Join(strings.Fields(s), "") }
