package main

import (
	"context"
	"errors"
	"fmt"
	"path/filepath"
	"runtime"
	"sync"
	"time"

	"plumbline/models"
	"plumbline/runner"
	"plumbline/runner/checks"
	"plumbline/runner/jobs"
)

type labelCmd struct {
	Dataset    string        `help:"Dataset whose traces get labels, by its name. The bundled cases are loaded if they are named and not there." required:"" placeholder:"NAME"`
	Project    string        `help:"Project, by its short name." default:"default"`
	Split      string        `help:"Label the traces of this split alone." placeholder:"NAME"`
	Repos      string        `help:"Folder of git repositories that have the base commits: clones or bare mirrors, as owner/name, owner__name or name; or one repository. Not needed for the bundled cases." type:"path" placeholder:"DIR"`
	Repeat     int           `help:"Runs of the official tests on each tree; tests that do not end alike are left out." default:"3"`
	Backend    string        `help:"Sandbox: auto, bubblewrap, namespaces, docker, podman, apptainer, or none for no protection at all. See docs/sandbox.md." default:"auto"`
	Image      string        `help:"Image for docker, podman and apptainer. Default: the published names of SWE-bench instances." placeholder:"NAME"`
	Pull       bool          `help:"Let docker, podman and apptainer fetch an image that is not here."`
	ReadOnly   []string      `help:"Folder of this host that the tests see at the same path, such as an interpreter outside /usr." type:"path" placeholder:"DIR"`
	Runner     string        `help:"Test runner: pytest, unittest, gotest, node or junit. Default: by language and test ids." placeholder:"NAME"`
	Command    string        `help:"Shell command of the runner junit; it leaves JUnit XML files in the folder $REPORTS." placeholder:"TEXT"`
	Python     string        `help:"Python interpreter, as the sandbox sees it." default:"python3"`
	Arg        []string      `help:"Further argument of the test runner." sep:"none" placeholder:"ARG"`
	Env        []string      `help:"Variable for the tests." sep:"none" placeholder:"NAME=VALUE"`
	Fuzz       int           `help:"Lines of context that may differ when a patch is applied; 0 takes what git apply takes."`
	DropBroken bool          `help:"Leave out pass-to-pass tests that fail on the gold patch here, instead of calling the instance unusable."`
	TimeLimit  time.Duration `help:"Time for one run of the tests." default:"5m"`
	MemoryMB   int           `help:"Memory for one run of the tests." default:"2048" name:"memory-mb"`
	Tasks      int           `help:"Instances worked on at a time; 0 takes one for each processor."`
	Resume     bool          `help:"Go on with the dataset's last run, which was stopped."`
	JSON       bool          `help:"Print what was found out as one JSON object." name:"json"`
}

// Run gives labels by running the official tests, and waits. A run that was broken
// off goes on where it was.
func (c *labelCmd) Run(ctx context.Context, g *Globals, std streams) (err error) {
	a, err := newApp(ctx, g, std)
	if err != nil {
		return err
	}
	defer func() { err = errors.Join(err, a.close()) }()
	v := models.LocalAdmin()
	d, err := c.dataset(ctx, a, v)
	if err != nil {
		return err
	}
	l, err := checks.NewLabeller(checks.LabellerConfig{
		Store: a.store, Enqueue: a.queue.EnqueueLabels, Cache: filepath.Join(g.Data, "checks"), Log: a.log, Lease: max(g.Lease, 4*time.Second),
	})
	if err != nil {
		return err
	}
	run, err := c.start(ctx, a, l, v, d, std)
	if err != nil {
		return err
	}
	if run.Unsandboxed {
		fmt.Fprintln(std.err, "Nothing protects this host from what the tests and patches do: the backend is none.")
	}
	stop, err := c.work(ctx, a, l)
	if err != nil {
		return err
	}
	p, err := waitForLabels(ctx, a.store, v, run.ID, std)
	if err := errors.Join(err, stop()); err != nil {
		return err
	}
	return c.report(ctx, a.store, v, run.ID, p, std)
}

func (c *labelCmd) dataset(ctx context.Context, a *app, v models.Viewer) (models.Dataset, error) {
	p, err := a.store.EnsureProject(ctx, c.Project, c.Project)
	if err != nil {
		return models.Dataset{}, err
	}
	all, err := a.store.Datasets(ctx, v)
	if err != nil {
		return models.Dataset{}, err
	}
	for _, d := range all {
		if d.ProjectID == p.ID && d.Name == c.Dataset {
			return d.Dataset, nil
		}
	}
	if c.Dataset == runner.BundledName {
		return a.runner.LoadBundled(ctx, v, p.ID)
	}
	return models.Dataset{}, fmt.Errorf("project %q has no dataset %q; plumbline import makes one", c.Project, c.Dataset)
}

