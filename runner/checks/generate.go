package checks

import (
	"context"
	"errors"
	"fmt"
	"io/fs"
	"path"
	"regexp"
	"strings"
	"time"

	"plumbline/experiments/cascade"
	"plumbline/experiments/cascade/gentest"
	"plumbline/experiments/cascade/recorded"
	"plumbline/experiments/patch"
	"plumbline/runner/reviewer"
	"plumbline/runner/workspace"
)

// GenerateRequest asks for attempt Attempt, from 1, at a test.
type GenerateRequest struct {
	Trace    string // id, for the seed
	Instance string // as published
	Attempt  int
	Seed     int64
	Input    gentest.Input
}

// Generation is what a generator wrote, before anything is read off it.
type Generation struct {
	Prompt string // as it was sent, system and user
	Reply  string
	// Recorded marks a reply that was not asked for now.
	Recorded bool
	Answer   reviewer.Answer // cost, tokens, request; zero for a recorded one
}

// Generator writes tests. It sees issue and patch and, for a repair, what the base
// said; there is no place for anything else in a request. Implementations are safe
// for concurrent use. An error is no reply, and never a discarded attempt.
type Generator interface {
	Name() string
	Generate(ctx context.Context, r GenerateRequest) (Generation, error)
}

// EndpointGenerator asks a model.
type EndpointGenerator struct {
	Label  string // name of the reviewer that it is
	Writer reviewer.Completer
	Prompt string // version; empty takes gentest.Current
}

// MinTestTokens is what a generator may write at least; tests are longer than
// votes.
const MinTestTokens = 4096

// Name is the label.
func (g EndpointGenerator) Name() string { return g.Label }

// Generate asks once.
func (g EndpointGenerator) Generate(ctx context.Context, r GenerateRequest) (Generation, error) {
	version := g.Prompt
	if version == "" {
		version = gentest.Current
	}
	m, err := gentest.Prompt(r.Input, version)
	if err != nil {
		return Generation{}, err
	}
	c, err := g.Writer.Complete(ctx, reviewer.Prompt{Messages: m, Topic: r.Trace + "/test", Index: r.Attempt - 1, Seed: r.Seed})
	if err != nil {
		return Generation{}, fmt.Errorf("generate a test: %w", err)
	}
	return Generation{Prompt: m.System + "\n\n" + m.User, Reply: c.Text, Answer: c.Answer}, nil
}

// RecordedGenerator gives the replies that come with the bundled cases.
type RecordedGenerator struct{}

// ErrNotRecorded says that no reply was recorded for an attempt.
var ErrNotRecorded = errors.New("no reply was recorded for this")

// Name is that of the recorded replies.
func (RecordedGenerator) Name() string { return recorded.Name }

// Generate looks a reply up.
func (RecordedGenerator) Generate(_ context.Context, r GenerateRequest) (Generation, error) {
	m, err := gentest.Prompt(r.Input, gentest.Current)
	if err != nil {
		return Generation{}, err
	}
	text, ok, err := recorded.Reply(r.Instance, r.Input.Patch, r.Attempt)
	switch {
	case err != nil:
		return Generation{}, err
	case !ok:
		return Generation{}, fmt.Errorf("attempt %d at %s: %w", r.Attempt, r.Instance, ErrNotRecorded)
	}
	return Generation{Prompt: m.System + "\n\n" + m.User, Reply: text, Recorded: true}, nil
}

// FrameworkFor is how generated tests of a tree are run: pytest where the project
// is set up for it, the standard library's runner otherwise. False for a language
// in which none can be generated.
func FrameworkFor(language string, base *workspace.Tree) (gentest.Framework, bool) {
	all := gentest.Frameworks(language)
	if len(all) == 0 {
		return "", false
	}
	if language == "python" && usesPytest(base) {
		return gentest.Pytest, true
	}
	return all[0], true
}

