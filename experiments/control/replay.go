package control

import (
	"fmt"

	"plumbline/experiments/belief"
	"plumbline/experiments/stats"
)

// Status is how a replayed episode ended.
type Status string

const (
	Verified     Status = "verified"
	Stopped      Status = "stopped"
	Shipped      Status = "shipped"      // stopped with the candidate handed over unverified
	Censored     Status = "censored"     // regenerated past the last recorded candidate: a forced stop
	Unreplayable Status = "unreplayable" // needed an outcome or label that was never recorded
	Capped       Status = "capped"       // ran into the limit of actions: a forced stop
)

// ReplayOptions of Replay. The zero value lets every policy regenerate as often
// as candidates are recorded, on independent samples.
type ReplayOptions struct {
	// Regenerations is the budget of every task; nil means as many as further
	// candidates are recorded, so that nothing is censored.
	Regenerations *int
	// Actions limits critic calls and regenerations of an episode; 0 means no
	// limit.
	Actions int
	// Cap forces an end after so many events; 0 means MaxDepth.
	Cap int
	// Chains: the recorded candidates are a refinement chain, in which each was
	// made with feedback on the one before. Feedback names the critics whose
	// outcome the generator saw (nil: all recorded ones).
	Chains   bool
	Feedback []string
	// Explain keeps the decision behind every event.
	Explain bool
}

// Episode is one task replayed.
type Episode struct {
	Task   string  `json:"id"`
	Group  string  `json:"group,omitempty"`
	Events []Taken `json:"events"`
	Status Status  `json:"status"`
	Why    string  `json:"why,omitempty"` // of an end that the policy did not choose
	Cost   float64 `json:"cost"`
	Reward float64 `json:"reward"`
	// Utility is Reward less Cost; for an unreplayable episode it is what had been
	// spent and means nothing.
	Utility float64 `json:"utility"`
	// FinalBelief is the belief in the last candidate before it was verified or
	// left.
	FinalBelief   float64 `json:"final_belief"`
	Solved        bool    `json:"solved"` // verified and correct
	Regenerations int     `json:"regenerations"`
	CriticCalls   int     `json:"critic_calls"`
	// Mismatch: the policy regenerated after other critics than those whose
	// feedback the recorded next candidate had.
	Mismatch   bool `json:"mismatch,omitempty"`
	Impossible int  `json:"impossible,omitempty"` // outcomes that the likelihoods exclude
}

// Actions are the names of the actions taken.
func (e Episode) Actions() []string {
	out := make([]string, len(e.Events))
	for i, t := range e.Events {
		out[i] = t.Action
	}
	return out
}

// Taken is one event of an episode.
type Taken struct {
	Action   string    `json:"action"`
	Outcome  string    `json:"outcome,omitempty"`
	Before   float64   `json:"before"` // belief
	After    float64   `json:"after"`
	Cost     float64   `json:"cost"`
	Decision *Decision `json:"decision,omitempty"`
}

// Replayed is a policy on recorded tasks.
type Replayed struct {
	Policy   string    `json:"policy"`
	Episodes []Episode `json:"episodes"`
	// N is the number of tasks replayed to an end; the numbers below are over
	// them. MeanUtility is nil if there is none.
	N           int      `json:"n"`
	MeanUtility *float64 `json:"mean_utility"`
	// MeanUtilityUpper adds max(0, R - C_ver) for every censored task: what the
	// unknown next candidate could at most have brought.
	MeanUtilityUpper *float64   `json:"mean_utility_upper"`
	Solve            stats.Rate `json:"solve"`
	Verify           stats.Rate `json:"verify"`
	Replayable       stats.Rate `json:"replayable"`
	Censored         int        `json:"censored"`
	Mismatched       int        `json:"mismatched"`
	Capped           int        `json:"capped"`
	Warnings         []string   `json:"warnings"`
}

// Replay plays a policy on recorded candidates: a critic call looks up the
// recorded outcome, a regeneration moves to the next recorded candidate, a
// verification looks up the label. Every critic of the policy's problem must be
// in the table by name, with as many outcomes.
func Replay(p Policy, t belief.Table, o ReplayOptions) (Replayed, error) {
	r, err := newReplayer(p, t, o)
	if err != nil {
		return Replayed{}, err
	}
	episodes := make([]Episode, len(t.Tasks))
	for i, k := range t.Tasks {
		if episodes[i], err = r.play(p, k); err != nil {
			return Replayed{}, err
		}
	}
	return Summarise(p, episodes), nil
}

// ReplayEach is Replay with a policy for each task, for cross-fitted parameters.
// The policies must share their costs; name is that of the result.
func ReplayEach(name string, policies []Policy, t belief.Table, o ReplayOptions) (Replayed, error) {
	if len(policies) != len(t.Tasks) {
		return Replayed{}, fmt.Errorf("replay %s: %d policies for %d tasks", name, len(policies), len(t.Tasks))
	}
	episodes := make([]Episode, len(t.Tasks))
	for i, k := range t.Tasks {
		r, err := newReplayer(policies[i], t, o)
		if err != nil {
			return Replayed{}, err
		}
		if episodes[i], err = r.play(policies[i], k); err != nil {
			return Replayed{}, err
		}
	}
	if len(policies) == 0 {
		return Replayed{Policy: name, Warnings: []string{"there are no tasks"}}, nil
	}
	out := Summarise(policies[0], episodes)
	out.Policy = name
	return out, nil
}
