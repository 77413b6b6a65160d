-- +goose Up
-- A table of recorded critics from elsewhere. The file is kept byte for byte and
-- read again with the declared columns, so that what is shown can be checked.
CREATE TABLE critic_tables (
    id          TEXT PRIMARY KEY,
    project_id  TEXT NOT NULL REFERENCES projects (id),
    name        TEXT NOT NULL,
    origin      TEXT NOT NULL,
    sha256      TEXT NOT NULL,
    bytes       BIGINT NOT NULL,
    declared    TEXT NOT NULL,
    row_count   INTEGER NOT NULL,
    task_count  INTEGER NOT NULL,
    candidates  INTEGER NOT NULL,
    error_count INTEGER NOT NULL,
    dropped     INTEGER NOT NULL,
    author      TEXT NOT NULL,
    created_at  TIMESTAMPTZ NOT NULL,
    UNIQUE (project_id, name)
);

CREATE TABLE critic_table_files (
    table_id TEXT PRIMARY KEY REFERENCES critic_tables (id) ON DELETE CASCADE,
    content  BYTEA NOT NULL
);

CREATE TABLE critic_table_errors (
    table_id TEXT NOT NULL REFERENCES critic_tables (id) ON DELETE CASCADE,
    idx      INTEGER NOT NULL,
    line     INTEGER NOT NULL,
    field    TEXT NOT NULL,
    value    TEXT NOT NULL,
    why      TEXT NOT NULL,
    PRIMARY KEY (table_id, idx)
);

-- A control experiment plays policies on tasks. The candidates of a task are fixed
-- at the launch; an episode is one policy on one task.
CREATE TABLE control_tasks (
    id            TEXT PRIMARY KEY,
    experiment_id TEXT NOT NULL REFERENCES experiments (id) ON DELETE CASCADE,
    shard_id      TEXT NOT NULL REFERENCES shards (id) ON DELETE CASCADE,
    idx           INTEGER NOT NULL,
    instance_id   TEXT NOT NULL,
    task_group    TEXT NOT NULL,
    fold          INTEGER NOT NULL,
    UNIQUE (experiment_id, idx)
);
CREATE INDEX control_tasks_by_shard ON control_tasks (shard_id, idx);

CREATE TABLE control_candidates (
    task_id  TEXT NOT NULL REFERENCES control_tasks (id) ON DELETE CASCADE,
    idx      INTEGER NOT NULL,
    trace_id TEXT NOT NULL REFERENCES traces (id),
    PRIMARY KEY (task_id, idx)
);

CREATE TABLE episodes (
    id            TEXT PRIMARY KEY,
    experiment_id TEXT NOT NULL REFERENCES experiments (id) ON DELETE CASCADE,
    task_id       TEXT NOT NULL REFERENCES control_tasks (id) ON DELETE CASCADE,
    shard_id      TEXT NOT NULL REFERENCES shards (id) ON DELETE CASCADE,
    policy_idx    INTEGER NOT NULL,
    policy        TEXT NOT NULL,
    state         TEXT NOT NULL,
    status        TEXT NOT NULL,
    why           TEXT NOT NULL,
    steps         INTEGER NOT NULL,
    belief        DOUBLE PRECISION NOT NULL,
    cost          DOUBLE PRECISION NOT NULL,
    reward        DOUBLE PRECISION NOT NULL,
    solved        BOOLEAN NOT NULL,
    updated_at    TIMESTAMPTZ NOT NULL,
    UNIQUE (task_id, policy_idx)
);
CREATE INDEX episodes_by_state ON episodes (experiment_id, state);
CREATE INDEX episodes_by_shard ON episodes (shard_id, state);

-- One decision and what came of it, written when it came. The decision's values
-- are JSON.
CREATE TABLE episode_steps (
    episode_id TEXT NOT NULL REFERENCES episodes (id) ON DELETE CASCADE,
    idx        INTEGER NOT NULL,
    candidate  INTEGER NOT NULL,
    trace_id   TEXT NOT NULL,
    action     TEXT NOT NULL,
    outcome    INTEGER NOT NULL,
    says       TEXT NOT NULL,
    source     TEXT NOT NULL,
    item_id    TEXT NOT NULL,
    before     DOUBLE PRECISION NOT NULL,
    after      DOUBLE PRECISION NOT NULL,
    cost       DOUBLE PRECISION NOT NULL,
    reward     DOUBLE PRECISION NOT NULL,
    impossible BOOLEAN NOT NULL,
    reason     TEXT NOT NULL,
    note       TEXT NOT NULL,
    decision   TEXT NOT NULL,
    created_at TIMESTAMPTZ NOT NULL,
    PRIMARY KEY (episode_id, idx)
);

-- +goose Down
DROP TABLE episode_steps;
DROP TABLE episodes;
DROP TABLE control_candidates;
DROP TABLE control_tasks;
DROP TABLE critic_table_errors;
DROP TABLE critic_table_files;
DROP TABLE critic_tables;
