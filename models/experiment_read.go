package models

import (
	"context"
	"time"
)

// Experiment returns one experiment. A viewer made from a share link sees the
// one experiment it was made for.
func (s *Store) Experiment(ctx context.Context, v Viewer, id string) (e Experiment, err error) {
	defer wrap(&err, "load experiment %s", id)
	if err := s.read(ctx).Take(&e, "id = ?", id).Error; err != nil {
		return e, err
	}
	if v.Share != "" && v.Share == e.ID {
		return e, nil
	}
	return e, v.mayRead(e.ProjectID)
}

// Arms lists an experiment's arms in order.
func (s *Store) Arms(ctx context.Context, v Viewer, experimentID string) (out []Arm, err error) {
	defer wrap(&err, "list arms of experiment %s", experimentID)
	if _, err := s.Experiment(ctx, v, experimentID); err != nil {
		return nil, err
	}
	err = s.read(ctx).Where("experiment_id = ?", experimentID).Order("idx").Find(&out).Error
	return out, err
}

// Progress counts an experiment's items, or its episodes if it plays policies, by
// state. Missing are the pending ones of an experiment that has ended.
type Progress struct {
	State      string
	Total      int
	Done       int
	Running    int
	Error      int
	Blocked    int
	Pending    int
	Missing    int
	Votes      int64
	VotesAsked int64 // items × K; 0 where policies decide what is asked
	CallErrors int64
	StartedAt  *time.Time
	FinishedAt *time.Time
}

// Progress reads an experiment's counts.
func (s *Store) Progress(ctx context.Context, v Viewer, experimentID string) (p Progress, err error) {
	defer wrap(&err, "count progress of experiment %s", experimentID)
	e, err := s.Experiment(ctx, v, experimentID)
	if err != nil {
		return p, err
	}
	p = Progress{State: e.State, Total: e.ItemTotal, VotesAsked: int64(e.ItemTotal) * int64(e.Votes), StartedAt: e.StartedAt, FinishedAt: e.FinishedAt}
	var rows []struct {
		State string
		N     int
	}
	db, parts := s.read(ctx), "items"
	if e.Kind == KindControl { // nobody knows what its policies will ask
		parts, p.VotesAsked = "episodes", 0
	}
	if err := db.Table(parts).Select("state, count(*) AS n").Where("experiment_id = ?", experimentID).Group("state").Scan(&rows).Error; err != nil {
		return p, err
	}
	for _, r := range rows {
		switch r.State {
		case ItemDone:
			p.Done = r.N
		case ItemRunning:
			p.Running = r.N
		case ItemError:
			p.Error = r.N
		case ItemBlocked:
			p.Blocked = r.N
		default:
			p.Pending = r.N
		}
	}
	if e.State == StateDone || e.State == StateStopped {
		p.Missing, p.Pending = p.Pending+p.Running, 0
		p.Running = 0
	}
	if err := db.Table("votes").Where("experiment_id = ?", experimentID).Count(&p.Votes).Error; err != nil {
		return p, err
	}
	err = db.Table("call_errors").Where("experiment_id = ?", experimentID).Count(&p.CallErrors).Error
	return p, err
}

// ExperimentCount is an experiment with the counts that lists show.
type ExperimentCount struct {
	Experiment
	DatasetName string
	Arms        int
	Done        int
	Errors      int
	Blocked     int
}

// ExperimentFilter narrows a list; zero fields do not.
type ExperimentFilter struct {
	DatasetID string
	ProjectID string
	State     string
	Limit     int
}

// Experiments lists the viewer's experiments, newest first.
func (s *Store) Experiments(ctx context.Context, v Viewer, f ExperimentFilter) (out []ExperimentCount, err error) {
	defer wrap(&err, "list experiments")
	if f.Limit <= 0 || f.Limit > 500 {
		f.Limit = 50
	}
	q := s.read(ctx).Table("experiments e").Select(`e.*, d.name AS dataset_name,
		(SELECT count(*) FROM arms a WHERE a.experiment_id = e.id) AS arms,
		CASE e.kind WHEN 'control' THEN (SELECT count(*) FROM episodes p WHERE p.experiment_id = e.id AND p.state = 'done')
			ELSE (SELECT count(*) FROM items i WHERE i.experiment_id = e.id AND i.state = 'done') END AS done,
		CASE e.kind WHEN 'control' THEN (SELECT count(*) FROM episodes p WHERE p.experiment_id = e.id AND p.state = 'error')
			ELSE (SELECT count(*) FROM items i WHERE i.experiment_id = e.id AND i.state = 'error') END AS errors,
		(SELECT count(*) FROM items i WHERE i.experiment_id = e.id AND i.state = 'blocked') AS blocked`).
		Joins("JOIN datasets d ON d.id = e.dataset_id").Order("e.id DESC").Limit(f.Limit)
	if ids, all := v.projects(); !all {
		q = q.Where("e.project_id IN ?", ids)
	}
	for _, c := range []struct{ column, value string }{{"e.dataset_id", f.DatasetID}, {"e.project_id", f.ProjectID}, {"e.state", f.State}} {
		if c.value != "" {
			q = q.Where(c.column+" = ?", c.value)
		}
	}
	err = q.Scan(&out).Error
	return out, err
}
