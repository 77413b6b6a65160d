package models_test

import (
	"context"
	"errors"
	"strings"
	"testing"
	"time"

	"github.com/google/go-cmp/cmp"

	"plumbline/experiments/cascade"
	"plumbline/experiments/vote"
	"plumbline/models"
	"plumbline/models/modelstest"
)

// The first observation of a check counts, and what is not observed is null.
func TestCheckSets(t *testing.T) {
	t.Parallel()
	modelstest.Each(t, func(t *testing.T, s *models.Store) {
		ctx := context.Background()
		b := setup(t, s, 1)
		set, err := s.OpenCheckSet(ctx, b.traces[0], "c1", `{"a":1}`)
		if err != nil {
			t.Fatal(err)
		}
		again, err := s.OpenCheckSet(ctx, b.traces[0], "c1", `{"a":2}`)
		if err != nil || again.ID != set.ID || again.Config != `{"a":1}` {
			t.Fatalf("opening again gives %+v, %v", again, err)
		}
		if set.PatchNone != nil || set.StaticRan != nil {
			t.Errorf("a new set has outcomes: %+v", set)
		}
		if err := s.SavePatchCheck(ctx, set.ID, false, ""); err != nil {
			t.Fatal(err)
		}
		if err := s.SavePatchCheck(ctx, set.ID, true, "late"); err != nil {
			t.Fatal(err)
		}
		check := models.StaticCheck{
			Ran: true, Decisive: 1, Caused: 2, Standing: 1,
			Runs: []models.StaticRun{{Tool: "pyflakes", Version: "2.5", Backend: "bubblewrap", Runs: 2, WallMS: 40}, {Tool: "mine", Why: "it ended with exit code 4"}},
			Findings: []models.StaticFinding{
				{Tool: "pyflakes", Side: models.FindingCaused, File: "a\x00.py", Line: 3, Class: "unbound name", Decides: true, Message: "undefined name 'x'"},
				{Tool: "pyflakes", Side: models.FindingStanding, File: "a.py", Line: 9, Class: "other", Message: "'os' imported but unused"},
			},
		}
		if err := s.SaveStaticCheck(ctx, set.ID, check); err != nil {
			t.Fatal(err)
		}
		if err := s.SaveStaticCheck(ctx, set.ID, models.StaticCheck{Ran: true, Decisive: 9, Findings: check.Findings}); err != nil {
			t.Fatal(err)
		}
		kept, err := s.AddGeneratedTest(ctx, models.GeneratedTest{SetID: set.ID, Attempt: 1, Generator: "g", Path: "test_x.py"}, models.GeneratedTestText{Prompt: "p", Reply: "r\x00", Source: "s"})
		if err != nil || !kept {
			t.Fatalf("kept %v, %v", kept, err)
		}
		if kept, err = s.AddGeneratedTest(ctx, models.GeneratedTest{SetID: set.ID, Attempt: 1, Generator: "late"}, models.GeneratedTestText{}); err != nil || kept {
			t.Fatalf("a second attempt 1 is kept: %v, %v", kept, err)
		}
		run := models.TestRun{Result: "failed", Headline: "AssertionError", Output: "out", Feedback: "told", Runs: 2, WallMS: 30, Backend: "bubblewrap"}
		for _, side := range []models.TestSide{models.OnBase, models.OnPatched, models.OnGold, models.OnBase} {
			if err := s.SaveTestRun(ctx, set.ID, 1, side, run); err != nil {
				t.Fatal(err)
			}
			run.Result, run.Output = "passed", "later"
		}
		c, err := s.LatestCheckSet(ctx, b.traces[0])
		if err != nil {
			t.Fatal(err)
		}
		if c.Set.PatchNone == nil || *c.Set.PatchNone || c.Set.StaticDecisive != 1 || len(c.Runs) != 2 || len(c.Findings) != 2 || c.Findings[0].File != "a\ufffd.py" {
			t.Errorf("set %+v, runs %v, findings %v", c.Set, c.Runs, c.Findings)
		}
		if len(c.Tests) != 1 {
			t.Fatalf("%d tests", len(c.Tests))
		}
		g, x := c.Tests[0], c.Texts[0]
		if g.Generator != "g" || g.BaseResult != "failed" || g.PatchedResult != "passed" || g.GoldResult != "passed" || g.Runs != 6 || g.WallMS != 90 || g.CostUSD != nil {
			t.Errorf("test %+v", g)
		}
		if x.Reply != "r\ufffd" || x.BaseOutput != "out" || x.PatchedOutput != "later" || x.Feedback != "told" {
			t.Errorf("texts %+v", x)
		}
		if _, err := s.LatestCheckSet(ctx, "tr_none"); !errors.Is(err, models.ErrNotFound) {
			t.Errorf("checks of no trace: %v", err)
		}
		leak := models.GeneratedTest{SetID: set.ID, Attempt: 2, Generator: "g", Flaw: string(cascade.Leaks), Asserts: "hidden"}
		if _, err := s.AddGeneratedTest(ctx, leak, models.GeneratedTestText{Prompt: "p", Reply: "hidden", Source: "hidden"}); err != nil {
			t.Fatal(err)
		}
		// Who may only look does not see what the reference patch did.
		looker := models.Viewer{Name: "v", Roles: map[string]models.Role{b.project.ID: models.RoleViewer}}
		for who, want := range map[*models.Viewer]string{&admin: "passed", &looker: ""} {
			all, err := s.TraceChecks(ctx, *who, b.traces[0])
			if err != nil || len(all) != 1 {
				t.Fatalf("%d sets, %v", len(all), err)
			}
			if got := all[0].Tests[0].GoldResult; got != want || (all[0].Texts[0].GoldOutput == "") != (want == "") {
				t.Errorf("%s sees %q of the reference patch", who.Name, got)
			}
			if x := all[0].Texts[1]; strings.Contains(x.Reply+x.Source+all[0].Tests[1].Asserts, "hidden") != (want != "") {
				t.Errorf("%s sees of a test that repeats hidden material: %+v", who.Name, x)
			}
		}
		if _, err := s.TraceChecks(ctx, models.Viewer{}, b.traces[0]); !errors.Is(err, models.ErrNotFound) {
			t.Errorf("a stranger's look: %v", err)
		}
	})
}

