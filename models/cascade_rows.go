package models

import "time"

// CheckSet is what was observed of one trace under one configuration of checks.
// Nil is not observed.
type CheckSet struct {
	ID             string
	TraceID        string
	ConfigSHA256   string `gorm:"column:config_sha256"`
	Config         string
	PatchNone      *bool
	PatchWhy       string
	StaticRan      *bool
	StaticWhy      string
	StaticDecisive int
	StaticCaused   int
	StaticStanding int
	CreatedAt      time.Time
}

// StaticRun is one static tool on both trees; Why says why it gave no outcome.
type StaticRun struct {
	SetID       string `gorm:"primaryKey"`
	Idx         int    `gorm:"primaryKey;autoIncrement:false"`
	Tool        string
	Version     string
	Why         string
	Backend     string
	Unsandboxed bool
	Runs        int
	WallMS      int64 `gorm:"column:wall_ms"`
}

// Sides of a finding.
const (
	FindingCaused   = "caused"
	FindingStanding = "standing"
	FindingGone     = "gone"
	FindingUnclear  = "unclear"
)

// StaticFinding is a finding after attribution.
type StaticFinding struct {
	SetID   string `gorm:"primaryKey"`
	Idx     int    `gorm:"primaryKey;autoIncrement:false"`
	Tool    string
	Side    string
	Rule    string
	File    string
	Line    int
	Class   string
	Decides bool
	Message string
	Context string
}

// GeneratedTest is one attempt at a test, without its texts. Empty results were
// not run. Nil figures are unknown.
type GeneratedTest struct {
	SetID           string `gorm:"primaryKey"`
	Attempt         int    `gorm:"primaryKey;autoIncrement:false"`
	Generator       string
	Model           string
	Recorded        bool
	Path            string
	Flaw            string
	Asserts         string
	Limits          string
	BaseResult      string
	BaseHeadline    string
	PatchedResult   string
	PatchedHeadline string
	GoldResult      string
	GoldHeadline    string
	Backend         string
	Unsandboxed     bool
	Runs            int
	WallMS          int64 `gorm:"column:wall_ms"`
	InputTokens     *int64
	OutputTokens    *int64
	CostUSD         *float64 `gorm:"column:cost_usd"`
	PriceVersion    string
	Cached          bool
	RequestSHA256   string `gorm:"column:request_sha256"`
	LatencyMS       int64  `gorm:"column:latency_ms"`
	CreatedAt       time.Time
}

// GeneratedTestText is what the generator was told and wrote, and what the runs
// printed.
type GeneratedTestText struct {
	SetID         string `gorm:"primaryKey"`
	Attempt       int    `gorm:"primaryKey;autoIncrement:false"`
	Prompt        string
	Reply         string
	Source        string
	Feedback      string
	BaseOutput    string
	PatchedOutput string
	GoldOutput    string
}

// CascadeItem is how far a cascade came with an item.
type CascadeItem struct {
	ItemID       string `gorm:"primaryKey"`
	ExperimentID string
	ArmID        string
	TraceID      string
	SetID        string
	Stage        string
	Why          string
	Trouble      string // empty: none
	TroubleAt    string // the action that could not be performed
	Detail       string
	UpdatedAt    time.Time `gorm:"autoUpdateTime:false"`
}

// ControlledCase says what a trace lacks by construction. Kind is "control" for a
// reference patch, which lacks nothing.
type ControlledCase struct {
	TraceID string `gorm:"primaryKey"`
	Kind    string
	Name    string
	File    string
	Line    int
	Item    string
	Missing string
}

// SingleReview is a patch judged alone. Verdict is accept, reject, uncertain, or
// error.
type SingleReview struct {
	ID        string
	ProjectID string
	Title     string
	Verdict   string
	Stage     string
	Author    string
	CreatedAt time.Time
}

// SingleReviewDocument is everything about a single review, as JSON.
type SingleReviewDocument struct {
	ReviewID string `gorm:"primaryKey"`
	Document string
}
