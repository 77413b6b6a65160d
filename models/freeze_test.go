package models_test

import (
	"bytes"
	"context"
	"errors"
	"fmt"
	"strings"
	"sync"
	"testing"

	"github.com/google/go-cmp/cmp"

	"plumbline/experiments/freeze"
	"plumbline/experiments/trace"
	"plumbline/models"
	"plumbline/models/modelstest"
)

// frozen is a store with a design experiment on three traces, a freeze of it, and
// a held-out split of four others, of which the last has neither issue, summary
// nor steps yet.
type frozen struct {
	bundle
	design  models.Experiment
	heldOut models.Split
	version models.ReviewerVersion
	freeze  models.Freeze
	m       freeze.Manifest
	scope   models.FreezeScope
}

func freezeOne(t *testing.T, s *models.Store) frozen {
	t.Helper()
	ctx := context.Background()
	f := frozen{bundle: setup(t, s, 6)}
	f.traces = append(f.traces, f.importBare(t, func(*trace.Instance, *models.TraceInput) {}))
	design, err := s.AddToSplit(ctx, admin, f.dataset.ID, trace.SplitDesign, f.traces[:3])
	if err != nil {
		t.Fatal(err)
	}
	if f.heldOut, err = s.AddToSplit(ctx, admin, f.dataset.ID, trace.SplitHeldOut, f.traces[3:]); err != nil {
		t.Fatal(err)
	}
	if f.version, err = s.SaveReviewer(ctx, admin, models.ReviewerDraft{ProjectID: f.project.ID, Name: "r", Kind: "openai", Model: "m", Spec: "{}"}); err != nil {
		t.Fatal(err)
	}
	draft := f.draft("design")
	draft.DatasetID, draft.SplitID = f.dataset.ID, design.ID
	if f.design, err = s.CreateExperiment(ctx, admin, draft, capture(new([]models.ShardRef))); err != nil {
		t.Fatal(err)
	}
	f.scope = models.FreezeScope{ExperimentID: f.design.ID, SplitIDs: []string{f.heldOut.ID}, VersionIDs: []string{f.version.ID}}
	now, err := s.FreezeState(ctx, admin, f.scope)
	if err != nil {
		t.Fatal(err)
	}
	f.m = freeze.Manifest{
		Format: freeze.Format, Experiment: f.design.ID, Design: freeze.Split{Name: "design", Traces: now.Design}, Evaluation: []freeze.Split{now.Splits[f.heldOut.ID]},
		Reviewers: []freeze.Reviewer{{VersionID: f.version.ID, Name: "r", Version: 1, SpecSHA256: f.version.SpecSHA256}},
	}
	doc, sha, err := freeze.Seal(f.m)
	if err != nil {
		t.Fatal(err)
	}
	if f.freeze, err = s.CreateFreeze(ctx, admin, models.FreezeDraft{ExperimentID: f.design.ID, Document: doc, SHA256: sha}); err != nil {
		t.Fatal(err)
	}
	got, err := s.FreezeDocument(ctx, admin, f.freeze.ID)
	if err != nil {
		t.Fatal(err)
	}
	if !bytes.Equal(doc, got) {
		t.Error("the stored manifest is not the one that was written")
	}
	return f
}

func (f frozen) draft(name string) models.ExperimentDraft {
	return models.ExperimentDraft{
		Name: name, Kind: "review", Votes: 1, Config: "{}", Arms: []models.ArmDraft{{ReviewerVersionID: f.version.ID, ReviewerName: "r", Form: "patch"}},
	}
}

func (f frozen) start(number int, reason string) (models.Experiment, models.HeldOutRun, error) {
	var refs []models.ShardRef
	return f.s.StartHeldOut(context.Background(), admin, models.HeldOutDraft{
		FreezeID: f.freeze.ID, SplitID: f.heldOut.ID, Number: number, Reason: reason, Experiment: f.draft(fmt.Sprintf("run %d", number)), Scope: f.scope, Verify: f.m.Verify,
	}, capture(&refs))
}

