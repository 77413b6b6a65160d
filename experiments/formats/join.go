package formats

import (
	"path"
	"sort"
	"strings"

	"plumbline/experiments/trace"
)

// Options of a Joiner.
type Options struct {
	// Agent and Model replace what the files say, when not empty.
	Agent, Model string
	// KeepPatches, KeepSummaries and KeepSteps keep texts in memory. Without them
	// a Joiner needs some hundred bytes an attempt, and the texts are fetched by a
	// second pass over the files.
	KeepPatches, KeepSummaries, KeepSteps bool
	// KeepRows keeps issue and oracle texts of dataset rows.
	KeepRows bool
}

// Joiner collects the records of one import and joins those of one attempt.
type Joiner struct {
	opt       Options
	steps     map[Ref][]trace.Step
	series    map[string]*Attempt
	trajs     []*Attempt
	preds     []*Attempt
	shared    []*Attempt // steps common to several attempts
	files     []*Attempt
	parts     []*Part
	reports   []*Report
	runs      []*RunReport
	rows      map[string]*Row
	texts     map[string]*RowTexts
	rowOrder  []string
	report    JoinReport
	fileStats []FileReport
}

// Joined is the result of an import.
type Joined struct {
	Attempts []*Attempt
	// Instances are those that rows describe. An attempt at another instance knows
	// what there is to know about it.
	Instances []trace.Instance
	// Texts are the records that hold the texts of those instances, for the second
	// pass, in the same order.
	Texts  []RowTexts
	Files  []FileReport
	Report JoinReport
}

// NewJoiner returns an empty Joiner.
func NewJoiner(opt Options) *Joiner {
	return &Joiner{
		opt: opt, steps: map[Ref][]trace.Step{}, series: map[string]*Attempt{}, rows: map[string]*Row{}, texts: map[string]*RowTexts{},
		report: JoinReport{Skipped: map[string]int{}, UnknownOutcome: map[string]int{}},
	}
}

// File notes that a file was read.
func (j *Joiner) File(f FileReport) {
	j.fileStats = append(j.fileStats, f)
	j.report.Files++
}

// Add takes a record. It never fails; it has the signature that Read wants.
func (j *Joiner) Add(rec Record) error {
	if _, ok := rec.(*Problem); !ok {
		if _, ok := rec.(*Step); !ok {
			j.report.Records++
		}
	}
	switch r := rec.(type) {
	case *Step:
		if j.opt.KeepSteps {
			j.steps[r.Of] = append(j.steps[r.Of], r.Step)
		}
	case *Trajectory:
		j.addTrajectory(r)
	case *Prediction:
		j.addPrediction(r)
	case *Report:
		j.reports = append(j.reports, r)
	case *RunReport:
		j.runs = append(j.runs, r)
	case *Part:
		p := *r
		p.Trace.Patch = ""
		if r.Kind == PartPatch {
			a := j.attemptOf(r.Pos, r.Trace, factsOf(r.Trace.PatchState, r.Trace.Patch, ""))
			a.seldom().folder = r.Folder
			j.parts = append(j.parts, &p)
			j.files = append(j.files, a)
			break
		}
		j.parts = append(j.parts, &p)
	case *Row:
		j.addRow(r)
	case *Problem:
		j.report.Problems++
		if len(j.report.ProblemsInRecord) < maxProblems {
			j.report.ProblemsInRecord = append(j.report.ProblemsInRecord, r)
		}
	}
	return nil
}

func (j *Joiner) skip(reason string) { j.report.Skipped[reason]++ }

// attemptOf starts an attempt from a record.
func (j *Joiner) attemptOf(at Pos, t trace.Trace, facts PatchFacts) *Attempt {
	a := &Attempt{Trace: t, Patch: facts, Main: at}
	if facts.SHA256 != "" {
		a.PatchAt = &a.Main.Ref
	}
	if t.Summary != "" {
		a.SummaryAt = &a.Main.Ref
	}
	if !j.opt.KeepPatches {
		a.Trace.Patch = ""
	}
	if !j.opt.KeepSummaries {
		a.Trace.Summary = ""
	}
	a.Trace.Trajectory = ""
	return a
}

