package evidence

import (
	"strings"

	"plumbline/experiments/patch"
	"plumbline/experiments/trace"
)

// LeakKind is the kind of hidden material found in an evidence text.
type LeakKind string

// Kinds of leaks.
const (
	LeakTestID   LeakKind = "hidden test id"
	LeakTestName LeakKind = "hidden test name"
	LeakTestLine LeakKind = "test patch line"
	LeakGoldLine LeakKind = "gold-only line"
)

// Leak is hidden material on one line of an evidence text.
type Leak struct {
	Kind  LeakKind
	Line  int    // of the evidence, 1-based
	Text  string // of that line
	Match string // the hidden id, name or line, restricted like the oracle itself
}

// Audit finds material of the oracle in a rendered text. visible is what anybody
// who has no oracle may read: the issue, and the base files where the caller has
// them. submitted is the patch that the agent submitted. What either of the two
// contains is no leak, and neither are the lines that gold and test patch show as
// context or as removed, because they stand in the base.
//
// Looked for, on each line:
//
//   - the whole id of a fail-to-pass or pass-to-pass test;
//   - its leaf name, as a whole word, when it is distinctive: a name of at least
//     12 characters that holds an underscore, a digit or an inner capital, or a
//     title of at least 4 words and 24 characters;
//   - a line that the test patch or the gold patch adds, compared without
//     indentation, diff mark and runs of white space, when it is long enough to
//     be no accident: 20 characters, 3 words of code, and no import.
//
// An empty oracle gives no leaks. One line gives at most one leak of each kind.
func Audit(ev Evidence, visible string, oracle trace.Oracle, submitted string) []Leak {
	if oracle.Empty() || len(ev.Lines) == 0 {
		return nil
	}
	public := newPublic(visible, submitted)
	a := auditor{public: public, lines: ev.Lines}
	a.index()
	a.ids(append(append([]string(nil), oracle.FailToPass...), oracle.PassToPass...))
	base := map[string]bool{}
	for _, p := range []string{oracle.GoldPatch, oracle.TestPatch} {
		eachLine(patch.Parse(p), func(l patch.Line) {
			if l.Op != patch.Insert {
				base[squeeze(l.Text)] = true
			}
		})
	}
	a.added(LeakTestLine, oracle.TestPatch, base)
	a.added(LeakGoldLine, oracle.GoldPatch, base)
	return a.found
}

// public is what is no secret.
type public struct {
	text  string
	words map[string]bool
	lines map[string]bool // squeezed
}

func newPublic(visible, submitted string) public {
	p := public{words: map[string]bool{}, lines: map[string]bool{}}
	p.text = visible + "\n" + submitted
	for _, w := range identifier.FindAllString(p.text, -1) {
		p.words[w] = true
	}
	for row := range strings.Lines(p.text) {
		p.lines[squeeze(row)] = true
		if row != "" && strings.ContainsRune("+- ", rune(row[0])) {
			p.lines[squeeze(row[1:])] = true
		}
	}
	return p
}

type auditor struct {
	public  public
	lines   []Line
	byWord  map[string][]int // identifier → indices of lines
	byText  map[string][]int // squeezed line, with and without a diff mark → indices
	found   []Leak
	already map[leakKey]bool
}

type leakKey struct {
	kind LeakKind
	line int
}

func (a *auditor) index() {
	a.byWord, a.byText, a.already = map[string][]int{}, map[string][]int{}, map[leakKey]bool{}
	for i, l := range a.lines {
		for _, w := range identifier.FindAllString(l.Text, -1) {
			if at := a.byWord[w]; len(at) == 0 || at[len(at)-1] != i {
				a.byWord[w] = append(at, i)
			}
		}
		whole := squeeze(l.Text)
		a.byText[whole] = append(a.byText[whole], i)
		if l.Text != "" && (l.Text[0] == '+' || l.Text[0] == '-') {
			rest := squeeze(l.Text[1:])
			a.byText[rest] = append(a.byText[rest], i)
		}
	}
}

func (a *auditor) report(kind LeakKind, i int, match string) {
	k := leakKey{kind, i}
	if a.already[k] {
		return
	}
	a.already[k] = true
	a.found = append(a.found, Leak{Kind: kind, Line: a.lines[i].N, Text: a.lines[i].Text, Match: match})
}

// ids looks for test ids. A line is read only when it holds the rarest word of the
// id, which keeps thousands of ids against thousands of lines cheap.
func (a *auditor) ids(ids []string) {
	for _, raw := range ids {
		id := Show(strings.TrimSpace(raw))
		if id == "" {
			continue
		}
		leaf := leafName(id)
		word := a.rarest(leaf)
		if word == "" {
			continue
		}
		showID := len(id) > len(leaf) && !strings.Contains(a.public.text, id)
		showLeaf := distinctive(leaf) && !a.knownLeaf(leaf)
		for _, i := range a.byWord[word] {
			switch text := a.lines[i].Text; {
			case showID && strings.Contains(text, id):
				a.report(LeakTestID, i, id)
			case showLeaf && containsWord(text, leaf):
				a.report(LeakTestName, i, leaf)
			}
		}
	}
}

func (a *auditor) knownLeaf(leaf string) bool {
	return a.public.words[leaf] || containsWord(a.public.text, leaf)
}

// rarest is the identifier of s that the fewest lines hold; empty when a line
// cannot hold s at all.
func (a *auditor) rarest(s string) string {
	best, n := "", 0
	for _, w := range identifier.FindAllString(s, -1) {
		at := len(a.byWord[w])
		if at == 0 {
			return ""
		}
		if best == "" || at < n {
			best, n = w, at
		}
	}
	return best
}

// added looks for lines that a hidden patch adds.
func (a *auditor) added(kind LeakKind, hidden string, base map[string]bool) {
	eachLine(patch.Parse(hidden), func(l patch.Line) {
		if l.Op != patch.Insert {
			return
		}
		s := squeeze(Show(l.Text))
		if !telling(s) || base[s] || a.public.lines[s] {
			return
		}
		for _, i := range a.byText[s] {
			a.report(kind, i, s)
		}
	})
}

func eachLine(d patch.Diff, visit func(patch.Line)) {
	for i := range d.Files {
		for _, h := range d.Files[i].Hunks {
			for _, l := range h.Lines {
				visit(l)
			}
		}
	}
}

// Withhold replaces every line that a leak stands on by one that says so, keeps
// all line numbers, and renews hash, tokens and cuts. It is meant for leaks inside
// the agent's own record, which quotes the base repository: a test that the agent
// listed or ran may be one of the official tests. The result passes the same audit.
func Withhold(ev Evidence, leaks []Leak) Evidence {
	if len(leaks) == 0 {
		return ev
	}
	hit := map[int]bool{}
	for _, l := range leaks {
		hit[l.Line] = true
	}
	out := Evidence{Form: ev.Form, Cut: append([]Cut(nil), ev.Cut...)}
	cut := Cut{What: "lines that name hidden material", Why: CutWithheld}
	quarters := 0
	for _, l := range ev.Lines {
		if hit[l.N] {
			quarters += l.weight()
			cut.Lines++
			l = Line{N: l.N, Own: true, Text: "line withheld by the leakage audit"}
		}
		out.Lines = append(out.Lines, l)
	}
	if cut.Lines > 0 {
		cut.Tokens = toTokens(quarters)
		out.Cut = append(out.Cut, cut)
	}
	out.seal()
	return out
}
