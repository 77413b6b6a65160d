package gentest

import (
	"go/parser"
	"go/token"
	"regexp"
	"strings"

	"plumbline/experiments/cascade"
)

// Inspect finds flaws without running the test: a Go file that does not parse, a
// test without an assertion, a test whose assertions are of constants alone. Such
// tests are common among generated ones (paper T C.8); what cannot fail says
// nothing about a patch.
func Inspect(language, source string) cascade.Flaw {
	if language == "go" {
		if _, err := parser.ParseFile(token.NewFileSet(), "x_test.go", source, parser.SkipObjectResolution); err != nil {
			return cascade.Unloadable
		}
	}
	found, telling := 0, 0
	for line := range strings.Lines(bare(language, source)) {
		for _, m := range assertion[language].FindAllStringIndex(line, -1) {
			found++
			if !constant(language, line[m[0]:]) {
				telling++
			}
		}
	}
	switch {
	case found == 0:
		return cascade.NoAssertion
	case telling == 0:
		return cascade.Trivial
	}
	return cascade.NoFlaw
}

// assertion finds what can make a test fail on purpose.
var assertion = map[string]*regexp.Regexp{
	"python":     regexp.MustCompile(`\bassert\b|\bself\.(?:assert\w+|fail)\s*\(|\bpytest\.(?:raises|warns|fail)\s*\(|\braise AssertionError\b|\bassert_\w+\s*\(`),
	"go":         regexp.MustCompile(`\b[tb]\.(?:Error|Errorf|Fatal|Fatalf|Fail|FailNow)\s*\(|\b(?:assert|require)\.\w+\s*\(|\bpanic\s*\(`),
	"javascript": regexp.MustCompile(`\bassert(?:\.\w+)*\s*\(|\bexpect\s*\(|\bthrow new Error\b|\bt\.(?:is|true|false|deepEqual|throws)\s*\(`),
}

var constants = map[string]*regexp.Regexp{
	"python": regexp.MustCompile(`^(?:assert\s+\(?(?:True|not False|1|1 == 1|"[^"]*"|'[^']*')\)?\s*(?:,.*)?$|` +
		`self\.assert(?:True\((?:True|1)|False\((?:False|0)|IsNone\(None|IsNotNone\((?:1|True|"[^"]*"))\s*[,)]|` +
		`self\.assertEqual\((\d+|True|False|None|"[^"]*"|'[^']*'),\s*(\d+|True|False|None|"[^"]*"|'[^']*')\s*[,)])`),
	"go":         regexp.MustCompile(`^(?:assert|require)\.(?:True\(t, true|False\(t, false|Equal\(t, (\d+|"[^"]*"), (\d+|"[^"]*"))\s*[,)]`),
	"javascript": regexp.MustCompile(`^(?:assert(?:\.ok)?\((?:true|1)\s*[,)]|expect\((?:true|1)\)\.to(?:Be|Equal|BeTruthy)\((?:true|1)?\)|assert(?:\.strict)?\.(?:equal|strictEqual|deepEqual)\((\d+|true), (\d+|true)\s*[,)])`),
}

// constant reports an assertion whose outcome no program can change.
func constant(language, text string) bool {
	return constants[language].MatchString(strings.TrimSpace(text))
}

// bare is a source without comments and docstrings, so that a word in them is no
// assertion.
func bare(language, source string) string {
	if language == "python" {
		source = docstring.ReplaceAllString(source, "")
		return pyComment.ReplaceAllString(source, "")
	}
	source = blockComment.ReplaceAllString(source, "")
	return lineComment.ReplaceAllString(source, "")
}

var (
	docstring    = regexp.MustCompile(`(?ms)^[ \t]*[rbu]?(?:"""(?:.*?)"""|'''(?:.*?)''')[ \t]*$`)
	pyComment    = regexp.MustCompile(`(?m)(^|\s)#.*$`)
	blockComment = regexp.MustCompile(`(?s)/\*.*?\*/`)
	lineComment  = regexp.MustCompile(`(?m)(^|\s)//.*$`)
)
