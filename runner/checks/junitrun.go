package checks

import (
	"context"
	"slices"
	"strings"

	"plumbline/runner/sandbox"
)

// junitCommand runs any command that leaves JUnit XML in OutDir.
type junitCommand struct{ settings Settings }

func (junitCommand) Name() string { return JUnit }

// Run runs the command; the ids it reports are "class.name", and it can be asked
// for by the name alone, by "suite > name" or by "file::name".
func (j junitCommand) Run(ctx context.Context, x Exec, _ Ask) (Run, error) {
	argv := j.settings.Command
	run := Run{Runner: JUnit, Command: argv}
	err := x.run(ctx, command{path: argv[0], args: argv[1:], env: []string{"REPORTS=" + OutDir}}, func(r sandbox.Report, left left, names []string) {
		run.Report = r
		run.Fault, run.Detail = faultOf(r)
		found := false
		for _, name := range names {
			if !strings.HasSuffix(name, ".xml") {
				continue
			}
			found = true
			cases := run.report(left, name)
			for _, c := range cases {
				run.Tests = append(run.Tests, plainTest(c))
			}
		}
		if !found && run.Fault == "" {
			run.Fault, run.Detail = FaultNoReport, "no file *.xml was left in "+OutDir+": "+tailOf(r.Stderr, 300)
		}
	})
	run.finish()
	return run, err
}

// report reads one report and notes what is wrong with it.
func (r *Run) report(left left, name string) []junitCase {
	raw, cut, err := left(name)
	if err != nil {
		if r.Fault == "" {
			r.Fault, r.Detail = FaultNoReport, err.Error()
		}
		return nil
	}
	cases, err := readJUnit(raw)
	switch {
	case r.Fault != "":
	case cut:
		r.Fault, r.Detail = FaultBadReport, "the report is larger than what is read"
	case err != nil:
		r.Fault, r.Detail = FaultBadReport, "the report cannot be read to its end: "+err.Error()
	}
	return cases
}

// finish joins tests reported twice and tells an empty run from a full one.
func (r *Run) finish() {
	r.Tests = worst(r.Tests)
	if len(r.Tests) == 0 && r.Fault == "" {
		r.Fault, r.Detail = FaultNothing, "no test ran"
	}
}

// plainTest reads a case as most tools mean it: a failure is an assertion, an
// error another exception out of the test.
func plainTest(c junitCase) Test {
	t := Test{ID: c.name, Status: Passed, Phase: Call, Kind: c.kind, Message: short(c.message + "\n" + c.text), Duration: c.duration}
	if c.class != "" {
		t.ID = c.class + "." + c.name
	}
	path := append(slices.DeleteFunc(slices.Clone(c.suites), func(s string) bool { return s == "" }), c.name)
	t.aliases = []string{c.name, c.class + "::" + c.name, strings.Join(path, " > ")}
	if c.file != "" {
		t.aliases = append(t.aliases, inTree(c.file)+"::"+c.name)
	}
	switch c.result {
	case "failure", "error":
		t.Status = Failed
	case "skipped":
		t.Status, t.Kind = Skipped, ""
	default:
		t.Kind, t.Message = "", ""
	}
	if t.Status == Failed && (strings.Contains(c.kind, "Timeout") || strings.Contains(c.kind, "timeout")) {
		t.Status = TimedOut
	}
	return t
}
