package checks

import (
	"context"
	"fmt"
	"regexp"
	"slices"
	"strings"

	"plumbline/runner/sandbox"
)

// Fault says why a run as a whole tells nothing, or only a part.
type Fault string

// Faults. Those of Environmental never decide anything.
const (
	FaultRefused    Fault = "refused" // the test runner cannot be started
	FaultTime       Fault = "timed_out"
	FaultMemory     Fault = "out_of_memory"
	FaultOutput     Fault = "too_much_output"
	FaultProcesses  Fault = "too_many_processes"
	FaultCrash      Fault = "crashed" // the test runner died of a signal, or ended before its report
	FaultUsage      Fault = "usage"   // the test runner does not understand how it was called
	FaultNoReport   Fault = "no_report"
	FaultBadReport  Fault = "bad_report" // the report ends early or cannot be read
	FaultNothing    Fault = "nothing_collected"
	FaultCollection Fault = "collection" // a test file cannot be loaded
	FaultBuild      Fault = "build"      // the tree does not compile
)

// Environmental reports whether the fault is of the kind that has nothing to say
// about the code: limits, and a runner that could not be started.
func (f Fault) Environmental() bool {
	switch f {
	case FaultRefused, FaultTime, FaultMemory, FaultOutput, FaultProcesses, FaultUsage:
		return true
	}
	return false
}

// Run is what became of the tests on one tree.
type Run struct {
	Runner  string
	Command []string // of the last process
	Tests   []Test   // as reported, in that order
	Fault   Fault    // empty: the run came to its end
	Detail  string   // of the fault
	Notes   []string
	Report  sandbox.Report // of the last process
	// Hung are tests that ran into the time limit and were left out of a further
	// run, so that the others have their outcome.
	Hung []string
}

// Runner runs tests in one way. It is safe for concurrent use.
type Runner interface {
	// Name is one of the names of NewRunner.
	Name() string
	// Run runs at least the tests of ask on the tree. The error says that nothing
	// could be run at all; everything else is in the Run.
	Run(ctx context.Context, x Exec, ask Ask) (Run, error)
}

// Ask names tests: by the ids of an instance, and by the files that hold them for
// ids that do not say.
type Ask struct {
	IDs   []string
	Files []string
}

// Names of runners.
const (
	Pytest   = "pytest"
	Unittest = "unittest"
	GoTest   = "gotest"
	NodeTest = "node"
	JUnit    = "junit" // any command that leaves JUnit XML in OutDir
)

// Settings of a runner.
type Settings struct {
	Python  string   // interpreter inside the sandbox; default python3
	Args    []string // further arguments of pytest, go test or node
	Command []string // of the runner junit; $BOX/out is where reports are looked for
	// GoCache is a folder of the host that keeps the compiled standard library
	// between runs; empty: each run compiles it.
	GoCache string
}

// NewRunner makes a runner by its name.
func NewRunner(name string, s Settings) (Runner, error) {
	if s.Python == "" {
		s.Python = "python3"
	}
	switch name {
	case Pytest:
		return pytest{s}, nil
	case Unittest:
		return unittest{s}, nil
	case GoTest:
		return &gotest{settings: s}, nil
	case NodeTest:
		return node{s}, nil
	case JUnit:
		if len(s.Command) == 0 {
			return nil, fmt.Errorf("the runner %s needs a command", JUnit)
		}
		return junitCommand{s}, nil
	}
	return nil, fmt.Errorf("there is no test runner %q; choose %s, %s, %s, %s or %s", name, Pytest, Unittest, GoTest, NodeTest, JUnit)
}

// faultOf tells the fault that the end of a process means by itself.
func faultOf(r sandbox.Report) (Fault, string) {
	switch r.Cause {
	case sandbox.Time:
		return FaultTime, r.Detail
	case sandbox.Memory:
		return FaultMemory, r.Detail
	case sandbox.Output:
		return FaultOutput, r.Detail
	case sandbox.Processes:
		return FaultProcesses, r.Detail
	case sandbox.Refused:
		return FaultRefused, r.Detail
	case sandbox.Signaled:
		return FaultCrash, r.Detail
	}
	return "", ""
}

// maxHung bounds how many tests may hang before a run gives up.
const maxHung = 5

// withoutHung runs once, and again without the test that hung, until the others
// are through. The tests of earlier processes are kept.
func withoutHung(ctx context.Context, once func(skip []string) (r Run, hung string, err error)) (Run, error) {
	var hung []string
	var seen []Test
	for {
		r, culprit, err := once(hung)
		if err != nil {
			return r, err
		}
		seen = append(r.Tests[:len(r.Tests):len(r.Tests)], seen...)
		if r.Fault == FaultTime && culprit != "" && len(hung) < maxHung && !slices.Contains(hung, culprit) && ctx.Err() == nil {
			hung = append(hung, culprit)
			seen = append(seen, Test{ID: culprit, Status: TimedOut, Phase: Call, Message: r.Detail})
			continue
		}
		r.Tests, r.Hung = worst(seen), hung
		if len(hung) > 0 && r.Fault != FaultTime {
			r.Notes = append(r.Notes, fmt.Sprintf("tests that ran into the time limit were left out of a further run: %d", len(hung)))
		}
		return r, nil
	}
}

// Hints name what the text of a failing run looks like, with the words of the
// SWE-bench harness for failures that look like the environment's.
func Hints(text string) []string {
	var out []string
	for _, h := range hints {
		if h.pattern.MatchString(text) {
			out = append(out, h.word)
		}
	}
	return out
}

var hints = []struct {
	word    string
	pattern *regexp.Regexp
}{
	{"out_of_memory", regexp.MustCompile(`MemoryError|Cannot allocate memory|out of memory`)},
	{"network_unreachable", regexp.MustCompile(`Network is unreachable|Temporary failure in name resolution|Name or service not known|ENETUNREACH|EAI_AGAIN|no such host|lookup .* on .*: dial`)},
	{"missing_module", regexp.MustCompile(`ModuleNotFoundError|No module named|Cannot find module|no required module provides package|ERR_MODULE_NOT_FOUND`)},
	{"no_tests_collected", regexp.MustCompile(`no tests ran|collected 0 items|no tests to run|Ran 0 tests`)},
	{"display_unavailable", regexp.MustCompile(`cannot open display|no display name|could not connect to display`)},
}

// tailOf is the end of a text, for details.
func tailOf(text []byte, n int) string {
	s := strings.TrimSpace(string(text))
	if len(s) > n {
		s = "…" + s[len(s)-n:]
	}
	return strings.ToValidUTF8(s, "\uFFFD")
}
