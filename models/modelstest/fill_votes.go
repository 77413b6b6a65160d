package modelstest

import (
	"context"
	"fmt"

	"plumbline/experiments/review"
	"plumbline/experiments/vote"
	"plumbline/models"
)

func (f *filling) experiment(ctx context.Context) error {
	err := copyRows(ctx, f.store, "experiments",
		[]string{
			"id", "project_id", "dataset_id", "name", "kind", "votes", "seed", "config", "code_version", "state", "simulated", "item_total",
			"created_at", "started_at", "finished_at",
		}, 1,
		func(int) []any {
			return []any{
				fillID("ex", 0), f.dataset.ProjectID, f.dataset.ID, "Filled", "review", f.size.Votes, int64(1), `{"votes":` + fmt.Sprint(f.size.Votes) + `,"reviewers":{}}`,
				"filled", models.StateDone, true, f.items(), f.now, f.now, f.now,
			}
		})
	if err != nil {
		return err
	}
	err = copyRows(ctx, f.store, "arms",
		[]string{"id", "experiment_id", "idx", "reviewer_version_id", "reviewer_name", "model", "form", "simulated"}, f.size.Arms,
		func(i int) []any {
			return []any{fillID("ar", i), fillID("ex", 0), i, f.version.ID, fmt.Sprintf("filled-%d", i/len(fillForms)), "filled", fillForms[i%len(fillForms)], true}
		})
	if err != nil {
		return err
	}
	return copyRows(ctx, f.store, "shards",
		[]string{"id", "experiment_id", "idx", "state", "generation", "owner", "queued_at"}, 1,
		func(int) []any { return []any{fillID("sh", 0), fillID("ex", 0), 0, models.ShardDone, 1, "", f.now} })
}

// What each vote cost.
const (
	fillCost    = 0.0012
	fillInput   = 900
	fillOutput  = 60
	fillLatency = 20
)

// arm and trace of an item: items lie trace by trace, as a launch lays them.
func (f *filling) arm(item int) int   { return item % f.size.Arms }
func (f *filling) trace(item int) int { return item / f.size.Arms }

// judge draws the votes and stores items and decisions.
func (f *filling) judge(ctx context.Context) error {
	f.verdict = make([][]vote.Vote, f.items())
	for i := range f.verdict {
		f.verdict[i] = f.draw(i)
	}
	err := copyRows(ctx, f.store, "items",
		[]string{"id", "experiment_id", "arm_id", "trace_id", "shard_id", "state", "evidence_sha256", "error_class", "error_message", "updated_at"}, f.items(),
		func(i int) []any {
			return []any{fillID("it", i), fillID("ex", 0), fillID("ar", f.arm(i)), fillID("tr", f.trace(i)), fillID("sh", 0), models.ItemDone, hash("evidence", i), "", "", f.now}
		})
	if err != nil {
		return err
	}
	err = copyRows(ctx, f.store, "evidences", []string{"sha256", "form", "text", "tokens", "lines", "cut", "created_at"}, f.items(), func(i int) []any {
		return []any{hash("evidence", i), fillForms[f.arm(i)%len(fillForms)], fmt.Sprintf("Issue\nThe total of case %d is wrong.\n", i), 12, 2, "[]", f.now}
	})
	if err != nil {
		return err
	}
	return copyRows(ctx, f.store, "decisions",
		[]string{
			"item_id", "experiment_id", "arm_id", "trace_id", "label", "decision", "n_accept", "n_reject", "n_uncertain", "n_unparseable",
			"cost_usd", "cost_known", "input_tokens", "output_tokens", "tokens_known", "latency_ms", "created_at",
		}, f.items(),
		func(i int) []any {
			c, k := vote.CountOf(f.verdict[i]...), f.size.Votes
			return []any{
				fillID("it", i), fillID("ex", 0), fillID("ar", f.arm(i)), fillID("tr", f.trace(i)), f.labels[f.trace(i)],
				string(c.Decide(vote.Plurality)), c.Accept, c.Reject, c.Uncertain, c.Unparseable,
				fillCost * float64(k), k, int64(fillInput * k), int64(fillOutput * k), k, int64(fillLatency * k), f.now,
			}
		})
}

