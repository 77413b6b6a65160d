package findings_test

import (
	"strings"
	"testing"

	"plumbline/experiments/findings"
)

func TestClassify(t *testing.T) {
	t.Parallel()
	const syn, com, unb, oth = findings.Syntax, findings.Compile, findings.Unbound, findings.Other
	for _, tt := range []struct {
		tool, rule, message string
		want                findings.Class
	}{
		{"pyflakes", "", "undefined name 'np'", unb},
		{"pyflakes", "", "undefined name 'x' in __all__", oth},
		{"pyflakes", "", "local variable 'x' defined in enclosing scope on line 3 referenced before assignment", unb},
		{"pyflakes", "", "'x' may be undefined, or defined from star imports: sympy", oth},
		{"pyflakes", "", "'os' imported but unused", oth},
		{"pyflakes", "", "redefinition of unused 'write' from line 64", oth},
		{"pyflakes", "", "unexpected indent", syn},
		{"pyflakes", "", "invalid syntax. Perhaps you forgot a comma?", syn},
		{"pyflakes", "", "expected an indented block after 'if' statement on line 3", syn},
		{"pyflakes", "", "unterminated string literal (detected at line 2)", syn},
		{"pyflakes", "", "'(' was never closed", syn},
		{"pyflakes", "", "Missing parentheses in call to 'print'. Did you mean print(...)?", syn},
		{"pyflakes", "", "'return' outside function", syn},
		{"pyflakes", "", "duplicate argument 'a' in function definition", syn},
		{"pyflakes", "", "syntax error in forward annotation 'a b'", oth},
		{"pyflakes", "", "'...'.format(...) has unused named argument(s): returns", oth},
		{"pyflakes", "", "unexpected behaviour somewhere", oth},
		{"flake8", "F821", "undefined name 'x'", unb},
		{"flake8", "F822", "undefined name 'x' in __all__", oth},
		{"flake8", "E999", "IndentationError: unexpected indent", syn},
		{"flake8", "F401", "'os' imported but unused", oth},
		{"Ruff", "F821", "Undefined name `x`", unb},
		{"ruff 0.17.4", "syntax-error", "Expected ')'", syn},
		{"ruff", "E501", "Line too long", oth},
		{"pylint", "E0602", "Undefined variable 'pylint'", unb},
		{"pylint", "E0601", "Using variable 'x' before assignment", oth},
		{"pylint", "E0001", "Parsing failed", syn},
		{"pylint", "E1101", "Instance of 'X' has no 'y' member", oth},
		{"mypy", "", `Name "x" is not defined  [name-defined]`, unb},
		{"mypy", "", `Incompatible return value type  [return-value]`, oth},
		{"pyright", "reportUndefinedVariable", `"x" is not defined`, unb},
		{"pyright", "syntax", "Expected expression", syn},
		{"pyright", "reportAttributeAccessIssue", "…", oth},
		{"go", "build", "undefined: foo", unb},
		{"go", "build", "x.Bar undefined (type *T has no field or method Bar)", unb},
		{"go", "build", "syntax error: unexpected newline, expected )", syn},
		{"go", "build", `"fmt" imported and not used`, com},
		{"go", "build", "declared and not used: n", com},
		{"go vet", "printf", "Printf format %d has arg s of wrong type string", oth},
		{"tsc", "TS2304", "Cannot find name 'x'.", unb},
		{"tsc", "TS1005", "';' expected.", syn},
		{"tsc", "TS2345", "Argument of type …", oth},
		{"tsc", "TS2307", "Cannot find module 'x'", oth},
		{"eslint", "no-undef", "'x' is not defined.", unb},
		{"eslint", "", "Parsing error: Unexpected token }", syn},
		{"eslint", "no-unused-vars", "…", oth},
		{"a new tool", "F821", "undefined name 'x'", oth},
		{"", "", "", oth},
	} {
		if got := findings.Classify(tt.tool, tt.rule, tt.message); got != tt.want {
			t.Errorf("%s %s %q: %q, want %q", tt.tool, tt.rule, tt.message, got, tt.want)
		}
	}
	for _, c := range findings.Classes {
		if c.Explain() == "" || c.Decisive() == (c == findings.Other) {
			t.Errorf("class %q: %q, decisive %v", c, c.Explain(), c.Decisive())
		}
	}
}

