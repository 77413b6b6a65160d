-- +goose Up
-- A freeze fixes the choice made on a design experiment. Its manifest holds every
-- fingerprint and can be long, so no list reads it.
CREATE TABLE freezes (
    id              TEXT PRIMARY KEY,
    project_id      TEXT NOT NULL REFERENCES projects (id),
    experiment_id   TEXT NOT NULL REFERENCES experiments (id),
    manifest_sha256 TEXT NOT NULL,
    author          TEXT NOT NULL,
    created_at      TIMESTAMPTZ NOT NULL
);
CREATE INDEX freezes_by_experiment ON freezes (experiment_id, id);

CREATE TABLE freeze_manifests (
    freeze_id TEXT PRIMARY KEY REFERENCES freezes (id),
    document  TEXT NOT NULL
);

-- Runs are counted by design experiment and split, so that freezing the same
-- design again does not start the count anew.
CREATE TABLE heldout_runs (
    design_id     TEXT NOT NULL REFERENCES experiments (id),
    split_id      TEXT NOT NULL REFERENCES splits (id),
    number        INTEGER NOT NULL,
    freeze_id     TEXT NOT NULL REFERENCES freezes (id),
    experiment_id TEXT NOT NULL UNIQUE REFERENCES experiments (id),
    reason        TEXT NOT NULL,
    author        TEXT NOT NULL,
    created_at    TIMESTAMPTZ NOT NULL,
    PRIMARY KEY (design_id, split_id, number)
);
CREATE INDEX heldout_runs_by_freeze ON heldout_runs (freeze_id);

-- Version of the rules a vote was audited with; 0 is not audited, which is not the
-- same as audited and without a flag.
ALTER TABLE votes ADD COLUMN audit_rules INTEGER NOT NULL DEFAULT 0;
ALTER TABLE votes ADD COLUMN contradictions INTEGER NOT NULL DEFAULT 0;
CREATE INDEX votes_unaudited ON votes (experiment_id, arm_id) WHERE audit_rules = 0;

CREATE TABLE vote_flags (
    item_id       TEXT NOT NULL REFERENCES items (id) ON DELETE CASCADE,
    idx           INTEGER NOT NULL,
    n             INTEGER NOT NULL,
    experiment_id TEXT NOT NULL,
    arm_id        TEXT NOT NULL,
    vote          TEXT NOT NULL,
    kind          TEXT NOT NULL,
    said          TEXT NOT NULL,
    line          INTEGER NOT NULL,
    evidence      TEXT NOT NULL,
    contradiction BOOLEAN NOT NULL,
    PRIMARY KEY (item_id, idx, n)
);
CREATE INDEX vote_flags_by_arm ON vote_flags (experiment_id, arm_id, contradiction, vote, kind);

-- Notes are never changed: a new one takes the place of the old, which stays.
CREATE TABLE item_notes (
    id         TEXT PRIMARY KEY,
    item_id    TEXT NOT NULL REFERENCES items (id) ON DELETE CASCADE,
    text       TEXT NOT NULL,
    author     TEXT NOT NULL,
    created_at TIMESTAMPTZ NOT NULL
);
CREATE INDEX item_notes_by_item ON item_notes (item_id, id);

-- +goose Down
DROP TABLE item_notes;
DROP TABLE vote_flags;
DROP INDEX votes_unaudited;
ALTER TABLE votes DROP COLUMN contradictions;
ALTER TABLE votes DROP COLUMN audit_rules;
DROP TABLE heldout_runs;
DROP TABLE freeze_manifests;
DROP TABLE freezes;
