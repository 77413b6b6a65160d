package findings

import (
	"cmp"
	"maps"
	"regexp"
	"slices"
	"strconv"
	"strings"

	"plumbline/experiments/patch"
)

// Attribution says which findings of the patched tree the patch caused.
type Attribution struct {
	// Caused are on the patched tree and have no counterpart on the base.
	Caused []Finding
	// Standing are on both trees: the base's own, whatever line they are on now.
	Standing []Finding
	// Gone are on the base alone.
	Gone []Finding
	// Unclear are new to the tool but not to be blamed on the patch: on the base the
	// tool could not read the file at all, so what it would have said is unknown.
	Unclear []Finding
}

// Caused compares the findings of one tool run on two trees. diff is the patch
// between them; its renames carry findings of the base along and its lines tell an
// edited finding from a second one. An empty diff is legal and compares files by
// name.
//
// Findings are equal by tool, rule, file after renames, and message; numbers of
// lines inside messages do not count. Of equal findings those with the same
// context (the text of their line) go together first, wherever the patch moved
// it, then those that stand on the two sides of one change. What is left over on
// the patched tree was caused by the patch. Without any context, only the number
// of equal findings counts.
func Caused(base, patched []Finding, diff patch.Diff) Attribution {
	m := newMatcher(diff)
	unread := map[string]bool{}
	for _, f := range base {
		if f.Class == Syntax {
			unread[f.Tool+"\x00"+m.rename(f.File)] = true
		}
	}
	groups := map[key]*group{}
	of := func(f Finding, file string) *group {
		k := key{f.Tool, f.Rule, file, unnumbered(f.Message)}
		if groups[k] == nil {
			groups[k] = &group{}
		}
		return groups[k]
	}
	for i := range base {
		g := of(base[i], m.rename(base[i].File))
		g.base = append(g.base, side{&base[i], i})
	}
	for i := range patched {
		g := of(patched[i], patched[i].File)
		g.patched = append(g.patched, side{&patched[i], i})
	}
	var caused, standing, gone []side
	for _, k := range slices.SortedFunc(maps.Keys(groups), key.compare) {
		g := groups[k]
		standing = append(standing, g.match(m)...)
		caused, gone = append(caused, g.patched...), append(gone, g.base...)
	}
	caused, gone, standing = moved(caused, gone, standing)
	var out Attribution
	for _, s := range inOrder(caused) {
		if unread[s.Tool+"\x00"+s.File] && s.Class != Syntax {
			out.Unclear = append(out.Unclear, s)
		} else {
			out.Caused = append(out.Caused, s)
		}
	}
	out.Standing, out.Gone = inOrder(standing), inOrder(gone)
	return out
}

type key struct{ tool, rule, file, message string }

func (k key) compare(o key) int {
	return cmp.Or(strings.Compare(k.file, o.file), strings.Compare(k.tool, o.tool), strings.Compare(k.rule, o.rule), strings.Compare(k.message, o.message))
}

// side is a finding with its place in the tool's output.
type side struct {
	*Finding
	at int
}

func inOrder(list []side) []Finding {
	slices.SortStableFunc(list, func(a, b side) int { return cmp.Compare(a.at, b.at) })
	var out []Finding
	for _, s := range list {
		out = append(out, *s.Finding)
	}
	return out
}

// group holds equal findings of both trees; match takes pairs out.
type group struct{ base, patched []side }

// match returns the findings of the patched tree that have a counterpart.
func (g *group) match(m matcher) []side {
	out := g.pair(func(b, p side) bool { return b.Context != "" && b.Context == p.Context })
	out = append(out, g.pair(func(b, p side) bool { return m.sameLine(*b.Finding, *p.Finding) })...)
	return append(out, g.pair(func(b, p side) bool { return m.sameChange(*b.Finding, *p.Finding) })...)
}

// pair takes out pairs for which same holds, each finding once.
func (g *group) pair(same func(b, p side) bool) []side {
	var out, left []side
	for _, p := range g.patched {
		i := slices.IndexFunc(g.base, func(b side) bool { return same(b, p) })
		if i < 0 {
			left = append(left, p)
			continue
		}
		g.base = slices.Delete(g.base, i, i+1)
		out = append(out, p)
	}
	g.patched = left
	return out
}

// moved pairs findings whose line went to another file with its text unchanged:
// code that was moved keeps its old faults. A context too short to be telling is
// not enough.
func moved(caused, gone, standing []side) (c, g, s []side) {
	for _, p := range caused {
		i := -1
		if len(p.Context) >= tellingContext {
			i = slices.IndexFunc(gone, func(b side) bool {
				return b.Context == p.Context && b.Tool == p.Tool && b.Rule == p.Rule && unnumbered(b.Message) == unnumbered(p.Message)
			})
		}
		if i < 0 {
			c = append(c, p)
			continue
		}
		gone = slices.Delete(gone, i, i+1)
		standing = append(standing, p)
	}
	return c, gone, standing
}

// tellingContext is the length below which an equal line is no sign of a move.
const tellingContext = 12

var lineNumber = regexp.MustCompile(`\b(lines?|position) \d+`)

// unnumbered is a message without the numbers of lines in it.
func unnumbered(message string) string { return lineNumber.ReplaceAllString(message, "$1 N") }

// Annotate fills the context of findings from the text of their file; read answers
// false for a file that is not there.
func Annotate(list []Finding, read func(file string) (string, bool)) {
	lines := map[string][]string{}
	for i := range list {
		f := &list[i]
		all, seen := lines[f.File]
		if !seen {
			if text, ok := read(f.File); ok {
				all = strings.Split(text, "\n")
			}
			lines[f.File] = all
		}
		if f.Line >= 1 && f.Line <= len(all) {
			f.Context = squeeze(all[f.Line-1])
		}
	}
}

// String shows a finding as tools do.
func (f Finding) String() string {
	s := f.File
	if f.Line > 0 {
		s += ":" + strconv.Itoa(f.Line)
	}
	if f.Rule != "" {
		s += ": " + f.Rule
	}
	return s + ": " + f.Message
}

func sortedKeys[V any](m map[string]V) []string { return slices.Sorted(maps.Keys(m)) }
