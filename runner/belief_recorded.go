package runner

import (
	"slices"

	"plumbline/experiments/belief"
	"plumbline/experiments/control"
)

// CriticKind says how a critic was made of what is recorded.
type CriticKind string

// The kinds. A vote is the first vote of an arm: accept passes, reject fails,
// anything else is no usable answer. A decision is the tally of its K votes, read
// the same way. A count is the number of accepting votes among K, one critic with
// K+1 outcomes. A column comes from an imported table. A cut is a score with a
// threshold chosen on training tasks. The other three are checks: static tools, a
// generated test that fails on the base, and the tests that the base passes.
const (
	CriticVote     CriticKind = "vote"
	CriticDecision CriticKind = "decision"
	CriticCount    CriticKind = "count"
	CriticColumn   CriticKind = "column"
	CriticCut      CriticKind = "cut"
	CriticStatic   CriticKind = "static"
	CriticTest     CriticKind = "generated"
	CriticPublic   CriticKind = "public"
)

// RecordedCritic describes a critic of Recorded.Table, or a cut that can be made of
// one of its scores.
type RecordedCritic struct {
	Key        string // stable, for addresses
	Name       string // unique; the name of the critic in the core
	Kind       CriticKind
	Arm        int    // index of the arm; -1: none
	ArmID      string // empty: none
	Score      string // name of the score of a cut
	Checks     string // hash of the configuration of a static or generated check
	UpperBound bool   // the evidence held outcomes of the official tests
	Simulated  bool
	Usual      bool          // chosen when the reader chooses nothing
	Spent      control.Spent // what one call was measured to take
}

// ScoreKind says what a score is.
type ScoreKind string

// The kinds of scores. Share is the share of accepting votes, Confidence the mean
// stated confidence that the patch is correct, Tools the share of the agent's tool
// calls that did not fail, Column a column of an imported table.
const (
	ScoreBelief     ScoreKind = "belief"
	ScoreShare      ScoreKind = "vote share"
	ScoreConfidence ScoreKind = "stated confidence"
	ScoreTools      ScoreKind = "tool success"
	ScoreColumn     ScoreKind = "imported score"
)

// RecordedScore describes a score of Recorded.Table.
type RecordedScore struct {
	Key   string
	Name  string // unique; the name of the score in the core
	Kind  ScoreKind
	Known int // candidates that have it
}

// Recorded is a set of recorded candidates with every critic and score that can be
// made of what is stored about them. The table has the critics other than cuts and
// the scores in the order of the two lists.
type Recorded struct {
	Title   string
	Table   belief.Table
	Critics []RecordedCritic // those of the table first, then the cuts
	Scores  []RecordedScore
	// Splits gives for each task the split that all its candidates are in; empty:
	// none, or several.
	Splits []string
	// Chains: each candidate was made with feedback on the one before.
	Chains     bool
	Generators int           // agents and models that made the candidates
	Regenerate control.Spent // what one candidate was measured to take
	Verify     control.Spent // what one run of the official tests was measured to take
	Votes      int           // K of the experiment; 0: an imported table
	Seed       uint64
	Notes      []string // how candidates were put in order, and what was left out
}

// Critic finds a critic by its key.
func (r *Recorded) Critic(key string) (RecordedCritic, bool) {
	i := slices.IndexFunc(r.Critics, func(c RecordedCritic) bool { return c.Key == key })
	if i < 0 {
		return RecordedCritic{}, false
	}
	return r.Critics[i], true
}

// Find is the place of a candidate by its id.
func (r *Recorded) Find(candidate string) (task, index int, ok bool) {
	for i, k := range r.Table.Tasks {
		for j, c := range k.Candidates {
			if c.ID == candidate {
				return i, j, true
			}
		}
	}
	return 0, 0, false
}

// Labelled counts candidates with a known label by class.
func (r *Recorded) Labelled() (correct, defective int) {
	for _, k := range r.Table.Tasks {
		for _, c := range k.Candidates {
			switch c.Y {
			case belief.Correct:
				correct++
			case belief.Defective:
				defective++
			}
		}
	}
	return correct, defective
}

// countScores fills in how many candidates have each score and drops scores that
// none has.
func (r *Recorded) countScores() {
	known := make([]int, len(r.Scores))
	for _, k := range r.Table.Tasks {
		for _, c := range k.Candidates {
			for i, x := range c.Scores {
				if x == x { // not NaN
					known[i]++
				}
			}
		}
	}
	for i := range r.Scores {
		r.Scores[i].Known = known[i]
	}
	nothing := new(float64) // a score that is there already costs nothing to read
	for i, s := range r.Scores {
		if known[i] > 0 {
			r.Critics = append(r.Critics, RecordedCritic{Key: "cut-" + s.Key, Name: s.Name + " (cut)", Kind: CriticCut, Arm: -1, Score: s.Name, Spent: control.Spent{Money: nothing, Seconds: nothing}})
		}
	}
}
