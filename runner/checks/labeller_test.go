package checks_test

import (
	"context"
	"encoding/json"
	"log/slog"
	"os"
	"os/exec"
	"path/filepath"
	"strings"
	"testing"
	"time"

	"github.com/google/go-cmp/cmp"

	"plumbline/experiments/trace"
	"plumbline/models"
	"plumbline/models/modelstest"
	"plumbline/runner"
	"plumbline/runner/checks"
	"plumbline/runner/jobs"
)

var admin = models.LocalAdmin()

// office is a labeller with a real queue.
type office struct {
	store    *models.Store
	queue    *jobs.Queue
	labels   *checks.Labeller
	project  models.Project
	cacheDir string
}

func newOffice(t *testing.T, s *models.Store) *office {
	t.Helper()
	ctx := context.Background()
	log := slog.New(slog.DiscardHandler)
	if err := jobs.Migrate(ctx, s); err != nil {
		t.Fatal(err)
	}
	q, err := jobs.NewQueue(s, log)
	if err != nil {
		t.Fatal(err)
	}
	p, err := s.EnsureProject(ctx, "test", "Test")
	if err != nil {
		t.Fatal(err)
	}
	o := &office{store: s, queue: q, project: p, cacheDir: filepath.Dir(goCache(t))}
	o.cacheDir = filepath.Join(o.cacheDir, "plumbline-test-checks")
	o.labels, err = checks.NewLabeller(checks.LabellerConfig{Store: s, Enqueue: q.EnqueueLabels, Cache: o.cacheDir, Log: log, Lease: time.Second})
	if err != nil {
		t.Fatal(err)
	}
	return o
}

// work starts a worker; the returned function stops it as a shutdown does.
func (o *office) work(t *testing.T) (stop func()) {
	t.Helper()
	log := slog.New(slog.DiscardHandler)
	w, err := jobs.StartWorker(context.Background(), o.store, nil, jobs.Options{Labels: o.labels, LabelTasks: 2, Log: log})
	if err != nil {
		t.Fatal(err)
	}
	ctx, end := context.WithCancel(context.Background())
	done := make(chan struct{})
	go func() {
		defer close(done)
		jobs.SweepLabels(ctx, o.queue, o.labels, 500*time.Millisecond, log)
	}()
	stopped := false
	stop = func() {
		if stopped {
			return
		}
		stopped = true
		end()
		<-done
		ctx, cancel := context.WithTimeout(context.Background(), time.Minute)
		defer cancel()
		if err := w.Stop(ctx); err != nil {
			t.Error(err)
		}
	}
	t.Cleanup(stop)
	return stop
}

func (o *office) wait(t *testing.T, runID string, ok func(models.LabelProgress) bool) models.LabelProgress {
	t.Helper()
	deadline := time.Now().Add(10 * time.Minute)
	for {
		p, err := o.store.LabelProgress(context.Background(), admin, runID)
		if err != nil {
			t.Fatal(err)
		}
		if ok(p) {
			return p
		}
		if time.Now().After(deadline) {
			t.Fatalf("not reached: %+v", p)
		}
		time.Sleep(20 * time.Millisecond)
	}
}

func ended(p models.LabelProgress) bool {
	return p.State == models.StateDone || p.State == models.StateStopped
}

