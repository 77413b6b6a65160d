package export

import (
	"bytes"
	"encoding/json"
	"strings"
)

// Vote is one answer of a reviewer, a row of votes.csv, votes.jsonl and
// votes.parquet.
type Vote struct {
	ExperimentID    string   `json:"experiment_id" parquet:"experiment_id"`
	TraceID         string   `json:"trace_id" parquet:"trace_id"`
	ItemID          string   `json:"item_id" parquet:"item_id"`
	ArmID           string   `json:"arm_id" parquet:"arm_id"`
	InstanceID      string   `json:"instance_id" parquet:"instance_id"`
	Agent           string   `json:"agent" parquet:"agent"`
	Model           string   `json:"model" parquet:"model"` // the agent's
	Attempt         int64    `json:"attempt" parquet:"attempt"`
	Label           string   `json:"label" parquet:"label"`
	Reviewer        string   `json:"reviewer" parquet:"reviewer"`
	ReviewerModel   string   `json:"reviewer_model" parquet:"reviewer_model"`
	Evidence        string   `json:"evidence" parquet:"evidence"` // the form
	Index           int64    `json:"index" parquet:"index"`       // from 0
	Verdict         string   `json:"verdict" parquet:"verdict"`
	Confidence      *float64 `json:"confidence" parquet:"confidence,optional"`
	Rationale       string   `json:"rationale" parquet:"rationale"`
	Citations       JSON     `json:"citations" parquet:"citations"`
	Problem         string   `json:"problem" parquet:"problem"`
	Raw             string   `json:"raw" parquet:"raw"` // the reply as it came
	Seed            int64    `json:"seed" parquet:"seed"`
	RequestAttempts int64    `json:"request_attempts" parquet:"request_attempts"`
	LatencyMS       int64    `json:"latency_ms" parquet:"latency_ms"`
	InputTokens     *int64   `json:"input_tokens" parquet:"input_tokens,optional"`
	OutputTokens    *int64   `json:"output_tokens" parquet:"output_tokens,optional"`
	CachedTokens    *int64   `json:"cached_tokens" parquet:"cached_tokens,optional"`
	CostUSD         *float64 `json:"cost_usd" parquet:"cost_usd,optional"`
	PriceVersion    string   `json:"price_version" parquet:"price_version"`
	Cached          bool     `json:"cached" parquet:"cached"`
	Simulated       bool     `json:"simulated" parquet:"simulated"`
	NotDeployable   bool     `json:"not_deployable" parquet:"not_deployable"`
	EvidenceSHA256  string   `json:"evidence_sha256" parquet:"evidence_sha256"`
	RequestSHA256   string   `json:"request_sha256" parquet:"request_sha256"`
	VotedAt         string   `json:"voted_at" parquet:"voted_at"` // RFC 3339, UTC
}

// Decision is an item of an experiment, an arm on a trace, with the tally of its
// votes. Every item has a row: one without a decision says in State and Error why.
type Decision struct {
	ExperimentID  string   `json:"experiment_id" parquet:"experiment_id"`
	TraceID       string   `json:"trace_id" parquet:"trace_id"`
	ItemID        string   `json:"item_id" parquet:"item_id"`
	ArmID         string   `json:"arm_id" parquet:"arm_id"`
	InstanceID    string   `json:"instance_id" parquet:"instance_id"`
	Agent         string   `json:"agent" parquet:"agent"`
	Model         string   `json:"model" parquet:"model"`
	Attempt       int64    `json:"attempt" parquet:"attempt"`
	Label         string   `json:"label" parquet:"label"`
	Bucket        string   `json:"bucket" parquet:"bucket"`
	LabelSource   string   `json:"label_source" parquet:"label_source"`
	Reviewer      string   `json:"reviewer" parquet:"reviewer"`
	ReviewerModel string   `json:"reviewer_model" parquet:"reviewer_model"`
	Evidence      string   `json:"evidence" parquet:"evidence"`
	State         string   `json:"state" parquet:"state"`       // done, error, blocked, missing; running or pending while it runs
	Decision      string   `json:"decision" parquet:"decision"` // empty without one
	Accept        int64    `json:"accept" parquet:"accept"`
	Reject        int64    `json:"reject" parquet:"reject"`
	Uncertain     int64    `json:"uncertain" parquet:"uncertain"`
	Unparseable   int64    `json:"unparseable" parquet:"unparseable"`
	CachedVotes   int64    `json:"cached_votes" parquet:"cached_votes"`
	CostUSD       *float64 `json:"cost_usd" parquet:"cost_usd,optional"` // nil unless the cost of every vote is known
	Simulated     bool     `json:"simulated" parquet:"simulated"`
	NotDeployable bool     `json:"not_deployable" parquet:"not_deployable"`
	Error         string   `json:"error" parquet:"error"`
}

// Rate is one rate of one arm with both its intervals; null where it is undefined,
// with the reason.
type Rate struct {
	Arm                string   `json:"arm" parquet:"arm"`
	Reviewer           string   `json:"reviewer" parquet:"reviewer"`
	Model              string   `json:"model" parquet:"model"`
	EvidenceForm       string   `json:"evidence_form" parquet:"evidence_form"`
	Badges             string   `json:"badges" parquet:"badges"` // separated by blanks
	Metric             string   `json:"metric" parquet:"metric"`
	K                  int64    `json:"k" parquet:"k"`
	N                  int64    `json:"n" parquet:"n"`
	Value              *float64 `json:"value" parquet:"value,optional"`
	UndefinedBecause   string   `json:"undefined_because" parquet:"undefined_because"`
	WilsonLo           *float64 `json:"wilson_lo" parquet:"wilson_lo,optional"`
	WilsonHi           *float64 `json:"wilson_hi" parquet:"wilson_hi,optional"`
	BootstrapLo        *float64 `json:"bootstrap_lo" parquet:"bootstrap_lo,optional"`
	BootstrapHi        *float64 `json:"bootstrap_hi" parquet:"bootstrap_hi,optional"`
	BootstrapResamples *int64   `json:"bootstrap_resamples" parquet:"bootstrap_resamples,optional"`
	BootstrapSeed      *uint64  `json:"bootstrap_seed" parquet:"bootstrap_seed,optional"`
	Warnings           string   `json:"warnings" parquet:"warnings"`
}

// JSON is a JSON value kept as text; empty stands for null. Make one with ToJSON.
type JSON string

// ToJSON gives a JSON text its plain form: no blanks between tokens and keys in
// order, so that equal values are equal texts. What is no JSON gives null.
func ToJSON(text string) JSON {
	dec := json.NewDecoder(strings.NewReader(text))
	dec.UseNumber()
	var v any
	if dec.Decode(&v) != nil || v == nil || dec.More() {
		return ""
	}
	var b bytes.Buffer
	enc := json.NewEncoder(&b)
	enc.SetEscapeHTML(false)
	if enc.Encode(v) != nil {
		return ""
	}
	return JSON(bytes.TrimSuffix(b.Bytes(), []byte("\n")))
}

// MarshalJSON writes the value itself.
func (j JSON) MarshalJSON() ([]byte, error) {
	if j == "" {
		return []byte("null"), nil
	}
	return []byte(j), nil
}