func usesPytest(base *workspace.Tree) bool {
	for _, name := range []string{"pytest.ini", "conftest.py", "tests/conftest.py", "test/conftest.py", "testing/conftest.py"} {
		if base.Has(name) {
			return true
		}
	}
	for name, mark := range map[string]string{"pyproject.toml": "pytest", "setup.cfg": "[tool:pytest]", "tox.ini": "pytest", "requirements-dev.txt": "pytest"} {
		if f, err := base.Read(name); err == nil && strings.Contains(string(f.Data), mark) {
			return true
		}
	}
	return false
}

// RunnerFor is the runner of a framework.
func RunnerFor(f gentest.Framework, s Settings) (Runner, error) {
	names := map[gentest.Framework]string{gentest.Unittest: Unittest, gentest.Pytest: Pytest, gentest.GoTest: GoTest, gentest.NodeTest: NodeTest}
	return NewRunner(names[f], s)
}

// GeneratedRun is a generated test on one tree.
type GeneratedRun struct {
	Result   cascade.Result
	Headline string // one line, for people
	Output   string // messages of the tests and the end of what was printed
	Runs     int
	Wall     time.Duration
	Backend  string
	Unsafe   bool
	Fault    Fault
}

// RunGenerated puts a generated test into a copy of the tree and runs it, repeats
// times at least once; repetitions that disagree make it flaky. x.Tree is not
// changed. The error says that the sandbox could not be used.
func RunGenerated(ctx context.Context, x Exec, r Runner, t gentest.Test, repeats int) (GeneratedRun, error) {
	tree := x.Tree.Clone()
	if err := tree.Write(t.Path, workspace.File{Data: []byte(t.Source), Mode: fs.FileMode(0o644)}); err != nil {
		return GeneratedRun{}, fmt.Errorf("put the generated test into the tree: %w", err)
	}
	x.Tree = tree
	out := GeneratedRun{Backend: x.Box.Name(), Unsafe: !x.Box.Sandboxed()}
	ask := askFor(r.Name(), t)
	for i := range max(repeats, 1) {
		run, err := r.Run(ctx, x, ask)
		if err != nil {
			return out, fmt.Errorf("run the generated test: %w", err)
		}
		out.Runs++
		out.Wall += run.Report.Wall
		res, headline := judge(run)
		if i > 0 && res != out.Result {
			out.Headline = fmt.Sprintf("run 1 ended as %s and run %d as %s", out.Result, i+1, res)
			out.Result = cascade.Flaky
			return out, nil
		}
		out.Result, out.Headline, out.Output, out.Fault = res, headline, outputOf(run), run.Fault
	}
	return out, nil
}

var (
	pyClassLine = regexp.MustCompile(`^class\s+(\w+)`)
	pyTestLine  = regexp.MustCompile(`^\s+(?:async\s+)?def\s+(test\w*)\s*\(`)
	goTestLine  = regexp.MustCompile(`(?m)^func (Test\w+)\(`)
)

// askFor names the tests of a generated file as its runner wants them.
func askFor(runner string, t gentest.Test) Ask {
	ask := Ask{Files: []string{t.Path}}
	switch runner {
	case Unittest:
		module := strings.ReplaceAll(strings.TrimSuffix(t.Path, ".py"), "/", ".")
		class := ""
		for line := range strings.Lines(t.Source) {
			if m := pyClassLine.FindStringSubmatch(line); m != nil {
				class = m[1]
			} else if m := pyTestLine.FindStringSubmatch(line); m != nil && class != "" {
				ask.IDs = append(ask.IDs, module+"."+class+"."+m[1])
			}
		}
	case GoTest:
		for _, m := range goTestLine.FindAllStringSubmatch(t.Source, -1) {
			ask.IDs = append(ask.IDs, "./"+path.Dir(t.Path)+" "+m[1])
		}
	default:
		ask.IDs = []string{t.Path + "::"}
	}
	return ask
}

