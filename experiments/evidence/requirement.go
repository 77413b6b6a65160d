package evidence

import (
	"regexp"
	"strings"
	"unicode"
)

// maxRequirements bounds the coverage list; issues with more wishes than this
// repeat themselves.
const maxRequirements = 12

var (
	fence       = regexp.MustCompile("(?ms)^[ \t]*(```|~~~).*?(^[ \t]*(```|~~~)[ \t]*$|\\z)")
	htmlComment = regexp.MustCompile(`(?s)<!--.*?(-->|\z)`)
	listMark    = regexp.MustCompile(`^[ \t]*([-*+]|\d+[.)]|>|#{1,6})[ \t]+`)
	sentenceEnd = regexp.MustCompile(`[.!?]["')\]]*[ \t]+`)
	// demands are the words by which a sentence asks for something or says that
	// something is not as it should be.
	demands = regexp.MustCompile(`(?i)\b(should|must|shall|needs? to|ought|has to|have to|expect(ed|s)?|require[sd]?|instead of|rather than|allow(s|ed)?|support(s|ed)?|ensure|add|fix|raise[sd]?|return(s|ed)?|accept(s|ed)?|reject(s|ed)?|ignore[sd]?|does ?n.?t|doesn.?t|do(es)? not|don.?t|can ?not|can.?t|could not|fails?|failed|failing|crash(es|ed)?|wrong(ly)?|incorrect(ly)?|missing|broken|unexpected(ly)?|would like|please|want)\b`)
)

// requirements extracts sentences of the issue that ask for behaviour, in order,
// without repetition, at most maxRequirements. Code fences, comments, tracebacks
// and quoted shell lines are skipped. When no sentence asks for anything, the
// first line of prose stands for the whole. The extraction is mechanical: it
// knows words, not meaning.
func requirements(issue string) []string {
	text := strings.ReplaceAll(issue, "\r\n", "\n")
	text = htmlComment.ReplaceAllString(text, "\n\n")
	text = fence.ReplaceAllString(text, "\n\n")
	var out []string
	seen := map[string]bool{}
	first := ""
	for _, p := range paragraphs(text) {
		for _, s := range sentences(p) {
			if first == "" {
				first = s
			}
			key := strings.ToLower(s)
			if seen[key] || !demands.MatchString(s) || wordCount(s) < 3 {
				continue
			}
			seen[key] = true
			if out = append(out, s); len(out) == maxRequirements {
				return out
			}
		}
	}
	if len(out) == 0 && first != "" {
		out = append(out, first)
	}
	return out
}

// paragraphs joins wrapped lines; a list item, a heading or a blank line starts a
// new one. Lines indented by four spaces or a tab are code.
func paragraphs(text string) []string {
	var out []string
	open := false
	for line := range strings.Lines(text) {
		line = strings.TrimRight(line, " \t\n")
		trimmed := strings.TrimSpace(line)
		code := (strings.HasPrefix(line, "    ") || strings.HasPrefix(line, "\t")) && !listMark.MatchString(line)
		if trimmed == "" || code || strings.HasPrefix(trimmed, ">>>") || strings.HasPrefix(trimmed, "$ ") {
			open = false
			continue
		}
		mark := listMark.FindString(line)
		body := strings.TrimSpace(line[len(mark):])
		if body == "" {
			open = false
			continue
		}
		if open && mark == "" {
			out[len(out)-1] += " " + body
			continue
		}
		out = append(out, body)
		// A heading is a paragraph of its own.
		open = !strings.HasPrefix(strings.TrimSpace(mark), "#")
	}
	return out
}

// sentences splits at a full stop that is followed by a capital, a backquote or a
// digit; abbreviations in the middle of a sentence so stay whole.
func sentences(p string) []string {
	var out []string
	from := 0
	for _, at := range sentenceEnd.FindAllStringIndex(p, -1) {
		next := []rune(p[at[1]:])
		if len(next) == 0 || !(unicode.IsUpper(next[0]) || unicode.IsDigit(next[0]) || next[0] == '`') {
			continue
		}
		out = append(out, strings.TrimSpace(p[from:at[1]]))
		from = at[1]
	}
	if rest := strings.TrimSpace(p[from:]); rest != "" {
		out = append(out, rest)
	}
	return out
}

func wordCount(s string) int { return len(strings.Fields(s)) }