// The whole bundled dataset through queue and store: every label is confirmed, and
// the run survives a shutdown in the middle.
func TestLabelBundledDataset(t *testing.T) {
	t.Parallel()
	bench(t, "python3 -c 'import unittest'", "/usr/local/go/bin/go version || go version")
	s := modelstest.SQLite(t)
	o := newOffice(t, s)
	ctx := context.Background()
	r := runner.New(runner.Config{Store: s, Enqueue: o.queue.EnqueueShards, Log: slog.New(slog.DiscardHandler), Version: "test"})
	defer r.Close()
	d, err := r.LoadBundled(ctx, admin, o.project.ID)
	if err != nil {
		t.Fatal(err)
	}
	before, _, err := s.Traces(ctx, admin, models.TraceFilter{DatasetID: d.ID}, models.Page{Limit: 500})
	if err != nil {
		t.Fatal(err)
	}
	run, err := o.labels.Start(ctx, admin, checks.LabelSpec{DatasetID: d.ID, Settings: checks.LabelSettings{Repeat: 1}})
	if err != nil {
		t.Fatal(err)
	}
	if run.Unsandboxed || run.Backend == "auto" || run.TraceTotal != len(before) || len(before) < 60 {
		t.Fatalf("%+v", run)
	}
	stop := o.work(t)
	o.wait(t, run.ID, func(p models.LabelProgress) bool { return p.Checked >= 5 })
	stop()
	p, err := s.LabelProgress(ctx, admin, run.ID)
	if err != nil || p.State != models.StateRunning || p.Checked == p.Traces {
		t.Fatalf("after a shutdown: %+v %v", p, err)
	}
	o.work(t)
	p = o.wait(t, run.ID, ended)
	if p.State != models.StateDone || p.Checked != len(before) || p.Changed != 0 || p.Confirmed != len(before) || len(p.Errors) != 0 || p.Instances["usable"] != p.Tasks {
		t.Errorf("%+v", p)
	}
	after, _, err := s.Traces(ctx, admin, models.TraceFilter{DatasetID: d.ID}, models.Page{Limit: 500})
	if err != nil {
		t.Fatal(err)
	}
	if d := cmp.Diff(before, after); d != "" {
		t.Errorf("labels, buckets and counts differ from the recorded ones: %s", d)
	}
	rows, err := s.LabelResults(ctx, admin, run.ID, "labelled", "", 1)
	if err != nil || len(rows) != 1 {
		t.Fatal(rows, err)
	}
	all, err := s.LabelExecutions(ctx, admin, run.ID, rows[0].TraceID)
	if err != nil || len(all) != 3 {
		t.Fatalf("%d executions, %v", len(all), err)
	}
	for _, x := range all {
		_, text, err := s.LabelExecutionText(ctx, admin, x.ID)
		if err != nil || !strings.Contains(text.Tests, `"fail_to_pass"`) || text.Command == "" || x.CPUMS == nil || x.Unsandboxed {
			t.Errorf("%+v %+v %v", x, text, err)
		}
	}
}

// gitProject makes a repository with the calculator and returns its commit.
func gitProject(t *testing.T, dir string) string {
	t.Helper()
	if _, err := exec.LookPath("git"); err != nil {
		require(t, "git is not installed")
	}
	if err := os.MkdirAll(dir, 0o755); err != nil {
		t.Fatal(err)
	}
	if err := os.WriteFile(filepath.Join(dir, "calc.py"), []byte(calcBase), 0o644); err != nil {
		t.Fatal(err)
	}
	git := func(args ...string) string {
		cmd := exec.Command("git", args...)
		cmd.Dir = dir
		cmd.Env = append(os.Environ(), "GIT_CONFIG_GLOBAL=/dev/null", "GIT_AUTHOR_NAME=a", "GIT_AUTHOR_EMAIL=a@example.invalid", "GIT_COMMITTER_NAME=a", "GIT_COMMITTER_EMAIL=a@example.invalid")
		out, err := cmd.CombinedOutput()
		if err != nil {
			t.Fatalf("git %v: %v %s", args, err, out)
		}
		return strings.TrimSpace(string(out))
	}
	git("init", "-q")
	git("add", ".")
	git("commit", "-q", "-m", "one")
	return git("rev-parse", "HEAD")
}

