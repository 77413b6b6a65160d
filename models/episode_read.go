package models

import "context"

// ControlEpisode is an episode with its task.
type ControlEpisode struct {
	Episode
	TaskIdx    int
	InstanceID string
	TaskGroup  string
	Fold       int
}

const episodeColumns = "p.*, k.idx AS task_idx, k.instance_id, k.task_group, k.fold"

// Episodes lists the episodes of a control experiment by task and policy.
func (s *Store) Episodes(ctx context.Context, v Viewer, experimentID string) (out []ControlEpisode, err error) {
	defer wrap(&err, "list episodes of experiment %s", experimentID)
	if err := s.memberOf(ctx, v, experimentID); err != nil {
		return nil, err
	}
	err = s.read(ctx).Table("episodes p").Select(episodeColumns).Joins("JOIN control_tasks k ON k.id = p.task_id").
		Where("p.experiment_id = ?", experimentID).Order("k.idx, p.policy_idx").Scan(&out).Error
	return out, err
}

// EpisodeLog returns one episode with its steps in order.
func (s *Store) EpisodeLog(ctx context.Context, v Viewer, id string) (e ControlEpisode, steps []EpisodeStep, err error) {
	defer wrap(&err, "load episode %s", id)
	q := s.read(ctx).Table("episodes p").Select(episodeColumns).Joins("JOIN control_tasks k ON k.id = p.task_id").Where("p.id = ?", id)
	if err := q.Take(&e).Error; err != nil {
		return e, nil, err
	}
	if err := s.memberOf(ctx, v, e.ExperimentID); err != nil {
		return e, nil, err
	}
	err = s.read(ctx).Where("episode_id = ?", id).Order("idx").Find(&steps).Error
	return e, steps, err
}

// EpisodeSteps lists the steps of all episodes of an experiment, by episode.
func (s *Store) EpisodeSteps(ctx context.Context, v Viewer, experimentID string) (out map[string][]EpisodeStep, err error) {
	defer wrap(&err, "list steps of experiment %s", experimentID)
	if err := s.memberOf(ctx, v, experimentID); err != nil {
		return nil, err
	}
	var rows []EpisodeStep
	err = s.read(ctx).Where("episode_id IN (SELECT id FROM episodes WHERE experiment_id = ?)", experimentID).Order("episode_id, idx").Find(&rows).Error
	out = map[string][]EpisodeStep{}
	for _, r := range rows {
		out[r.EpisodeID] = append(out[r.EpisodeID], r)
	}
	return out, err
}

// CandidateLabel is a candidate of a control task with the label it has now.
type CandidateLabel struct {
	TaskIdx int
	TraceID string
	Label   string
}

// ControlCandidates lists the candidates of a control experiment by task and place.
func (s *Store) ControlCandidates(ctx context.Context, v Viewer, experimentID string) (out []CandidateLabel, err error) {
	defer wrap(&err, "list candidates of experiment %s", experimentID)
	if err := s.memberOf(ctx, v, experimentID); err != nil {
		return nil, err
	}
	err = s.read(ctx).Table("control_candidates c").Select("k.idx AS task_idx, c.trace_id, t.label").
		Joins("JOIN control_tasks k ON k.id = c.task_id").Joins("JOIN traces t ON t.id = c.trace_id").
		Where("k.experiment_id = ?", experimentID).Order("k.idx, c.idx").Scan(&out).Error
	return out, err
}

// memberOf answers ErrNotFound to whoever has no role in the project: labels and
// logs are not on share pages.
func (s *Store) memberOf(ctx context.Context, v Viewer, experimentID string) error {
	e, err := s.Experiment(ctx, v, experimentID)
	if err != nil {
		return err
	}
	return v.mayRead(e.ProjectID)
}
