package modelstest

import (
	"context"
	"fmt"
	"math/rand/v2"

	"plumbline/models"
)

// FillTraces stores a dataset of n traces with their patches in one go, past the
// import, for measuring lists: 500 instances in twelve repositories, each with n/500
// agents, with unknown costs, patches that are none and every kind of outcome among
// them. A tenth is in a split named "design". The same n and seed give the same rows.
func FillTraces(ctx context.Context, s *models.Store, n int, seed uint64) (models.Dataset, error) {
	v := models.LocalAdmin()
	p, err := s.EnsureProject(ctx, "default", "Default project")
	if err != nil {
		return models.Dataset{}, err
	}
	d, err := s.EnsureDataset(ctx, v, p.ID, fmt.Sprintf("Filled with %d traces", n), "Drawn from a seed, for measuring.", false)
	if err != nil {
		return d, err
	}
	f := &filledTraces{store: s, dataset: d.ID, n: n, rng: rand.New(rand.NewPCG(seed, 1))}
	for _, step := range []func(context.Context) error{f.instances, f.traces, f.texts, f.split, f.analyze} {
		if err := step(ctx); err != nil {
			return d, err
		}
	}
	return d, nil
}

// FilledTrace is the id of trace i of a filled dataset, counted from 0.
func FilledTrace(i int) string { return fillID("lt", i) }

const filledInstances = 500

var filledRepos = []string{
	"acme/ledger", "acme/router", "northwind/queue", "northwind/cache", "umbra/parser", "umbra/planner",
	"delta/forms", "delta/mailer", "harbour/scheduler", "harbour/index", "lumen/plot", "lumen/stats",
}

type filledTraces struct {
	store   *models.Store
	dataset string
	n       int
	rng     *rand.Rand
}

// instance is the number of the instance of trace i, and its name.
func (f *filledTraces) instance(i int) (int, string) {
	n := i % min(filledInstances, f.n)
	return n, fmt.Sprintf("%s-%d", filledRepos[n%len(filledRepos)], 10_000+n)
}

func (f *filledTraces) instances(ctx context.Context) error {
	now, n := f.store.Now(), min(filledInstances, f.n)
	err := copyRows(ctx, f.store, "instances",
		[]string{"id", "dataset_id", "instance_id", "repo", "base_commit", "language", "version", "title", "created_at"}, n,
		func(i int) []any {
			_, id := f.instance(i)
			return []any{fillID("li", i), f.dataset, id, filledRepos[i%len(filledRepos)], hash("base", i)[:40], "python", "", "A filled case", now}
		})
	if err != nil {
		return err
	}
	return copyRows(ctx, f.store, "instance_texts", []string{"instance_row", "issue", "hints"}, n, func(i int) []any {
		return []any{fillID("li", i), fmt.Sprintf("A filled case\n\nThe total of case %d is wrong.", i), ""}
	})
}

func (f *filledTraces) traces(ctx context.Context) error {
	columns := []string{
		"id", "dataset_id", "instance_row", "instance_id", "repo", "language", "agent", "model", "attempt", "patch_state", "patch_sha256",
		"patch_bytes", "patch_files", "patch_added", "patch_removed", "step_count", "status", "trajectory", "cost_usd", "label", "bucket", "label_source",
		"outcome_reason", "outcome_source", "tests_known", "tests_applied", "f2p_ok", "f2p_all", "p2p_ok", "p2p_all", "content_sha256", "created_at",
	}
	now := f.store.Now()
	buckets := []string{"omission", "omission", "omission", "regression", "regression", ""}
	states := []string{"empty", "null", "blank", "absent"}
	return copyRows(ctx, f.store, "traces", columns, f.n, func(i int) []any {
		in, id := f.instance(i)
		agent := i / min(filledInstances, f.n)
		label, bucket, source, reason, state := "acceptable", "", "imported", "resolved", "text"
		added, removed := any(f.rng.IntN(400)), any(f.rng.IntN(100))
		switch x := f.rng.IntN(100); {
		case x < 40:
			label, bucket, reason = "defective", buckets[x%len(buckets)], "unresolved"
		case x < 46:
			label, bucket, reason, state, added, removed = "defective", "no_change", "empty_patch", states[x%len(states)], 0, 0
		case x < 52:
			label, source, reason = "unknown", "", []string{"error", "infra", "timeout", "not_applied"}[x%4]
		case x == 52:
			added, removed = nil, nil // hunk headers that lie
		}
		var cost any
		if agent%5 != 0 {
			cost = float64(f.rng.IntN(400_000)) / 100_000
		}
		return []any{
			fillID("lt", i), f.dataset, fillID("li", in), id, filledRepos[in%len(filledRepos)], "python",
			fmt.Sprintf("2025-agent-%03d", agent), fmt.Sprintf("model-%d", agent%7), 1, state, hash("listed patch", i),
			4000, 1 + f.rng.IntN(6), added, removed, f.rng.IntN(150), "submitted", fmt.Sprintf("trajs/%03d/%s.traj", agent, id), cost, label, bucket, source,
			reason, "logs/report.json", true, true, 1, 1, 10, 10, hash("listed trace", i), now,
		}
	})
}

func (f *filledTraces) texts(ctx context.Context) error {
	return copyRows(ctx, f.store, "trace_texts", []string{"trace_id", "patch", "summary"}, f.n, func(i int) []any {
		return []any{fillID("lt", i), fmt.Sprintf("--- a/total.py\n+++ b/total.py\n@@ -1 +1 @@\n-total = 0\n+total = %d\n", i), "I fixed the total."}
	})
}

func (f *filledTraces) split(ctx context.Context) error {
	if err := copyRows(ctx, f.store, "splits", []string{"id", "dataset_id", "name", "created_at"}, 1, func(int) []any {
		return []any{fillID("ls", 0), f.dataset, "design", f.store.Now()}
	}); err != nil {
		return err
	}
	return copyRows(ctx, f.store, "split_traces", []string{"split_id", "trace_id"}, f.n/10, func(i int) []any {
		return []any{fillID("ls", 0), fillID("lt", i*10)}
	})
}

// analyze gives PostgreSQL the statistics that autovacuum would have gathered.
func (f *filledTraces) analyze(ctx context.Context) error {
	if f.store.Pool() == nil {
		return nil
	}
	if _, err := f.store.WriteDB().ExecContext(ctx, "VACUUM ANALYZE traces, split_traces"); err != nil {
		return fmt.Errorf("analyze the filled tables: %w", err)
	}
	return nil
}