// draw takes an item's votes: better arms are right more often, and the votes of
// one item agree more than those of different items.
func (f *filling) draw(item int) []vote.Vote {
	right, wrong := vote.Accept, vote.Reject
	if f.labels[f.trace(item)] == "defective" {
		right, wrong = wrong, right
	}
	skill := 0.55 + 0.05*float64(f.arm(item)%8)
	lean := f.rng.Float64() < skill
	votes := make([]vote.Vote, f.size.Votes)
	for i := range votes {
		switch x := f.rng.Float64(); {
		case x < 0.02:
			votes[i] = vote.Unparseable
		case x < 0.10:
			votes[i] = vote.Uncertain
		case (x < 0.85) == lean:
			votes[i] = right
		default:
			votes[i] = wrong
		}
	}
	return votes
}

func (f *filling) votes(ctx context.Context) error {
	return copyRows(ctx, f.store, "votes",
		[]string{
			"item_id", "idx", "experiment_id", "arm_id", "vote", "confidence", "headline", "problem", "evidence_sha256", "request_sha256", "seed", "attempts",
			"latency_ms", "input_tokens", "output_tokens", "cached_tokens", "cost_usd", "price_version", "cached", "audit_rules",
			"contradictions", "created_at",
		}, f.items()*f.size.Votes,
		func(n int) []any {
			i, k := n/f.size.Votes, n%f.size.Votes
			return []any{
				fillID("it", i), k, fillID("ex", 0), fillID("ar", f.arm(i)), string(f.verdict[i][k]), 0.75, "The cited line settles it.", "", hash("evidence", i),
				hash("request", n), int64(n), 1, int64(fillLatency), int64(fillInput), int64(fillOutput), int64(0), fillCost, "filled", false, 1,
				misread(n), f.now,
			}
		})
}

// fillFlagged votes have one that misreads its evidence.
const fillFlagged = 50

// misread is 1 for a vote whose flag says the opposite of its evidence.
func misread(n int) int {
	if n%fillFlagged == 0 {
		return n / fillFlagged % 2
	}
	return 0
}

func (f *filling) flags(ctx context.Context) error {
	kinds := []string{string(review.QuoteNotFound), string(review.QuoteRewritten)}
	return copyRows(ctx, f.store, "vote_flags",
		[]string{"item_id", "idx", "n", "experiment_id", "arm_id", "vote", "kind", "said", "line", "evidence", "contradiction"}, f.items()*f.size.Votes/fillFlagged,
		func(m int) []any {
			n := m * fillFlagged
			i, k := n/f.size.Votes, n%f.size.Votes
			return []any{fillID("it", i), k, 0, fillID("ex", 0), fillID("ar", f.arm(i)), string(f.verdict[i][k]), kinds[misread(n)], "Issue", 1, "Issue", misread(n) == 1}
		})
}

func (f *filling) voteTexts(ctx context.Context) error {
	return copyRows(ctx, f.store, "vote_texts", []string{"item_id", "idx", "rationale", "citations", "raw"}, f.items()*f.size.Votes,
		func(n int) []any {
			i, k := n/f.size.Votes, n%f.size.Votes
			return []any{fillID("it", i), k, "The cited line settles it.", `[{"line":1,"quote":"Issue"}]`, `{"rationale":"The cited line settles it.","decision":"` + string(f.verdict[i][k]) + `"}`}
		})
}

// analyze gives PostgreSQL the statistics that autovacuum would have gathered by
// the time somebody looks at a finished experiment.
func (f *filling) analyze(ctx context.Context) error {
	if f.store.Pool() == nil {
		return nil
	}
	for _, table := range []string{"traces", "items", "votes", "decisions", "experiments", "arms"} {
		if _, err := f.store.WriteDB().ExecContext(ctx, "VACUUM ANALYZE "+table); err != nil {
			return fmt.Errorf("analyze table %s: %w", table, err)
		}
	}
	return nil
}
