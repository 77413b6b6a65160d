package findings

import (
	"encoding/json"
	"errors"
	"fmt"
	"io"
	"path"
	"regexp"
	"strconv"
	"strings"

	"plumbline/experiments/formats"
)

// Format is how a tool writes its findings.
type Format string

// Formats. Those of the first group are read by the import's own readers.
const (
	Pyflakes    Format = "pyflakes"
	Flake8      Format = "flake8"
	PylintJSON  Format = "pylint-json"
	RuffJSON    Format = "ruff-json"
	SARIF       Format = "sarif"
	StaticText  Format = "text"         // mypy and others of the form file:line: message
	GoText      Format = "go"           // go build, and go vet's type checker
	GoVetJSON   Format = "go-vet-json"  // go vet -json
	PyrightJSON Format = "pyright-json" // pyright --outputjson
	TscText     Format = "tsc"          // tsc --pretty false
	EslintJSON  Format = "eslint-json"
)

var imported = map[Format]formats.Format{
	Pyflakes: formats.PyflakesText, Flake8: formats.Flake8Text, PylintJSON: formats.PylintJSON,
	RuffJSON: formats.RuffJSON, SARIF: formats.SARIF, StaticText: formats.StaticText,
}

var readers = map[Format]func(string) ([]Finding, error){
	GoText: readGoText, GoVetJSON: readGoVet, PyrightJSON: readPyright, TscText: readTsc, EslintJSON: readEslint,
}

// ErrFormat is wrapped by Read for a format that it does not know.
var ErrFormat = errors.New("unknown format of findings")

// Read reads a tool's output. root is the folder the tool was started on, which is
// taken off the paths; tool names the tool where the format does not. Suppressed
// results are left out. The error says that the output is not what the format
// promises; the findings before it are returned.
func Read(f Format, r io.Reader, tool, root string) ([]Finding, error) {
	raw, err := io.ReadAll(r)
	if err != nil {
		return nil, fmt.Errorf("read findings: %w", err)
	}
	var out []Finding
	if format, ok := imported[f]; ok {
		out, err = readImported(format, raw)
	} else if read, ok := readers[f]; ok {
		out, err = read(string(raw))
	} else {
		return nil, fmt.Errorf("read findings as %q: %w", f, ErrFormat)
	}
	for i := range out {
		x := &out[i]
		if x.Tool == "" {
			x.Tool = tool
		}
		x.File = relative(x.File, root)
		x.Class = Classify(x.Tool, x.Rule, x.Message)
	}
	if err != nil {
		return out, fmt.Errorf("read findings as %s: %w", f, err)
	}
	return out, nil
}

func readImported(f formats.Format, raw []byte) ([]Finding, error) {
	var out []Finding
	var bad error
	_, err := formats.Read(f, strings.NewReader(string(raw)), formats.Source{Path: "findings"}, func(rec formats.Record) error {
		switch x := rec.(type) {
		case *formats.Finding:
			if !x.Suppressed {
				out = append(out, Finding{Tool: x.Tool, Rule: x.Rule, File: x.File, Line: x.Line, Message: x.Message})
			}
		case *formats.Problem:
			bad = errors.Join(bad, x)
		}
		return nil
	})
	return out, errors.Join(err, bad)
}

