package diffview

import (
	"strconv"
	"strings"
)

// Position names a row of a diff: line Line of hunk Hunk of file File, all from
// 0. It is the keyset offset of a window.
type Position struct{ File, Hunk, Line int }

// String is f1h1l1 for the first row: the form of the URL, counted from 1.
func (p Position) String() string {
	return "f" + strconv.Itoa(p.File+1) + "h" + strconv.Itoa(p.Hunk+1) + "l" + strconv.Itoa(p.Line+1)
}

// Target is what the at parameter asks for: a position, or a numbered line of one
// side as in the anchors, such as f1R12.
type Target struct {
	Position
	Side byte // 'L', 'R', or 0 for a position
	Num  int  // line number on that side
}

// ParseTarget reads f3, f3h2, f3h2l400, f3R120 or f3L11. Anything else is the
// start of the diff: an old link never breaks the page.
func ParseTarget(s string) Target {
	var t Target
	rest, ok := strings.CutPrefix(s, "f")
	if !ok {
		return Target{}
	}
	if t.File, rest, ok = count(rest); !ok {
		return Target{}
	}
	if r, found := strings.CutPrefix(rest, "h"); found {
		if t.Hunk, rest, ok = count(r); !ok {
			return Target{}
		}
	}
	if rest == "" {
		return t
	}
	n, tail, ok := count(rest[1:])
	if !ok || tail != "" {
		return Target{}
	}
	switch rest[0] {
	case 'l':
		t.Line = n
	case 'L', 'R':
		t.Side, t.Num = rest[0], n+1
	default:
		return Target{}
	}
	return t
}

// count reads a number from 1 and gives it from 0.
func count(s string) (n int, rest string, ok bool) {
	i := 0
	for i < len(s) && i < 9 && s[i] >= '0' && s[i] <= '9' {
		n = n*10 + int(s[i]-'0')
		i++
	}
	if i == 0 || n == 0 {
		return 0, s, false
	}
	return n - 1, s[i:], true
}
