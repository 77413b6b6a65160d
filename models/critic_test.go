package models_test

import (
	"bytes"
	"context"
	"errors"
	"fmt"
	"testing"

	"github.com/google/go-cmp/cmp"

	"plumbline/models"
	"plumbline/models/modelstest"
)

func TestCriticTables(t *testing.T) {
	t.Parallel()
	modelstest.Each(t, func(t *testing.T, s *models.Store) {
		ctx := context.Background()
		b := setup(t, s, 1)
		draft := models.CriticTableDraft{
			ProjectID: b.project.ID, Name: " lcb ", Origin: "lcb.csv", Declared: `{"task":"id"}`, Content: []byte("id,y\n1,1\n\xff\x00"),
			RowCount: 2, TaskCount: 1, Candidates: 1, Dropped: 1,
		}
		for i := range models.MaxCriticErrors + 10 {
			draft.Errors = append(draft.Errors, models.CriticTableError{Line: i + 2, Field: "y", Value: "nan\x00", Why: "is no label"})
		}
		first, err := s.SaveCriticTable(ctx, admin, draft)
		if err != nil {
			t.Fatal(err)
		}
		again, err := s.SaveCriticTable(ctx, admin, draft)
		if err != nil || again.ID != first.ID || first.Name != "lcb" || first.ErrorCount != models.MaxCriticErrors+10 {
			t.Fatalf("saved again: %+v, %v; first %+v", again, err, first)
		}
		other := draft
		other.Declared = `{"task":"y"}`
		var invalid *models.InvalidError
		if _, err := s.SaveCriticTable(ctx, admin, other); !errors.As(err, &invalid) {
			t.Errorf("other columns under the same name: %v", err)
		}
		content, err := s.CriticTableContent(ctx, admin, first.ID)
		if err != nil || !bytes.Equal(content, draft.Content) {
			t.Errorf("the file came back as %q (%v)", content, err)
		}
		bad, err := s.CriticTableErrors(ctx, admin, first.ID)
		if err != nil || len(bad) != models.MaxCriticErrors || bad[1].Line != 3 || bad[0].Value != "nan\ufffd" {
			t.Errorf("%d errors kept (%v)", len(bad), err)
		}
		stranger := models.Viewer{Name: "x", Roles: map[string]models.Role{"other": models.RoleAdmin}}
		if _, err := s.CriticTable(ctx, stranger, first.ID); !errors.Is(err, models.ErrNotFound) {
			t.Errorf("a stranger gets %v", err)
		}
		reader := models.Viewer{Name: "r", Roles: map[string]models.Role{b.project.ID: models.RoleViewer}}
		if err := s.DeleteCriticTable(ctx, reader, first.ID); !errors.Is(err, models.ErrForbidden) {
			t.Errorf("a viewer deletes: %v", err)
		}
		if err := s.DeleteCriticTable(ctx, admin, first.ID); err != nil {
			t.Fatal(err)
		}
		if all, err := s.CriticTables(ctx, admin); err != nil || len(all) != 0 {
			t.Errorf("after the deletion: %v, %v", all, err)
		}
	})
}

func TestCriticRecords(t *testing.T) {
	t.Parallel()
	modelstest.Each(t, func(t *testing.T, s *models.Store) {
		ctx := context.Background()
		b := setup(t, s, 2)
		if _, err := s.AddToSplit(ctx, admin, b.dataset.ID, "design", b.traces[:1]); err != nil {
			t.Fatal(err)
		}
		e, refs := launch(t, b, 2)
		work, err := s.ClaimShard(ctx, refs[0], "w", s.Now().Add(1e9))
		if err != nil {
			t.Fatal(err)
		}
		half := 0.25
		var votes []models.VoteInput
		for i, word := range []string{"accept", "reject"} {
			votes = append(votes, models.VoteInput{Row: models.VoteRow{
				ItemID: work.Items[0].ID, Idx: i, ExperimentID: e.ID, ArmID: work.Items[0].ArmID, Vote: word, Confidence: &half,
			}})
		}
		if _, err := s.CommitVotes(ctx, votes); err != nil {
			t.Fatal(err)
		}
		traces, items, err := s.CriticRecords(ctx, admin, e.ID)
		if err != nil {
			t.Fatal(err)
		}
		var got []string
		for i, x := range traces {
			got = append(got, fmt.Sprintf("%s %s %s %d/%d %s %q %d %s", x.InstanceID, x.Agent, x.Label, x.ToolFailures, x.ToolSteps, x.Split,
				items[i].Decision, items[i].NAccept, items[i].FirstVote))
		}
		want := []string{`acme__tool-0 agent acceptable 0/0 design "uncertain" 1 accept`, `acme__tool-1 agent defective 0/0  "" 0 `}
		if d := cmp.Diff(want, got); d != "" {
			t.Error(d)
		}
		if c := items[0].Confidence; c == nil || *c != 0.5 || items[1].Confidence != nil {
			t.Errorf("confidences %v and %v, want 0.5 and none", c, items[1].Confidence)
		}
		share := models.Viewer{Name: "s", Share: e.ID}
		if _, _, err := s.CriticRecords(ctx, share, e.ID); !errors.Is(err, models.ErrNotFound) {
			t.Errorf("a share link reads labels: %v", err)
		}
	})
}
