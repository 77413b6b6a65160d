-- +goose Up
-- A label run gives labels to the traces of a dataset by running the official
-- tests. It is one task an instance; what a task has found out is kept as it goes,
-- so that a run goes on where it was.
CREATE TABLE label_runs (
    id          TEXT PRIMARY KEY,
    dataset_id  TEXT NOT NULL REFERENCES datasets (id) ON DELETE CASCADE,
    split_id    TEXT REFERENCES splits (id),
    state       TEXT NOT NULL,
    settings    TEXT NOT NULL,
    backend     TEXT NOT NULL,
    unsandboxed BOOLEAN NOT NULL,
    rounds      INTEGER NOT NULL,
    task_total  INTEGER NOT NULL,
    trace_total INTEGER NOT NULL,
    created_by  TEXT NOT NULL,
    created_at  TIMESTAMPTZ NOT NULL,
    finished_at TIMESTAMPTZ
);
CREATE INDEX label_runs_by_dataset ON label_runs (dataset_id, id);

CREATE TABLE label_tasks (
    id            TEXT PRIMARY KEY,
    run_id        TEXT NOT NULL REFERENCES label_runs (id) ON DELETE CASCADE,
    instance_row  TEXT NOT NULL REFERENCES instances (id) ON DELETE CASCADE,
    state         TEXT NOT NULL,
    generation    INTEGER NOT NULL,
    owner         TEXT NOT NULL,
    lease_until   TIMESTAMPTZ,
    queued_at     TIMESTAMPTZ NOT NULL,
    error_message TEXT NOT NULL,
    UNIQUE (run_id, instance_row)
);
CREATE INDEX label_tasks_by_state ON label_tasks (state, lease_until);

-- What a run found out about an instance. left_out names official tests and is
-- for editors only.
CREATE TABLE label_instances (
    run_id       TEXT NOT NULL REFERENCES label_runs (id) ON DELETE CASCADE,
    instance_row TEXT NOT NULL REFERENCES instances (id) ON DELETE CASCADE,
    state        TEXT NOT NULL,
    reason       TEXT NOT NULL,
    notes        TEXT NOT NULL,
    left_out     TEXT NOT NULL,
    runner       TEXT NOT NULL,
    base_f2p_ok  INTEGER,
    base_p2p_ok  INTEGER,
    gold_f2p_ok  INTEGER,
    gold_p2p_ok  INTEGER,
    f2p_all      INTEGER,
    p2p_all      INTEGER,
    created_at   TIMESTAMPTZ NOT NULL,
    PRIMARY KEY (run_id, instance_row)
);

CREATE TABLE label_results (
    run_id       TEXT NOT NULL REFERENCES label_runs (id) ON DELETE CASCADE,
    trace_id     TEXT NOT NULL REFERENCES traces (id) ON DELETE CASCADE,
    instance_row TEXT NOT NULL,
    outcome      TEXT NOT NULL,
    reason       TEXT NOT NULL,
    label        TEXT NOT NULL,
    bucket       TEXT NOT NULL,
    old_label    TEXT NOT NULL,
    old_source   TEXT NOT NULL,
    kept         TEXT NOT NULL,
    f2p_ok       INTEGER,
    f2p_all      INTEGER,
    p2p_ok       INTEGER,
    p2p_all      INTEGER,
    applied      TEXT NOT NULL,
    stripped     INTEGER NOT NULL,
    created_at   TIMESTAMPTZ NOT NULL,
    PRIMARY KEY (run_id, trace_id)
);
CREATE INDEX label_results_by_trace ON label_results (trace_id, created_at);

-- One run of the official tests on one tree; trace_id is null on base and gold.
CREATE TABLE label_executions (
    id           TEXT PRIMARY KEY,
    run_id       TEXT NOT NULL REFERENCES label_runs (id) ON DELETE CASCADE,
    instance_row TEXT NOT NULL,
    trace_id     TEXT REFERENCES traces (id) ON DELETE CASCADE,
    tree         TEXT NOT NULL,
    round        INTEGER NOT NULL,
    runner       TEXT NOT NULL,
    backend      TEXT NOT NULL,
    unsandboxed  BOOLEAN NOT NULL,
    cause        TEXT NOT NULL,
    exit_code    INTEGER,
    fault        TEXT NOT NULL,
    detail       TEXT NOT NULL,
    f2p_ok       INTEGER NOT NULL,
    f2p_all      INTEGER NOT NULL,
    p2p_ok       INTEGER NOT NULL,
    p2p_all      INTEGER NOT NULL,
    hung         INTEGER NOT NULL,
    wall_ms      BIGINT NOT NULL,
    cpu_ms       BIGINT,
    max_rss      BIGINT,
    created_at   TIMESTAMPTZ NOT NULL
);
CREATE INDEX label_executions_by_trace ON label_executions (trace_id, run_id);
CREATE INDEX label_executions_by_instance ON label_executions (instance_row, run_id);

-- Logs and tests name the official tests: they are for editors only.
CREATE TABLE label_execution_texts (
    execution_id TEXT PRIMARY KEY REFERENCES label_executions (id) ON DELETE CASCADE,
    command      TEXT NOT NULL,
    stdout       TEXT NOT NULL,
    stderr       TEXT NOT NULL,
    tests        TEXT NOT NULL,
    notes        TEXT NOT NULL
);

-- +goose Down
DROP TABLE label_execution_texts;
DROP TABLE label_executions;
DROP TABLE label_results;
DROP TABLE label_instances;
DROP TABLE label_tasks;
DROP TABLE label_runs;
