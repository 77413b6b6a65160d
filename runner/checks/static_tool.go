package checks

import (
	"context"
	"fmt"
	"regexp"
	"slices"
	"strings"
	"time"

	"plumbline/experiments/findings"
	"plumbline/experiments/patch"
	"plumbline/runner/sandbox"
	"plumbline/runner/workspace"
)

// StaticTool is a static tool that was found to work in a sandbox.
type StaticTool struct {
	Name    string
	Version string
	// Suffixes are the endings of the files that it reads.
	Suffixes []string
	Format   findings.Format // of standard output
	Errors   findings.Format // of standard error; empty: not read

	path string
	args []string // before the files
	// whole: the tool takes the whole tree and no files.
	whole bool
	// builds: decisive findings on the base mean that it does not build.
	builds bool
	// worst is the highest exit code of a run that went well.
	worst int
	env   []string
	// prepare gives further mounts for a tree; nil: there are none.
	prepare func(ctx context.Context, b sandbox.Backend, tree *workspace.Tree) ([]sandbox.Mount, error)
}

// Files are the files of a patch that the tool reads, on the base and on the
// patched tree. Test files are left out: those of agents are taken away before a
// patch is judged.
func (t StaticTool) Files(d patch.Diff) (before, after []string) {
	add := func(list []string, name string) []string {
		if name == "" || patch.IsTestPath(name) || slices.Contains(list, name) || !t.reads(name) {
			return list
		}
		return append(list, name)
	}
	for i := range d.Files {
		f := &d.Files[i]
		if f.Kind != patch.Added && f.Kind != patch.Copied {
			before = add(before, f.Old)
		}
		if f.Kind != patch.Deleted {
			after = add(after, f.New)
		}
	}
	if t.whole && len(before)+len(after) > 0 {
		all := []string{"."}
		return all, all
	}
	return before, after
}

func (t StaticTool) reads(name string) bool {
	return slices.ContainsFunc(t.Suffixes, func(s string) bool { return strings.HasSuffix(name, s) })
}

func (t StaticTool) command(files []string) sandbox.Cmd {
	args := slices.Clone(t.args)
	if !t.whole {
		for _, f := range files {
			// A file name may look like an option.
			args = append(args, "./"+f)
		}
	}
	return sandbox.Cmd{Path: t.path, Args: args, Env: t.env}
}

// candidate is a tool that may be there, with how to ask for its version.
type candidate struct {
	tool    StaticTool
	version []string
	// instead: the tool is looked for only where none of these was found.
	instead []string
}

// pyCompile prints syntax errors in the form that pyflakes gives them.
const pyCompile = `import sys
for name in sys.argv[1:]:
    try:
        with open(name, "rb") as f:
            compile(f.read(), name, "exec", dont_inherit=True)
    except SyntaxError as e:
        print("%s:%d:%d: %s" % (name, e.lineno or 0, e.offset or 0, e.msg))
    except ValueError as e:
        print("%s:0:0: problem decoding source: %s" % (name, e))
`

var python = []string{".py", ".pyi"}

// candidates lists the tools that are looked for, in order. pylint is too slow for
// every patch and its decisive findings are pyflakes' own.
var candidates = []candidate{
	{tool: StaticTool{Name: "pyflakes", Suffixes: python, Format: findings.Pyflakes, Errors: findings.Pyflakes, path: "python3", args: []string{"-m", "pyflakes"}, worst: 1}, version: []string{"-m", "pyflakes", "--version"}},
	{tool: StaticTool{Name: "ruff", Suffixes: python, Format: findings.RuffJSON, path: "ruff", args: []string{"check", "--no-cache", "--isolated", "--exit-zero", "--select", "F,E9", "--output-format", "json"}}, version: []string{"--version"}},
	{tool: StaticTool{Name: "flake8", Suffixes: python, Format: findings.Flake8, path: "python3", args: []string{"-m", "flake8", "--isolated", "--select", "F,E9"}, worst: 1}, version: []string{"-m", "flake8", "--version"}, instead: []string{"pyflakes", "ruff"}},
	{tool: StaticTool{Name: "py-compile", Suffixes: python, Format: findings.Pyflakes, path: "python3", args: []string{"-I", "-c", pyCompile}}, version: []string{"--version"}, instead: []string{"pyflakes", "ruff", "flake8"}},
	{tool: StaticTool{Name: "tsc", Suffixes: []string{".ts", ".tsx"}, Format: findings.TscText, path: "tsc", args: []string{"--noEmit", "--pretty", "false", "-p", "."}, whole: true, worst: 2}, version: []string{"--version"}},
}

// FindStatic looks for static tools in a sandbox. A backend that runs images has
// its tools in the image, and image names it. s tells where Go keeps what it has
// compiled.
func FindStatic(ctx context.Context, b sandbox.Backend, image string, s Settings) ([]StaticTool, error) {
	found := goTools(b, s)
	for _, c := range candidates {
		if slices.ContainsFunc(found, func(t StaticTool) bool { return slices.Contains(c.instead, t.Name) }) {
			continue
		}
		r, err := b.Run(ctx, sandbox.Cmd{Path: c.tool.path, Args: c.version, Image: image, Limits: sandbox.Limits{Wall: 20 * time.Second}})
		if err != nil {
			return nil, fmt.Errorf("look for %s: %w", c.tool.Name, err)
		}
		if r.OK() {
			t := c.tool
			t.Version = versionWord.FindString(string(r.Stdout) + string(r.Stderr))
			found = append(found, t)
		}
	}
	return found, nil
}

var versionWord = regexp.MustCompile(`\d+(?:\.\d+)+\S*`)

// ToolSpec describes a tool of the user's own. It prints findings in one of the
// formats that findings.Read knows; SARIF is the common one.
type ToolSpec struct {
	Name     string          `json:"name"`
	Command  []string        `json:"command"`  // the files are added at the end
	Suffixes []string        `json:"suffixes"` // of the files that it reads
	Format   findings.Format `json:"format"`
	// WorstExit is the highest exit code of a run that went well.
	WorstExit int `json:"worst_exit,omitempty"`
}

// Tool makes a tool of a description. Its findings are classed by its name, so that
// those of an unknown tool decide nothing.
func (s ToolSpec) Tool() (StaticTool, error) {
	switch {
	case strings.TrimSpace(s.Name) == "":
		return StaticTool{}, fmt.Errorf("a static tool has no name")
	case len(s.Command) == 0 || s.Command[0] == "":
		return StaticTool{}, fmt.Errorf("static tool %s: no command is given", s.Name)
	case len(s.Suffixes) == 0:
		return StaticTool{}, fmt.Errorf("static tool %s: name the endings of the files that it reads", s.Name)
	}
	if _, err := findings.Read(s.Format, strings.NewReader(""), s.Name, ""); err != nil && strings.Contains(err.Error(), findings.ErrFormat.Error()) {
		return StaticTool{}, fmt.Errorf("static tool %s: %w %q", s.Name, findings.ErrFormat, s.Format)
	}
	return StaticTool{Name: s.Name, Suffixes: s.Suffixes, Format: s.Format, path: s.Command[0], args: s.Command[1:], worst: s.WorstExit}, nil
}
