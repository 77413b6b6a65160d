-- +goose Up
-- What the votes of a decided item cost, so that sums over an experiment read one
-- row an item and no votes.
ALTER TABLE decisions ADD COLUMN cached INTEGER NOT NULL DEFAULT 0;
ALTER TABLE decisions ADD COLUMN cost_usd DOUBLE PRECISION NOT NULL DEFAULT 0;
ALTER TABLE decisions ADD COLUMN cost_known INTEGER NOT NULL DEFAULT 0;
ALTER TABLE decisions ADD COLUMN input_tokens BIGINT NOT NULL DEFAULT 0;
ALTER TABLE decisions ADD COLUMN output_tokens BIGINT NOT NULL DEFAULT 0;
ALTER TABLE decisions ADD COLUMN tokens_known INTEGER NOT NULL DEFAULT 0;
ALTER TABLE decisions ADD COLUMN latency_ms BIGINT NOT NULL DEFAULT 0;
UPDATE decisions SET (cached, cost_usd, cost_known, input_tokens, output_tokens, tokens_known, latency_ms) = (
    SELECT coalesce(sum(CASE WHEN v.cached THEN 1 ELSE 0 END), 0),
        coalesce(sum(CASE WHEN v.cached THEN 0 ELSE v.cost_usd END), 0), count(v.cost_usd),
        coalesce(sum(CASE WHEN v.cached THEN 0 ELSE v.input_tokens END), 0),
        coalesce(sum(CASE WHEN v.cached THEN 0 ELSE v.output_tokens END), 0), count(v.input_tokens),
        coalesce(sum(v.latency_ms), 0)
    FROM votes v WHERE v.item_id = decisions.item_id
);
CREATE INDEX decisions_by_cost ON decisions
    (experiment_id, arm_id, n_accept, n_reject, n_uncertain, n_unparseable, cached, cost_usd, cost_known,
     input_tokens, output_tokens, tokens_known, latency_ms);

-- +goose Down
DROP INDEX decisions_by_cost;
ALTER TABLE decisions DROP COLUMN latency_ms;
ALTER TABLE decisions DROP COLUMN tokens_known;
ALTER TABLE decisions DROP COLUMN output_tokens;
ALTER TABLE decisions DROP COLUMN input_tokens;
ALTER TABLE decisions DROP COLUMN cost_known;
ALTER TABLE decisions DROP COLUMN cost_usd;
ALTER TABLE decisions DROP COLUMN cached;