func TestHeldOutRunsOnceUnlessThereIsAReason(t *testing.T) {
	t.Parallel()
	modelstest.Each(t, func(t *testing.T, s *models.Store) {
		ctx := context.Background()
		f := freezeOne(t, s)
		e, run, err := f.start(1, "")
		if err != nil {
			t.Fatal(err)
		}
		if e.SplitID == nil || *e.SplitID != f.heldOut.ID || e.ItemTotal != 4 || run.Number != 1 || run.Author != "admin" {
			t.Errorf("started %+v as %+v", e, run)
		}
		var invalid *models.InvalidError
		if _, _, err := f.start(2, " \n"); !errors.As(err, &invalid) || invalid.Fields["reason"] == "" {
			t.Errorf("a second run without a reason: %v", err)
		}
		if _, _, err := f.start(1, "again"); !errors.Is(err, models.ErrConflict) {
			t.Errorf("the first run a second time: %v", err)
		}
		if _, _, err := f.start(2, strings.Repeat("x", models.MaxReason+1)); !errors.As(err, &invalid) {
			t.Errorf("an endless reason: %v", err)
		}
		again, _, err := f.start(2, "the endpoint served another model\x00")
		if err != nil {
			t.Fatal(err)
		}
		// Freezing the same design anew must not reset the count.
		second, err := s.CreateFreeze(ctx, admin, models.FreezeDraft{ExperimentID: f.design.ID, Document: []byte("{}"), SHA256: "x"})
		if err != nil {
			t.Fatal(err)
		}
		f.freeze = second
		if _, _, err := f.start(1, ""); !errors.Is(err, models.ErrConflict) {
			t.Errorf("the first run of a second freeze of the same design: %v", err)
		}
		// Nor does another split over one of the same traces.
		part, err := s.AddToSplit(ctx, admin, f.dataset.ID, "part", f.traces[5:])
		if err != nil {
			t.Fatal(err)
		}
		whole := f.heldOut
		f.heldOut = part
		if _, _, err := f.start(1, ""); !errors.Is(err, models.ErrConflict) {
			t.Errorf("the first run on a part of the same traces: %v", err)
		}
		f.heldOut = whole

		type line struct {
			Experiment, Reason string
			Number, Times      int
		}
		runs, err := s.HeldOutOf(ctx, admin, again.ID)
		if err != nil {
			t.Fatal(err)
		}
		var got []line
		for _, r := range runs {
			got = append(got, line{r.ExperimentName, r.Reason, r.Number, r.Times})
		}
		want := []line{{"run 1", "", 1, 2}, {"run 2", "the endpoint served another model\ufffd", 2, 2}}
		if diff := cmp.Diff(want, got); diff != "" {
			t.Error(diff)
		}
		times, err := s.HeldOutTimes(ctx, admin, []string{e.ID, again.ID, f.design.ID})
		if err != nil {
			t.Fatal(err)
		}
		if diff := cmp.Diff(map[string]int{e.ID: 2, again.ID: 2}, times); diff != "" {
			t.Error(diff)
		}
		shared, err := s.HeldOutOf(ctx, models.Viewer{Name: "share link", Share: e.ID}, e.ID)
		if err != nil || len(shared) != 2 {
			t.Errorf("a share link sees %d runs, %v", len(shared), err)
		}
		freezes, err := s.Freezes(ctx, admin, f.design.ID)
		if err != nil || len(freezes) != 2 || freezes[1].Runs != 2 || freezes[0].ID != second.ID {
			t.Errorf("freezes %+v, %v", freezes, err)
		}
	})
}

func TestTwoStartsAtOnceMakeOneRun(t *testing.T) {
	t.Parallel()
	modelstest.Each(t, func(t *testing.T, s *models.Store) {
		f := freezeOne(t, s)
		for number, reason := range []string{1: "", 2: "the first run was cut off"} {
			if number == 0 {
				continue
			}
			const callers = 6
			errs := make([]error, callers)
			var wg sync.WaitGroup
			for i := range callers {
				wg.Add(1)
				go func() {
					defer wg.Done()
					_, _, errs[i] = f.start(number, reason)
				}()
			}
			wg.Wait()
			won := 0
			for _, err := range errs {
				switch {
				case err == nil:
					won++
				case !errors.Is(err, models.ErrConflict):
					t.Errorf("a loser got %v", err)
				}
			}
			if won != 1 {
				t.Errorf("%d of %d callers started run %d", won, callers, number)
			}
		}
		all, err := s.Experiments(context.Background(), admin, models.ExperimentFilter{})
		if err != nil {
			t.Fatal(err)
		}
		if len(all) != 3 { // the design and two runs: losers leave nothing behind
			t.Errorf("%d experiments, want 3", len(all))
		}
	})
}

