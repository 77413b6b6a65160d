-- +goose Up
CREATE TABLE projects (
    id         TEXT PRIMARY KEY,
    slug       TEXT NOT NULL UNIQUE,
    name       TEXT NOT NULL,
    created_at TIMESTAMPTZ NOT NULL
);

CREATE TABLE datasets (
    id         TEXT PRIMARY KEY,
    project_id TEXT NOT NULL REFERENCES projects (id),
    name       TEXT NOT NULL,
    note       TEXT NOT NULL,
    bundled    BOOLEAN NOT NULL,
    created_at TIMESTAMPTZ NOT NULL,
    UNIQUE (project_id, name)
);

CREATE TABLE instances (
    id          TEXT PRIMARY KEY,
    dataset_id  TEXT NOT NULL REFERENCES datasets (id) ON DELETE CASCADE,
    instance_id TEXT NOT NULL,
    repo        TEXT NOT NULL,
    base_commit TEXT NOT NULL,
    language    TEXT NOT NULL,
    version     TEXT NOT NULL,
    title       TEXT NOT NULL,
    created_at  TIMESTAMPTZ NOT NULL,
    UNIQUE (dataset_id, instance_id)
);

CREATE TABLE instance_texts (
    instance_row TEXT PRIMARY KEY REFERENCES instances (id) ON DELETE CASCADE,
    issue        TEXT NOT NULL,
    hints        TEXT NOT NULL
);

-- What only a label may depend on. No list, prompt, export for reviewers or
-- share page reads this table.
CREATE TABLE instance_oracles (
    instance_row TEXT PRIMARY KEY REFERENCES instances (id) ON DELETE CASCADE,
    gold_patch   TEXT NOT NULL,
    test_patch   TEXT NOT NULL,
    fail_to_pass TEXT NOT NULL,
    pass_to_pass TEXT NOT NULL
);

CREATE TABLE traces (
    id              TEXT PRIMARY KEY,
    dataset_id      TEXT NOT NULL REFERENCES datasets (id) ON DELETE CASCADE,
    instance_row    TEXT NOT NULL REFERENCES instances (id) ON DELETE CASCADE,
    instance_id     TEXT NOT NULL,
    repo            TEXT NOT NULL,
    language        TEXT NOT NULL,
    agent           TEXT NOT NULL,
    model           TEXT NOT NULL,
    attempt         INTEGER NOT NULL,
    patch_state     TEXT NOT NULL,
    patch_sha256    TEXT NOT NULL,
    patch_bytes     BIGINT NOT NULL,
    patch_files     INTEGER NOT NULL,
    patch_added     INTEGER,
    patch_removed   INTEGER,
    step_count      INTEGER NOT NULL,
    status          TEXT NOT NULL,
    trajectory      TEXT NOT NULL,
    cost_usd        DOUBLE PRECISION,
    input_tokens    BIGINT,
    output_tokens   BIGINT,
    duration_ms     BIGINT,
    label           TEXT NOT NULL,
    bucket          TEXT NOT NULL,
    label_source    TEXT NOT NULL,
    outcome_reason  TEXT NOT NULL,
    outcome_source  TEXT NOT NULL,
    tests_known     BOOLEAN NOT NULL,
    tests_applied   BOOLEAN NOT NULL,
    f2p_ok          INTEGER NOT NULL,
    f2p_all         INTEGER NOT NULL,
    p2p_ok          INTEGER NOT NULL,
    p2p_all         INTEGER NOT NULL,
    content_sha256  TEXT NOT NULL,
    created_at      TIMESTAMPTZ NOT NULL,
    UNIQUE (dataset_id, instance_id, agent, model, attempt)
);
CREATE INDEX traces_by_dataset ON traces (dataset_id, id);
CREATE INDEX traces_by_label ON traces (dataset_id, label, bucket, agent, repo);
CREATE INDEX traces_by_instance ON traces (instance_row);

CREATE TABLE trace_texts (
    trace_id TEXT PRIMARY KEY REFERENCES traces (id) ON DELETE CASCADE,
    patch    TEXT NOT NULL,
    summary  TEXT NOT NULL
);

