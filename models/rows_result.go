package models

import "time"

// Decision is the tally of an item's votes with what they cost, so that sums over
// an experiment read no votes. Label is kept equal to the trace's.
type Decision struct {
	ItemID       string `gorm:"primaryKey"`
	ExperimentID string
	ArmID        string
	TraceID      string
	Label        string
	Decision     string
	NAccept      int
	NReject      int
	NUncertain   int
	NUnparseable int
	Cached       int     // votes taken from the cache, not billed again
	CostUSD      float64 `gorm:"column:cost_usd"`
	CostKnown    int     // votes whose cost is known
	InputTokens  int64
	OutputTokens int64
	TokensKnown  int
	LatencyMS    int64 `gorm:"column:latency_ms"`
	CreatedAt    time.Time
}

// EvidenceRow is one distinct evidence text; Cut is JSON.
type EvidenceRow struct {
	SHA256    string `gorm:"column:sha256;primaryKey"`
	Form      string
	Text      string
	Tokens    int
	Lines     int
	Cut       string
	CreatedAt time.Time
}

// TableName names the table.
func (EvidenceRow) TableName() string { return "evidences" }

// Leak is a finding of the leakage audit.
type Leak struct {
	ItemID string
	Idx    int
	Kind   string
	Line   int
	Text   string
}

// ShareLink opens one result page. Only the hash of its token is stored.
type ShareLink struct {
	ID           string
	ExperimentID string
	TokenSHA256  string `gorm:"column:token_sha256"`
	CreatedBy    string
	CreatedAt    time.Time
	ExpiresAt    *time.Time
	RevokedAt    *time.Time
}
