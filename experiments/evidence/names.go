package evidence

import (
	"path"
	"regexp"
	"slices"
	"strings"
	"unicode"

	"plumbline/experiments/patch"
)

// names are the identifiers that a diff changes, with their parts.
type names struct {
	whole map[string]bool // lower case
	parts map[string]bool // words of snake_case and CamelCase names, 4 letters or more
}

var identifier = regexp.MustCompile(`[\p{L}_][\p{L}\p{N}_]*`)

// changedNames collects identifiers of added and removed lines, of the function a
// hunk stands in, and of the changed files' names.
func changedNames(d patch.Diff) names {
	n := names{map[string]bool{}, map[string]bool{}}
	for i := range d.Files {
		f := &d.Files[i]
		for _, p := range []string{f.Old, f.New} {
			n.add(strings.TrimSuffix(path.Base(p), path.Ext(p)))
		}
		for _, h := range f.Hunks {
			n.add(h.Section)
			for _, l := range h.Lines {
				if l.Op != patch.Context {
					n.add(l.Text)
				}
			}
		}
	}
	return n
}

func (n names) add(text string) {
	for _, id := range identifier.FindAllString(text, -1) {
		n.whole[strings.ToLower(id)] = true
		for _, p := range nameParts(id) {
			n.parts[p] = true
		}
	}
}

// nameParts are the words inside an identifier, lower case, 4 letters or more.
func nameParts(id string) []string {
	var out []string
	start := 0
	runes := []rune(id)
	flush := func(end int) {
		if end-start >= 4 {
			out = append(out, strings.ToLower(string(runes[start:end])))
		}
	}
	for i, r := range runes {
		switch {
		case r == '_':
			flush(i)
			start = i + 1
		case i > start && unicode.IsUpper(r) && !unicode.IsUpper(runes[i-1]):
			flush(i)
			start = i
		}
	}
	flush(len(runes))
	return out
}

// common are words of four letters or more that say nothing about a requirement,
// or that are keywords of most languages.
var common = wordSet(`about above after again also always another because been before being below between both
	call called calls case cases change changed changes class code come comes could current currently does done each else
	even every example expected false following from function functions have here however import inside instead into issue
	just like line lines look make method methods more most must need needs none null only other output over pass please
	print problem raise return returned returns right same self should some something still such test tests than that their
	them then there these they thing this those through true type used using value values very want well were what when
	where which while will with without work works would your`)

func wordSet(s string) map[string]bool {
	out := map[string]bool{}
	for _, w := range strings.Fields(s) {
		out[w] = true
	}
	return out
}

// match lists the words of a sentence that the diff shares, as the sentence writes
// them: a whole identifier, or a plain word that is a word of an identifier.
func (n names) match(sentence string) []string {
	var out []string
	seen := map[string]bool{}
	for _, w := range identifier.FindAllString(sentence, -1) {
		low := strings.ToLower(w)
		if len([]rune(low)) < 4 && !codeLike(w) || common[low] || seen[low] {
			continue
		}
		if n.whole[low] || n.parts[low] {
			seen[low] = true
			out = append(out, w)
		}
	}
	if len(out) > maxListed {
		out = out[:maxListed]
	}
	return out
}

// codeLike reports names that prose does not use: snake_case, camelCase, digits
// between letters.
func codeLike(w string) bool {
	if strings.Trim(w, "_") == "" {
		return false
	}
	if strings.Contains(w, "_") {
		return true
	}
	runes := []rune(w)
	for i := 1; i < len(runes); i++ {
		if unicode.IsUpper(runes[i]) && unicode.IsLower(runes[i-1]) {
			return true
		}
	}
	return false
}

var backquoted = regexp.MustCompile("`([^`\n]+)`")

// codeNames are the identifiers that a sentence marks as code, by back quotes or
// by their shape.
func codeNames(sentence string) []string {
	var out []string
	take := func(w string) {
		if len(w) > 2 && !common[strings.ToLower(w)] && !slices.Contains(out, w) {
			out = append(out, w)
		}
	}
	for _, m := range backquoted.FindAllStringSubmatch(sentence, -1) {
		for _, w := range identifier.FindAllString(m[1], -1) {
			take(w)
		}
	}
	for _, w := range identifier.FindAllString(backquoted.ReplaceAllString(sentence, " "), -1) {
		if codeLike(w) {
			take(w)
		}
	}
	return out
}
