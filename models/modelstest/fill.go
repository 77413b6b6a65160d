package modelstest

import (
	"context"
	"crypto/sha256"
	"encoding/hex"
	"fmt"
	"math/rand/v2"
	"time"

	"plumbline/experiments/vote"
	"plumbline/models"
)

// Size of a filled experiment: items are arms × traces.
type Size struct {
	Traces int
	Arms   int
	Votes  int // K
	// Attempts are the traces of one instance; 0 takes 1.
	Attempts int
}

var (
	fillForms  = []string{"summary", "patch", "trace", "structured", "structured-empty", "official", "official-notes", "checked"}
	fillRepos  = []string{"acme/ledger", "acme/router", "northwind/queue", "northwind/cache", "umbra/parser", "umbra/planner"}
	fillAgents = []string{"agent-a", "agent-b", "agent-c"}
)

// Fill stores a finished experiment of that size in one go, through the schema
// and past the runner, for measuring pages on much data. The figures are drawn
// from the seed: the same size and seed give the same counts on both engines.
func Fill(ctx context.Context, s *models.Store, z Size, seed uint64) (models.Experiment, error) {
	f := &filling{store: s, size: z, rng: rand.New(rand.NewPCG(seed, 0)), now: s.Now()}
	if f.size.Attempts <= 0 {
		f.size.Attempts = 1
	}
	for _, step := range []func(context.Context) error{
		f.base, f.instances, f.traces, f.experiment, f.judge, f.votes, f.voteTexts, f.flags, f.analyze,
	} {
		if err := step(ctx); err != nil {
			return models.Experiment{}, err
		}
	}
	return s.Experiment(ctx, models.LocalAdmin(), fillID("ex", 0))
}

// filling is what the steps share.
type filling struct {
	store   *models.Store
	size    Size
	rng     *rand.Rand
	now     time.Time
	dataset models.Dataset
	version models.ReviewerVersion
	labels  []string
	verdict [][]vote.Vote // by item
}

func fillID(kind string, i int) string { return fmt.Sprintf("%s_filled%08d", kind, i) }

func (f *filling) items() int { return f.size.Traces * f.size.Arms }

func (f *filling) base(ctx context.Context) (err error) {
	v := models.LocalAdmin()
	p, err := f.store.EnsureProject(ctx, "default", "Default project")
	if err != nil {
		return err
	}
	if f.dataset, err = f.store.EnsureDataset(ctx, v, p.ID, "Filled", "Drawn from a seed, for measuring.", false); err != nil {
		return err
	}
	f.version, err = f.store.SaveReviewer(ctx, v, models.ReviewerDraft{
		ProjectID: p.ID, Name: "filled", Kind: "simulated", Model: "filled", Spec: `{"kind":"simulated","model":"filled"}`,
	})
	return err
}

func (f *filling) instances(ctx context.Context) error {
	n := (f.size.Traces + f.size.Attempts - 1) / f.size.Attempts
	err := copyRows(ctx, f.store, "instances",
		[]string{"id", "dataset_id", "instance_id", "repo", "base_commit", "language", "version", "title", "created_at"}, n,
		func(i int) []any {
			return []any{fillID("in", i), f.dataset.ID, fmt.Sprintf("filled__case-%d", i), fillRepos[i%len(fillRepos)], "", "python", "", "A filled case", f.now}
		})
	if err != nil {
		return err
	}
	return copyRows(ctx, f.store, "instance_texts", []string{"instance_row", "issue", "hints"}, n, func(i int) []any {
		return []any{fillID("in", i), fmt.Sprintf("A filled case\n\nThe total of case %d is wrong.", i), ""}
	})
}

func (f *filling) traces(ctx context.Context) error {
	f.labels = make([]string, f.size.Traces)
	buckets := []string{"omission", "regression", "no_change"}
	columns := []string{
		"id", "dataset_id", "instance_row", "instance_id", "repo", "language", "agent", "model", "attempt", "patch_state", "patch_sha256",
		"patch_bytes", "patch_files", "patch_added", "patch_removed", "step_count", "status", "trajectory", "label", "bucket", "label_source",
		"outcome_reason", "outcome_source", "tests_known", "tests_applied", "f2p_ok", "f2p_all", "p2p_ok", "p2p_all", "content_sha256", "created_at",
	}
	err := copyRows(ctx, f.store, "traces", columns, f.size.Traces, func(i int) []any {
		in, label, bucket := i/f.size.Attempts, "acceptable", ""
		switch x := f.rng.IntN(20); {
		case x < 9:
			label, bucket = "defective", buckets[x%3]
		case x == 19:
			label = "unknown"
		}
		f.labels[i] = label
		return []any{
			fillID("tr", i), f.dataset.ID, fillID("in", in), fmt.Sprintf("filled__case-%d", in), fillRepos[in%len(fillRepos)], "python",
			fillAgents[i%len(fillAgents)], "m", i%f.size.Attempts + 1, "text", hash("patch", i), 120, 1, 3, 1, 0, "submitted", "", label, bucket, "imported",
			"", "report.json", false, false, 0, 0, 0, 0, hash("trace", i), f.now,
		}
	})
	if err != nil {
		return err
	}
	return copyRows(ctx, f.store, "trace_texts", []string{"trace_id", "patch", "summary"}, f.size.Traces, func(i int) []any {
		return []any{fillID("tr", i), fmt.Sprintf("--- a/total.py\n+++ b/total.py\n@@ -1 +1 @@\n-total = 0\n+total = %d\n", i), "I fixed the total."}
	})
}

func hash(kind string, i int) string {
	sum := sha256.Sum256(fmt.Appendf(nil, "%s %d", kind, i))
	return hex.EncodeToString(sum[:])
}
