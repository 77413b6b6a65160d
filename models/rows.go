package models

import "time"

// Project is what a team works in.
type Project struct {
	ID        string
	Slug      string
	Name      string
	CreatedAt time.Time
}

// Dataset is a named set of traces.
type Dataset struct {
	ID        string
	ProjectID string
	Name      string
	Note      string
	Bundled   bool
	CreatedAt time.Time
}

// InstanceRow is a task of a dataset without its texts.
type InstanceRow struct {
	ID         string
	DatasetID  string
	InstanceID string
	Repo       string
	BaseCommit string
	Language   string
	Version    string
	Title      string
	CreatedAt  time.Time
}

// TableName names the table.
func (InstanceRow) TableName() string { return "instances" }

// InstanceText is the issue of an instance.
type InstanceText struct {
	InstanceRow string `gorm:"primaryKey"`
	Issue       string
	Hints       string
}

// OracleRow is what only labels may depend on; lists are JSON texts.
type OracleRow struct {
	InstanceRow string `gorm:"primaryKey"`
	GoldPatch   string
	TestPatch   string
	FailToPass  string
	PassToPass  string
}

// TableName names the table.
func (OracleRow) TableName() string { return "instance_oracles" }

// TraceRow is a trace without its large texts. Nil means unknown.
type TraceRow struct {
	ID            string
	DatasetID     string
	InstanceRow   string
	InstanceID    string
	Repo          string
	Language      string
	Agent         string
	Model         string
	Attempt       int
	PatchState    string
	PatchSHA256   string `gorm:"column:patch_sha256"`
	PatchBytes    int64
	PatchFiles    int
	PatchAdded    *int // nil: the hunk headers lie, so lines cannot be counted
	PatchRemoved  *int
	StepCount     int  // stored steps, words without an action among them
	AgentSteps    *int // the agent's steps by the rule of the format; nil: unknown
	Status        string
	Trajectory    string
	CostUSD       *float64 `gorm:"column:cost_usd"`
	InputTokens   *int64
	OutputTokens  *int64
	DurationMS    *int64 `gorm:"column:duration_ms"`
	Label         string
	Bucket        string
	LabelSource   string
	OutcomeReason string
	OutcomeSource string
	TestsKnown    bool
	TestsApplied  bool
	F2POK         int    `gorm:"column:f2p_ok"`
	F2PAll        int    `gorm:"column:f2p_all"`
	P2POK         int    `gorm:"column:p2p_ok"`
	P2PAll        int    `gorm:"column:p2p_all"`
	ContentSHA256 string `gorm:"column:content_sha256"`
	StepsSHA256   string `gorm:"column:steps_sha256"`   // empty: no steps
	SummarySHA256 string `gorm:"column:summary_sha256"` // empty: no summary
	CreatedAt     time.Time
}

// TableName names the table.
func (TraceRow) TableName() string { return "traces" }

// TraceText is the patch and the final summary of a trace.
type TraceText struct {
	TraceID string `gorm:"primaryKey"`
	Patch   string
	Summary string
}

// StepRow is a step for the outline.
type StepRow struct {
	TraceID      string
	Idx          int
	Kind         string
	Tool         string
	Title        string
	Failed       bool
	ExitCode     *int
	StartedAt    *time.Time
	DurationMS   *int64   `gorm:"column:duration_ms"`
	CostUSD      *float64 `gorm:"column:cost_usd"`
	InputTokens  *int64
	OutputTokens *int64
	Bytes        int64
}

// TableName names the table.
func (StepRow) TableName() string { return "trace_steps" }

// StepText is what a step thought, did and saw.
type StepText struct {
	TraceID     string
	Idx         int
	Thought     string
	Action      string
	Observation string
}

// TableName names the table.
func (StepText) TableName() string { return "trace_step_texts" }

// LabelEvent is one change of a label.
type LabelEvent struct {
	ID        string
	TraceID   string
	Label     string
	Bucket    string
	Source    string
	Reason    string
	Author    string
	OldLabel  string
	OldBucket string
	CreatedAt time.Time
}

// Split is a named set of traces of a dataset.
type Split struct {
	ID        string
	DatasetID string
	Name      string
	CreatedAt time.Time
}

// ImportReport is what an import did; Summary is JSON.
type ImportReport struct {
	ID        string
	DatasetID string
	State     string // running, done, broken
	Origin    string // file name or path the user named
	Message   string
	Summary   string // left out of lists
	Records   *int   // read; nil while it runs
	Added     *int   // traces that were not stored before
	Problems  *int
	// InputSHA256 stands for all that was read, byte for byte, and the options it was
	// read with; empty when something could not be read.
	InputSHA256 string `gorm:"column:input_sha256"`
	InputBytes  int64
	CreatedAt   time.Time
	FinishedAt  *time.Time
}

