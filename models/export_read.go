package models

import (
	"context"
	"slices"

	"plumbline/experiments/trace"
)

// ExportItem is an item of an experiment with the name of its trace and, when
// done, its decision.
type ExportItem struct {
	ItemID       string
	ArmID        string
	TraceID      string
	State        string
	ErrorClass   string
	ErrorMessage string
	InstanceID   string
	Repo         string
	Agent        string
	Model        string
	Attempt      int
	Label        string
	Bucket       string
	LabelSource  string
	Title        string // first line of the issue
	Decision     string // empty while undecided
	NAccept      int
	NReject      int
	NUncertain   int
	NUnparseable int
	Cached       int
	CostUSD      *float64 `gorm:"column:cost_usd"` // of the votes whose cost is known
	CostKnown    int
}

// EachExportItem calls f with the items of an experiment in the order of traces and
// items, whole traces together, about batch items at a time. A share link reads
// results and exports nothing.
func (s *Store) EachExportItem(ctx context.Context, v Viewer, experimentID string, batch int, f func([]ExportItem) error) (err error) {
	defer wrap(&err, "read items of experiment %s", experimentID)
	arms, err := s.Arms(ctx, v, experimentID)
	if err != nil {
		return err
	}
	if v.Share != "" {
		return ErrNotFound
	}
	ids := make([]string, len(arms))
	for i, a := range arms {
		ids[i] = a.ID
	}
	// Some bytes a trace, in one go: a page of them would sort the experiment anew.
	var traces []string
	if err := s.read(ctx).Table("items").Where("arm_id IN ?", ids).Distinct().Order("trace_id").Pluck("trace_id", &traces).Error; err != nil {
		return err
	}
	for part := range slices.Chunk(traces, max(batch/max(len(arms), 1), 1)) {
		var items []ExportItem
		// Arm and trace find an item at once; the experiment would be walked.
		err := s.read(ctx).Table("items i").Select(`i.id AS item_id, i.arm_id, i.trace_id, i.state, i.error_class, i.error_message,
			t.instance_id, t.repo, t.agent, t.model, t.attempt, t.label, t.bucket, t.label_source, n.title,
			coalesce(d.decision, '') AS decision, coalesce(d.n_accept, 0) AS n_accept, coalesce(d.n_reject, 0) AS n_reject,
			coalesce(d.n_uncertain, 0) AS n_uncertain, coalesce(d.n_unparseable, 0) AS n_unparseable, coalesce(d.cached, 0) AS cached,
			d.cost_usd, coalesce(d.cost_known, 0) AS cost_known`).
			Joins("JOIN traces t ON t.id = i.trace_id").
			Joins("JOIN instances n ON n.id = t.instance_row").
			Joins("LEFT JOIN decisions d ON d.item_id = i.id").
			Where("i.arm_id IN ? AND i.trace_id IN ?", ids, part).
			Order("i.trace_id, i.id").Scan(&items).Error
		if err != nil {
			return err
		}
		if err := f(items); err != nil {
			return err
		}
	}
	return nil
}

// VotesOf returns the votes of items with what the reviewers wrote, by item, in the
// order of their indices. Keep the number of items small: replies are long.
func (s *Store) VotesOf(ctx context.Context, v Viewer, experimentID string, itemIDs []string) (out map[string][]VoteDetail, err error) {
	defer wrap(&err, "load votes of %d items with texts", len(itemIDs))
	if _, err := s.Experiment(ctx, v, experimentID); err != nil {
		return nil, err
	}
	if v.Share != "" {
		return nil, ErrNotFound
	}
	var rows []VoteDetail
	// The experiment is compared below; see Votes.
	err = s.read(ctx).Table("votes v").Select("v.*, x.rationale, x.citations, x.raw").
		Joins("JOIN vote_texts x ON x.item_id = v.item_id AND x.idx = v.idx").
		Where("v.item_id IN ?", itemIDs).Order("v.item_id, v.idx").Scan(&rows).Error
	out = make(map[string][]VoteDetail, len(itemIDs))
	for _, r := range rows {
		if r.ExperimentID == experimentID {
			out[r.ItemID] = append(out[r.ItemID], r)
		}
	}
	return out, err
}

// TraceSplits returns the names of the splits that traces of a dataset are in, by
// trace and sorted.
func (s *Store) TraceSplits(ctx context.Context, v Viewer, datasetID string, traceIDs []string) (out map[string][]string, err error) {
	defer wrap(&err, "load splits of %d traces", len(traceIDs))
	if _, err := s.Dataset(ctx, v, datasetID); err != nil {
		return nil, err
	}
	out = map[string][]string{}
	var rows []struct{ TraceID, Name string }
	err = s.read(ctx).Table("split_traces st").Select("st.trace_id, s.name").Joins("JOIN splits s ON s.id = st.split_id").
		Where("s.dataset_id = ? AND st.trace_id IN ?", datasetID, traceIDs).Order("st.trace_id, s.name").Scan(&rows).Error
	for _, r := range rows {
		out[r.TraceID] = append(out[r.TraceID], r.Name)
	}
	return out, err
}

// Steps are read some hundred at a time, and their texts in parts of a bounded
// size, or one that is larger by itself.
const (
	eachStepRows  = 500
	eachStepBytes = 8 << 20
)

// EachStep calls f with every step of a trace in order.
func (s *Store) EachStep(ctx context.Context, v Viewer, traceID string, f func(trace.Step) error) (err error) {
	defer wrap(&err, "read steps of trace %s", traceID)
	for from := 0; ; {
		rows, err := s.StepRows(ctx, v, traceID, from, eachStepRows)
		if err != nil || len(rows) == 0 {
			return err
		}
		for len(rows) > 0 {
			n, size := 1, rows[0].Bytes
			for n < len(rows) && size+rows[n].Bytes <= eachStepBytes {
				size += rows[n].Bytes
				n++
			}
			texts, err := s.StepTexts(ctx, v, traceID, rows[0].Idx, n)
			if err != nil {
				return err
			}
			for _, st := range coreSteps(rows[:n], texts) {
				if err := f(st); err != nil {
					return err
				}
			}
			from, rows = rows[n-1].Idx+1, rows[n:]
		}
	}
}
