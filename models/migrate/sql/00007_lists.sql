-- +goose Up
-- agent_steps counts the agent's steps by the rule of the format it came from, null
-- when unknown; step_count counts the stored rows. The hashes tell an attempt that
-- is stored from another one without reading its texts.
ALTER TABLE traces ADD COLUMN agent_steps INTEGER;
ALTER TABLE traces ADD COLUMN steps_sha256 TEXT NOT NULL DEFAULT '';
ALTER TABLE traces ADD COLUMN summary_sha256 TEXT NOT NULL DEFAULT '';

-- The list of imports shows these; the summary with every file and reason is long.
ALTER TABLE import_reports ADD COLUMN records INTEGER;
ALTER TABLE import_reports ADD COLUMN added INTEGER;
ALTER TABLE import_reports ADD COLUMN problems INTEGER;
-- What was read and how, so that reading the very same again can be spared; empty
-- when something could not be read.
ALTER TABLE import_reports ADD COLUMN input_sha256 TEXT NOT NULL DEFAULT '';
ALTER TABLE import_reports ADD COLUMN input_bytes BIGINT NOT NULL DEFAULT 0;

-- +goose Down
ALTER TABLE import_reports DROP COLUMN input_bytes;
ALTER TABLE import_reports DROP COLUMN input_sha256;
ALTER TABLE import_reports DROP COLUMN problems;
ALTER TABLE import_reports DROP COLUMN added;
ALTER TABLE import_reports DROP COLUMN records;
ALTER TABLE traces DROP COLUMN summary_sha256;
ALTER TABLE traces DROP COLUMN steps_sha256;
ALTER TABLE traces DROP COLUMN agent_steps;
