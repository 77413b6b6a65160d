-- +goose Up
-- The list of a dataset's traces under any filter and sort, and its counts, read
-- one index and no row of the table but those shown: it holds every column that a
-- filter or a sort asks for. The other two give the counts by agent and repository
-- in order.
CREATE INDEX traces_by_filter ON traces
    (dataset_id, label, bucket, agent, repo, patch_state, outcome_reason, label_source, instance_id, model, step_count,
     cost_usd, patch_added, patch_removed, id);
DROP INDEX traces_by_label;
CREATE INDEX traces_by_agent ON traces (dataset_id, agent, label, bucket, repo, id);
CREATE INDEX traces_by_repo ON traces (dataset_id, repo, label, bucket, agent, id);

-- +goose Down
DROP INDEX traces_by_repo;
DROP INDEX traces_by_agent;
CREATE INDEX traces_by_label ON traces (dataset_id, label, bucket, agent, repo);
DROP INDEX traces_by_filter;
