package gentest

import (
	"path"
	"regexp"
	"strings"

	"plumbline/experiments/cascade"
	"plumbline/experiments/patch"
)

// Test is a generated test as it will be run.
type Test struct {
	Path    string // of a new file, from the root of the tree
	Source  string
	Asserts string // what the generator says that it requires; may be empty
	Limits  string // what the generator says that it leaves out; may be empty
}

var (
	fileLine    = regexp.MustCompile(`(?mi)^\s*(?:[*#/ ]*)file(?:name)?\s*:\s*` + "`?" + `([^\s` + "`" + `*]+)`)
	fencedBlock = regexp.MustCompile("(?ms)^[ \\t]*(```+|~~~+)[ \\t]*([A-Za-z0-9_+.-]*)[^\\n]*\\n(.*?)(?:^[ \\t]*(?:```+|~~~+)[ \\t]*$|\\z)")
	asserts     = regexp.MustCompile(`(?mi)^\s*\**asserts\**\s*:\s*\**\s*(.+)$`)
	limits      = regexp.MustCompile(`(?mi)^\s*\**limits\**\s*:\s*\**\s*(.+)$`)
	thinking    = regexp.MustCompile(`(?is)<(?:think|thinking|reasoning)>.*?</(?:think|thinking|reasoning)>`)
)

// Parse reads a reply. Prose without code, a refusal in words and code of another
// language give NoTest; the flaws of Inspect are found here too. With a flaw, Test
// holds what there was, to be shown.
func Parse(reply string, in Input) (Test, cascade.Flaw) {
	reply = thinking.ReplaceAllString(strings.ReplaceAll(reply, "\r\n", "\n"), "")
	t := Test{Asserts: sentence(asserts, reply), Limits: sentence(limits, reply)}
	t.Source = code(reply, in.Language)
	if t.Source == "" {
		return t, cascade.NoTest
	}
	t.Path = place(reply, t.Source, in)
	return t, Inspect(in.Language, t.Source)
}

func sentence(re *regexp.Regexp, reply string) string {
	if m := re.FindStringSubmatch(reply); m != nil {
		return strings.TrimSpace(m[1])
	}
	return ""
}

// code is the largest fenced block that holds a test of the language, or the whole
// reply where it is nothing but code.
func code(reply, language string) string {
	best := ""
	for _, m := range fencedBlock.FindAllStringSubmatch(reply, -1) {
		if text := m[3]; len(text) > len(best) && isTest(language, text) {
			best = text
		}
	}
	if best == "" && looksLikeCode(language, reply) && isTest(language, reply) {
		best = strings.TrimSpace(reply) + "\n"
	}
	return best
}

var testHead = map[string]*regexp.Regexp{
	"python":     regexp.MustCompile(`(?m)^\s*(?:async\s+)?def test\w*\s*\(|^class \w+\(.*TestCase\)`),
	"go":         regexp.MustCompile(`(?m)^func Test\w*\(\w+ \*testing\.T\)`),
	"javascript": regexp.MustCompile(`(?m)\b(?:test|it|describe)\s*\(`),
}

func isTest(language, text string) bool {
	re := testHead[language]
	return re != nil && re.MatchString(text)
}

var codeStart = map[string]*regexp.Regexp{
	"python":     regexp.MustCompile(`^(?:import |from |"""|#|def |class |@)`),
	"go":         regexp.MustCompile(`^(?:package |//)`),
	"javascript": regexp.MustCompile(`^(?:import |const |'use strict'|"use strict"|//|test\(|describe\()`),
}

func looksLikeCode(language, text string) bool {
	re := codeStart[language]
	return re != nil && re.MatchString(strings.TrimSpace(text))
}

// names of generated files. They are ours, so that a generated test never takes
// the place of a file of the repository.
var fileNames = map[string]string{
	"python": "test_plumbline_generated.py", "go": "plumbline_generated_test.go", "javascript": "plumbline-generated.test.js",
}

// place is where the test goes: our name, in the folder that the reply names. Go
// tests must stand beside their package, so a reply without a folder takes that of
// the first file that the patch changes outside tests.
func place(reply, source string, in Input) string {
	name := fileNames[in.Language]
	dir := ""
	if m := fileLine.FindStringSubmatch(strings.Replace(reply, source, "", 1)); m != nil {
		dir = path.Dir(path.Clean(strings.ReplaceAll(strings.Trim(m[1], `"'`), `\`, "/")))
	} else if in.Language == "go" {
		dir = firstFolder(in.Patch)
	}
	if dir == "." || strings.HasPrefix(dir, "..") || path.IsAbs(dir) || strings.ContainsAny(dir, ":\x00") {
		dir = ""
	}
	return path.Join(dir, name)
}

func firstFolder(diff string) string {
	d := patch.Parse(diff)
	for i := range d.Files {
		if p := d.Files[i].Path(); strings.HasSuffix(p, ".go") && !patch.IsTestPath(p) {
			return path.Dir(p)
		}
	}
	return ""
}
