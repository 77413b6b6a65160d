-- +goose Up
-- What was observed of one trace under one configuration of checks. Experiments
-- with the same configuration share it: the first observation counts. Null is not
-- observed.
CREATE TABLE check_sets (
    id              TEXT PRIMARY KEY,
    trace_id        TEXT NOT NULL REFERENCES traces (id) ON DELETE CASCADE,
    config_sha256   TEXT NOT NULL,
    config          TEXT NOT NULL,
    patch_none      BOOLEAN,
    patch_why       TEXT NOT NULL,
    static_ran      BOOLEAN,
    static_why      TEXT NOT NULL,
    static_decisive INTEGER NOT NULL,
    static_caused   INTEGER NOT NULL,
    static_standing INTEGER NOT NULL,
    created_at      TIMESTAMPTZ NOT NULL,
    UNIQUE (trace_id, config_sha256)
);

CREATE TABLE static_runs (
    set_id      TEXT NOT NULL REFERENCES check_sets (id) ON DELETE CASCADE,
    idx         INTEGER NOT NULL,
    tool        TEXT NOT NULL,
    version     TEXT NOT NULL,
    why         TEXT NOT NULL,
    backend     TEXT NOT NULL,
    unsandboxed BOOLEAN NOT NULL,
    runs        INTEGER NOT NULL,
    wall_ms     BIGINT NOT NULL,
    PRIMARY KEY (set_id, idx)
);

CREATE TABLE static_findings (
    set_id   TEXT NOT NULL REFERENCES check_sets (id) ON DELETE CASCADE,
    idx      INTEGER NOT NULL,
    tool     TEXT NOT NULL,
    side     TEXT NOT NULL,
    rule     TEXT NOT NULL,
    file     TEXT NOT NULL,
    line     INTEGER NOT NULL,
    class    TEXT NOT NULL,
    decides  BOOLEAN NOT NULL,
    message  TEXT NOT NULL,
    context  TEXT NOT NULL,
    PRIMARY KEY (set_id, idx)
);

-- Every attempt is kept, the discarded ones too. The runs on the reference patch
-- are for the audit: no prompt, decision or reviewer reads them.
CREATE TABLE generated_tests (
    set_id           TEXT NOT NULL REFERENCES check_sets (id) ON DELETE CASCADE,
    attempt          INTEGER NOT NULL,
    generator        TEXT NOT NULL,
    model            TEXT NOT NULL,
    recorded         BOOLEAN NOT NULL,
    path             TEXT NOT NULL,
    flaw             TEXT NOT NULL,
    asserts          TEXT NOT NULL,
    limits           TEXT NOT NULL,
    base_result      TEXT NOT NULL,
    base_headline    TEXT NOT NULL,
    patched_result   TEXT NOT NULL,
    patched_headline TEXT NOT NULL,
    gold_result      TEXT NOT NULL,
    gold_headline    TEXT NOT NULL,
    backend          TEXT NOT NULL,
    unsandboxed      BOOLEAN NOT NULL,
    runs             INTEGER NOT NULL,
    wall_ms          BIGINT NOT NULL,
    input_tokens     BIGINT,
    output_tokens    BIGINT,
    cost_usd         DOUBLE PRECISION,
    price_version    TEXT NOT NULL,
    cached           BOOLEAN NOT NULL,
    request_sha256   TEXT NOT NULL,
    latency_ms       BIGINT NOT NULL,
    created_at       TIMESTAMPTZ NOT NULL,
    PRIMARY KEY (set_id, attempt)
);

CREATE TABLE generated_test_texts (
    set_id         TEXT NOT NULL REFERENCES check_sets (id) ON DELETE CASCADE,
    attempt        INTEGER NOT NULL,
    prompt         TEXT NOT NULL,
    reply          TEXT NOT NULL,
    source         TEXT NOT NULL,
    feedback       TEXT NOT NULL,
    base_output    TEXT NOT NULL,
    patched_output TEXT NOT NULL,
    gold_output    TEXT NOT NULL,
    PRIMARY KEY (set_id, attempt)
);

-- How far a cascade came with an item. The verdict itself is the item's decision.
CREATE TABLE cascade_items (
    item_id       TEXT PRIMARY KEY REFERENCES items (id) ON DELETE CASCADE,
    experiment_id TEXT NOT NULL,
    arm_id        TEXT NOT NULL,
    trace_id      TEXT NOT NULL,
    set_id        TEXT NOT NULL REFERENCES check_sets (id),
    stage         TEXT NOT NULL,
    why           TEXT NOT NULL,
    trouble       TEXT NOT NULL,
    trouble_at    TEXT NOT NULL,
    detail        TEXT NOT NULL,
    updated_at    TIMESTAMPTZ NOT NULL
);
CREATE INDEX cascade_items_by_experiment ON cascade_items (experiment_id, arm_id, stage);

-- Traces whose truth is known by construction, with the item that is missing.
CREATE TABLE controlled_cases (
    trace_id TEXT PRIMARY KEY REFERENCES traces (id) ON DELETE CASCADE,
    kind     TEXT NOT NULL,
    name     TEXT NOT NULL,
    file     TEXT NOT NULL,
    line     INTEGER NOT NULL,
    item     TEXT NOT NULL,
    missing  TEXT NOT NULL
);

-- Patches judged one at a time, from a command line or a pipeline.
CREATE TABLE single_reviews (
    id         TEXT PRIMARY KEY,
    project_id TEXT NOT NULL REFERENCES projects (id),
    title      TEXT NOT NULL,
    verdict    TEXT NOT NULL,
    stage      TEXT NOT NULL,
    author     TEXT NOT NULL,
    created_at TIMESTAMPTZ NOT NULL
);
CREATE INDEX single_reviews_by_project ON single_reviews (project_id, id);

CREATE TABLE single_review_documents (
    review_id TEXT PRIMARY KEY REFERENCES single_reviews (id) ON DELETE CASCADE,
    document  TEXT NOT NULL
);

-- +goose Down
DROP TABLE single_review_documents;
DROP TABLE single_reviews;
DROP TABLE controlled_cases;
DROP TABLE cascade_items;
DROP TABLE generated_test_texts;
DROP TABLE generated_tests;
DROP TABLE static_findings;
DROP TABLE static_runs;
DROP TABLE check_sets;