// judge tells the result of a run: the heaviest fault of any of its tests, and a
// behavioural failure only where nothing but behaviour went wrong.
func judge(run Run) (cascade.Result, string) {
	if len(run.Hung) > 0 {
		// What a further run without it came to is of no interest.
		return cascade.TimedOut, run.Hung[0] + " did not end"
	}
	switch run.Fault {
	case FaultTime:
		return cascade.TimedOut, "it ran into the time limit: " + run.Detail
	case FaultNothing:
		return cascade.NoneFound, run.Detail
	case FaultCollection, FaultBuild:
		return cascade.SetUp, run.Detail
	case "":
	default:
		return cascade.Crashed, string(run.Fault) + ": " + run.Detail
	}
	passed := 0
	var failed, setUp, hung *Test
	for i := range run.Tests {
		t := &run.Tests[i]
		switch {
		case t.Status == Passed || t.Status == UnexpectedPass:
			passed++
		case t.Status == TimedOut:
			hung = t
		case t.Behavioural(patch.IsTestPath):
			if failed == nil {
				failed = t
			}
		case t.Status == Failed || t.Status == Errored:
			setUp = t
		}
	}
	switch {
	case hung != nil:
		return cascade.TimedOut, hung.ID + " did not end"
	case setUp != nil:
		return cascade.SetUp, headline(*setUp)
	case failed != nil:
		return cascade.FailedTest, headline(*failed)
	case passed > 0:
		return cascade.Passed, fmt.Sprintf("%d of %d tests passed", passed, len(run.Tests))
	}
	return cascade.NoneFound, "no test ran to its end: all were skipped or not collected"
}

func headline(t Test) string {
	name := t.ID[strings.LastIndexAny(t.ID, ".: ")+1:]
	text := tellingLine(t.Message, t.Kind[strings.LastIndex(t.Kind, ".")+1:])
	if t.Kind != "" && !strings.Contains(text, t.Kind) {
		text = strings.TrimSpace(t.Kind + ": " + text)
	}
	return name + ": " + text
}

// tellingLine is the line of a message that names the kind of failure, or else the
// last one that is no rule or caret: tracebacks end with what matters.
func tellingLine(message, kind string) string {
	lines := strings.Split(strings.TrimSpace(message), "\n")
	for _, s := range lines {
		if kind != "" && strings.HasPrefix(strings.TrimLeft(s, " E\t"), kind+":") {
			return firstLine(strings.TrimLeft(s, " E\t"))
		}
	}
	for i := len(lines) - 1; i >= 0; i-- {
		if s := strings.TrimSpace(lines[i]); strings.Trim(s, "-=^~ ") != "" && !strings.HasPrefix(s, "--- FAIL") && s != "FAIL" {
			return firstLine(s)
		}
	}
	return ""
}

// outputLimit bounds what is kept of a run's output.
const outputLimit = 16 << 10

func outputOf(run Run) string {
	var b strings.Builder
	for _, t := range run.Tests {
		fmt.Fprintf(&b, "%s: %s", t.ID, t.Status)
		if t.Phase != "" && t.Phase != Call {
			fmt.Fprintf(&b, " in %s", t.Phase)
		}
		b.WriteByte('\n')
		if t.Message != "" {
			b.WriteString(t.Message + "\n")
		}
	}
	if run.Fault != "" {
		fmt.Fprintf(&b, "%s: %s\n", run.Fault, run.Detail)
		b.WriteString(tailOf(append(append([]byte(nil), run.Report.Stdout...), run.Report.Stderr...), outputLimit/2))
	}
	text := b.String()
	if len(text) > outputLimit {
		text = text[:outputLimit] + "\n[… cut …]\n"
	}
	return strings.ToValidUTF8(text, "\uFFFD")
}

// feedbackLimit bounds what a generator is told of a run on the base.
const feedbackLimit = 4 << 10

// Feedback is what a generator may be told of a run on the base.
func (g GeneratedRun) Feedback() string {
	text := g.Headline + "\n" + g.Output
	if g.Result == cascade.Passed {
		text = "The test passes before the change, so it says nothing about it.\n" + text
	}
	if len(text) > feedbackLimit {
		text = text[:feedbackLimit] + "\n[… cut …]\n"
	}
	return strings.ToValidUTF8(text, "")
}