// A plain clone of a Python project, dataset rows and attempts: labels are given,
// changed, or left alone with a named outcome, on both engines.
func TestLabelFromGit(t *testing.T) {
	t.Parallel()
	bench(t, "python3 -m pytest --version")
	repos := t.TempDir()
	commit := gitProject(t, filepath.Join(repos, "acme__calc"))
	modelstest.Each(t, func(t *testing.T, s *models.Store) {
		ctx := context.Background()
		o := newOffice(t, s)
		d, err := s.EnsureDataset(ctx, admin, o.project.ID, "calc", "", false)
		if err != nil {
			t.Fatal(err)
		}
		good, gone := calc(), calc()
		good.Repo, good.BaseCommit = "acme/calc", commit
		gone.ID, gone.Repo, gone.BaseCommit = "x__calc-2", "acme/calc", strings.Repeat("0", 40)
		var in []models.TraceInput
		add := func(id, agent, patch string, state trace.PatchState, label trace.Label) {
			in = append(in, models.TraceInput{
				Trace: trace.Trace{InstanceID: id, Agent: agent, PatchState: state, Patch: patch, Outcome: trace.Outcome{Label: label, From: trace.Imported}},
				Patch: models.PatchFacts{SHA256: agent},
			})
		}
		add(good.ID, "right", calcGold, trace.PatchText, trace.Unknown)
		add(good.ID, "wrong", calcPatch("return a"), trace.PatchText, trace.Acceptable)
		add(good.ID, "refused", calcPatch("x")[:40], trace.PatchText, trace.Acceptable)
		add(good.ID, "nothing", "", trace.PatchEmpty, trace.Unknown)
		add(gone.ID, "right", calcGold, trace.PatchText, trace.Acceptable)
		add(gone.ID, "nothing", "", trace.PatchNull, trace.Unknown)
		res, err := s.ImportTraces(ctx, admin, d.ID, []trace.Instance{good, gone}, in)
		if err != nil {
			t.Fatal(err)
		}
		run, err := o.labels.Start(ctx, admin, checks.LabelSpec{DatasetID: d.ID, Settings: checks.LabelSettings{Repeat: 2, Repos: repos, Seconds: 30}})
		if err != nil {
			t.Fatal(err)
		}
		o.work(t)
		p := o.wait(t, run.ID, ended)
		want := models.LabelProgress{
			State: models.StateDone, Tasks: 2, TasksDone: 2, Traces: 6, Checked: 6, Changed: 4, Errors: []string{},
			Outcomes: map[string]int{"labelled": 2, "does_not_apply": 1, "no_change": 2, "unusable": 1},
			Labels:   map[string]int{"acceptable": 1, "defective": 3}, Instances: map[string]int{"usable": 1, "no_base": 1},
		}
		if d := cmp.Diff(want, p); d != "" {
			t.Error(d)
		}
		var got []string
		for _, r := range res {
			row, err := s.Trace(ctx, admin, r.TraceID)
			if err != nil {
				t.Fatal(err)
			}
			got = append(got, row.Agent+" "+row.Label+" "+row.Bucket+" "+row.LabelSource)
		}
		if d := cmp.Diff([]string{
			"right acceptable  execution", "wrong defective omission execution", "refused acceptable  imported", "nothing defective no_change execution",
			"right acceptable  imported", "nothing defective no_change execution",
		}, got); d != "" {
			t.Error(d)
		}
		rows, err := s.LabelResults(ctx, admin, run.ID, "does_not_apply", "", 9)
		if err != nil || len(rows) != 1 || rows[0].Agent != "refused" || rows[0].Kept == "" {
			t.Errorf("%+v %v", rows, err)
		}
		in2, err := s.LabelInstances(ctx, admin, run.ID)
		if err != nil || len(in2) != 2 || in2[0].Runner != "pytest" || *in2[0].GoldF2POK != 1 || *in2[0].BaseF2POK != 0 || in2[1].State != "no_base" {
			t.Errorf("%+v %v", in2, err)
		}
		all, err := s.LabelExecutions(ctx, admin, run.ID, res[1].TraceID)
		if err != nil || len(all) != 6 {
			t.Errorf("%d executions: two runs on gold, base and patch: %v", len(all), err)
		}
	})
}

func TestLabelSettingsAreChecked(t *testing.T) {
	t.Parallel()
	o := newOffice(t, modelstest.SQLite(t))
	for _, bad := range []checks.LabelSettings{{Repeat: 99}, {Fuzz: -1}, {Seconds: 1 << 30}, {Runner: "tape"}, {Runner: "junit"}, {Backend: "wish"}} {
		if _, err := o.labels.Start(context.Background(), admin, checks.LabelSpec{DatasetID: "ds_x", Settings: bad}); err == nil {
			t.Errorf("%+v is taken", bad)
		}
	}
	raw, err := json.Marshal(checks.LabelSettings{Backend: "none", Repeat: 3})
	if err != nil || string(raw) != `{"backend":"none","repeat":3}` {
		t.Errorf("%s %v", raw, err)
	}
}