// ImportSource is a file that was imported.
type ImportSource struct {
	DatasetID string
	SHA256    string `gorm:"column:sha256"`
	Path      string
	Format    string
	Bytes     int64
	ReportID  string
}

// Reviewer is a named reviewer of a project; its settings are versions.
type Reviewer struct {
	ID        string
	ProjectID string
	Name      string
	Note      string
	CreatedAt time.Time
}

// ReviewerVersion is one set of settings. Spec is JSON and never holds a key.
type ReviewerVersion struct {
	ID         string
	ReviewerID string
	Version    int
	Kind       string
	Model      string
	Spec       string
	SpecSHA256 string `gorm:"column:spec_sha256"`
	CreatedAt  time.Time
}

// Experiment states.
const (
	StateRunning  = "running"
	StateStopping = "stopping" // no new call starts; calls in flight end
	StateStopped  = "stopped"
	StateDone     = "done" // nothing is left to ask; errors may remain
)

// Experiment is arms × a split × K votes × a seed, with a snapshot of its
// configuration.
type Experiment struct {
	ID          string
	ProjectID   string
	DatasetID   string
	SplitID     *string
	Name        string
	Kind        string
	Votes       int
	Seed        int64
	Config      string
	CodeVersion string
	State       string
	Simulated   bool
	ItemTotal   int
	CreatedAt   time.Time
	StartedAt   *time.Time
	FinishedAt  *time.Time
}

// Arm is a reviewer under an evidence form.
type Arm struct {
	ID                string
	ExperimentID      string
	Idx               int
	ReviewerVersionID string
	ReviewerName      string
	Model             string
	Form              string
	Simulated         bool
}

// Shard states.
const (
	ShardQueued = "queued"
	ShardLeased = "leased"
	ShardIdle   = "idle" // stopped with work left
	ShardDone   = "done"
)

// Shard is a group of items performed under one lease.
type Shard struct {
	ID           string
	ExperimentID string
	Idx          int
	State        string
	Generation   int
	Owner        string
	LeaseUntil   *time.Time
	QueuedAt     time.Time
}

// Item states. An item that is not done, error or blocked when its experiment
// has ended is missing.
const (
	ItemPending = "pending"
	ItemRunning = "running"
	ItemDone    = "done"
	ItemError   = "error"
	ItemBlocked = "blocked" // the leakage audit stopped it before any vote
)

// Item is an arm × trace.
type Item struct {
	ID             string
	ExperimentID   string
	ArmID          string
	TraceID        string
	ShardID        string
	State          string
	EvidenceSHA256 string `gorm:"column:evidence_sha256"`
	ErrorClass     string
	ErrorMessage   string
	UpdatedAt      time.Time `gorm:"autoUpdateTime:false"`
}

// VoteRow is one answer without its texts. Nil means unknown.
type VoteRow struct {
	ItemID         string `gorm:"primaryKey"`
	Idx            int    `gorm:"primaryKey;autoIncrement:false"`
	ExperimentID   string
	ArmID          string
	Vote           string
	Confidence     *float64
	Headline       string
	Problem        string
	EvidenceSHA256 string `gorm:"column:evidence_sha256"`
	RequestSHA256  string `gorm:"column:request_sha256"`
	Seed           int64
	Attempts       int
	LatencyMS      int64 `gorm:"column:latency_ms"`
	InputTokens    *int64
	OutputTokens   *int64
	CachedTokens   *int64
	CostUSD        *float64 `gorm:"column:cost_usd"`
	PriceVersion   string
	Cached         bool
	AuditRules     int // version of the rules that audited it; 0: not audited
	Contradictions int // flags that contradict a result or the rationale
	CreatedAt      time.Time
}

// TableName names the table.
func (VoteRow) TableName() string { return "votes" }

// VoteText is what the reviewer wrote; Citations is JSON.
type VoteText struct {
	ItemID    string `gorm:"primaryKey"`
	Idx       int    `gorm:"primaryKey;autoIncrement:false"`
	Rationale string
	Citations string
	Raw       string
}

// CallError is a try that did not end in a vote.
type CallError struct {
	ID           string
	ItemID       string
	ExperimentID string
	ArmID        string
	VoteIdx      int
	Class        string
	Status       int
	Message      string
	Attempts     int
	CreatedAt    time.Time
}
