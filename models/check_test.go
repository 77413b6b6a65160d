package models_test

import (
	"context"
	"database/sql"
	"errors"
	"strings"
	"testing"
	"time"

	"github.com/google/go-cmp/cmp"

	"plumbline/experiments/trace"
	"plumbline/models"
	"plumbline/models/modelstest"
)

// queued collects what is put into the queue.
type queued []models.LabelTaskRef

func (q *queued) add(_ context.Context, tx *sql.Tx, refs []models.LabelTaskRef) error {
	if tx == nil {
		return errors.New("no transaction")
	}
	*q = append(*q, refs...)
	return nil
}

func (q *queued) live(context.Context) (map[models.LabelTaskRef]bool, error) {
	out := map[models.LabelTaskRef]bool{}
	for _, r := range *q {
		out[r] = true
	}
	return out, nil
}

func startLabels(t *testing.T, b bundle) (models.LabelRun, *queued) {
	t.Helper()
	q := &queued{}
	run, err := b.s.StartLabelRun(context.Background(), admin, models.LabelRunDraft{DatasetID: b.dataset.ID, Settings: "{}", Backend: "bubblewrap", Rounds: 1}, q.add)
	if err != nil {
		t.Fatal(err)
	}
	return run, q
}

func TestLabelRunFromStartToEnd(t *testing.T) {
	t.Parallel()
	modelstest.Each(t, func(t *testing.T, s *models.Store) {
		ctx := context.Background()
		b := setup(t, s, 2)
		run, q := startLabels(t, b)
		if run.TaskTotal != 2 || run.TraceTotal != 2 || run.State != models.StateRunning || len(*q) != 2 || run.CreatedBy != admin.Name {
			t.Fatalf("%+v %v", run, *q)
		}
		if _, err := s.StartLabelRun(ctx, admin, models.LabelRunDraft{DatasetID: b.dataset.ID}, q.add); !errors.Is(err, models.ErrConflict) {
			t.Errorf("two runs at once: %v", err)
		}
		soon := s.Now().Add(time.Minute)
		w, err := s.ClaimLabelTask(ctx, (*q)[0], "w1", soon)
		if err != nil || w.Bundled || w.Instance != nil || len(w.Traces) != 1 || w.Run.ID != run.ID {
			t.Fatalf("%+v %v", w, err)
		}
		if _, err := s.ClaimLabelTask(ctx, (*q)[0], "w2", soon); !errors.Is(err, models.ErrLeaseLost) {
			t.Errorf("a held task was taken: %v", err)
		}
		if ok, err := s.KeepLabelTask(ctx, w.Task.ID, "w1", soon); err != nil || !ok {
			t.Errorf("%v %v", ok, err)
		}
		if ok, err := s.KeepLabelTask(ctx, w.Task.ID, "w2", soon); err != nil || ok {
			t.Errorf("%v %v", ok, err)
		}
		one, zero := 1, 0
		in := models.LabelInstance{RunID: run.ID, InstanceRow: w.Task.InstanceRow, State: "usable", Notes: "[]", LeftOut: `{"flaky":["t::a"]}`, Runner: "pytest", BaseF2POK: &zero, GoldF2POK: &one, F2PAll: &one}
		x := models.Execution{LabelExecution: models.LabelExecution{Tree: "gold", Round: 1, Backend: "bubblewrap", Cause: "exit", ExitCode: &zero}, LabelExecutionText: models.LabelExecutionText{Stdout: "secret t::a\x00", Tests: "{}"}}
		for range 2 { // storing again replaces
			if err := s.KeepLabelInstance(ctx, in, []models.Execution{x}); err != nil {
				t.Fatal(err)
			}
		}
		x.Tree = "patch"
		counts := trace.TestCounts{FailToPassOK: 0, FailToPassAll: 1, PassToPassOK: 1, PassToPassAll: 1, Applied: true}
		res := models.LabelResult{RunID: run.ID, TraceID: w.Traces[0], Outcome: "labelled", Reason: "why", Label: "defective", Bucket: "omission", Applied: "{}"}
		for range 2 { // a second result is dropped
			if err := s.KeepLabelResult(ctx, admin, res, &counts, []models.Execution{x}); err != nil {
				t.Fatal(err)
			}
		}
		row, err := s.Trace(ctx, admin, w.Traces[0])
		if err != nil || row.Label != "defective" || row.Bucket != "omission" || row.LabelSource != "execution" || !row.TestsKnown || row.P2POK != 1 || row.F2PAll != 1 {
			t.Errorf("%+v %v", row, err)
		}
		events, err := s.LabelEvents(ctx, admin, w.Traces[0])
		if err != nil || len(events) != 1 || events[0].OldLabel != "acceptable" || events[0].Reason != "why" {
			t.Errorf("%+v %v", events, err)
		}
		if err := s.ReleaseLabelTask(ctx, (*q)[0], "w1", true, ""); err != nil {
			t.Fatal(err)
		}
		if err := s.ReleaseLabelTask(ctx, (*q)[0], "w1", true, ""); !errors.Is(err, models.ErrLeaseLost) {
			t.Error(err)
		}

		// The other trace was labelled by a person.
		w, err = s.ClaimLabelTask(ctx, (*q)[1], "w1", soon)
		if err != nil {
			t.Fatal(err)
		}
		if err := s.SetLabel(ctx, admin, models.LabelChange{TraceID: w.Traces[0], Label: trace.Acceptable, Source: trace.Manual, Reason: "read it"}); err != nil {
			t.Fatal(err)
		}
		res.TraceID = w.Traces[0]
		if err := s.KeepLabelResult(ctx, admin, res, &counts, nil); err != nil {
			t.Fatal(err)
		}
		if row, err := s.Trace(ctx, admin, w.Traces[0]); err != nil || row.Label != "acceptable" || row.TestsKnown {
			t.Errorf("a person's label was changed: %+v %v", row, err)
		}
		if err := s.ReleaseLabelTask(ctx, (*q)[1], "w1", true, ""); err != nil {
			t.Fatal(err)
		}
		p, err := s.LabelProgress(ctx, admin, run.ID)
		if err != nil {
			t.Fatal(err)
		}
		want := models.LabelProgress{
			State: models.StateDone, Tasks: 2, TasksDone: 2, Traces: 2, Checked: 2, Outcomes: map[string]int{"labelled": 2},
			Labels: map[string]int{"defective": 2}, Instances: map[string]int{"usable": 1}, Changed: 1, Errors: []string{},
		}
		if d := cmp.Diff(want, p); d != "" {
			t.Error(d)
		}
		readLabels(t, s, b, run)
	})
}