// A verdict of a check decides the item at once and stands as one vote; a trouble
// leaves it in error, to be tried again.
func TestCascadeItems(t *testing.T) {
	t.Parallel()
	modelstest.Each(t, func(t *testing.T, s *models.Store) {
		ctx := context.Background()
		b := setup(t, s, 2)
		e, refs := launch(t, b, 3)
		w, err := s.ClaimShard(ctx, refs[0], "w1", s.Now().Add(time.Minute))
		if err != nil {
			t.Fatal(err)
		}
		var stages []models.CascadeItem
		for _, it := range w.Items {
			set, err := s.OpenCheckSet(ctx, it.TraceID, "c", "{}")
			if err != nil {
				t.Fatal(err)
			}
			stages = append(stages, models.CascadeItem{ItemID: it.ID, ExperimentID: e.ID, ArmID: it.ArmID, TraceID: it.TraceID, SetID: set.ID, Stage: "static"})
		}
		stages[0].Why = "the patch causes a static error"
		if err := s.DecideByCheck(ctx, stages[0], vote.Reject); err != nil {
			t.Fatal(err)
		}
		stages[1].Trouble, stages[1].TroubleAt, stages[1].Detail = "patch does not apply", "run static checks", "hunk 2"
		if err := s.StopByTrouble(ctx, stages[1], "patch_not_applied"); err != nil {
			t.Fatal(err)
		}
		if err := s.StopByTrouble(ctx, stages[0], "late"); err != nil {
			t.Fatal(err)
		}
		if err := s.DecideByCheck(ctx, stages[0], vote.Accept); err != nil {
			t.Fatal(err)
		}
		rows, err := s.CascadeRows(ctx, admin, e.ID)
		if err != nil {
			t.Fatal(err)
		}
		var got []string
		for _, r := range rows {
			got = append(got, strings.Join([]string{r.Label, r.State, r.Decision, r.Stage, r.Trouble}, "|"))
		}
		want := []string{"acceptable|done|reject|static|", "defective|error||static|patch does not apply"}
		if diff := cmp.Diff(want, got); diff != "" {
			t.Errorf("rows (-want +got):\n%s", diff)
		}
		cells, err := s.ResultCells(ctx, admin, e.ID)
		if err != nil {
			t.Fatal(err)
		}
		if diff := cmp.Diff([]models.ResultCell{{ArmID: stages[0].ArmID, Label: "acceptable", Decision: "reject", NReject: 1, N: 1}}, cells); diff != "" {
			t.Errorf("cells (-want +got):\n%s", diff)
		}
		p, err := s.Progress(ctx, admin, e.ID)
		if err != nil {
			t.Fatal(err)
		}
		if p.Done != 1 || p.Error != 1 {
			t.Errorf("progress %+v", p)
		}
		for name, err := range map[string]error{
			"rows":  second(s.CascadeRows(ctx, models.Viewer{}, e.ID)),
			"tests": second(s.CascadeTests(ctx, models.Viewer{}, e.ID)),
			"costs": second(s.CascadeStaticCosts(ctx, models.Viewer{}, e.ID)),
			"votes": second(s.CascadeVotes(ctx, models.Viewer{}, e.ID)),
		} {
			if !errors.Is(err, models.ErrNotFound) {
				t.Errorf("a stranger reads %s: %v", name, err)
			}
		}
	})
}

