package models

import "time"

// LabelRun gives labels to a dataset's traces by running the official tests. Its
// states are those of experiments. Settings is JSON.
type LabelRun struct {
	ID          string
	DatasetID   string
	SplitID     *string
	State       string
	Settings    string
	Backend     string
	Unsandboxed bool
	Rounds      int // runs on each tree
	TaskTotal   int // instances
	TraceTotal  int
	CreatedBy   string
	CreatedAt   time.Time
	FinishedAt  *time.Time
}

// LabelTask is one instance of a label run; its states are those of shards.
type LabelTask struct {
	ID           string
	RunID        string
	InstanceRow  string
	State        string
	Generation   int
	Owner        string
	LeaseUntil   *time.Time
	QueuedAt     time.Time
	ErrorMessage string // why it could not be ended the last time; empty otherwise
}

// LabelInstance is what a run found out about an instance. Counts are nil where
// the tests did not run. LeftOut is a JSON object of lists of official tests.
type LabelInstance struct {
	RunID       string `gorm:"primaryKey"`
	InstanceRow string `gorm:"primaryKey"`
	State       string // usable, or why not
	Reason      string
	Notes       string // JSON list of sentences
	LeftOut     string
	Runner      string
	BaseF2POK   *int `gorm:"column:base_f2p_ok"`
	BaseP2POK   *int `gorm:"column:base_p2p_ok"`
	GoldF2POK   *int `gorm:"column:gold_f2p_ok"`
	GoldP2POK   *int `gorm:"column:gold_p2p_ok"`
	F2PAll      *int `gorm:"column:f2p_all"`
	P2PAll      *int `gorm:"column:p2p_all"`
	CreatedAt   time.Time
}

// LabelResult is what a run found out about a trace. Counts are nil where the
// tests did not run. Applied is the JSON report of applying the patch, empty where
// nothing was applied.
type LabelResult struct {
	RunID       string `gorm:"primaryKey"`
	TraceID     string `gorm:"primaryKey"`
	InstanceRow string
	Outcome     string
	Reason      string
	Label       string
	Bucket      string
	OldLabel    string
	OldSource   string
	Kept        string // why the trace's label was left as it was; empty where the result became its label
	F2POK       *int   `gorm:"column:f2p_ok"`
	F2PAll      *int   `gorm:"column:f2p_all"`
	P2POK       *int   `gorm:"column:p2p_ok"`
	P2PAll      *int   `gorm:"column:p2p_all"`
	Applied     string
	Stripped    int // files of tests that the agent changed and that were not applied
	CreatedAt   time.Time
}

// LabelExecution is one run of the official tests on one tree.
type LabelExecution struct {
	ID          string
	RunID       string
	InstanceRow string
	TraceID     *string // nil on base and gold
	Tree        string  // base, gold or patch
	Round       int
	Runner      string
	Backend     string
	Unsandboxed bool
	Cause       string
	ExitCode    *int // nil: it did not end by itself
	Fault       string
	Detail      string
	F2POK       int `gorm:"column:f2p_ok"`
	F2PAll      int `gorm:"column:f2p_all"`
	P2POK       int `gorm:"column:p2p_ok"`
	P2PAll      int `gorm:"column:p2p_all"`
	Hung        int
	WallMS      int64  `gorm:"column:wall_ms"`
	CPUMS       *int64 `gorm:"column:cpu_ms"`
	MaxRSS      *int64 `gorm:"column:max_rss"`
	CreatedAt   time.Time
}

// LabelExecutionText is what an execution printed, and its tests as JSON. It names
// official tests.
type LabelExecutionText struct {
	ExecutionID string `gorm:"primaryKey"`
	Command     string
	Stdout      string
	Stderr      string
	Tests       string
	Notes       string
}