func (j *Joiner) addTrajectory(r *Trajectory) {
	switch {
	case r.Demo:
		j.skip("demonstration, not an attempt")
		return
	case r.Trace.InstanceID == "":
		j.skip("trajectory without an instance")
		return
	}
	a := j.attemptOf(r.Pos, r.Trace, factsOf(r.Trace.PatchState, r.Trace.Patch, r.Note))
	if r.PatchSHA256 != "" {
		a.Patch.SHA256, a.Patch.Bytes = r.PatchSHA256, r.PatchBytes
	}
	a.Steps, a.Repo, a.Base = r.Steps, r.Repo, r.Base
	if len(r.Splits) > 0 {
		a.seldom().splits = r.Splits
	}
	if r.Claimed != nil || r.Folder != "" {
		more := a.seldom()
		more.claimed, more.folder = r.Claimed, r.Folder
	}
	if r.Trace.Outcome.Label != "" {
		a.seldom().stated = ptr(r.Trace.Outcome)
		a.Outcomes = []FoundOutcome{{Outcome: r.Trace.Outcome, rank: rankOwn}}
		if r.Trace.Outcome.Resolved != nil {
			fill(&a.Outcomes[0].Outcome.Source, r.Pos.String())
		}
	} else if r.Trace.Outcome.Reason != "" || r.Trace.Outcome.Tests != nil {
		a.Outcomes = []FoundOutcome{{Outcome: r.Trace.Outcome}}
	}
	a.Trace.Trajectory = r.Path
	if r.Trace.Trajectory != "" {
		a.Trace.Trajectory = r.Trace.Trajectory // where our own export had it from
	}
	if r.Folder != "" {
		a.Trace.Trajectory = r.Folder
	}
	if r.Steps != nil && *r.Steps > 0 {
		a.StepsAt = &a.Main.Ref
	}
	a.role = roleTrajectory
	if r.Shared {
		j.shared = append(j.shared, a)
		return
	}
	if r.Series != "" {
		// Of growing copies of one conversation the last one counts.
		if old, ok := j.series[r.Series]; ok {
			j.skip("earlier copy of a conversation")
			if r.Finished.Before(old.finished()) {
				return
			}
			a.seldom().finished = r.Finished
			*old = *a
			old.PatchAt, old.SummaryAt, old.StepsAt = at(a.PatchAt), at(a.SummaryAt), at(a.StepsAt)
			return
		}
		a.seldom().finished = r.Finished
		j.series[r.Series] = a
	}
	j.trajs = append(j.trajs, a)
}

func (j *Joiner) addPrediction(p *Prediction) {
	if p.InstanceID == "" {
		j.skip("patch without an instance")
		return
	}
	if p.FromFile && goldFile(p.Path) {
		j.skip("patch of the dataset, not of an agent")
		return
	}
	agent := p.Agent
	if agent == "" && !p.FromFile {
		agent = p.Model
	}
	t := trace.Trace{InstanceID: p.InstanceID, Agent: agent, Model: p.Model, Attempt: p.Attempt, PatchState: p.State, Patch: p.Patch, Status: p.Status, Usage: p.Usage}
	a := j.attemptOf(p.Pos, t, factsOf(p.State, p.Patch, p.Note))
	a.Repo, a.Base = p.Repo, p.Base
	if p.Resolved != nil {
		o := trace.Outcome{Resolved: p.Resolved, Source: p.Pos.String(), Reason: ReasonResolved}
		if !*p.Resolved {
			o.Reason = ReasonUnresolved
			if a.Patch.told() && a.Patch.SHA256 == "" {
				o.Reason = ReasonEmptyPatch
			}
		}
		a.Outcomes = []FoundOutcome{{Outcome: o, rank: rankOwn}}
	}
	if p.FromFile {
		a.role = rolePatch
		j.files = append(j.files, a)
		return
	}
	a.predicted, a.predName = true, p.Model
	a.role = rolePrediction
	j.preds = append(j.preds, a)
}

// goldFile reports whether a patch file is the reference solution or its tests.
func goldFile(p string) bool {
	n := strings.ToLower(path.Base(p))
	for _, w := range []string{"developer_patch", "gold", "test_patch", "test.patch", "eval.patch"} {
		if strings.Contains(n, w) {
			return true
		}
	}
	return false
}

// Finish joins what was added. The order of attempts follows the paths of their
// main records, so that equal imports give equal results.
func (j *Joiner) Finish() Joined {
	attempts := j.assemble()
	attempts = j.attachReports(attempts)
	j.attachRuns(attempts)
	j.settle(attempts)
	sort.SliceStable(attempts, func(a, b int) bool {
		x, y := attempts[a].Main, attempts[b].Main
		if x.Path != y.Path {
			return x.Path < y.Path
		}
		return x.N < y.N
	})
	number(attempts)
	out := Joined{Attempts: attempts, Files: j.fileStats}
	for _, id := range j.rowOrder {
		out.Instances = append(out.Instances, j.rows[id].Instance)
		out.Texts = append(out.Texts, *j.texts[id])
	}
	bare := map[string]bool{}
	for _, a := range attempts {
		if _, ok := j.rows[a.Trace.InstanceID]; !ok {
			bare[a.Trace.InstanceID] = true
		}
		for _, c := range a.Conflicts() {
			j.report.Conflicts = append(j.report.Conflicts, Conflict{a.Trace.InstanceID, a.Main.String(), c})
		}
		if n := a.sources(); n > 1 {
			j.report.Joined += n
		}
	}
	j.report.Attempts, j.report.Instances = len(attempts), len(out.Instances)+len(bare)
	out.Report = j.report
	return out
}

// number gives attempts of one agent and model at one instance their number,
// where the source did not.
func number(attempts []*Attempt) {
	type key struct {
		agent, model, id string
		n                int
	}
	taken := make(map[key]bool, len(attempts))
	for _, a := range attempts {
		k := key{a.Trace.Agent, a.Trace.Model, a.Trace.InstanceID, max(a.Trace.Attempt, 1)}
		for taken[k] {
			k.n++
		}
		taken[k] = true
		a.Trace.Attempt = k.n
	}
}