func second[T any](_ T, err error) error { return err }

func TestControlledCases(t *testing.T) {
	t.Parallel()
	modelstest.Each(t, func(t *testing.T, s *models.Store) {
		ctx := context.Background()
		b := setup(t, s, 2)
		c := models.ControlledCase{TraceID: b.traces[0], Kind: "branch", Name: "branch-a-3", File: "a.py", Line: 3, Item: "if x", Missing: "the branch"}
		if err := s.SaveControlledCases(ctx, admin, b.dataset.ID, []models.ControlledCase{c}); err != nil {
			t.Fatal(err)
		}
		c.Missing = "the branch if x"
		if err := s.SaveControlledCases(ctx, admin, b.dataset.ID, []models.ControlledCase{c}); err != nil {
			t.Fatal(err)
		}
		got, err := s.ControlledCase(ctx, b.traces[0])
		if err != nil {
			t.Fatal(err)
		}
		if diff := cmp.Diff(c, got); diff != "" {
			t.Error(diff)
		}
		if _, err := s.ControlledCase(ctx, b.traces[1]); !errors.Is(err, models.ErrNotFound) {
			t.Errorf("another trace: %v", err)
		}
		looker := models.Viewer{Name: "v", Roles: map[string]models.Role{b.project.ID: models.RoleViewer}}
		if err := s.SaveControlledCases(ctx, looker, b.dataset.ID, nil); !errors.Is(err, models.ErrForbidden) {
			t.Errorf("who may only look saves: %v", err)
		}
	})
}

func TestSingleReviews(t *testing.T) {
	t.Parallel()
	modelstest.Each(t, func(t *testing.T, s *models.Store) {
		ctx := context.Background()
		b := setup(t, s, 0)
		var ids []string
		for _, v := range []string{"accept", "reject", "error"} {
			r, err := s.SaveSingleReview(ctx, admin, models.SingleReview{ProjectID: b.project.ID, Title: v, Verdict: v, Stage: "residual"}, `{"v":"`+v+`"}`)
			if err != nil {
				t.Fatal(err)
			}
			ids = append(ids, r.ID)
		}
		first, next, err := s.SingleReviews(ctx, admin, b.project.ID, "", 2)
		if err != nil || len(first) != 2 || first[0].ID != ids[2] || next != ids[1] {
			t.Fatalf("first page %v, next %q, %v", first, next, err)
		}
		rest, next, err := s.SingleReviews(ctx, admin, b.project.ID, next, 2)
		if err != nil || len(rest) != 1 || rest[0].ID != ids[0] || next != "" {
			t.Fatalf("second page %v, next %q, %v", rest, next, err)
		}
		r, doc, err := s.SingleReview(ctx, admin, ids[1])
		if err != nil || r.Author != "admin" || doc != `{"v":"reject"}` {
			t.Errorf("review %+v, %s, %v", r, doc, err)
		}
		if _, _, err := s.SingleReview(ctx, models.Viewer{}, ids[1]); !errors.Is(err, models.ErrNotFound) {
			t.Errorf("a stranger reads it: %v", err)
		}
		if _, err := s.SaveSingleReview(ctx, admin, models.SingleReview{ProjectID: b.project.ID}, "{}"); err == nil {
			t.Error("a review without a title is saved")
		}
	})
}
