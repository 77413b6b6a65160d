package checks

import (
	"context"
	"encoding/json"
	"errors"
	"fmt"
	"path/filepath"
	"runtime"
	"strings"
	"time"

	"plumbline/experiments/bundled"
	"plumbline/experiments/trace"
	"plumbline/models"
	"plumbline/runner/sandbox"
	"plumbline/runner/workspace"
)

// task checks what is open of one instance.
func (l *Labeller) task(ctx context.Context, w models.LabelWork) error {
	var s LabelSettings
	if err := json.Unmarshal([]byte(w.Run.Settings), &s); err != nil {
		return fmt.Errorf("read the settings of label run %s: %w", w.Run.ID, err)
	}
	var open []models.EvidenceInput
	var sub *Subject
	check := InstanceCheck{State: NotChecked}
	for _, id := range w.Traces {
		in, err := l.store.LoadEvidenceInput(ctx, id, false)
		if err != nil {
			return err
		}
		open = append(open, in)
	}
	// An instance all of whose patches change nothing needs no run.
	for _, in := range open {
		if _, c := Strip(in.Trace); c.Outcome != "" {
			continue
		}
		made, c, err := l.instance(ctx, w, s, in.Instance)
		if err != nil {
			return err
		}
		sub, check = &made, c
		break
	}
	for i, in := range open {
		if sub == nil {
			sub = &Subject{Instance: in.Instance}
		}
		c, err := sub.CheckTrace(ctx, in.Trace, check, s.Repeat)
		if err != nil {
			return err
		}
		if err := ctx.Err(); err != nil {
			return err
		}
		if err := l.keepTrace(ctx, w, w.Traces[i], c); err != nil {
			return err
		}
	}
	return nil
}

// NotChecked is the state of an instance none of whose traces needs a run.
const NotChecked Usability = "not_checked"

// instance makes the instance ready and checks it, unless that was done before.
func (l *Labeller) instance(ctx context.Context, w models.LabelWork, s LabelSettings, in trace.Instance) (Subject, InstanceCheck, error) {
	sub, check, err := l.subject(ctx, w, s, in)
	if err != nil {
		return sub, check, err
	}
	if w.Instance != nil {
		known, err := storedCheck(*w.Instance)
		return sub, known, err
	}
	if check.State == Usable {
		if check, err = sub.CheckInstance(ctx, InstanceOptions{Repeat: s.Repeat, DropBroken: s.DropBroken}); err != nil {
			return sub, check, err
		}
	}
	if err := ctx.Err(); err != nil {
		return sub, check, err // a run that was broken off says nothing about the instance
	}
	return sub, check, l.keepInstance(ctx, w, sub, check)
}

func (l *Labeller) subject(ctx context.Context, w models.LabelWork, s LabelSettings, in trace.Instance) (Subject, InstanceCheck, error) {
	none := Subject{Instance: in}
	box, err := l.box(ctx, s)
	if err != nil {
		return none, InstanceCheck{}, err
	}
	name := s.Runner
	if name == "" {
		name = ChooseRunner(in)
	}
	if name == "" {
		return none, unusable(NoRunner, fmt.Sprintf("nothing tells how tests in %q are run; name a runner", in.Language)), nil
	}
	runner, err := NewRunner(name, Settings{Python: s.Python, Args: s.Args, Command: s.Command, GoCache: filepath.Join(l.dir, "go", runtime.Version())})
	if err != nil {
		return none, InstanceCheck{}, err
	}
	x := Exec{Box: box, Env: s.Env, Limits: sandbox.Limits{Wall: time.Duration(s.Seconds) * time.Second, Memory: int64(s.MemoryMB) << 20}}
	if box.Images() {
		image, why, err := pickImage(ctx, box, s, in)
		if err != nil {
			return none, InstanceCheck{}, err
		}
		if image == "" {
			return none, unusable(NoBase, why), nil
		}
		x.Image = image
	}
	base, err := l.base(ctx, s, in, w.Bundled)
	if errors.Is(err, workspace.ErrNoCommit) {
		return none, unusable(NoBase, err.Error()), nil
	}
	if err != nil {
		return none, InstanceCheck{}, err
	}
	sub, check := NewSubject(in, base, runner, x, s.Fuzz)
	return sub, check, nil
}

// pickImage finds the image of an instance among its usual names.
func pickImage(ctx context.Context, box sandbox.Backend, s LabelSettings, in trace.Instance) (image, why string, err error) {
	names := []string{s.Image}
	if s.Image == "" {
		names = sandbox.InstanceImages(in.ID)
	}
	for _, name := range names {
		r, err := box.Run(ctx, sandbox.Cmd{Path: "true", Image: name, Limits: sandbox.Limits{Wall: time.Minute}})
		if err != nil {
			return "", "", err
		}
		if r.OK() {
			return name, "", nil
		}
		why = r.Detail
	}
	return "", "no image of the instance: " + why, nil
}

// base is the tree before any patch: of a bundled case, or of a git repository.
func (l *Labeller) base(ctx context.Context, s LabelSettings, in trace.Instance, isBundled bool) (*workspace.Base, error) {
	if isBundled {
		cases, err := bundled.Cases()
		if err != nil {
			return nil, fmt.Errorf("read the bundled cases: %w", err)
		}
		for _, c := range cases {
			if c.Instance.ID == in.ID {
				return l.cache.FromFiles(ctx, c.Base)
			}
		}
	}
	if s.Repos == "" {
		return nil, fmt.Errorf("no folder of repositories was given: %w", workspace.ErrNoCommit)
	}
	repo, err := (workspace.Repos{Dir: s.Repos}).Find(ctx, in.Repo, in.BaseCommit)
	if err != nil {
		return nil, err
	}
	return l.cache.FromGit(ctx, repo, in.BaseCommit)
}