func (c *labelCmd) settings() checks.LabelSettings {
	s := checks.LabelSettings{
		Backend: c.Backend, Pull: c.Pull, Image: c.Image, ReadOnly: c.ReadOnly, Repos: c.Repos, Repeat: c.Repeat, Runner: c.Runner,
		Python: c.Python, Args: c.Arg, Env: c.Env, Fuzz: c.Fuzz, DropBroken: c.DropBroken, Seconds: int(c.TimeLimit / time.Second), MemoryMB: c.MemoryMB,
	}
	if c.Command != "" {
		s.Command = []string{"sh", "-c", c.Command}
		if s.Runner == "" {
			s.Runner = checks.JUnit
		}
	}
	return s
}

// start begins a run, or goes on with one.
func (c *labelCmd) start(ctx context.Context, a *app, l *checks.Labeller, v models.Viewer, d models.Dataset, std streams) (models.LabelRun, error) {
	runs, err := a.store.LabelRuns(ctx, v, d.ID)
	if err != nil {
		return models.LabelRun{}, err
	}
	if len(runs) > 0 {
		last := runs[0]
		if c.Resume && last.State == models.StateStopped {
			if err := l.Resume(ctx, v, last.ID); err != nil {
				return last, err
			}
			last.State = models.StateRunning
		}
		if last.State == models.StateRunning {
			fmt.Fprintf(std.err, "Going on with label run %s, with the settings it was started with.\n", last.ID)
			return last, nil
		}
	}
	if c.Resume {
		return models.LabelRun{}, errors.New("there is no run to go on with: the last one ended, or there was none")
	}
	spec := checks.LabelSpec{DatasetID: d.ID, Settings: c.settings()}
	if c.Split != "" {
		splits, err := a.store.Splits(ctx, v, d.ID)
		if err != nil {
			return models.LabelRun{}, err
		}
		for _, s := range splits {
			if s.Name == c.Split {
				spec.SplitID = s.ID
			}
		}
		if spec.SplitID == "" {
			return models.LabelRun{}, fmt.Errorf("dataset %q has no split %q", d.Name, c.Split)
		}
	}
	run, err := l.Start(ctx, v, spec)
	if err == nil {
		fmt.Fprintf(std.err, "Label run %s: %d traces of %d instances, %d runs on each tree, in %s.\n", run.ID, run.TraceTotal, run.TaskTotal, run.Rounds, run.Backend)
	}
	return run, err
}

// work performs label tasks until stop.
func (c *labelCmd) work(ctx context.Context, a *app, l *checks.Labeller) (stop func() error, err error) {
	n := c.Tasks
	if n <= 0 {
		n = runtime.NumCPU()
	}
	w, err := jobs.StartWorker(ctx, a.store, nil, jobs.Options{Labels: l, LabelTasks: n, Log: quiet(a.log)})
	if err != nil {
		return nil, err
	}
	sweep, end := context.WithCancel(context.WithoutCancel(ctx))
	var sweeping sync.WaitGroup
	sweeping.Go(func() { jobs.SweepLabels(sweep, a.queue, l, 2*time.Second, a.log) })
	return func() error {
		end()
		sweeping.Wait()
		grace, cancel := context.WithTimeout(context.Background(), stopGrace)
		defer cancel()
		return w.Stop(grace)
	}, nil
}

// waitForLabels tells how far a run is until it ends.
func waitForLabels(ctx context.Context, s *models.Store, v models.Viewer, runID string, std streams) (models.LabelProgress, error) {
	tick := time.NewTicker(500 * time.Millisecond)
	defer tick.Stop()
	told := -1
	for {
		p, err := s.LabelProgress(ctx, v, runID)
		if err != nil {
			return p, err
		}
		done := p.State == models.StateDone || p.State == models.StateStopped
		if tenth := p.Checked * 10 / max(p.Traces, 1); tenth != told || done {
			told = tenth
			fmt.Fprintf(std.err, "%s: %d/%d traces, %d/%d instances\n", p.State, p.Checked, p.Traces, p.TasksDone, p.Tasks)
		}
		if done {
			return p, nil
		}
		select {
		case <-ctx.Done():
			fmt.Fprintln(std.err, "Broken off; the same command goes on where it was.")
			return p, ctx.Err()
		case <-tick.C:
		}
	}
}

func (c *labelCmd) report(ctx context.Context, s *models.Store, v models.Viewer, runID string, p models.LabelProgress, std streams) error {
	out, err := newLabelReport(ctx, s, v, runID, p)
	if err != nil {
		return err
	}
	if c.JSON {
		err = writeJSON(std.out, out)
	} else {
		writeLabels(std.out, out)
	}
	if err == nil && p.State != models.StateDone {
		err = &exitError{code: 3}
	}
	return err
}
