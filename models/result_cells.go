package models

import "context"

// ResultCell counts an arm's items with the same label, decision and votes. All
// metrics of a result page are functions of these counts.
type ResultCell struct {
	ArmID        string
	Label        string
	Decision     string
	NAccept      int
	NReject      int
	NUncertain   int
	NUnparseable int
	N            int
}

// ResultCells reads the decisions of an experiment as counts.
func (s *Store) ResultCells(ctx context.Context, v Viewer, experimentID string) (out []ResultCell, err error) {
	defer wrap(&err, "count decisions of experiment %s", experimentID)
	if _, err := s.Experiment(ctx, v, experimentID); err != nil {
		return nil, err
	}
	err = s.read(ctx).Table("decisions").
		Select("arm_id, label, decision, n_accept, n_reject, n_uncertain, n_unparseable, count(*) AS n").
		Where("experiment_id = ?", experimentID).
		Group("arm_id, label, decision, n_accept, n_reject, n_uncertain, n_unparseable").
		Order("arm_id, label, decision, n_accept, n_reject, n_uncertain, n_unparseable").Scan(&out).Error
	return out, err
}

// ArmCost is what an arm's votes cost. Sums are over the votes whose figure is
// known, and the counts say how many those are.
type ArmCost struct {
	ArmID        string
	Votes        int
	Cached       int
	CostUSD      float64 `gorm:"column:cost_usd"`
	CostKnown    int
	InputTokens  int64
	OutputTokens int64
	TokensKnown  int
	LatencyMS    int64 `gorm:"column:latency_ms"`
}

// ArmCosts sums cost and tokens by arm: what decisions keep of their votes, and
// the votes of items that have no decision yet.
func (s *Store) ArmCosts(ctx context.Context, v Viewer, experimentID string) (out []ArmCost, err error) {
	defer wrap(&err, "sum costs of experiment %s", experimentID)
	if _, err := s.Experiment(ctx, v, experimentID); err != nil {
		return nil, err
	}
	err = s.read(ctx).Raw(`SELECT arm_id, sum(votes) AS votes, sum(cached) AS cached, sum(cost_usd) AS cost_usd, sum(cost_known) AS cost_known,
			sum(input_tokens) AS input_tokens, sum(output_tokens) AS output_tokens, sum(tokens_known) AS tokens_known, sum(latency_ms) AS latency_ms
		FROM (
			SELECT arm_id, n_accept + n_reject + n_uncertain + n_unparseable AS votes, cached, cost_usd, cost_known,
				input_tokens, output_tokens, tokens_known, latency_ms
			FROM decisions WHERE experiment_id = ?
			UNION ALL
			SELECT v.arm_id, count(*) AS votes, `+costColumns+`
			FROM items i JOIN votes v ON v.item_id = i.id WHERE i.experiment_id = ? AND i.state IN ?
			GROUP BY v.arm_id
		) x GROUP BY arm_id ORDER BY arm_id`,
		experimentID, experimentID, []string{ItemPending, ItemRunning, ItemError, ItemBlocked}).Scan(&out).Error
	return out, err
}

// ArmState counts an arm's items by state.
type ArmState struct {
	ArmID string
	State string
	N     int
}

// ArmStates counts items by arm and state, so that what is missing, blocked or
// in error shows beside every rate.
func (s *Store) ArmStates(ctx context.Context, v Viewer, experimentID string) (out []ArmState, err error) {
	defer wrap(&err, "count items of experiment %s", experimentID)
	if _, err := s.Experiment(ctx, v, experimentID); err != nil {
		return nil, err
	}
	err = s.read(ctx).Table("items").Select("arm_id, state, count(*) AS n").
		Where("experiment_id = ?", experimentID).Group("arm_id, state").Order("arm_id, state").Scan(&out).Error
	return out, err
}

// ErrorGroup counts tries that did not end in a vote.
type ErrorGroup struct {
	ArmID   string
	Class   string
	Status  int
	N       int
	Example string
}

// ErrorGroups groups an experiment's call errors by arm, class and status.
func (s *Store) ErrorGroups(ctx context.Context, v Viewer, experimentID string) (out []ErrorGroup, err error) {
	defer wrap(&err, "group errors of experiment %s", experimentID)
	if _, err := s.Experiment(ctx, v, experimentID); err != nil {
		return nil, err
	}
	err = s.read(ctx).Table("call_errors").Select("arm_id, class, status, count(*) AS n, max(message) AS example").
		Where("experiment_id = ?", experimentID).Group("arm_id, class, status").Order("arm_id, class, status").Scan(&out).Error
	return out, err
}
