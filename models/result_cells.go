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

// ArmCosts sums cost and tokens by arm. A cached vote was billed when it was
// asked and is not billed again.
func (s *Store) ArmCosts(ctx context.Context, v Viewer, experimentID string) (out []ArmCost, err error) {
	defer wrap(&err, "sum costs of experiment %s", experimentID)
	if _, err := s.Experiment(ctx, v, experimentID); err != nil {
		return nil, err
	}
	err = s.read(ctx).Table("votes").Select(`arm_id, count(*) AS votes,
		sum(CASE WHEN cached THEN 1 ELSE 0 END) AS cached,
		coalesce(sum(CASE WHEN cached THEN 0 ELSE cost_usd END), 0) AS cost_usd,
		sum(CASE WHEN cost_usd IS NULL THEN 0 ELSE 1 END) AS cost_known,
		coalesce(sum(CASE WHEN cached THEN 0 ELSE input_tokens END), 0) AS input_tokens,
		coalesce(sum(CASE WHEN cached THEN 0 ELSE output_tokens END), 0) AS output_tokens,
		sum(CASE WHEN input_tokens IS NULL THEN 0 ELSE 1 END) AS tokens_known,
		coalesce(sum(latency_ms), 0) AS latency_ms`).
		Where("experiment_id = ?", experimentID).Group("arm_id").Order("arm_id").Scan(&out).Error
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
