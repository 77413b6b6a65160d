package jobs_test

import (
	"context"
	"os"
	"path/filepath"
	"testing"

	"plumbline/experiments/evidence"
	"plumbline/models"
	"plumbline/models/modelstest"
	"plumbline/runner"
	"plumbline/runner/ingest"
	"plumbline/runner/reviewer/reviewertest"
	"plumbline/runner/runnertest"
)

// Real traces of an agent, imported with their reports, are judged by a reviewer
// behind an HTTP endpoint like the project's own.
func TestImportedTracesAreReviewed(t *testing.T) {
	t.Parallel()
	root := os.Getenv("PLUMBLINE_SHARED")
	if root == "" {
		root = filepath.Join("..", "..", "..", "shared")
	}
	folder := filepath.Join(root, "data", "real", "sweagent-2024-verified")
	if _, err := os.Stat(folder); err != nil {
		modelstest.Need(t, "real traces not found at "+folder+"; set PLUMBLINE_SHARED")
	}
	modelstest.Each(t, func(t *testing.T, s *models.Store) {
		ctx := context.Background()
		b := runnertest.New(t, s)
		d, err := s.EnsureDataset(ctx, admin, b.Project.ID, "sweagent", "", false)
		if err != nil {
			t.Fatal(err)
		}
		if _, _, err := b.Ingest.Import(ctx, admin, d.ID, []string{folder}, ingest.Options{}); err != nil {
			t.Fatal(err)
		}
		endpoint := reviewertest.New(t, reviewertest.Options{})
		id := b.Reviewer(t, "http", endpointSpec(endpoint.URL))
		e, err := b.Runner.Launch(ctx, admin, runner.LaunchSpec{
			DatasetID: d.ID, Name: "imported", Votes: 3, Seed: 5, Budget: 24000, OnLeak: runner.Withhold,
			Arms: []runner.ArmSpec{{ReviewerVersionID: id, Form: evidence.Patch}, {ReviewerVersionID: id, Form: evidence.Trace}, {ReviewerVersionID: id, Form: evidence.Official}},
		})
		if err != nil {
			t.Fatal(err)
		}
		b.Work(t, 4)
		p := b.Wait(t, e.ID, runnertest.Ended)
		if p.Done != p.Total || p.Votes != p.VotesAsked || p.Total != 29*3 {
			t.Errorf("progress %+v", p)
		}
		for _, a := range results(t, b, e.ID).Arms {
			if a.Counts.Defect.N() != 18 || a.Counts.Acceptable.N() != 11 {
				t.Errorf("arm %s: %d defects and %d acceptable, want 18 and 11", a.Arm.Form, a.Counts.Defect.N(), a.Counts.Acceptable.N())
			}
		}
	})
}
