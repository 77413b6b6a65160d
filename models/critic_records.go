package models

import "context"

// CriticTrace is a trace as a candidate: what orders it, its label and what making
// it took. Nil is unknown.
type CriticTrace struct {
	ID           string
	InstanceID   string
	Agent        string
	Model        string
	Attempt      int
	Label        string
	CostUSD      *float64 `gorm:"column:cost_usd"`
	DurationMS   *int64   `gorm:"column:duration_ms"`
	Split        string   `gorm:"-"` // the first of its splits by name; empty: none
	ToolSteps    int      `gorm:"-"` // steps that called a tool
	ToolFailures int      `gorm:"-"` // those of them that failed
	// TestsKnown says that the official tests ran, P2POK of P2PAll of those that
	// the base passes with success.
	TestsKnown bool
	P2POK      int `gorm:"column:p2p_ok"`
	P2PAll     int `gorm:"column:p2p_all"`
}

// CriticItem is what an arm said about a trace. Decision is empty until all votes
// are there.
type CriticItem struct {
	ArmID        string
	TraceID      string
	State        string
	Decision     string
	NAccept      int
	NReject      int
	NUncertain   int
	NUnparseable int
	FirstVote    string // vote 0; empty: none
	// Confidence is the mean over the votes that state one of the confidence that
	// the patch is correct: c for accept, 1-c for reject, one half otherwise.
	Confidence *float64
}

// CriticRecords are the traces of an experiment and what its arms said about them,
// both ordered by id. It is for project members only: it holds labels.
func (s *Store) CriticRecords(ctx context.Context, v Viewer, experimentID string) (traces []CriticTrace, items []CriticItem, err error) {
	defer wrap(&err, "read the critics of experiment %s", experimentID)
	e, err := s.Experiment(ctx, v, experimentID)
	if err != nil {
		return nil, nil, err
	}
	if err := v.mayRead(e.ProjectID); err != nil {
		return nil, nil, err
	}
	const of = "(SELECT trace_id FROM items WHERE experiment_id = ?)"
	db := s.read(ctx)
	err = db.Table("traces t").Select("t.id, t.instance_id, t.agent, t.model, t.attempt, t.label, t.cost_usd, t.duration_ms, t.tests_known, t.p2p_ok, t.p2p_all").
		Where("t.id IN "+of, experimentID).Order("t.id").Scan(&traces).Error
	if err != nil {
		return nil, nil, err
	}
	at := make(map[string]*CriticTrace, len(traces))
	for i := range traces {
		at[traces[i].ID] = &traces[i]
	}
	if err := s.criticSplits(ctx, experimentID, of, at); err != nil {
		return nil, nil, err
	}
	err = db.Raw(`SELECT i.arm_id, i.trace_id, i.state, coalesce(d.decision, '') AS decision,
			coalesce(d.n_accept, 0) AS n_accept, coalesce(d.n_reject, 0) AS n_reject,
			coalesce(d.n_uncertain, 0) AS n_uncertain, coalesce(d.n_unparseable, 0) AS n_unparseable,
			coalesce(f.vote, '') AS first_vote, c.confidence
		FROM items i LEFT JOIN decisions d ON d.item_id = i.id
		LEFT JOIN votes f ON f.item_id = i.id AND f.idx = 0
		LEFT JOIN (SELECT item_id, avg(CASE vote WHEN 'accept' THEN confidence WHEN 'reject' THEN 1 - confidence ELSE 0.5 END) AS confidence
			FROM votes WHERE experiment_id = ? AND confidence IS NOT NULL GROUP BY item_id) c ON c.item_id = i.id
		WHERE i.experiment_id = ? ORDER BY i.trace_id, i.arm_id`, experimentID, experimentID).Scan(&items).Error
	return traces, items, err
}

// criticSplits adds splits and tool steps to traces.
func (s *Store) criticSplits(ctx context.Context, experimentID, of string, at map[string]*CriticTrace) error {
	var splits []struct{ TraceID, Name string }
	err := s.read(ctx).Raw(`SELECT st.trace_id, min(s.name) AS name FROM split_traces st JOIN splits s ON s.id = st.split_id
		WHERE st.trace_id IN `+of+` GROUP BY st.trace_id`, experimentID).Scan(&splits).Error
	if err != nil {
		return err
	}
	for _, x := range splits {
		at[x.TraceID].Split = x.Name
	}
	var tools []struct {
		TraceID string
		N       int
		Failed  int
	}
	err = s.read(ctx).Raw(`SELECT trace_id, count(*) AS n, sum(CASE WHEN failed THEN 1 ELSE 0 END) AS failed
		FROM trace_steps WHERE tool <> '' AND trace_id IN `+of+` GROUP BY trace_id`, experimentID).Scan(&tools).Error
	for _, x := range tools {
		at[x.TraceID].ToolSteps, at[x.TraceID].ToolFailures = x.N, x.Failed
	}
	return err
}