func TestAChangeAfterTheFreezeStopsTheRun(t *testing.T) {
	t.Parallel()
	ctx := context.Background()
	tests := []struct {
		name   string
		change func(t *testing.T, f *frozen)
		thing  freeze.Thing
		what   string
	}{
		{"the same trace again", func(t *testing.T, f *frozen) { f.importBare(t, func(*trace.Instance, *models.TraceInput) {}) }, "", ""},
		{"steps that were missing", func(t *testing.T, f *frozen) {
			f.importBare(t, func(_ *trace.Instance, in *models.TraceInput) { in.Trace.Steps = []trace.Step{{Action: "ls"}} })
		}, freeze.ThingTrace, "acme__tool-9 (held-out, "},
		{"a summary that was missing", func(t *testing.T, f *frozen) {
			f.importBare(t, func(_ *trace.Instance, in *models.TraceInput) { in.Trace.Summary = "done" })
		}, freeze.ThingTrace, "patch, summary or steps changed"},
		{"an issue that was missing", func(t *testing.T, f *frozen) {
			f.importBare(t, func(in *trace.Instance, _ *models.TraceInput) { in.Issue = "It crashes." })
		}, freeze.ThingTrace, "the issue changed"},
		{"a trace more in the split", func(t *testing.T, f *frozen) {
			if _, err := f.s.AddToSplit(ctx, admin, f.dataset.ID, trace.SplitHeldOut, f.traces[2:3]); err != nil {
				t.Fatal(err)
			}
		}, freeze.ThingTrace, "acme__tool-2 (held-out, "},
		{"settings of the reviewer", func(t *testing.T, f *frozen) {
			f.m.Reviewers[0].SpecSHA256 = strings.Repeat("0", 64)
		}, freeze.ThingReviewer, "r, version 1: its settings changed"},
		{"a version that is gone", func(t *testing.T, f *frozen) {
			f.m.Reviewers[0].VersionID = "rn_none"
		}, freeze.ThingReviewer, "does not exist any more"},
		{"a newer version beside it", func(t *testing.T, f *frozen) {
			if _, err := f.s.SaveReviewer(ctx, admin, models.ReviewerDraft{ProjectID: f.project.ID, Name: "r", Kind: "openai", Model: "m", Spec: `{"a":1}`}); err != nil {
				t.Fatal(err)
			}
		}, "", ""},
		{"a label", func(t *testing.T, f *frozen) {
			if err := f.s.SetLabel(ctx, admin, models.LabelChange{TraceID: f.traces[4], Label: trace.Defective, Source: trace.Manual, Reason: "seen"}); err != nil {
				t.Fatal(err)
			}
		}, "", ""},
	}
	for _, tt := range tests {
		t.Run(tt.name, func(t *testing.T) {
			t.Parallel()
			modelstest.Each(t, func(t *testing.T, s *models.Store) {
				f := freezeOne(t, s)
				tt.change(t, &f)
				_, _, err := f.start(1, "")
				var changed *freeze.ChangedError
				switch {
				case tt.thing == "" && err != nil:
					t.Fatal(err)
				case tt.thing == "":
				case !errors.As(err, &changed):
					t.Fatalf("started: %v", err)
				case changed.Changes[0].Thing != tt.thing || !strings.Contains(changed.Error(), tt.what):
					t.Errorf("%v", changed)
				default:
					if runs, err := s.HeldOutRuns(ctx, admin, f.freeze.ID, f.heldOut.ID); err != nil || len(runs) != 0 {
						t.Errorf("a stopped run counts: %v %v", runs, err)
					}
				}
			})
		})
	}
}

