package patch

import "strings"

// hunk reads the lines of one hunk; the parser stands behind its header. The
// stated lengths are trusted first, because only they tell a removed line "-- x"
// from a file header. When they are used up and change lines go on, or when the
// next header comes too early, the lengths lied and the lines are what counts.
func (p *parser) hunk(header string) {
	h, ok := parseHeader(header)
	if !ok {
		// "@@ ... @@" or "@@ @@": placeholders of a model. Read the lines, flag it.
		h = Hunk{Lied: true}
	}
	// The header is a hint for the size, bounded by what the text can hold.
	h.Lines = make([]Line, 0, min(h.OldLines+h.NewLines, (len(p.s)-p.pos)/2+1, 1<<14))
	oldLeft, newLeft := h.OldLines, h.NewLines
	oldNo, newNo := h.OldStart, h.NewStart
	for p.pos < len(p.s) {
		line, next := p.peek()
		if strings.HasPrefix(line, `\`) {
			if n := len(h.Lines); n > 0 {
				h.Lines[n-1].NoNewline = true
			}
			p.pos = next
			continue
		}
		inside := oldLeft > 0 || newLeft > 0
		op, text := Context, ""
		if line != "" {
			op, text = Op(line[0]), line[1:]
		}
		if line == "\r" {
			op, text = Context, "\r"
		}
		stop := false
		switch {
		case op != Context && op != Insert && op != Delete:
			stop = true
		case inside:
			// An early file header: only believed when the lengths cannot hold it.
			stop = strings.HasPrefix(line, "--- ") && p.plusFollows(next) && oldLeft <= 0
			if !stop && op == Context && line == "" && next >= len(p.s) {
				stop = true
			}
		default:
			stop = !p.goesOn(line, next, op)
		}
		if stop {
			break
		}
		l := Line{Op: op, Text: text}
		if op != Insert {
			l.Old = oldNo
			oldNo++
			oldLeft--
		}
		if op != Delete {
			l.New = newNo
			newNo++
			newLeft--
		}
		h.Lines = append(h.Lines, l)
		p.pos = next
	}
	if oldLeft != 0 || newLeft != 0 {
		h.Lied = true
		if (oldLeft > 0 || newLeft > 0) && strings.TrimSpace(p.s[p.pos:]) == "" {
			p.d.Truncated = true
		}
	}
	p.cur.Hunks = append(p.cur.Hunks, h)
}

// goesOn decides whether a line after the stated end still belongs to the hunk: a
// change line that starts no file does, and a context line that is not blank.
func (p *parser) goesOn(line string, next int, op Op) bool {
	switch op {
	case Insert:
		return true
	case Delete:
		if strings.HasPrefix(line, "--- ") && p.plusFollows(next) {
			return false
		}
		return line != "--" && line != "-- " // the signature of git format-patch
	}
	if line == "" {
		return false
	}
	return true
}

// parseHeader reads "@@ -l,s +l,s @@ section".
func parseHeader(line string) (Hunk, bool) {
	var h Hunk
	rest, ok := strings.CutPrefix(trimCR(line), "@@ -")
	if !ok {
		return h, false
	}
	if h.OldStart, h.OldLines, rest, ok = span(rest); !ok {
		return h, false
	}
	if rest, ok = strings.CutPrefix(rest, " +"); !ok {
		return h, false
	}
	if h.NewStart, h.NewLines, rest, ok = span(rest); !ok {
		return h, false
	}
	if rest, ok = strings.CutPrefix(rest, " @@"); !ok {
		return h, false
	}
	h.Section = strings.TrimPrefix(rest, " ")
	return h, true
}

// span reads "start" or "start,length"; numbers are cut at 9 digits, which no
// source file reaches.
func span(s string) (start, length int, rest string, ok bool) {
	start, rest, ok = digits(s)
	if !ok {
		return 0, 0, s, false
	}
	length = 1
	if r, found := strings.CutPrefix(rest, ","); found {
		if length, rest, ok = digits(r); !ok {
			return 0, 0, s, false
		}
	}
	return start, length, rest, true
}

func digits(s string) (int, string, bool) {
	i := 0
	for i < len(s) && s[i] >= '0' && s[i] <= '9' {
		i++
	}
	if i == 0 || i > 9 {
		return 0, s, false
	}
	return number(s[:i]), s[i:], true
}