// readLabels checks what each role may read of a run.
func readLabels(t *testing.T, s *models.Store, b bundle, run models.LabelRun) {
	t.Helper()
	ctx := context.Background()
	viewer := models.Viewer{Name: "v", Roles: map[string]models.Role{b.project.ID: models.RoleViewer}}
	stranger := models.Viewer{Name: "s", Roles: map[string]models.Role{"other": models.RoleAdmin}}
	for _, v := range []models.Viewer{admin, viewer} {
		rows, err := s.LabelResults(ctx, v, run.ID, "labelled", "", 10)
		if err != nil || len(rows) != 2 || rows[0].InstanceID != "acme__tool-0" || *rows[0].P2POK != 1 || rows[0].OldLabel != "acceptable" || rows[1].Kept == "" {
			t.Errorf("%+v %v", rows, err)
		}
		rest, err := s.LabelResults(ctx, v, run.ID, "", rows[0].TraceID, 10)
		if err != nil || len(rest) != 1 {
			t.Errorf("%+v %v", rest, err)
		}
		mine, err := s.TraceLabelResults(ctx, v, b.traces[0])
		if err != nil || len(mine) != 1 {
			t.Errorf("%+v %v", mine, err)
		}
		runs, err := s.LabelRuns(ctx, v, b.dataset.ID)
		if err != nil || len(runs) != 1 || runs[0].FinishedAt == nil {
			t.Errorf("%+v %v", runs, err)
		}
		all, err := s.LabelExecutions(ctx, v, run.ID, b.traces[0])
		if err != nil || len(all) != 2 {
			t.Fatalf("%+v %v", all, err)
		}
		in, err := s.LabelInstances(ctx, v, run.ID)
		if err != nil || len(in) != 1 || strings.Contains(in[0].LeftOut, "t::a") != (v.Name == admin.Name) {
			t.Errorf("%+v %v", in, err)
		}
		_, text, err := s.LabelExecutionText(ctx, v, all[0].ID)
		if v.Name == admin.Name {
			if err != nil || text.Stdout != "secret t::a\uFFFD" {
				t.Errorf("%+v %v", text, err)
			}
		} else if !errors.Is(err, models.ErrForbidden) || text.Stdout != "" {
			t.Errorf("a viewer reads the log of the official tests: %+v %v", text, err)
		}
	}
	all, err := s.LabelExecutions(ctx, admin, run.ID, b.traces[0])
	if err != nil {
		t.Fatal(err)
	}
	for what, err := range map[string]error{
		"progress": errorOf(s.LabelProgress(ctx, stranger, run.ID)), "run": errorOf(s.LabelRun(ctx, stranger, run.ID)), "runs": errorOf(s.LabelRuns(ctx, stranger, b.dataset.ID)),
		"results": errorOf(s.LabelResults(ctx, stranger, run.ID, "", "", 1)), "instances": errorOf(s.LabelInstances(ctx, stranger, run.ID)),
		"executions": errorOf(s.LabelExecutions(ctx, stranger, run.ID, b.traces[0])), "trace": errorOf(s.TraceLabelResults(ctx, stranger, b.traces[0])),
		"stop": s.StopLabelRun(ctx, stranger, run.ID), "start": errorOf(s.StartLabelRun(ctx, stranger, models.LabelRunDraft{DatasetID: b.dataset.ID}, nil)),
	} {
		if !errors.Is(err, models.ErrNotFound) {
			t.Errorf("a stranger gets %s: %v", what, err)
		}
	}
	if _, _, err := s.LabelExecutionText(ctx, stranger, all[0].ID); !errors.Is(err, models.ErrNotFound) {
		t.Error(err)
	}
	if err := s.StopLabelRun(ctx, viewer, run.ID); !errors.Is(err, models.ErrForbidden) {
		t.Error(err)
	}
	if _, err := s.StartLabelRun(ctx, viewer, models.LabelRunDraft{DatasetID: b.dataset.ID}, nil); !errors.Is(err, models.ErrForbidden) {
		t.Error(err)
	}
}

