package models

import "time"

// KindControl is the kind of an experiment that plays policies on tasks: its items
// are made when a policy asks a reviewer.
const KindControl = "control"

// ControlTask is a task of a control experiment. Fold says which of the fitted
// parameters are used on it.
type ControlTask struct {
	ID           string
	ExperimentID string
	ShardID      string
	Idx          int
	InstanceID   string
	TaskGroup    string
	Fold         int
}

// ControlCandidate is a recorded attempt at a task, in the order in which
// regenerating comes to it.
type ControlCandidate struct {
	TaskID  string `gorm:"primaryKey"`
	Idx     int    `gorm:"primaryKey;autoIncrement:false"`
	TraceID string
}

// Episode states.
const (
	EpisodePending = "pending"
	EpisodeRunning = "running"
	EpisodeDone    = "done"
	EpisodeError   = "error" // a reviewer did not answer; Why says how. Resuming goes on
)

// Episode is one policy on one task. Status is how it ended, in the words of the
// replay; Belief, Cost and Reward are those after its last step.
type Episode struct {
	ID           string
	ExperimentID string
	TaskID       string
	ShardID      string
	PolicyIdx    int
	Policy       string
	State        string
	Status       string
	Why          string
	Steps        int
	Belief       float64
	Cost         float64
	Reward       float64
	Solved       bool
	UpdatedAt    time.Time `gorm:"autoUpdateTime:false"`
}

// Utility is what the episode earned less what it cost, so far.
func (e Episode) Utility() float64 { return e.Reward - e.Cost }

// EpisodeStep is one decision of an episode with what came of it. Outcome is that
// of a critic or of a verification, NoOutcome for other actions; Says names it.
// Source says where it comes from: recorded, live or simulated.
type EpisodeStep struct {
	EpisodeID  string `gorm:"primaryKey"`
	Idx        int    `gorm:"primaryKey;autoIncrement:false"`
	Candidate  int
	TraceID    string
	Action     string
	Outcome    int
	Says       string
	Source     string
	ItemID     string // of a critic that was asked
	Before     float64
	After      float64
	Cost       float64
	Reward     float64
	Impossible bool
	Reason     string
	Note       string
	Decision   string // JSON: values, thresholds and information behind the choice
	CreatedAt  time.Time
}

// NoOutcome is the outcome of a step that has none.
const NoOutcome = -9