// importBare imports a trace without issue, summary and steps, changed by change.
func (f *frozen) importBare(t *testing.T, change func(*trace.Instance, *models.TraceInput)) string {
	t.Helper()
	in, tr := instance(9), attempt(9, "patch", trace.Acceptable)
	in.Issue, tr.Trace.Summary, tr.Trace.Steps = "", "", nil
	change(&in, &tr)
	res, err := f.s.ImportTraces(context.Background(), admin, f.dataset.ID, []trace.Instance{in}, []models.TraceInput{tr})
	if err != nil {
		t.Fatal(err)
	}
	return res[0].TraceID
}

func TestEarlierLooks(t *testing.T) {
	t.Parallel()
	modelstest.Each(t, func(t *testing.T, s *models.Store) {
		ctx := context.Background()
		f := freezeOne(t, s)
		if looks, err := s.EarlierLooks(ctx, admin, f.freeze.ID, f.heldOut.ID); err != nil || len(looks) != 0 {
			t.Errorf("looks %v, %v", looks, err)
		}
		peek := f.draft("peek")
		peek.DatasetID = f.dataset.ID // all traces, the held-out ones too
		e, err := s.CreateExperiment(ctx, admin, peek, capture(new([]models.ShardRef)))
		if err != nil {
			t.Fatal(err)
		}
		if looks, err := s.EarlierLooks(ctx, admin, f.freeze.ID, f.heldOut.ID); err != nil || len(looks) != 0 {
			t.Errorf("a look after the freeze is an earlier one: %v, %v", looks, err)
		}
		later, err := s.CreateFreeze(ctx, admin, models.FreezeDraft{ExperimentID: f.design.ID, Document: []byte("{}"), SHA256: "x"})
		if err != nil {
			t.Fatal(err)
		}
		looks, err := s.EarlierLooks(ctx, admin, later.ID, f.heldOut.ID)
		if err != nil {
			t.Fatal(err)
		}
		if diff := cmp.Diff([]models.Look{{ExperimentID: e.ID, ExperimentName: "peek", Traces: 4}}, looks); diff != "" {
			t.Error(diff)
		}
	})
}

func TestFreezesKeepToTheirProject(t *testing.T) {
	t.Parallel()
	modelstest.Each(t, func(t *testing.T, s *models.Store) {
		ctx := context.Background()
		f := freezeOne(t, s)
		stranger := models.Viewer{Name: "eve", Roles: map[string]models.Role{"pr_other": models.RoleAdmin}}
		reader := models.Viewer{Name: "bob", Roles: map[string]models.Role{f.project.ID: models.RoleViewer}}
		shared := models.Viewer{Name: "share link", Share: f.design.ID}
		for _, v := range []models.Viewer{stranger, shared} {
			if _, err := s.FreezeDocument(ctx, v, f.freeze.ID); !errors.Is(err, models.ErrNotFound) {
				t.Errorf("%s reads the manifest: %v", v.Name, err)
			}
			if _, err := s.Freezes(ctx, v, f.design.ID); !errors.Is(err, models.ErrNotFound) {
				t.Errorf("%s lists freezes: %v", v.Name, err)
			}
			if _, err := s.FreezeState(ctx, v, f.scope); !errors.Is(err, models.ErrNotFound) {
				t.Errorf("%s reads fingerprints: %v", v.Name, err)
			}
		}
		if _, err := s.FreezeDocument(ctx, reader, f.freeze.ID); err != nil {
			t.Errorf("a viewer of the project does not see the manifest: %v", err)
		}
		if _, err := s.CreateFreeze(ctx, reader, models.FreezeDraft{ExperimentID: f.design.ID}); !errors.Is(err, models.ErrForbidden) {
			t.Errorf("a viewer froze it: %v", err)
		}
		_, _, err := s.StartHeldOut(ctx, reader, models.HeldOutDraft{FreezeID: f.freeze.ID, SplitID: f.heldOut.ID, Experiment: f.draft("x"), Verify: f.m.Verify}, capture(new([]models.ShardRef)))
		if !errors.Is(err, models.ErrForbidden) {
			t.Errorf("a viewer started a run: %v", err)
		}
	})
}
