package findings

import (
	"regexp"
	"strings"
)

// Classify tells the class of a finding from the tool's own words. A tool, rule or
// message that is not known is Other: an unknown finding never decides.
func Classify(tool, rule, message string) Class {
	switch family(tool) {
	case "pyflakes":
		return pyflakesClass(message)
	case "flake8", "ruff":
		return flakeClass(rule, message)
	case "pylint":
		return byRule(rule, pylintRules)
	case "mypy":
		return mypyClass(rule, message)
	case "pyright":
		return byRule(rule, pyrightRules)
	case "go":
		return goClass(rule, message)
	case "tsc":
		return tscClass(rule)
	case "eslint":
		return eslintClass(rule, message)
	case "py-compile":
		return Syntax // it reports nothing else
	}
	return Other
}

// family is the tool without version and decoration.
func family(tool string) string {
	t := strings.ToLower(tool)
	for _, f := range []struct{ part, family string }{
		{"pyflakes", "pyflakes"}, {"flake8", "flake8"}, {"ruff", "ruff"}, {"pylint", "pylint"}, {"mypy", "mypy"},
		{"pyright", "pyright"}, {"py-compile", "py-compile"},
		{"eslint", "eslint"}, {"tsc", "tsc"}, {"typescript", "tsc"},
	} {
		if strings.Contains(t, f.part) {
			return f.family
		}
	}
	if t == "go" || strings.HasPrefix(t, "go ") || strings.HasPrefix(t, "go-") || t == "govet" {
		return "go"
	}
	return ""
}

// Errors that Python's compiler itself reports. pyflakes prints them in place of
// its own messages, so they are told by their words.
var pythonSyntax = regexp.MustCompile(`^(invalid (syntax|character|decimal|hexadecimal|token|non-printable|escape)|unexpected (indent|EOF|character)|` +
	`expected |unindent does not match|unterminated |unmatched |EOL while|EOF while|unexpected EOF|inconsistent use of tabs|` +
	`cannot (assign|delete|mix)|can't (assign|delete)|positional argument follows|keyword argument repeated|f-string:|` +
	`Missing parentheses|Generator expression must|leading zeros|closing parenthesis|'[\[({]' was never closed|` +
	`(illegal|assignment to yield)|source code (string )?cannot contain|bytes can only contain|named arguments must|` +
	`'(return|yield|await|yield from)' outside |'(break|continue)' (outside|not properly)|'from .* import \*' only allowed|` +
	`from __future__ imports must|future feature .* is not defined|default 'except:' must be last|duplicate argument |` +
	`(two starred|multiple starred|too many) expressions|non-default argument follows|no binding for nonlocal|` +
	`name '.*' is (used prior to|assigned to before|parameter and) |problem decoding source)`)

func pyflakesClass(message string) Class {
	switch {
	case strings.HasPrefix(message, "undefined name ") && !strings.HasSuffix(message, " in __all__"):
		return Unbound
	case strings.HasPrefix(message, "local variable ") && strings.HasSuffix(message, "referenced before assignment"):
		return Unbound
	case pythonSyntax.MatchString(message):
		return Syntax
	}
	return Other
}

// flakeClass knows the codes that flake8 and ruff share. E902 is an unreadable
// file; F822 is a wrong entry in __all__, which most imports never notice.
func flakeClass(rule, message string) Class {
	switch rule {
	case "F821", "F823":
		return Unbound
	case "E999", "F404", "F407", "F621", "F622", "F701", "F702", "F704", "F706", "F707", "F831", "syntax-error", "invalid-syntax":
		return Syntax
	case "":
		if strings.HasPrefix(message, "SyntaxError:") {
			return Syntax
		}
	}
	return Other
}

var pylintRules = map[string]Class{
	"E0001": Syntax, "syntax-error": Syntax, "E0103": Syntax, "not-in-loop": Syntax, "E0104": Syntax, "return-outside-function": Syntax,
	"E0105": Syntax, "yield-outside-function": Syntax, "E0108": Syntax, "duplicate-argument-name": Syntax, "E0112": Syntax,
	"too-many-star-expressions": Syntax, "E0115": Syntax, "nonlocal-and-global": Syntax, "E0117": Syntax, "nonlocal-without-binding": Syntax,
	"E0118": Syntax, "used-prior-global-declaration": Syntax, "E0602": Unbound, "undefined-variable": Unbound,
}

var pyrightRules = map[string]Class{
	"reportUndefinedVariable": Unbound, "reportUnboundVariable": Unbound, syntaxRule: Syntax,
}

// syntaxRule is the name given here to errors for which pyright has none.
const syntaxRule = "syntax"

func byRule(rule string, classes map[string]Class) Class {
	if c, ok := classes[rule]; ok {
		return c
	}
	return Other
}

func mypyClass(rule, message string) Class {
	switch {
	case rule == "syntax" || strings.HasSuffix(message, "[syntax]"):
		return Syntax
	case rule == "name-defined" || strings.HasSuffix(message, "[name-defined]"):
		return Unbound
	}
	return Other
}

// goClass: what the compiler or the type checker of vet says stops the build; what
// an analyser of vet says does not. Read gives compiler errors the rule "build".
func goClass(rule, message string) Class {
	switch {
	case rule != buildRule:
		return Other
	case strings.HasPrefix(message, "syntax error") || strings.HasPrefix(message, "expected ") || strings.Contains(message, "invalid character"):
		return Syntax
	case strings.HasPrefix(message, "undefined: ") || strings.Contains(message, " undefined (type ") || strings.HasPrefix(message, "undeclared name"):
		return Unbound
	}
	return Compile
}

const buildRule = "build"

// tscClass: TypeScript emits programs in spite of type errors, so only a file that
// does not parse and a name that is nowhere decide.
func tscClass(rule string) Class {
	switch {
	case rule == "TS2304" || rule == "TS2552" || rule == "TS18004":
		return Unbound
	case strings.HasPrefix(rule, "TS1") && len(rule) == len("TS1005"):
		return Syntax
	}
	return Other
}

func eslintClass(rule, message string) Class {
	switch {
	case rule == "no-undef":
		return Unbound
	case strings.HasPrefix(message, "Parsing error"):
		return Syntax
	}
	return Other
}
