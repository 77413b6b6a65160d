package handlers

import (
	"context"
	"database/sql"
	"fmt"
	"log/slog"
	"math/rand/v2"
	"net/http"
	"net/http/httptest"
	"testing"
	"time"

	"plumbline/experiments/trace"
	"plumbline/models"
	"plumbline/models/modelstest"
	"plumbline/runner/runnertest"
)

// BenchmarkResultPage serves the result page of an experiment with 200,000 votes:
// 8 arms, 5,000 traces, K = 5. "first" measures everything, as after a new vote;
// "again" is what a second look costs.
func BenchmarkResultPage(b *testing.B) {
	for name, open := range map[string]func(testing.TB) *models.Store{"sqlite": modelstest.SQLite, "postgres": modelstest.Postgres} {
		b.Run(name, func(b *testing.B) {
			bench := runnertest.New(b, open(b))
			id := fillVotes(b, bench, 8, 5000, 5)
			c := Config{Store: bench.Store, Runner: bench.Runner, Ingest: bench.Ingest, Project: bench.Project, Log: slog.New(slog.DiscardHandler)}
			s := New(c)
			defer s.Close()
			get := func(b *testing.B, s http.Handler, path string) {
				w := httptest.NewRecorder()
				s.ServeHTTP(w, httptest.NewRequest(http.MethodGet, "http://127.0.0.1"+path, nil))
				if w.Code != http.StatusOK {
					b.Fatalf("status %d", w.Code)
				}
			}
			page := "/experiments/" + id
			b.Run("first", func(b *testing.B) {
				for b.Loop() {
					fresh := New(c)
					get(b, fresh, page)
					fresh.Close()
				}
			})
			get(b, s, page)
			b.Run("again", func(b *testing.B) {
				for b.Loop() {
					get(b, s, page)
				}
			})
			b.Run("errors", func(b *testing.B) {
				for b.Loop() {
					get(b, s, page+"/errors?kind=false_rejections")
				}
			})
		})
	}
}

// fillVotes stores a finished experiment with random votes.
func fillVotes(b *testing.B, bench *runnertest.Bench, arms, traces, k int) string {
	b.Helper()
	ctx, v := context.Background(), models.LocalAdmin()
	d, err := bench.Store.EnsureDataset(ctx, v, bench.Project.ID, "large", "", false)
	if err != nil {
		b.Fatal(err)
	}
	var instances []trace.Instance
	var inputs []models.TraceInput
	for i := range traces {
		label := trace.Acceptable
		if i%3 > 0 {
			label = trace.Defective
		}
		id := fmt.Sprintf("acme__tool-%d", i)
		instances = append(instances, trace.Instance{ID: id, Repo: fmt.Sprintf("acme/tool%d", i%12), Issue: "issue"})
		inputs = append(inputs, models.TraceInput{Trace: trace.Trace{InstanceID: id, Agent: "agent", PatchState: trace.PatchText, Patch: id, Outcome: trace.Outcome{Label: label, From: trace.Imported}}, Patch: models.PatchFacts{SHA256: id}})
	}
	for i := 0; i < traces; i += 500 {
		if _, err := bench.Store.ImportTraces(ctx, v, d.ID, instances[i:i+500], inputs[i:i+500]); err != nil {
			b.Fatal(err)
		}
	}
	rv, err := bench.Store.SaveReviewer(ctx, v, models.ReviewerDraft{ProjectID: bench.Project.ID, Name: "r", Kind: "openai", Model: "m", Spec: "{}"})
	if err != nil {
		b.Fatal(err)
	}
	draft := models.ExperimentDraft{DatasetID: d.ID, Name: "large", Kind: "review", Votes: k, Seed: 1, Config: "{}", ShardSize: 10_000_000}
	for i := range arms {
		draft.Arms = append(draft.Arms, models.ArmDraft{ReviewerVersionID: rv.ID, ReviewerName: fmt.Sprintf("r%d", i), Form: "patch"})
	}
	var refs []models.ShardRef
	e, err := bench.Store.CreateExperiment(ctx, v, draft, func(_ context.Context, _ *sql.Tx, s []models.ShardRef) error {
		refs = append(refs, s...)
		return nil
	})
	if err != nil {
		b.Fatal(err)
	}
	work, err := bench.Store.ClaimShard(ctx, refs[0], "bench", time.Now().Add(time.Hour))
	if err != nil {
		b.Fatal(err)
	}
	rng := rand.New(rand.NewPCG(1, 2))
	words := []string{"accept", "reject", "reject", "uncertain", "accept", "unparseable"}
	var batch []models.VoteInput
	for n, it := range work.Items {
		for j := range k {
			batch = append(batch, models.VoteInput{Row: models.VoteRow{ItemID: it.ID, Idx: j, ExperimentID: it.ExperimentID, ArmID: it.ArmID, Vote: words[rng.IntN(len(words))]}, Audit: &models.VoteAudit{Rules: 1}})
		}
		if len(batch) >= 1000 || n == len(work.Items)-1 {
			if _, err := bench.Store.CommitVotes(ctx, batch); err != nil {
				b.Fatal(err)
			}
			batch = batch[:0]
		}
	}
	return e.ID
}