func errorOf[T any](_ T, err error) error { return err }

func TestLabelRunStopsAndGoesOn(t *testing.T) {
	t.Parallel()
	modelstest.Each(t, func(t *testing.T, s *models.Store) {
		ctx := context.Background()
		b := setup(t, s, 3)
		run, q := startLabels(t, b)
		state := func() string {
			t.Helper()
			r, err := s.LabelRun(ctx, admin, run.ID)
			if err != nil {
				t.Fatal(err)
			}
			return r.State
		}
		must := func(err error) {
			t.Helper()
			if err != nil {
				t.Fatal(err)
			}
		}
		w, err := s.ClaimLabelTask(ctx, (*q)[0], "w1", s.Now().Add(time.Minute))
		must(err)
		must(s.StopLabelRun(ctx, admin, run.ID))
		if state() != models.StateStopping {
			t.Error(state())
		}
		if ok, err := s.KeepLabelTask(ctx, w.Task.ID, "w1", s.Now().Add(time.Minute)); err != nil || ok {
			t.Errorf("work goes on after the stop: %v %v", ok, err)
		}
		if _, err := s.ClaimLabelTask(ctx, (*q)[1], "w1", s.Now().Add(time.Minute)); !errors.Is(err, models.ErrLeaseLost) {
			t.Errorf("work begins after the stop: %v", err)
		}
		must(s.ReleaseLabelTask(ctx, (*q)[0], "w1", false, "the disk is full"))
		if state() != models.StateStopped {
			t.Error(state())
		}
		p, err := s.LabelProgress(ctx, admin, run.ID)
		if err != nil || len(p.Errors) != 1 || p.Errors[0] != "the disk is full" {
			t.Errorf("%+v %v", p, err)
		}
		*q = nil
		must(s.ResumeLabelRun(ctx, admin, run.ID, q.add))
		if state() != models.StateRunning || len(*q) != 3 || (*q)[0].Generation != 2 {
			t.Errorf("%s %v", state(), *q)
		}
		if err := s.ResumeLabelRun(ctx, admin, run.ID, q.add); !errors.Is(err, models.ErrConflict) {
			t.Error(err)
		}

		// One worker shuts down, another dies, and the job of a third is lost.
		first := (*q)[0]
		_, err = s.ClaimLabelTask(ctx, first, "w1", s.Now().Add(time.Minute))
		must(err)
		must(s.ReturnLabelTask(ctx, first, "w1", q.add))
		if last := (*q)[3]; last.TaskID != first.TaskID || last.Generation != 3 {
			t.Errorf("%v", *q)
		}
		now := time.Now()
		s.SetClock(func() time.Time { return now.Add(time.Hour) })
		_, err = s.ClaimLabelTask(ctx, (*q)[1], "w2", s.Now().Add(time.Minute))
		must(err)
		lost := (*q)[2]
		*q = append((*q)[:2:2], (*q)[3])
		s.SetClock(func() time.Time { return now.Add(2 * time.Hour) })
		n, err := s.RequeueLostLabels(ctx, "w2", time.Minute, q.live, q.add)
		if err != nil || n != 1 || (*q)[3].TaskID != lost.TaskID {
			t.Errorf("a worker takes its own work for lost, or the job without a trace is not found: %d %v %v", n, *q, err)
		}
		n, err = s.RequeueLostLabels(ctx, "w3", time.Minute, q.live, q.add)
		if err != nil || n != 1 {
			t.Errorf("%d %v", n, err)
		}
		if err := s.ReleaseLabelTask(ctx, (*q)[1], "w2", true, ""); !errors.Is(err, models.ErrLeaseLost) {
			t.Errorf("a dead worker's word counts: %v", err)
		}
	})
}
