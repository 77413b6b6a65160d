package formats

// JoinReport says what happened to the records.
type JoinReport struct {
	Files, Records   int // files and records read, problems not counted
	Attempts         int
	Instances        int
	Joined           int            // records that went into an attempt with others
	Duplicates       int            // equal attempts in several files, merged
	Skipped          map[string]int // reason → records
	UnknownOutcome   map[string]int // reason → attempts without a judged outcome
	WithoutAttempt   int            // outcomes of instances nobody attempted here
	Conflicts        []Conflict
	Problems         int
	ProblemsInRecord []*Problem
}

// Conflict is a disagreement between sources about one attempt or instance.
type Conflict struct {
	InstanceID string
	Where      string
	Message    string
}