CREATE TABLE trace_steps (
    trace_id      TEXT NOT NULL REFERENCES traces (id) ON DELETE CASCADE,
    idx           INTEGER NOT NULL,
    kind          TEXT NOT NULL,
    tool          TEXT NOT NULL,
    title         TEXT NOT NULL,
    failed        BOOLEAN NOT NULL,
    exit_code     INTEGER,
    started_at    TIMESTAMPTZ,
    duration_ms   BIGINT,
    cost_usd      DOUBLE PRECISION,
    input_tokens  BIGINT,
    output_tokens BIGINT,
    bytes         BIGINT NOT NULL,
    PRIMARY KEY (trace_id, idx)
);

CREATE TABLE trace_step_texts (
    trace_id    TEXT NOT NULL REFERENCES traces (id) ON DELETE CASCADE,
    idx         INTEGER NOT NULL,
    thought     TEXT NOT NULL,
    action      TEXT NOT NULL,
    observation TEXT NOT NULL,
    PRIMARY KEY (trace_id, idx)
);

CREATE TABLE label_events (
    id         TEXT PRIMARY KEY,
    trace_id   TEXT NOT NULL REFERENCES traces (id) ON DELETE CASCADE,
    label      TEXT NOT NULL,
    bucket     TEXT NOT NULL,
    source     TEXT NOT NULL,
    reason     TEXT NOT NULL,
    author     TEXT NOT NULL,
    old_label  TEXT NOT NULL,
    old_bucket TEXT NOT NULL,
    created_at TIMESTAMPTZ NOT NULL
);
CREATE INDEX label_events_by_trace ON label_events (trace_id, created_at);

CREATE TABLE splits (
    id         TEXT PRIMARY KEY,
    dataset_id TEXT NOT NULL REFERENCES datasets (id) ON DELETE CASCADE,
    name       TEXT NOT NULL,
    created_at TIMESTAMPTZ NOT NULL,
    UNIQUE (dataset_id, name)
);

CREATE TABLE split_traces (
    split_id TEXT NOT NULL REFERENCES splits (id) ON DELETE CASCADE,
    trace_id TEXT NOT NULL REFERENCES traces (id) ON DELETE CASCADE,
    PRIMARY KEY (split_id, trace_id)
);
CREATE INDEX split_traces_by_trace ON split_traces (trace_id);

CREATE TABLE import_reports (
    id          TEXT PRIMARY KEY,
    dataset_id  TEXT NOT NULL REFERENCES datasets (id) ON DELETE CASCADE,
    state       TEXT NOT NULL,
    origin      TEXT NOT NULL,
    message     TEXT NOT NULL,
    summary     TEXT NOT NULL,
    created_at  TIMESTAMPTZ NOT NULL,
    finished_at TIMESTAMPTZ
);
CREATE INDEX import_reports_by_dataset ON import_reports (dataset_id, id);

CREATE TABLE import_sources (
    dataset_id TEXT NOT NULL REFERENCES datasets (id) ON DELETE CASCADE,
    sha256     TEXT NOT NULL,
    path       TEXT NOT NULL,
    format     TEXT NOT NULL,
    bytes      BIGINT NOT NULL,
    report_id  TEXT NOT NULL,
    PRIMARY KEY (dataset_id, sha256, path)
);

CREATE TABLE reviewers (
    id         TEXT PRIMARY KEY,
    project_id TEXT NOT NULL REFERENCES projects (id),
    name       TEXT NOT NULL,
    note       TEXT NOT NULL,
    created_at TIMESTAMPTZ NOT NULL,
    UNIQUE (project_id, name)
);

CREATE TABLE reviewer_versions (
    id          TEXT PRIMARY KEY,
    reviewer_id TEXT NOT NULL REFERENCES reviewers (id) ON DELETE CASCADE,
    version     INTEGER NOT NULL,
    kind        TEXT NOT NULL,
    model       TEXT NOT NULL,
    spec        TEXT NOT NULL,
    spec_sha256 TEXT NOT NULL,
    created_at  TIMESTAMPTZ NOT NULL,
    UNIQUE (reviewer_id, version)
);

CREATE TABLE experiments (
    id            TEXT PRIMARY KEY,
    project_id    TEXT NOT NULL REFERENCES projects (id),
    dataset_id    TEXT NOT NULL REFERENCES datasets (id),
    split_id      TEXT REFERENCES splits (id),
    name          TEXT NOT NULL,
    kind          TEXT NOT NULL,
    votes         INTEGER NOT NULL,
    seed          BIGINT NOT NULL,
    config        TEXT NOT NULL,
    code_version  TEXT NOT NULL,
    state         TEXT NOT NULL,
    simulated     BOOLEAN NOT NULL,
    item_total    INTEGER NOT NULL,
    created_at    TIMESTAMPTZ NOT NULL,
    started_at    TIMESTAMPTZ,
    finished_at   TIMESTAMPTZ
);
CREATE INDEX experiments_by_project ON experiments (project_id, id);
CREATE INDEX experiments_by_state ON experiments (state);

