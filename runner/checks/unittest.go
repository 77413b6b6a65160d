package checks

import (
	"bytes"
	"context"
	_ "embed"
	"encoding/json"
	"regexp"
	"slices"
	"strings"
	"time"

	"plumbline/runner/sandbox"
)

// unittest runs single tests by their dotted names with Python's unittest. A
// script of our own drives it and writes a line when a test starts and when it
// ends, so that a run that is broken off still tells what it did.
type unittest struct{ settings Settings }

//go:embed unittest_run.py
var unittestScript string

func (unittest) Name() string { return Unittest }

// Run runs the tests of ask. Ids are dotted names, or as unittest prints them:
// "test_x (package.module.Class)".
func (u unittest) Run(ctx context.Context, x Exec, ask Ask) (Run, error) {
	return withoutHung(ctx, func(skip []string) (Run, string, error) {
		names := slices.DeleteFunc(slices.Clone(ask.IDs), func(id string) bool { return slices.Contains(skip, id) })
		return u.once(ctx, x, names)
	})
}

// dotted turns an id into a name that unittest loads.
func dotted(id string) string {
	m := printedID.FindStringSubmatch(id)
	switch {
	case m == nil:
		return id
	case strings.HasSuffix(m[2], "."+m[1]):
		return m[2] // since Python 3.11 the name stands in the brackets too
	}
	return m[2] + "." + m[1]
}

var printedID = regexp.MustCompile(`^(\w+) \(([\w.]+)\)$`)

func (u unittest) once(ctx context.Context, x Exec, ids []string) (run Run, hung string, err error) {
	byName := map[string]string{}
	var names []string
	for _, id := range ids {
		byName[dotted(id)] = id
		names = append(names, dotted(id))
	}
	asked, err := json.Marshal(names)
	if err != nil {
		return run, "", err
	}
	args := append([]string{sandbox.Box + "/given/run.py", sandbox.Box + "/given/names.json", OutDir + "/results.jsonl"}, u.settings.Args...)
	run = Run{Runner: Unittest, Command: append([]string{u.settings.Python}, args...)}
	c := command{
		path: u.settings.Python, args: args, env: append([]string{pythonPath(x)}, pythonEnv...),
		files: map[string]string{"run.py": unittestScript, "names.json": string(asked)},
	}
	err = x.run(ctx, c, func(r sandbox.Report, left left, _ []string) {
		run.Report = r
		run.Fault, run.Detail = faultOf(r)
		raw, cut, e := left("results.jsonl")
		switch {
		case run.Fault != "":
		case e != nil:
			run.Fault, run.Detail = FaultNoReport, "unittest ended with exit code "+itoa(r.Exit)+" and left no report: "+tailOf(r.Stderr, 500)
		case cut:
			run.Fault, run.Detail = FaultBadReport, "the report is larger than what is read"
		}
		ended := false
		run.Tests, hung, ended = unittestLines(raw, byName)
		if !ended && run.Fault == "" {
			run.Fault, run.Detail = FaultCrash, "the process ended before its tests were through, with exit code "+itoa(r.Exit)
		}
	})
	run.Tests = worst(run.Tests)
	run.collected()
	return run, hung, err
}

// unittestLines reads the script's report. A line that is no record was written by
// somebody else and is passed over.
func unittestLines(raw []byte, byName map[string]string) (tests []Test, running string, ended bool) {
	for _, line := range bytes.Split(raw, []byte("\n")) {
		var rec struct {
			Event, ID, Status, Phase, Kind, Message, Where string
			Seconds                                        float64
		}
		if json.Unmarshal(line, &rec) != nil {
			continue
		}
		id, known := byName[rec.ID]
		switch rec.Event {
		case "end":
			ended = true
		case "start":
			if known {
				running = id
			}
		case "test":
			running = ""
			s := Status(rec.Status)
			if _, ok := rank[s]; !ok || !known {
				continue
			}
			dur := time.Duration(rec.Seconds * float64(time.Second))
			tests = append(tests, Test{
				ID: id, Status: s, Phase: Phase(rec.Phase), Kind: rec.Kind, Message: short(rec.Message), Where: rec.Where, Duration: &dur,
			})
		}
	}
	if ended {
		running = ""
	}
	return tests, running, ended
}
