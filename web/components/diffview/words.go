package diffview

import (
	"unicode"
	"unicode/utf8"
)

// span is a byte range of a line.
type span struct{ from, to int }

// words compares two versions of a line token by token (longest common
// subsequence) and gives the ranges that changed on each side. Lines that share
// less than a third of their text, or are too long, give nothing: then the whole
// line is the change.
func words(before, after string) (del, ins []span) {
	if before == after || len(before) > wordLine || len(after) > wordLine {
		return nil, nil
	}
	a, b := tokens(before), tokens(after)
	head := 0
	for head < len(a) && head < len(b) && text(before, a[head]) == text(after, b[head]) {
		head++
	}
	tail := 0
	for tail < len(a)-head && tail < len(b)-head && text(before, a[len(a)-1-tail]) == text(after, b[len(b)-1-tail]) {
		tail++
	}
	midA, midB := a[head:len(a)-tail], b[head:len(b)-tail]
	if len(midA) > wordTokens || len(midB) > wordTokens {
		return nil, nil
	}
	keepA, keepB := common(before, midA, after, midB)
	del, goneA := changed(midA, keepA)
	ins, goneB := changed(midB, keepB)
	if 3*(len(before)-goneA) < len(before) || 3*(len(after)-goneB) < len(after) {
		return nil, nil
	}
	return del, ins
}

func text(s string, t span) string { return s[t.from:t.to] }

// tokens are words, runs of white space and single other characters.
func tokens(s string) []span {
	var out []span
	kind := func(r rune) int {
		switch {
		case r == '_' || unicode.IsLetter(r) || unicode.IsDigit(r):
			return 1
		case unicode.IsSpace(r):
			return 2
		}
		return 0
	}
	last := 0
	for i := 0; i < len(s); {
		r, size := utf8.DecodeRuneInString(s[i:])
		k := kind(r)
		if n := len(out); n > 0 && k != 0 && k == last {
			out[n-1].to = i + size
		} else {
			out = append(out, span{i, i + size})
		}
		last = k
		i += size
	}
	return out
}

// common marks the tokens of a longest common subsequence.
func common(sa string, a []span, sb string, b []span) (keepA, keepB []bool) {
	keepA, keepB = make([]bool, len(a)), make([]bool, len(b))
	if len(a) == 0 || len(b) == 0 {
		return keepA, keepB
	}
	width := len(b) + 1
	table := make([]uint16, (len(a)+1)*width) // length of the LCS of a[i:], b[j:]
	for i := len(a) - 1; i >= 0; i-- {
		for j := len(b) - 1; j >= 0; j-- {
			if text(sa, a[i]) == text(sb, b[j]) {
				table[i*width+j] = table[(i+1)*width+j+1] + 1
			} else {
				table[i*width+j] = max(table[(i+1)*width+j], table[i*width+j+1])
			}
		}
	}
	for i, j := 0, 0; i < len(a) && j < len(b); {
		switch {
		case text(sa, a[i]) == text(sb, b[j]):
			keepA[i], keepB[j] = true, true
			i, j = i+1, j+1
		case table[(i+1)*width+j] >= table[i*width+j+1]:
			i++
		default:
			j++
		}
	}
	return keepA, keepB
}

// changed joins the tokens that are not kept and counts their bytes.
func changed(ts []span, keep []bool) (out []span, size int) {
	for i, t := range ts {
		if keep[i] {
			continue
		}
		size += t.to - t.from
		if n := len(out); n > 0 && out[n-1].to == t.from {
			out[n-1].to = t.to
			continue
		}
		out = append(out, t)
	}
	return out, size
}
