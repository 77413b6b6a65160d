package models_test

import (
	"context"
	"errors"
	"testing"

	"github.com/google/go-cmp/cmp"

	"plumbline/experiments/trace"
	"plumbline/models"
	"plumbline/models/modelstest"
)

// Reference patches are listed with their oracles, for editors alone, and cases are
// kept of traces of the dataset alone.
func TestReferenceInstances(t *testing.T) {
	t.Parallel()
	modelstest.Each(t, func(t *testing.T, s *models.Store) {
		ctx := context.Background()
		b := setup(t, s, 1)
		with := trace.Instance{
			ID: "acme__b-2", Repo: "acme/b", BaseCommit: "0123456789abcdef0123456789abcdef01234567", Language: "go", Issue: "an issue",
			Oracle: trace.Oracle{GoldPatch: "gold", TestPatch: "tests", FailToPass: []string{"./x TestA"}, PassToPass: []string{"./x TestB", "./x TestC"}},
		}
		bare := trace.Instance{ID: "acme__b-3", Repo: "acme/b", Oracle: trace.Oracle{TestPatch: "tests alone"}}
		if _, err := s.ImportTraces(ctx, admin, b.dataset.ID, []trace.Instance{with, bare}, nil); err != nil {
			t.Fatal(err)
		}
		got, err := s.ReferenceInstances(ctx, admin, b.dataset.ID)
		if err != nil {
			t.Fatal(err)
		}
		if len(got) == 0 {
			t.Fatal("no reference patch is listed")
		}
		for _, in := range got {
			if in.ID == bare.ID {
				t.Error("an instance without a reference patch is listed")
			}
			if in.ID == with.ID {
				if d := cmp.Diff(with, in); d != "" {
					t.Error(d)
				}
			}
		}
		looker := models.Viewer{Name: "v", Roles: map[string]models.Role{b.project.ID: models.RoleViewer}}
		if _, err := s.ReferenceInstances(ctx, looker, b.dataset.ID); !errors.Is(err, models.ErrForbidden) {
			t.Errorf("who may only look reads oracles: %v", err)
		}
		other, err := s.EnsureDataset(ctx, admin, b.project.ID, "other", "", false)
		if err != nil {
			t.Fatal(err)
		}
		err = s.SaveControlledCases(ctx, admin, other.ID, []models.ControlledCase{{TraceID: b.traces[0], Kind: "branch"}})
		if !errors.Is(err, models.ErrNotFound) {
			t.Errorf("a case of another dataset's trace is kept: %v", err)
		}
	})
}
