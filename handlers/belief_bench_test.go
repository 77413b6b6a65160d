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

// BenchmarkBeliefPages serves every view of the belief in an experiment of 400
// traces: 100 tasks of 4 attempts, 3 arms, K = 3. "first" computes everything, as
// after a new vote; "again" is what a second look costs: at most 300 ms.
func BenchmarkBeliefPages(b *testing.B) {
	for name, open := range map[string]func(testing.TB) *models.Store{"sqlite": modelstest.SQLite, "postgres": modelstest.Postgres} {
		b.Run(name, func(b *testing.B) {
			bench := runnertest.New(b, open(b))
			id, traceID := fillBeliefs(b, bench, 3, 100, 4, 3)
			c := Config{Store: bench.Store, Runner: bench.Runner, Ingest: bench.Ingest, Project: bench.Project, Log: slog.New(slog.DiscardHandler)}
			get := func(b *testing.B, s http.Handler, path string) {
				w := httptest.NewRecorder()
				s.ServeHTTP(w, httptest.NewRequest(http.MethodGet, "http://127.0.0.1"+path, nil))
				if w.Code != http.StatusOK {
					b.Fatalf("status %d", w.Code)
				}
			}
			s := New(c)
			defer s.Close()
			paths := map[string]string{"path": "/traces/" + traceID + "/belief?experiment=" + id}
			for _, view := range []string{"critics", "scores", "policies", "plan", "regimes", "robust", "tasks"} {
				paths[view] = "/experiments/" + id + "/belief?costs=draft&view=" + view
			}
			for view, path := range paths {
				b.Run(view+"/first", func(b *testing.B) {
					for b.Loop() {
						fresh := New(c)
						get(b, fresh, path)
						fresh.Close()
					}
				})
				get(b, s, path)
				b.Run(view+"/again", func(b *testing.B) {
					for b.Loop() {
						get(b, s, path)
					}
				})
			}
		})
	}
}

// fillBeliefs stores a finished experiment whose reviewers are right more often than
// not, and gives it with one of its traces.
func fillBeliefs(b *testing.B, bench *runnertest.Bench, arms, tasks, attempts, k int) (experimentID, traceID string) {
	b.Helper()
	ctx, v := context.Background(), models.LocalAdmin()
	d, err := bench.Store.EnsureDataset(ctx, v, bench.Project.ID, "attempts", "", false)
	if err != nil {
		b.Fatal(err)
	}
	rng := rand.New(rand.NewPCG(3, 4))
	var instances []trace.Instance
	var inputs []models.TraceInput
	good := map[string]bool{}
	for i := range tasks {
		id := fmt.Sprintf("acme__tool-%d", i)
		instances = append(instances, trace.Instance{ID: id, Repo: fmt.Sprintf("acme/tool%d", i%12), Issue: "issue"})
		for j := range attempts {
			label, text := trace.Defective, fmt.Sprintf("%s attempt %d", id, j)
			if rng.Float64() < 0.2+0.4*float64(i%3)/2 {
				label, good[text] = trace.Acceptable, true
			}
			inputs = append(inputs, models.TraceInput{Trace: trace.Trace{InstanceID: id, Agent: "agent", PatchState: trace.PatchText, Patch: text, Outcome: trace.Outcome{Label: label, From: trace.Imported}}, Patch: models.PatchFacts{SHA256: text}})
		}
	}
	stored, err := bench.Store.ImportTraces(ctx, v, d.ID, instances, inputs)
	if err != nil {
		b.Fatal(err)
	}
	right := map[string]bool{}
	for i, x := range stored {
		right[x.TraceID] = good[inputs[i].Trace.Patch]
	}
	rv, err := bench.Store.SaveReviewer(ctx, v, models.ReviewerDraft{ProjectID: bench.Project.ID, Name: "r", Kind: "openai", Model: "m", Spec: "{}"})
	if err != nil {
		b.Fatal(err)
	}
	draft := models.ExperimentDraft{DatasetID: d.ID, Name: "beliefs", Kind: "review", Votes: k, Seed: 1, Config: "{}", ShardSize: 10_000_000}
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
	var batch []models.VoteInput
	for _, it := range work.Items {
		for j := range k {
			word, sure := "reject", rng.Float64()
			if right[it.TraceID] == (rng.Float64() < 0.75) {
				word = "accept"
			}
			batch = append(batch, models.VoteInput{Row: models.VoteRow{ItemID: it.ID, Idx: j, ExperimentID: it.ExperimentID, ArmID: it.ArmID, Vote: word, Confidence: &sure}, Audit: &models.VoteAudit{Rules: 1}})
		}
	}
	if _, err := bench.Store.CommitVotes(ctx, batch); err != nil {
		b.Fatal(err)
	}
	return e.ID, stored[0].TraceID
}