// relative is a path from the root of the tree, with slashes.
func relative(file, root string) string {
	file = strings.ReplaceAll(file, `\`, "/")
	if root != "" {
		if rest, ok := strings.CutPrefix(file, strings.TrimSuffix(root, "/")+"/"); ok {
			file = rest
		}
	}
	if file == "" {
		return ""
	}
	return path.Clean(file)
}

var goLine = regexp.MustCompile(`^(?:vet: )?(\S+\.go):(\d+)(?::(\d+))?: (.*)$`)

// readGoText reads the compiler's lines. Lines that begin with a tab go on with
// the one before, "# package" heads a package.
func readGoText(text string) ([]Finding, error) {
	var out []Finding
	for line := range strings.Lines(text) {
		line = strings.TrimRight(line, "\r\n")
		if m := goLine.FindStringSubmatch(line); m != nil {
			out = append(out, Finding{Tool: "go", Rule: buildRule, File: m[1], Line: number(m[2]), Message: m[4]})
		}
	}
	return out, nil
}

// readGoVet reads {package: {analyzer: [{posn, message}]}}, several such objects
// in a row, with "# package" lines between them.
func readGoVet(text string) ([]Finding, error) {
	var clean strings.Builder
	for line := range strings.Lines(text) {
		if !strings.HasPrefix(line, "#") {
			clean.WriteString(line)
		}
	}
	dec := json.NewDecoder(strings.NewReader(clean.String()))
	var out []Finding
	for {
		var packages map[string]map[string]json.RawMessage
		if err := dec.Decode(&packages); err != nil {
			if errors.Is(err, io.EOF) {
				return out, nil
			}
			return out, err
		}
		for _, pkg := range sortedKeys(packages) {
			for _, analyser := range sortedKeys(packages[pkg]) {
				var list []struct{ Posn, Message string }
				if json.Unmarshal(packages[pkg][analyser], &list) != nil {
					continue // an object {"error": …}: the type checker speaks on standard error
				}
				for _, d := range list {
					file, line := position(d.Posn)
					out = append(out, Finding{Tool: "go vet", Rule: analyser, File: file, Line: line, Message: d.Message})
				}
			}
		}
	}
}

// position splits file:line:column.
func position(s string) (file string, line int) {
	parts := strings.Split(s, ":")
	if len(parts) < 3 {
		return s, 0
	}
	return strings.Join(parts[:len(parts)-2], ":"), number(parts[len(parts)-2])
}

func readPyright(text string) ([]Finding, error) {
	var doc struct {
		Diagnostics *[]struct {
			File, Severity, Message, Rule string
			Range                         struct{ Start struct{ Line int } }
		} `json:"generalDiagnostics"`
	}
	if err := json.Unmarshal([]byte(text), &doc); err != nil {
		return nil, err
	}
	if doc.Diagnostics == nil {
		return nil, errors.New("there is no list of diagnostics")
	}
	var out []Finding
	for _, d := range *doc.Diagnostics {
		f := Finding{Tool: "pyright", Rule: d.Rule, File: d.File, Line: d.Range.Start.Line + 1, Message: d.Message}
		if f.Rule == "" && d.Severity == "error" {
			f.Rule = syntaxRule
		}
		out = append(out, f)
	}
	return out, nil
}

var tscLine = regexp.MustCompile(`^(.+?)\((\d+),\d+\): (?:error|warning) (TS\d+): (.*)$`)

func readTsc(text string) ([]Finding, error) {
	var out []Finding
	for line := range strings.Lines(text) {
		if m := tscLine.FindStringSubmatch(strings.TrimRight(line, "\r\n")); m != nil {
			out = append(out, Finding{Tool: "tsc", Rule: m[3], File: m[1], Line: number(m[2]), Message: m[4]})
		}
	}
	return out, nil
}

func readEslint(text string) ([]Finding, error) {
	var files []struct {
		FilePath string `json:"filePath"`
		Messages []struct {
			RuleID  *string `json:"ruleId"`
			Line    int     `json:"line"`
			Message string  `json:"message"`
		} `json:"messages"`
	}
	if err := json.Unmarshal([]byte(text), &files); err != nil {
		return nil, err
	}
	var out []Finding
	for _, f := range files {
		for _, m := range f.Messages {
			x := Finding{Tool: "eslint", File: f.FilePath, Line: m.Line, Message: m.Message}
			if m.RuleID != nil {
				x.Rule = *m.RuleID
			}
			out = append(out, x)
		}
	}
	return out, nil
}

func number(s string) int {
	n, err := strconv.Atoi(s)
	if err != nil {
		return 0 // more digits than a line number has
	}
	return n
}