CREATE TABLE arms (
    id                  TEXT PRIMARY KEY,
    experiment_id       TEXT NOT NULL REFERENCES experiments (id) ON DELETE CASCADE,
    idx                 INTEGER NOT NULL,
    reviewer_version_id TEXT NOT NULL REFERENCES reviewer_versions (id),
    reviewer_name       TEXT NOT NULL,
    model               TEXT NOT NULL,
    form                TEXT NOT NULL,
    simulated           BOOLEAN NOT NULL,
    UNIQUE (experiment_id, idx)
);

-- A shard is a group of items that one worker performs under a lease. The
-- generation makes an older queued job for the same shard void.
CREATE TABLE shards (
    id            TEXT PRIMARY KEY,
    experiment_id TEXT NOT NULL REFERENCES experiments (id) ON DELETE CASCADE,
    idx           INTEGER NOT NULL,
    state         TEXT NOT NULL,
    generation    INTEGER NOT NULL,
    owner         TEXT NOT NULL,
    lease_until   TIMESTAMPTZ,
    queued_at     TIMESTAMPTZ NOT NULL,
    UNIQUE (experiment_id, idx)
);
CREATE INDEX shards_by_state ON shards (state, lease_until);

CREATE TABLE items (
    id              TEXT PRIMARY KEY,
    experiment_id   TEXT NOT NULL REFERENCES experiments (id) ON DELETE CASCADE,
    arm_id          TEXT NOT NULL REFERENCES arms (id) ON DELETE CASCADE,
    trace_id        TEXT NOT NULL REFERENCES traces (id),
    shard_id        TEXT NOT NULL REFERENCES shards (id) ON DELETE CASCADE,
    state           TEXT NOT NULL,
    evidence_sha256 TEXT NOT NULL,
    error_class     TEXT NOT NULL,
    error_message   TEXT NOT NULL,
    updated_at      TIMESTAMPTZ NOT NULL,
    UNIQUE (arm_id, trace_id)
);
CREATE INDEX items_by_state ON items (experiment_id, state, arm_id);
CREATE INDEX items_by_shard ON items (shard_id, id);
CREATE INDEX items_by_trace ON items (trace_id);

CREATE TABLE evidences (
    sha256     TEXT PRIMARY KEY,
    form       TEXT NOT NULL,
    text       TEXT NOT NULL,
    tokens     INTEGER NOT NULL,
    lines      INTEGER NOT NULL,
    cut        TEXT NOT NULL,
    created_at TIMESTAMPTZ NOT NULL
);

CREATE TABLE leaks (
    item_id TEXT NOT NULL REFERENCES items (id) ON DELETE CASCADE,
    idx     INTEGER NOT NULL,
    kind    TEXT NOT NULL,
    line    INTEGER NOT NULL,
    text    TEXT NOT NULL,
    PRIMARY KEY (item_id, idx)
);

CREATE TABLE votes (
    item_id         TEXT NOT NULL REFERENCES items (id) ON DELETE CASCADE,
    idx             INTEGER NOT NULL,
    experiment_id   TEXT NOT NULL,
    arm_id          TEXT NOT NULL,
    vote            TEXT NOT NULL,
    confidence      DOUBLE PRECISION,
    headline        TEXT NOT NULL,
    problem         TEXT NOT NULL,
    evidence_sha256 TEXT NOT NULL,
    request_sha256  TEXT NOT NULL,
    seed            BIGINT NOT NULL,
    attempts        INTEGER NOT NULL,
    latency_ms      BIGINT NOT NULL,
    input_tokens    BIGINT,
    output_tokens   BIGINT,
    cached_tokens   BIGINT,
    cost_usd        DOUBLE PRECISION,
    price_version   TEXT NOT NULL,
    cached          BOOLEAN NOT NULL,
    created_at      TIMESTAMPTZ NOT NULL,
    PRIMARY KEY (item_id, idx)
);
CREATE INDEX votes_by_arm ON votes (experiment_id, arm_id, vote);

