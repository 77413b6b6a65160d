-- +goose Up
-- A candidate that a generator wrote for a control experiment, with what it was
-- told and what it cost. The patch is a trace like any other.
CREATE TABLE control_generations (
    task_id        TEXT NOT NULL REFERENCES control_tasks (id) ON DELETE CASCADE,
    idx            INTEGER NOT NULL,
    trace_id       TEXT NOT NULL REFERENCES traces (id),
    generator      TEXT NOT NULL,
    model          TEXT NOT NULL,
    why            TEXT NOT NULL,
    prompt         TEXT NOT NULL,
    reply          TEXT NOT NULL,
    input_tokens   BIGINT,
    output_tokens  BIGINT,
    cost_usd       DOUBLE PRECISION,
    price_version  TEXT NOT NULL,
    cached         BOOLEAN NOT NULL,
    request_sha256 TEXT NOT NULL,
    latency_ms     BIGINT NOT NULL,
    created_at     TIMESTAMPTZ NOT NULL,
    PRIMARY KEY (task_id, idx)
);

-- +goose Down
DROP TABLE control_generations;
