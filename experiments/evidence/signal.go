package evidence

import (
	"fmt"
	"path"
	"regexp"
	"slices"
	"strings"

	"plumbline/experiments/patch"
	"plumbline/experiments/trace"
)

// A change is called broad from these sizes on.
const (
	broadFiles = 6
	broadLines = 200
)

var (
	openWork   = regexp.MustCompile(`\b(TODO|FIXME|XXX|NotImplementedError|NotImplementedException|unimplemented!)`)
	debugPrint = regexp.MustCompile(`^\s*(print\(|console\.log\(|fmt\.Print|System\.out\.print|dbg!\()`)
	broadCatch = regexp.MustCompile(`^\s*(except\s*:|except\s+(Base)?Exception\b|\}?\s*catch\s*(\(\s*(\.\.\.|Throwable|Exception)\b.*\)|\{))`)
	scratch    = regexp.MustCompile(`(?i)(^|[_-])(repro(duce)?|debug|poc|scratch|tmp|temp|demo|try)([_.-]|\d|$)`)
	testRun    = regexp.MustCompile(`(?m)(^|[\s;&|/])(pytest|py\.test|tox|nosetests|unittest|runtests(\.py)?|go test|cargo test|npm (run )?test|yarn test|jest|mocha|mvn .*test|gradlew? .*test|make (test|check)|phpunit|rspec|ctest)\b`)
	claimsPass = regexp.MustCompile(`(?i)\b(tests?|suites?|checks?)\b[^.\n]{0,40}\b(pass(es|ed|ing)?|succeed(s|ed)?|green)\b`)
)

// signals are mechanical observations about the patch and the run. None of them is
// proof: they fire on correct work too (paper G §5.2).
func signals(in Input, d patch.Diff) []string {
	var out []string
	say := func(format string, args ...any) { out = append(out, fmt.Sprintf(format, args...)) }
	if !hasChange(in) {
		say("%s", noChange(in.PatchState))
	} else {
		diffSignals(d, say)
	}
	stepSignals(in, say)
	if strings.TrimSpace(in.Summary) == "" {
		say("the agent left no final summary")
	}
	return out
}

func diffSignals(d patch.Diff, say func(string, ...any)) {
	switch {
	case len(d.Files) == 0:
		say("the submitted text is not a unified diff")
		return
	case d.IsEmpty():
		say("the diff changes no content")
	case d.WhitespaceOnly():
		say("the diff changes white space alone")
	case d.TestOnly():
		say("the diff changes test files alone")
	}
	if d.Truncated {
		say("the diff ends in the middle of a hunk")
	}
	files, lines := len(d.Files), 0
	var open, prints, catches int
	var left []string
	for i := range d.Files {
		f := &d.Files[i]
		lines += f.Added + f.Removed
		base := path.Base(f.Path())
		if f.Kind == patch.Added && scratch.MatchString(strings.TrimSuffix(base, path.Ext(base))) {
			left = append(left, fmt.Sprintf("%q", f.Path()))
		}
		for _, h := range f.Hunks {
			for _, l := range h.Lines {
				if l.Op != patch.Insert {
					continue
				}
				open += count(openWork.MatchString(l.Text))
				prints += count(debugPrint.MatchString(l.Text) && !patch.IsTestPath(f.Path()))
				catches += count(broadCatch.MatchString(l.Text))
			}
		}
	}
	if files >= broadFiles || lines >= broadLines {
		say("broad change: %d files, %d lines", files, lines)
	}
	if open > 0 {
		say("added lines that mark open work (TODO, FIXME, not implemented): %d", open)
	}
	if prints > 0 {
		say("added lines that print: %d", prints)
	}
	if catches > 0 {
		say("added handlers that catch every exception: %d", catches)
	}
	if len(left) > 0 {
		say("new files that look like scratch work: %s", listed(left))
	}
}