CREATE TABLE vote_texts (
    item_id   TEXT NOT NULL REFERENCES items (id) ON DELETE CASCADE,
    idx       INTEGER NOT NULL,
    rationale TEXT NOT NULL,
    citations TEXT NOT NULL,
    raw       TEXT NOT NULL,
    PRIMARY KEY (item_id, idx)
);

-- Every try that did not end in a vote. A provider error is never a vote.
CREATE TABLE call_errors (
    id            TEXT PRIMARY KEY,
    item_id       TEXT NOT NULL REFERENCES items (id) ON DELETE CASCADE,
    experiment_id TEXT NOT NULL,
    arm_id        TEXT NOT NULL,
    vote_idx      INTEGER NOT NULL,
    class         TEXT NOT NULL,
    status        INTEGER NOT NULL,
    message       TEXT NOT NULL,
    attempts      INTEGER NOT NULL,
    created_at    TIMESTAMPTZ NOT NULL
);
CREATE INDEX call_errors_by_experiment ON call_errors (experiment_id, class);
CREATE INDEX call_errors_by_item ON call_errors (item_id);

-- The label is a copy of the trace's, kept in step when a label changes, so that
-- a result page reads one index and nothing else.
CREATE TABLE decisions (
    item_id       TEXT PRIMARY KEY REFERENCES items (id) ON DELETE CASCADE,
    experiment_id TEXT NOT NULL,
    arm_id        TEXT NOT NULL,
    trace_id      TEXT NOT NULL,
    label         TEXT NOT NULL,
    decision      TEXT NOT NULL,
    n_accept      INTEGER NOT NULL,
    n_reject      INTEGER NOT NULL,
    n_uncertain   INTEGER NOT NULL,
    n_unparseable INTEGER NOT NULL,
    created_at    TIMESTAMPTZ NOT NULL
);
CREATE INDEX decisions_by_cell ON decisions
    (experiment_id, arm_id, label, decision, n_accept, n_reject, n_uncertain, n_unparseable);
CREATE INDEX decisions_by_trace ON decisions (trace_id, experiment_id);

CREATE TABLE call_cache (
    request_sha256 TEXT PRIMARY KEY,
    answer         TEXT NOT NULL,
    created_at     TIMESTAMPTZ NOT NULL
);

CREATE TABLE share_links (
    id            TEXT PRIMARY KEY,
    experiment_id TEXT NOT NULL REFERENCES experiments (id) ON DELETE CASCADE,
    token_sha256  TEXT NOT NULL UNIQUE,
    created_by    TEXT NOT NULL,
    created_at    TIMESTAMPTZ NOT NULL,
    expires_at    TIMESTAMPTZ,
    revoked_at    TIMESTAMPTZ
);
CREATE INDEX share_links_by_experiment ON share_links (experiment_id, created_at);

CREATE TABLE sessions (
    token_sha256 TEXT PRIMARY KEY,
    created_at   TIMESTAMPTZ NOT NULL,
    expires_at   TIMESTAMPTZ NOT NULL
);

CREATE TABLE login_throttles (
    address       TEXT PRIMARY KEY,
    failures      INTEGER NOT NULL,
    blocked_until TIMESTAMPTZ NOT NULL
);

CREATE TABLE settings (
    name  TEXT PRIMARY KEY,
    value TEXT NOT NULL
);

-- +goose Down
DROP TABLE settings;
DROP TABLE login_throttles;
DROP TABLE sessions;
DROP TABLE share_links;
DROP TABLE call_cache;
DROP TABLE decisions;
DROP TABLE call_errors;
DROP TABLE vote_texts;
DROP TABLE votes;
DROP TABLE leaks;
DROP TABLE evidences;
DROP TABLE items;
DROP TABLE shards;
DROP TABLE arms;
DROP TABLE experiments;
DROP TABLE reviewer_versions;
DROP TABLE reviewers;
DROP TABLE import_sources;
DROP TABLE import_reports;
DROP TABLE split_traces;
DROP TABLE splits;
DROP TABLE label_events;
DROP TABLE trace_step_texts;
DROP TABLE trace_steps;
DROP TABLE trace_texts;
DROP TABLE traces;
DROP TABLE instance_oracles;
DROP TABLE instance_texts;
DROP TABLE instances;
DROP TABLE datasets;
DROP TABLE projects;
