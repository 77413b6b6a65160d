package diffview

import (
	"path"
	"strings"
	"sync"
	"time"
	"unicode/utf8"

	"github.com/alecthomas/chroma/v2"
	"github.com/alecthomas/chroma/v2/lexers"
)

// piece is a styled stretch of a line that ends at byte end.
type piece struct {
	end   int
	class string
}

// painter colours the lines of one window. It keeps the lexers it has looked up
// and stops for good when it has used its time: a stranger's text can make any
// lexer slow.
type painter struct {
	lexers map[string]chroma.Lexer // by file extension or name; a nil entry when there is none
	until  time.Time
	spent  bool
}

const paintTime = 250 * time.Millisecond

func newPainter() *painter {
	return &painter{lexers: map[string]chroma.Lexer{}, until: time.Now().Add(paintTime)}
}

func (p *painter) lexer(file string) chroma.Lexer {
	key := path.Ext(file)
	if key == "" {
		key = path.Base(file)
	}
	if l, known := found.Load(key); known {
		return l.(chroma.Lexer)
	}
	l, known := p.lexers[key]
	if !known {
		if l = lexers.Match(path.Base(file)); l != nil {
			found.Store(key, l)
		}
		p.lexers[key] = l
	}
	return l
}

// found keeps the lexers by extension, because chroma's own look-up tries every
// pattern it knows (3 ms). Only hits are kept, and there are as many as patterns.
var found sync.Map

// paint gives the pieces of every line, or nil when the text cannot be coloured.
// The pieces of a line cover it exactly.
func (p *painter) paint(file string, lines []string) (out [][]piece) {
	if p.spent || len(lines) == 0 {
		return nil
	}
	if time.Now().After(p.until) {
		p.spent = true
		return nil
	}
	lexer := p.lexer(file)
	if lexer == nil {
		return nil
	}
	text := strings.Join(lines, "\n")
	if !utf8.ValidString(text) {
		return nil
	}
	defer func() {
		// A lexer that gives up on odd input costs the colours, not the page.
		if recover() != nil {
			out = nil
		}
	}()
	next, err := lexer.Tokenise(&chroma.TokeniseOptions{State: "root"}, text)
	if err != nil {
		return nil
	}
	out = make([][]piece, len(lines))
	at, pos, seen := 0, 0, 0
	for tok := next(); tok != chroma.EOF; tok = next() {
		if time.Now().After(p.until) {
			p.spent = true
			return nil
		}
		value := tok.Value
		if seen+len(value) > len(text) {
			value = value[:len(text)-seen] // the line feed some lexers add
		}
		if value != text[seen:seen+len(value)] {
			return nil
		}
		seen += len(value)
		c := class(tok.Type)
		for value != "" {
			part, rest, more := strings.Cut(value, "\n")
			if part != "" {
				pos += len(part)
				out[at] = extend(out[at], pos, c)
			}
			if more {
				at, pos = at+1, 0
			}
			value = rest
		}
	}
	if seen != len(text) {
		return nil
	}
	return out
}

func extend(ps []piece, end int, class string) []piece {
	if n := len(ps); n > 0 && ps[n-1].class == class {
		ps[n-1].end = end
		return ps
	}
	return append(ps, piece{end, class})
}

// class reduces chroma's token types to the few classes of diff.css.
func class(t chroma.TokenType) string {
	switch t {
	case chroma.KeywordType, chroma.NameClass, chroma.NameException:
		return "ht"
	case chroma.KeywordConstant, chroma.NameConstant:
		return "hn"
	case chroma.NameFunction, chroma.NameFunctionMagic:
		return "hf"
	case chroma.NameBuiltin, chroma.NameBuiltinPseudo:
		return "hb"
	case chroma.NameDecorator, chroma.CommentPreproc, chroma.NameAttribute:
		return "hd"
	case chroma.NameTag, chroma.OperatorWord:
		return "hk"
	}
	switch {
	case t.InCategory(chroma.Keyword):
		return "hk"
	case t.InCategory(chroma.Comment):
		return "hc"
	case t.InSubCategory(chroma.LiteralString):
		return "hs"
	case t.InSubCategory(chroma.LiteralNumber):
		return "hn"
	}
	return ""
}