// leftOut are the tests of an instance that are not looked at.
type leftOut struct {
	Flaky  []string `json:"flaky"`
	Broken []string `json:"broken"`
}

func (l *Labeller) keepInstance(ctx context.Context, w models.LabelWork, sub Subject, c InstanceCheck) error {
	row := models.LabelInstance{RunID: w.Run.ID, InstanceRow: w.Task.InstanceRow, State: string(c.State), Reason: c.Reason}
	if sub.Runner != nil {
		row.Runner = sub.Runner.Name()
	}
	if c.Base != nil {
		row.BaseF2POK, row.BaseP2POK, row.F2PAll, row.P2PAll = &c.Base.FailToPassOK, &c.Base.PassToPassOK, &c.Base.FailToPassAll, &c.Base.PassToPassAll
	}
	if c.Gold != nil {
		row.GoldF2POK, row.GoldP2POK = &c.Gold.FailToPassOK, &c.Gold.PassToPassOK
	}
	var err error
	if row.Notes, err = encode(c.Notes); err != nil {
		return err
	}
	if row.LeftOut, err = encode(leftOut{c.Flaky, c.Broken}); err != nil {
		return err
	}
	all, err := executions(c.Executions)
	if err != nil {
		return err
	}
	return l.store.KeepLabelInstance(ctx, row, all)
}

// storedCheck rebuilds what a trace's check needs of an instance's.
func storedCheck(row models.LabelInstance) (InstanceCheck, error) {
	c := InstanceCheck{State: Usability(row.State), Reason: row.Reason}
	var left leftOut
	if err := json.Unmarshal([]byte(row.LeftOut), &left); err != nil {
		return c, fmt.Errorf("read the check of instance %s: %w", row.InstanceRow, err)
	}
	c.Flaky, c.Broken = left.Flaky, left.Broken
	if row.BaseF2POK != nil && row.BaseP2POK != nil && row.F2PAll != nil && row.P2PAll != nil {
		c.Base = &trace.TestCounts{
			FailToPassOK: *row.BaseF2POK, FailToPassAll: *row.F2PAll, PassToPassOK: *row.BaseP2POK, PassToPassAll: *row.P2PAll, Applied: true,
		}
	}
	return c, nil
}

func (l *Labeller) keepTrace(ctx context.Context, w models.LabelWork, traceID string, c TraceCheck) error {
	row := models.LabelResult{
		RunID: w.Run.ID, TraceID: traceID, Outcome: string(c.Outcome), Reason: c.Reason, Label: string(c.Label), Bucket: string(c.Bucket), Stripped: len(c.Stripped),
	}
	if c.Apply != nil {
		var err error
		if row.Applied, err = encode(c.Apply); err != nil {
			return err
		}
	}
	all, err := executions(c.Executions)
	if err != nil {
		return err
	}
	return l.store.KeepLabelResult(ctx, models.Viewer{Name: w.Run.CreatedBy, All: models.RoleAdmin}, row, c.Counts, all)
}

func encode(v any) (string, error) {
	raw, err := json.Marshal(v)
	if err != nil {
		return "", fmt.Errorf("write a check: %w", err)
	}
	return string(raw), nil
}

// logLimit bounds each stream that is kept of an execution.
const logLimit = 256 << 10

func executions(all []Execution) ([]models.Execution, error) {
	out := make([]models.Execution, len(all))
	for i, e := range all {
		r := e.Run.Report
		x := models.LabelExecution{
			Tree: e.Tree, Round: e.Round, Runner: e.Run.Runner, Backend: r.Backend, Unsandboxed: r.Unsandboxed, Cause: string(r.Cause),
			Fault: string(e.Run.Fault), Detail: e.Run.Detail, Hung: len(e.Run.Hung), WallMS: r.Wall.Milliseconds(), MaxRSS: r.MaxRSS,
		}
		c := Counts(e.F2P, e.P2P)
		x.F2POK, x.F2PAll, x.P2POK, x.P2PAll = c.FailToPassOK, c.FailToPassAll, c.PassToPassOK, c.PassToPassAll
		if r.Cause == sandbox.Exited {
			x.ExitCode = &r.Exit
		}
		if r.CPU != nil {
			ms := r.CPU.Milliseconds()
			x.CPUMS = &ms
		}
		tests, err := encode(map[string][]Checked{"fail_to_pass": e.F2P, "pass_to_pass": e.P2P})
		if err != nil {
			return nil, err
		}
		notes, err := encode(append(append([]string{}, e.Run.Notes...), r.Gaps...))
		if err != nil {
			return nil, err
		}
		out[i] = models.Execution{LabelExecution: x, LabelExecutionText: models.LabelExecutionText{
			Command: strings.Join(e.Run.Command, " "), Stdout: middleCut(r.Stdout), Stderr: middleCut(r.Stderr), Tests: tests, Notes: notes,
		}}
	}
	return out, nil
}

// middleCut keeps the start and, more of it, the end of a log.
func middleCut(b []byte) string {
	if len(b) <= logLimit {
		return string(b)
	}
	head, tail := logLimit/4, logLimit*3/4
	return fmt.Sprintf("%s\n… %d bytes left out …\n%s", b[:head], len(b)-head-tail, b[len(b)-tail:])
}
