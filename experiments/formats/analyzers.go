package formats

import (
	"regexp"
	"strings"

	"plumbline/experiments/formats/jsonpull"
)

// Output of Python analyzers. flake8, pep8 and pyflakes print path:line:col:
// message; pyflakes prints a syntax error on three lines, of which the first
// counts. pylint and ruff have JSON. The lines of these tools look alike, so the
// name of the file decides between them; without a telling name the lines are
// read as static-text.

func matchPyflakes(l *look) Confidence {
	if strings.Contains(l.lower(), "pyflakes") && l.json == nil {
		return Likely
	}
	return None
}

func matchFlake8(l *look) Confidence {
	if strings.HasSuffix(l.lower(), ".flake8.txt") || strings.HasSuffix(l.lower(), ".flake8") {
		return Likely
	}
	return None
}

var (
	colonLine  = regexp.MustCompile(`^(.+?):(\d+):(?:(\d+):?)? (?:([A-Z]\d{3,4}) )?(.*)$`)
	squareLine = regexp.MustCompile(`^(.+?):(\d+): \[([A-Z]\d*)?(?:\(([^)]*)\))?(?:, ?([^\]]*))?\] (.*)$`)
	mypyLine   = regexp.MustCompile(`^([^:]+):(?:(\d+):)? (error|warning|note): (.*)$`)
)

func matchStaticText(l *look) Confidence {
	if l.json != nil {
		return None
	}
	lines := strings.Split(l.text, "\n")
	good, seen := 0, 0
	for _, s := range lines {
		s = strings.TrimRight(s, "\r")
		if s == "" || staticNoise(s) {
			continue
		}
		if seen++; seen > 20 {
			break
		}
		if squareLine.MatchString(s) || mypyLine.MatchString(s) || colonLine.MatchString(s) && strings.Contains(s, ".py:") {
			good++
		}
	}
	if seen > 0 && 4*good >= 3*seen {
		return Weak
	}
	return None
}

// staticNoise are lines around the findings: comments, module titles, scores.
func staticNoise(s string) bool {
	t := strings.TrimSpace(s)
	return strings.HasPrefix(t, "*****") || strings.HasPrefix(t, "<!--") || strings.HasPrefix(t, "//-->") || strings.HasPrefix(s, " ") || strings.HasPrefix(t, "-----") || strings.HasPrefix(t, "Your code has been rated")
}

func readStaticText(x *reading) error {
	tool := map[Format]string{PyflakesText: "pyflakes", Flake8Text: "flake8"}[x.format]
	n, line := 0, 0
	err := x.eachTextLine(func(s string) {
		line++
		if x.format == StaticText && s != "" {
			n++ // the tool is not known for sure: every line counts
		}
		f := staticLine(s)
		if f == nil || x.stop != nil {
			return
		}
		f.Pos, f.Tool = x.at(line, ""), tool
		if x.format != StaticText {
			n++
		}
		_ = x.put(f) // a failing emit is kept in x.stop
	})
	x.count(n)
	return err
}

// staticLine reads one line, nil when it is no finding.
func staticLine(s string) *Finding {
	if s == "" || staticNoise(s) {
		return nil
	}
	if m := squareLine.FindStringSubmatch(s); m != nil {
		f := &Finding{File: m[1], Line: whole(jsonNumber(m[2])), Rule: m[3], Message: m[6]}
		fill(&f.Rule, m[4])
		f.Level = pylintLevel(m[3])
		return f
	}
	if m := mypyLine.FindStringSubmatch(s); m != nil && !strings.Contains(m[1], " ") {
		return &Finding{File: m[1], Line: whole(jsonNumber(m[2])), Level: m[3], Message: m[4]}
	}
	if m := colonLine.FindStringSubmatch(s); m != nil {
		f := &Finding{File: m[1], Line: whole(jsonNumber(m[2])), Column: whole(jsonNumber(m[3])), Rule: m[4], Message: m[5], Level: "warning"}
		if strings.HasPrefix(f.Message, "undefined name") || f.Rule == "F821" || strings.HasPrefix(f.Rule, "E9") || strings.Contains(f.Message, "syntax") {
			f.Level = "error"
		}
		return f
	}
	return nil
}

