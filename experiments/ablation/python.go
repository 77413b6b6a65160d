package ablation

import (
	"regexp"
	"strings"
)

// statement is a logical line of Python: it may go over several lines of text
// inside brackets, strings, or after a backslash.
type statement struct {
	first, last int // 1-based, both included
	indent      int
	text        string // its lines, trimmed and joined by a space, strings included
	opens       bool   // ends in a colon: a block follows
}

// statements reads a file into logical lines. Blank lines and comments are none.
func statements(lines []string) []statement {
	var out []statement
	var cur *statement
	depth, quote := 0, ""
	for i, line := range lines {
		trimmed := strings.TrimSpace(line)
		if cur == nil {
			if trimmed == "" || strings.HasPrefix(trimmed, "#") {
				continue
			}
			cur = &statement{first: i + 1, indent: len(line) - len(strings.TrimLeft(line, " \t"))}
		}
		code := ""
		code, depth, quote = scan(line, depth, quote)
		cur.text = strings.TrimSpace(cur.text + " " + trimmed)
		if quote != "" || depth > 0 || strings.HasSuffix(strings.TrimRight(code, " \t"), `\`) {
			continue
		}
		cur.last = i + 1
		cur.opens = strings.HasSuffix(strings.TrimRight(code, " \t"), ":")
		out = append(out, *cur)
		cur = nil
	}
	if cur != nil {
		cur.last = len(lines)
		out = append(out, *cur)
	}
	return out
}

// scan follows brackets and strings through a line. code is the line without
// comment; depth and quote carry over to the next line.
func scan(line string, depth int, quote string) (code string, _ int, _ string) {
	for i := 0; i < len(line); i++ {
		rest := line[i:]
		if quote != "" {
			switch {
			case line[i] == '\\':
				i++
			case strings.HasPrefix(rest, quote):
				i += len(quote) - 1
				quote = ""
			}
			continue
		}
		switch c := line[i]; c {
		case '#':
			return line[:i], depth, ""
		case '"', '\'':
			quote = string(c)
			if triple := strings.Repeat(quote, 3); strings.HasPrefix(rest, triple) {
				quote = triple
				i += 2
			}
		case '(', '[', '{':
			depth++
		case ')', ']', '}':
			depth = max(depth-1, 0)
		}
	}
	if len(quote) == 1 && !strings.HasSuffix(line, `\`) {
		quote = "" // a string that is not closed: not valid Python, do not swallow the file
	}
	return line, depth, quote
}

// blockEnd is the index after the last statement of the block that statement i
// opens; i+1 when it opens none.
func blockEnd(all []statement, i int) int {
	j := i + 1
	for j < len(all) && all[j].indent > all[i].indent {
		j++
	}
	return j
}

var (
	pyDef    = regexp.MustCompile(`^(?:async\s+)?def\s+(\w+)\s*\(`)
	pyClass  = regexp.MustCompile(`^class\s+(\w+)`)
	pyImport = regexp.MustCompile(`^(?:from\s+[\w.]+\s+import\s+(.+)|import\s+(.+))$`)
	pyIf     = regexp.MustCompile(`^(if|elif|except)\b\s*(.*?)\s*:`)
	pyElse   = regexp.MustCompile(`^(elif|else|except|finally)\b`)
)

// pythonCuts lists what can go from a file.
func pythonCuts(src source) []cut {
	all := statements(src.lines)
	var out []cut
	for i, s := range all {
		switch {
		case pyImport.MatchString(s.text):
			out = append(out, pythonImport(src, s)...)
		case pyDef.MatchString(s.text):
			out = append(out, pythonSurface(src, all, i)...)
		case pyIf.MatchString(s.text):
			out = append(out, pythonBranch(src, all, i)...)
		}
	}
	return unique(out)
}

// pythonImport: an added import of which some name is used elsewhere in the file.
func pythonImport(src source, s statement) []cut {
	if !src.allAdded(s.first, s.last) {
		return nil
	}
	rest := src.without(s.first, s.last)
	used := false
	for _, name := range pythonBound(s.text) {
		used = used || word(rest, name)
	}
	if !used {
		return nil
	}
	return []cut{{kind: Import, at: s.first, item: short(s.text), from: s.first, to: s.last, revert: true}}
}

// pythonBound lists the names that an import binds.
func pythonBound(text string) []string {
	m := pyImport.FindStringSubmatch(text)
	list, plain := m[1], m[2] != ""
	if plain {
		list = m[2]
	}
	if at := strings.Index(list, "#"); at >= 0 {
		list = list[:at]
	}
	var out []string
	for part := range strings.SplitSeq(strings.Trim(list, "() "), ",") {
		words := strings.Fields(part)
		switch {
		case len(words) == 3 && words[1] == "as":
			out = append(out, words[2])
		case len(words) == 1 && plain:
			top, _, _ := strings.Cut(words[0], ".")
			out = append(out, top)
		case len(words) == 1:
			out = append(out, words[0])
		}
	}
	return out
}

// pythonSurface: the body of a function that the patch changed or added. In a new
// function nothing stays but the docstring; in a changed one the base's body.
func pythonSurface(src source, all []statement, i int) []cut {
	s := all[i]
	name := pyDef.FindStringSubmatch(s.text)[1]
	body := all[i+1 : blockEnd(all, i)]
	if !s.opens || strings.HasPrefix(name, "__") || len(body) == 0 {
		return nil
	}
	from, to := body[0].first, body[len(body)-1].last
	if isString(body[0].text) && len(body) > 1 {
		from = body[1].first
	}
	c := cut{kind: Surface, at: s.first, item: name, in: around(all, i), from: from, to: to}
	if c.in != "" {
		c.item = c.in + "." + name
	}
	switch {
	case src.allAdded(s.first, to):
		if isString(body[0].text) && len(body) == 1 || trivialBody(src, from, to) {
			return nil
		}
		c.with = []string{src.lines[from-1][:body[0].indent] + "return None"}
	case src.anyAdded(from, to) && strings.Contains(src.base, "def "+name+"("):
		c.revert = true
	default:
		return nil
	}
	return []cut{c}
}

func trivialBody(src source, from, to int) bool {
	t := strings.TrimSpace(src.text(from, to))
	return t == "pass" || t == "return None" || t == "return" || t == "..." || strings.HasPrefix(t, "raise NotImplementedError")
}

func isString(text string) bool {
	return strings.HasPrefix(text, `"`) || strings.HasPrefix(text, `'`) || strings.HasPrefix(text, `r"`)
}

// pythonBranch: an added if without an else, or one arm of a longer chain.
func pythonBranch(src source, all []statement, i int) []cut {
	s := all[i]
	m := pyIf.FindStringSubmatch(s.text)
	end := blockEnd(all, i)
	last := all[end-1].last
	if !src.allAdded(s.first, last) {
		return nil
	}
	follows := end < len(all) && all[end].indent == s.indent && pyElse.MatchString(all[end].text)
	switch m[1] {
	case "if":
		if follows {
			return nil
		}
	case "except":
		if !chained(all, i, "except") && !(follows && strings.HasPrefix(all[end].text, "except")) {
			return nil // the only handler of its try
		}
	}
	c := cut{kind: Branch, at: s.first, item: short(strings.TrimSuffix(m[1]+" "+m[2], " ")), in: around(all, i), from: s.first, to: last}
	if m[1] == "if" && alone(all, i, end) {
		c.with = []string{src.lines[s.first-1][:s.indent] + "pass"}
	}
	return []cut{c}
}

// chained reports whether the statement before i at its own level begins with word.
func chained(all []statement, i int, word string) bool {
	for j := i - 1; j >= 0 && all[j].indent >= all[i].indent; j-- {
		if all[j].indent == all[i].indent {
			return strings.HasPrefix(all[j].text, word)
		}
	}
	return false
}

// alone reports whether all[i:end] is the whole block that it stands in.
func alone(all []statement, i, end int) bool {
	before := i > 0 && all[i-1].indent >= all[i].indent
	after := end < len(all) && all[end].indent == all[i].indent
	return !before && !after
}

// around is the function or class that statement i stands in.
func around(all []statement, i int) string {
	indent := all[i].indent
	for j := i - 1; j >= 0; j-- {
		if all[j].indent >= indent {
			continue
		}
		indent = all[j].indent
		if m := pyDef.FindStringSubmatch(all[j].text); m != nil {
			if outer := around(all, j); outer != "" {
				return outer + "." + m[1]
			}
			return m[1]
		}
		if m := pyClass.FindStringSubmatch(all[j].text); m != nil {
			return m[1]
		}
	}
	return ""
}