// stepSignals reads the agent's own record. Its failures may be those of the
// environment, so they are counted and not judged.
func stepSignals(in Input, say func(string, ...any)) {
	if len(in.Steps) == 0 {
		return
	}
	errors, runs, failed := 0, 0, 0
	last := 0
	for i, s := range in.Steps {
		if s.Kind == trace.StepSystem || s.Kind == trace.StepUser {
			continue
		}
		bad := s.Error || s.ExitCode != nil && *s.ExitCode != 0
		errors += count(bad)
		if testRun.MatchString(s.Action) {
			runs++
			last = i + 1
			failed += count(bad)
		}
	}
	if errors > 0 {
		say("steps of the agent that ended in an error: %d of %d", errors, len(in.Steps))
	}
	switch {
	case runs == 0:
		say("no test run is seen in the agent's steps")
		if claimsPass.MatchString(in.Summary) {
			say("the summary speaks of passing tests, and no test run is seen")
		}
	case failed > 0:
		say("test runs seen in the agent's steps: %d, the last in step %d, %d with an error", runs, last, failed)
	default:
		say("test runs seen in the agent's steps: %d, the last in step %d", runs, last)
	}
}

func count(yes bool) int {
	if yes {
		return 1
	}
	return 0
}

var (
	definition = regexp.MustCompile(`^\s*(?:export\s+|pub(?:lic)?\s+|static\s+|async\s+|private\s+|protected\s+)*(?:def|func|function|class|fn|interface|struct|type)\s+(?:\([^)]*\)\s*)?([\p{L}_][\p{L}\p{N}_]*)`)
	filePath   = regexp.MustCompile(`[\w./-]*[\w-]+\.(?:py|go|rs|js|jsx|ts|tsx|java|rb|php|c|cc|cpp|h|hpp|cs|kt|scala|swift)\b`)
)

// missingWork lists what a reader might look for: requirements without a trace in
// the diff, files that the issue names, new definitions that the diff never uses.
func missingWork(in Input, d patch.Diff, n names, reqs []string, matched [][]string) []string {
	var out []string
	say := func(format string, args ...any) { out = append(out, fmt.Sprintf(format, args...)) }
	for i, r := range reqs {
		var absent []string
		for _, w := range codeNames(r) {
			if !n.whole[strings.ToLower(w)] {
				absent = append(absent, w)
			}
		}
		switch {
		case len(absent) > 0:
			say("requirement %d names what the diff does not: %s", i+1, listed(absent))
		case len(matched[i]) == 0:
			say("requirement %d has no counterpart in the diff", i+1)
		}
	}
	var files []string
	for _, p := range filePath.FindAllString(fence.ReplaceAllString(in.Issue, " "), -1) {
		if !slices.Contains(files, p) && !touches(d, p) {
			files = append(files, p)
		}
	}
	if len(files) > 0 {
		say("files that the issue names and the diff does not change: %s", listed(files))
	}
	if unused := unusedDefinitions(d); len(unused) > 0 {
		say("new definitions that the diff itself never uses: %s", listed(unused))
	}
	if hasChange(in) && len(d.Files) > 0 && !changesTest(d) {
		say("no test is added or changed")
	}
	return out
}

func touches(d patch.Diff, name string) bool {
	name = strings.TrimLeft(name, "./")
	for i := range d.Files {
		for _, p := range []string{d.Files[i].Old, d.Files[i].New} {
			if p == name || strings.HasSuffix(p, "/"+name) || strings.HasSuffix(name, "/"+p) {
				return true
			}
		}
	}
	return false
}

func changesTest(d patch.Diff) bool {
	for i := range d.Files {
		if patch.IsTestPath(d.Files[i].Path()) {
			return true
		}
	}
	return false
}

// unusedDefinitions are names defined in added lines outside tests that stand
// nowhere else in the new side of the diff, in order of appearance.
func unusedDefinitions(d patch.Diff) []string {
	uses := map[string]int{}
	var defined []string
	for i := range d.Files {
		f := &d.Files[i]
		for _, h := range f.Hunks {
			for _, l := range h.Lines {
				if l.Op == patch.Delete {
					continue
				}
				for _, id := range identifier.FindAllString(l.Text, -1) {
					uses[id]++
				}
				if m := definition.FindStringSubmatch(l.Text); m != nil && l.Op == patch.Insert && !patch.IsTestPath(f.Path()) {
					defined = append(defined, m[1])
				}
			}
		}
	}
	var out []string
	for _, x := range defined {
		if uses[x] == 1 && !slices.Contains(out, x) && !strings.HasPrefix(x, "__") {
			out = append(out, x)
		}
	}
	return out
}