func pylintLevel(code string) string {
	switch {
	case strings.HasPrefix(code, "E"), strings.HasPrefix(code, "F"):
		return "error"
	case strings.HasPrefix(code, "W"), code == "":
		return "warning"
	}
	return "note"
}

func matchPylintJSON(l *look) Confidence {
	if !l.json.isArray() {
		return None
	}
	if l.json.item().has("message-id", "symbol") || l.json.item().has("type", "module", "message", "path") {
		return Certain
	}
	if l.json.elems == 0 && strings.Contains(l.lower(), "pylint") {
		return Likely
	}
	return None
}

func readPylintJSON(x *reading) error {
	return x.eachElement(func(m object) error {
		f := &Finding{Pos: x.at(0, ""), Tool: "pylint", Rule: first(m, "message-id", "symbol"), Message: str(m["message"]), File: str(m["path"]), Line: whole(m["line"]), Column: whole(m["column"]) + 1}
		switch str(m["type"]) {
		case "error", "fatal":
			f.Level = "error"
		case "warning":
			f.Level = "warning"
		default:
			f.Level = "note"
		}
		return x.put(f)
	})
}

func matchRuff(l *look) Confidence {
	if l.json.isArray() && l.json.item().has("code", "location", "filename") {
		return Certain
	}
	return None
}

func readRuff(x *reading) error {
	return x.eachElement(func(m object) error {
		loc := obj(m["location"])
		f := &Finding{Pos: x.at(0, ""), Tool: "ruff", Rule: str(m["code"]), Message: str(m["message"]), File: str(m["filename"]), Line: whole(loc["row"]), Column: whole(loc["column"]), Level: "warning"}
		if f.Rule == "" { // a syntax error has no code
			f.Rule, f.Level = "syntax-error", "error"
		}
		return x.put(f)
	})
}

// eachElement reads an array of objects, one at a time.
func (x *reading) eachElement(fn func(object) error) error {
	r := jsonpull.New(x.in)
	n := 0
	err := r.Array(func(i int) error {
		line := r.Line()
		v, err := r.Value()
		if err != nil {
			return err
		}
		m, ok := v.(object)
		if !ok {
			x.problem(line, "", errNotObject.Error())
			return nil
		}
		n++
		return fn(m)
	})
	x.count(n)
	x.relaxed(r)
	return err
}

// pytest-json-report: {"summary", "tests": [{"nodeid", "outcome", "call": {…}}]}.
func matchPytestJSON(l *look) Confidence {
	if l.json.isObject() && l.json.has("summary", "exitcode") && l.json.any("tests", "collectors") {
		return Certain
	}
	return None
}

func readPytestJSON(x *reading) error {
	v, err := x.tree()
	if err != nil {
		return err
	}
	tests := list(obj(v)["tests"])
	for _, e := range tests {
		m := obj(e)
		c := &TestCase{Pos: x.at(0, ""), Name: str(m["nodeid"]), Status: CasePassed}
		c.File, _, _ = strings.Cut(c.Name, "::")
		switch str(m["outcome"]) {
		case "failed":
			c.Status = CaseFailed
		case "error":
			c.Status = CaseError
		case "skipped", "xfailed":
			c.Status = CaseSkipped
		}
		for _, phase := range []string{"setup", "call", "teardown"} {
			p := obj(m[phase])
			if str(p["outcome"]) == "failed" {
				if phase != "call" {
					c.Status = CaseError // a fault around the test is no assertion
				}
				fill(&c.Message, str(obj(p["crash"])["message"]))
				fill(&c.Output, str(p["longrepr"]))
			}
		}
		c.Duration = seconds(obj(m["call"])["duration"])
		if err := x.put(c); err != nil {
			return err
		}
	}
	x.count(len(tests))
	return nil
}
