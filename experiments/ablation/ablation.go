package ablation

import (
	"errors"
	"fmt"
	"path"
	"regexp"
	"slices"
	"strconv"
	"strings"
	"unicode"
	"unicode/utf8"

	"plumbline/experiments/patch"
)

// Kind says what was taken out.
type Kind string

// Kinds, from the one with a syntax signal to the one without (paper G §4).
const (
	Import  Kind = "import"  // structural: an import that is used
	Surface Kind = "surface" // the implementation behind an interface that stays
	Branch  Kind = "branch"  // partial logic: the code still runs
)

// Kinds lists the kinds in that order.
var Kinds = [3]Kind{Import, Surface, Branch}

// Explain is one sentence about a kind.
func (k Kind) Explain() string {
	switch k {
	case Import:
		return "An import that the code uses is taken out; nothing loads or a name is unbound."
	case Surface:
		return "The interface stays and the implementation behind it is gone."
	case Branch:
		return "A branch is gone and the code still runs: there is no syntax signal."
	}
	return ""
}

// Ablation is a reference patch without one piece.
type Ablation struct {
	Kind Kind
	Name string // stable within a case: "branch-confkit-loader-33"
	File string // where the piece was, on the tree with the whole reference patch
	Line int
	Item string // the piece in a few words: `import os`
	// Missing is the sentence that names the item to a reviewer.
	Missing string
	Patch   string // unified diff against the base
}

// ErrLanguage is returned by Propose for a language that it cannot read.
var ErrLanguage = errors.New("ablations are made for python and go")

// Propose lists what can be taken out of a reference patch, by file and line. base
// holds at least the files that the patch changes; files of tests and files that
// the patch renames or deletes are left alone. The error says that the language is
// unknown or that the patch does not fit the base.
func Propose(language string, base map[string]string, gold string) ([]Ablation, error) {
	var cut func(source) []cut
	switch language {
	case "python":
		cut = pythonCuts
	case "go":
		cut = goCuts
	default:
		return nil, fmt.Errorf("%s: %w", language, ErrLanguage)
	}
	d := patch.Parse(gold)
	var out []Ablation
	seen := map[string]bool{} // two ways to the same patch are one ablation
	for i := range d.Files {
		f := &d.Files[i]
		if f.New == "" || patch.IsTestPath(f.New) || f.Binary || f.Kind != patch.Modified && f.Kind != patch.Added || !reads(language, f.New) {
			continue
		}
		src, err := newSource(f, base[f.Old])
		if err != nil {
			return nil, err
		}
		for _, c := range cut(src) {
			text, ok := c.apply(d, i)
			if !ok || seen[text] {
				continue
			}
			seen[text] = true
			out = append(out, Ablation{
				Kind: c.kind, Name: c.name(f.New), File: f.New, Line: c.at, Item: c.item, Missing: c.missing(f.New), Patch: text,
			})
		}
	}
	return out, nil
}

func reads(language, file string) bool {
	return language == "python" && strings.HasSuffix(file, ".py") || language == "go" && strings.HasSuffix(file, ".go")
}

// cut is a piece that can go, in lines of the new file, both ends included.
type cut struct {
	kind Kind
	at   int
	item string
	in   string // the function or class around it; empty at the top level

	from, to int
	// revert brings the base's lines back in place of the piece; otherwise the
	// piece must be added lines alone.
	revert bool
	with   []string // lines that stand in its place
	also   [][2]int // other added lines that are then without use
}

var nameChar = regexp.MustCompile(`[^a-z0-9]+`)

func (c cut) name(file string) string {
	stem := strings.TrimSuffix(file, path.Ext(file))
	return string(c.kind) + "-" + strings.Trim(nameChar.ReplaceAllString(strings.ToLower(stem), "-"), "-") + "-" + strconv.Itoa(c.at)
}

func (c cut) missing(file string) string {
	where := file
	if c.in != "" {
		where = c.in + " in " + file
	}
	switch c.kind {
	case Import:
		return fmt.Sprintf("%s: %s is missing, and the code uses it", file, c.item)
	case Surface:
		return fmt.Sprintf("%s: the implementation of %s is missing; its interface is there", file, c.item)
	}
	return fmt.Sprintf("%s: the branch %s is missing", where, strconv.Quote(c.item))
}

// short is an item that fits on a line.
func short(s string) string {
	s = strings.Join(strings.Fields(s), " ")
	if r := []rune(s); len(r) > 100 {
		s = string(r[:99]) + "…"
	}
	return s
}

// word reports whether text holds name as a whole identifier.
func word(text, name string) bool {
	if name == "" {
		return false
	}
	for from := 0; ; {
		at := strings.Index(text[from:], name)
		if at < 0 {
			return false
		}
		at += from
		before, _ := utf8.DecodeLastRuneInString(text[:at])
		after, _ := utf8.DecodeRuneInString(text[at+len(name):])
		if !inName(before) && !inName(after) {
			return true
		}
		from = at + len(name)
	}
}

func inName(r rune) bool {
	return r == '_' || r != utf8.RuneError && (unicode.IsLetter(r) || unicode.IsDigit(r))
}

// unique drops cuts of the same lines and sorts by line.
func unique(all []cut) []cut {
	slices.SortStableFunc(all, func(a, b cut) int { return a.from - b.from })
	return slices.CompactFunc(all, func(a, b cut) bool { return a.from == b.from && a.to == b.to && a.kind == b.kind })
}
