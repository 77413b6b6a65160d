package models

import (
	"context"
	"time"

	"gorm.io/gorm"

	"plumbline/experiments/trace"
)

// ControlGeneration is how a candidate of a control task was written. Why says why
// the reply holds no patch; empty where it does. Nil figures are unknown.
type ControlGeneration struct {
	TaskID        string `gorm:"primaryKey"`
	Idx           int    `gorm:"primaryKey;autoIncrement:false"`
	TraceID       string
	Generator     string
	Model         string
	Why           string
	Prompt        string
	Reply         string
	InputTokens   *int64
	OutputTokens  *int64
	CostUSD       *float64 `gorm:"column:cost_usd"`
	PriceVersion  string
	Cached        bool
	RequestSHA256 string `gorm:"column:request_sha256"`
	LatencyMS     int64  `gorm:"column:latency_ms"`
	CreatedAt     time.Time
}

// AddCandidate stores a patch that was written for a task as its candidate idx: the
// trace in a dataset, the candidate, and how it came about, in one transaction. A
// candidate that is there already is returned as it is, since another worker was
// quicker. Like the methods of shards it is called by workers.
func (s *Store) AddCandidate(ctx context.Context, datasetID string, in trace.Instance, t TraceInput, g ControlGeneration) (row TraceRow, err error) {
	defer wrap(&err, "add candidate %d of task %s", g.Idx, g.TaskID)
	g.Prompt, g.Reply, g.Why, g.CreatedAt = Clean(g.Prompt), Clean(g.Reply), Clean(g.Why), s.Now()
	err = s.tx(ctx, func(tx *gorm.DB) error {
		var task ControlTask
		if err := tx.Take(&task, "id = ?", g.TaskID).Error; err != nil {
			return err
		}
		if err := lockExperiment(tx, task.ExperimentID); err != nil {
			return err
		}
		var old ControlCandidate
		if err := tx.Limit(1).Find(&old, "task_id = ? AND idx = ?", g.TaskID, g.Idx).Error; err != nil {
			return err
		}
		if old.TraceID == "" {
			run := NewImportRun()
			b := &importBatch{s: s, tx: tx, datasetID: datasetID, run: run, draft: run.draft()}
			out, err := b.store([]trace.Instance{in}, []TraceInput{t})
			if err != nil {
				return err
			}
			old = ControlCandidate{TaskID: g.TaskID, Idx: g.Idx, TraceID: out[0].TraceID}
			if old.TraceID == "" {
				return Invalid("patch", out[0].Note)
			}
			g.TraceID = old.TraceID
			if err := tx.Create(&old).Error; err != nil {
				return err
			}
			if err := tx.Create(&g).Error; err != nil {
				return err
			}
		}
		return tx.Take(&row, "id = ?", old.TraceID).Error
	})
	return row, err
}

// Candidate returns candidate idx of a task; ErrNotFound where there is none. It is
// for workers.
func (s *Store) Candidate(ctx context.Context, taskID string, idx int) (row TraceRow, err error) {
	defer wrap(&err, "load candidate %d of task %s", idx, taskID)
	err = s.read(ctx).Table("traces t").Select("t.*").Joins("JOIN control_candidates c ON c.trace_id = t.id").
		Where("c.task_id = ? AND c.idx = ?", taskID, idx).Take(&row).Error
	return row, err
}

// ControlGenerations lists how the candidates of a control experiment were written,
// by task and place, without prompts and replies.
func (s *Store) ControlGenerations(ctx context.Context, v Viewer, experimentID string) (out []ControlGeneration, err error) {
	defer wrap(&err, "list generations of experiment %s", experimentID)
	if err := s.memberOf(ctx, v, experimentID); err != nil {
		return nil, err
	}
	err = s.read(ctx).Model(&ControlGeneration{}).Omit("prompt", "reply").
		Where("task_id IN (SELECT id FROM control_tasks WHERE experiment_id = ?)", experimentID).Order("task_id, idx").Find(&out).Error
	return out, err
}

// CallsAsked counts what an experiment has asked of models: votes, patches, and
// tests that were written for its candidates since it began. It sums what they cost;
// unknown tells how many have no known cost.
func (s *Store) CallsAsked(ctx context.Context, experimentID string) (calls, unknown int, usd float64, err error) {
	if calls, unknown, usd, err = s.VotesAsked(ctx, experimentID); err != nil {
		return 0, 0, 0, err
	}
	defer wrap(&err, "count the calls of experiment %s", experimentID)
	const sums = "SELECT count(*) AS n, coalesce(sum(CASE WHEN x.cost_usd IS NULL THEN 1 ELSE 0 END), 0) AS unknown, coalesce(sum(x.cost_usd), 0) AS usd "
	for _, of := range []string{
		"FROM control_generations x WHERE x.task_id IN (SELECT id FROM control_tasks WHERE experiment_id = ?)",
		`FROM generated_tests x JOIN check_sets c ON c.id = x.set_id JOIN experiments e ON e.id = ?
			WHERE NOT x.recorded AND x.request_sha256 <> '' AND x.created_at >= e.created_at AND c.trace_id IN
			(SELECT y.trace_id FROM control_candidates y JOIN control_tasks k ON k.id = y.task_id WHERE k.experiment_id = e.id)`,
	} {
		var row struct {
			N, Unknown int
			USD        float64 `gorm:"column:usd"`
		}
		if err := s.read(ctx).Raw(sums+of, experimentID).Scan(&row).Error; err != nil {
			return 0, 0, 0, err
		}
		calls, unknown, usd = calls+row.N, unknown+row.Unknown, usd+row.USD
	}
	return calls, unknown, usd, nil
}
