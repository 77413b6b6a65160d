package jobs_test

import (
	"context"
	"strings"
	"testing"
	"time"

	"plumbline/models"
	"plumbline/models/modelstest"
	"plumbline/runner/ingest"
	"plumbline/runner/runnertest"
)

// A server that leaves experiments to other workers reads its uploads itself:
// nobody else has its disk.
func TestUploadsAreReadWithoutShards(t *testing.T) {
	t.Parallel()
	modelstest.Each(t, func(t *testing.T, s *models.Store) {
		ctx := context.Background()
		b := runnertest.New(t, s)
		e := launch(t, b, 0)
		d, err := s.EnsureDataset(ctx, admin, b.Project.ID, "own", "", false)
		if err != nil {
			t.Fatal(err)
		}
		u, err := b.Ingest.NewUpload(ctx, admin, d.ID)
		if err != nil {
			t.Fatal(err)
		}
		text := `{"instance_id": "acme__ledger-1", "model_name_or_path": "m", "model_patch": ""}` + "\n"
		if err := u.Add("preds.jsonl", strings.NewReader(text)); err != nil {
			t.Fatal(err)
		}
		if err := u.Start(ctx, ingest.Options{}); err != nil {
			t.Fatal(err)
		}
		b.Work(t, -1)
		deadline := time.Now().Add(time.Minute)
		for {
			rep, err := s.ImportReport(ctx, admin, u.Report.ID)
			if err != nil {
				t.Fatal(err)
			}
			if rep.State == models.ReportDone {
				break
			}
			if rep.State == models.ReportBroken || time.Now().After(deadline) {
				t.Fatalf("the upload was not read: %+v", rep)
			}
			time.Sleep(10 * time.Millisecond)
		}
		p, err := s.Progress(ctx, admin, e.ID)
		if err != nil {
			t.Fatal(err)
		}
		if p.Votes != 0 || p.Running != 0 {
			t.Errorf("shards were performed: %+v", p)
		}
	})
}