func TestRead(t *testing.T) {
	t.Parallel()
	for _, tt := range []struct {
		name   string
		format findings.Format
		tool   string
		text   string
		want   string // one finding a line, with its class
	}{
		{"pyflakes with a syntax error on three lines", findings.Pyflakes, "pyflakes",
			"/box/tree/a/b.py:3:1: undefined name 'x'\n/box/tree/c.py:7:9: unexpected indent\n        self.x()\n        ^\n",
			"a/b.py:3: undefined name 'x' (unbound name)\nc.py:7: unexpected indent (does not parse)\n"},
		{"go build", findings.GoText, "",
			"# example.com/x/y\ny/a.go:4:2: undefined: foo\ny/a.go:9:10: cannot use s (variable of type string) as int value in argument to f:\n\tneed int\n",
			"y/a.go:4: build: undefined: foo (unbound name)\ny/a.go:9: build: cannot use s (variable of type string) as int value in argument to f: (does not compile)\n"},
		{"go vet's type checker", findings.GoText, "", "# x\nvet: ./a.go:4:2: undefined: foo\n", "a.go:4: build: undefined: foo (unbound name)\n"},
		{"go vet -json", findings.GoVetJSON, "",
			"# x\n{\n\"x\": {\"printf\": [{\"posn\": \"/box/tree/a.go:5:3\", \"message\": \"wrong verb\"}], \"atomic\": {\"error\": \"no types\"}}\n}\n# y\n{\"y\": {\"copylocks\": [{\"posn\": \"/box/tree/b.go:1:1\", \"message\": \"copies lock\"}]}}\n",
			"a.go:5: printf: wrong verb (other)\nb.go:1: copylocks: copies lock (other)\n"},
		{"pyright", findings.PyrightJSON, "",
			`{"version":"1.1.414","generalDiagnostics":[{"file":"/box/tree/a.py","severity":"error","message":"\"x\" is not defined","rule":"reportUndefinedVariable","range":{"start":{"line":2,"character":0}}},{"file":"/box/tree/a.py","severity":"error","message":"Expected expression","range":{"start":{"line":0}}}]}`,
			"a.py:3: reportUndefinedVariable: \"x\" is not defined (unbound name)\na.py:1: syntax: Expected expression (does not parse)\n"},
		{"tsc", findings.TscText, "", "src/a.ts(3,5): error TS2304: Cannot find name 'x'.\nFound 1 error.\n", "src/a.ts:3: TS2304: Cannot find name 'x'. (unbound name)\n"},
		{"eslint", findings.EslintJSON, "", `[{"filePath":"/box/tree/a.js","messages":[{"ruleId":"no-undef","line":2,"message":"'x' is not defined."},{"ruleId":null,"fatal":true,"line":9,"message":"Parsing error: Unexpected token"}]}]`,
			"a.js:2: no-undef: 'x' is not defined. (unbound name)\na.js:9: Parsing error: Unexpected token (does not parse)\n"},
		{"sarif, one result suppressed", findings.SARIF, "", `{"version":"2.1.0","runs":[{"tool":{"driver":{"name":"Ruff"}},"results":[
{"ruleId":"F821","message":{"text":"Undefined name x"},"locations":[{"physicalLocation":{"artifactLocation":{"uri":"file:///box/tree/a.py"},"region":{"startLine":4}}}]},
{"ruleId":"F821","message":{"text":"Undefined name y"},"suppressions":[{"kind":"inSource"}]}]}]}`,
			"a.py:4: F821: Undefined name x (unbound name)\n"},
		{"mypy", findings.StaticText, "mypy", "a.py:16: error: Name \"x\" is not defined  [name-defined]\n", "a.py:16: Name \"x\" is not defined  [name-defined] (unbound name)\n"},
	} {
		t.Run(tt.name, func(t *testing.T) {
			t.Parallel()
			list, err := findings.Read(tt.format, strings.NewReader(tt.text), tt.tool, "/box/tree")
			if err != nil {
				t.Fatal(err)
			}
			var got strings.Builder
			for _, f := range list {
				got.WriteString(f.String() + " (" + string(f.Class) + ")\n")
			}
			if got.String() != tt.want {
				t.Errorf("got\n%s\nwant\n%s", got.String(), tt.want)
			}
		})
	}
}

func TestReadRefuses(t *testing.T) {
	t.Parallel()
	for format, text := range map[findings.Format]string{
		"cppcheck": "", findings.PyrightJSON: "{}", findings.GoVetJSON: "not json", findings.EslintJSON: "{", findings.PylintJSON: "[{",
	} {
		if _, err := findings.Read(format, strings.NewReader(text), "x", ""); err == nil {
			t.Errorf("%s: %q is read without an error", format, text)
		}
	}
}
