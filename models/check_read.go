package models

import (
	"context"
)

// LabelRun returns one label run.
func (s *Store) LabelRun(ctx context.Context, v Viewer, id string) (run LabelRun, err error) {
	defer wrap(&err, "load label run %s", id)
	if err := s.read(ctx).Take(&run, "id = ?", id).Error; err != nil {
		return run, err
	}
	_, err = s.Dataset(ctx, v, run.DatasetID)
	return run, err
}

// LabelRuns lists a dataset's label runs, newest first.
func (s *Store) LabelRuns(ctx context.Context, v Viewer, datasetID string) (out []LabelRun, err error) {
	defer wrap(&err, "list label runs of dataset %s", datasetID)
	if _, err := s.Dataset(ctx, v, datasetID); err != nil {
		return nil, err
	}
	err = s.read(ctx).Where("dataset_id = ?", datasetID).Order("id DESC").Limit(200).Find(&out).Error
	return out, err
}

// LabelProgress is how far a label run is.
type LabelProgress struct {
	State     string
	Tasks     int
	TasksDone int
	Traces    int
	Checked   int // traces with a result
	Outcomes  map[string]int
	Labels    map[string]int // of results that give one
	Instances map[string]int // by what their check ended in
	Changed   int            // traces whose label the run changed
	Confirmed int            // traces that had the same label before
	Errors    []string       // of tasks that could not be ended
}

// LabelProgress counts what a run has found out.
func (s *Store) LabelProgress(ctx context.Context, v Viewer, runID string) (p LabelProgress, err error) {
	defer wrap(&err, "read the progress of label run %s", runID)
	run, err := s.LabelRun(ctx, v, runID)
	if err != nil {
		return p, err
	}
	p = LabelProgress{
		State: run.State, Tasks: run.TaskTotal, Traces: run.TraceTotal,
		Outcomes: map[string]int{}, Labels: map[string]int{}, Instances: map[string]int{}, Errors: []string{},
	}
	db := s.read(ctx)
	var done int64
	if err := db.Model(&LabelTask{}).Where("run_id = ? AND state = ?", runID, ShardDone).Count(&done).Error; err != nil {
		return p, err
	}
	p.TasksDone = int(done)
	var rows []struct {
		Outcome, Label, Kept string
		Same                 bool
		N                    int
	}
	err = db.Table("label_results").Select("outcome, label, kept, old_label = label AS same, count(*) AS n").Where("run_id = ?", runID).
		Group("outcome, label, kept, old_label = label").Scan(&rows).Error
	if err != nil {
		return p, err
	}
	for _, r := range rows {
		p.Checked += r.N
		p.Outcomes[r.Outcome] += r.N
		if r.Label != "unknown" {
			p.Labels[r.Label] += r.N
		}
		switch {
		case r.Kept != "":
		case r.Same:
			p.Confirmed += r.N
		default:
			p.Changed += r.N
		}
	}
	var states []struct {
		State string
		N     int
	}
	if err := db.Table("label_instances").Select("state, count(*) AS n").Where("run_id = ?", runID).Group("state").Scan(&states).Error; err != nil {
		return p, err
	}
	for _, x := range states {
		p.Instances[x.State] = x.N
	}
	err = db.Model(&LabelTask{}).Where("run_id = ? AND error_message <> ''", runID).Order("id").Limit(20).Pluck("error_message", &p.Errors).Error
	return p, err
}

// LabelResultRow is a result with the names of its trace.
type LabelResultRow struct {
	LabelResult
	InstanceID string
	Agent      string
	Model      string
	Attempt    int
}

// LabelResults lists a run's results by instance and trace. A non-empty outcome
// narrows them. after is the trace id of the last row of the page before.
func (s *Store) LabelResults(ctx context.Context, v Viewer, runID, outcome, after string, limit int) (out []LabelResultRow, err error) {
	defer wrap(&err, "list results of label run %s", runID)
	if _, err := s.LabelRun(ctx, v, runID); err != nil {
		return nil, err
	}
	q := s.read(ctx).Table("label_results r").Select("r.*, t.instance_id, t.agent, t.model, t.attempt").
		Joins("JOIN traces t ON t.id = r.trace_id").Where("r.run_id = ?", runID).Order("t.id").Limit(limit)
	if outcome != "" {
		q = q.Where("r.outcome = ?", outcome)
	}
	if after != "" {
		q = q.Where("t.id > ?", after)
	}
	err = q.Scan(&out).Error
	return out, err
}

// TraceLabelResults lists what label runs found out about a trace, newest first.
func (s *Store) TraceLabelResults(ctx context.Context, v Viewer, traceID string) (out []LabelResult, err error) {
	defer wrap(&err, "list checks of trace %s", traceID)
	if _, err := s.Trace(ctx, v, traceID); err != nil {
		return nil, err
	}
	err = s.read(ctx).Where("trace_id = ?", traceID).Order("created_at DESC, run_id DESC").Limit(100).Find(&out).Error
	return out, err
}

// LabelInstanceRow is an instance's check with its name.
type LabelInstanceRow struct {
	LabelInstance
	InstanceID string
	Repo       string
}

// LabelInstances lists what a run found out about instances. The names of tests
// that were left out are for editors; for others the column is empty.
func (s *Store) LabelInstances(ctx context.Context, v Viewer, runID string) (out []LabelInstanceRow, err error) {
	defer wrap(&err, "list instances of label run %s", runID)
	run, err := s.LabelRun(ctx, v, runID)
	if err != nil {
		return nil, err
	}
	err = s.read(ctx).Table("label_instances l").Select("l.*, i.instance_id, i.repo").
		Joins("JOIN instances i ON i.id = l.instance_row").Where("l.run_id = ?", runID).Order("i.instance_id").Scan(&out).Error
	if err != nil {
		return nil, err
	}
	if s.editDataset(ctx, v, run.DatasetID) != nil {
		for i := range out {
			out[i].LeftOut = ""
		}
	}
	return out, nil
}

func (s *Store) editDataset(ctx context.Context, v Viewer, id string) error {
	d, err := s.Dataset(ctx, v, id)
	if err != nil {
		return err
	}
	return v.mayEdit(d.ProjectID)
}

// LabelExecutions lists the runs of the official tests that a result rests on: on
// the trace's own tree, and on base and gold of its instance. Logs are not in it.
func (s *Store) LabelExecutions(ctx context.Context, v Viewer, runID, traceID string) (out []LabelExecution, err error) {
	defer wrap(&err, "list executions of trace %s", traceID)
	t, err := s.Trace(ctx, v, traceID)
	if err != nil {
		return nil, err
	}
	err = s.read(ctx).Where("run_id = ? AND instance_row = ? AND (trace_id = ? OR trace_id IS NULL)", runID, t.InstanceRow, traceID).Order("id").Find(&out).Error
	return out, err
}

// LabelExecutionText loads the log and the tests of an execution. They name
// official tests, so that it needs an editor.
func (s *Store) LabelExecutionText(ctx context.Context, v Viewer, executionID string) (x LabelExecution, text LabelExecutionText, err error) {
	defer wrap(&err, "load the log of execution %s", executionID)
	if err := s.read(ctx).Take(&x, "id = ?", executionID).Error; err != nil {
		return x, text, err
	}
	run, err := s.LabelRun(ctx, v, x.RunID)
	if err != nil {
		return LabelExecution{}, text, err
	}
	if err := s.editDataset(ctx, v, run.DatasetID); err != nil {
		return LabelExecution{}, text, err
	}
	err = s.read(ctx).Take(&text, "execution_id = ?", executionID).Error
	return x, text, err
}
