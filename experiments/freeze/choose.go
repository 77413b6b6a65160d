package freeze

import (
	"fmt"

	"plumbline/experiments/evidence"
	"plumbline/experiments/stats"
)

// RuleText is the rule in words, as pages and manifests state it.
const RuleText = "For each reviewer, the evidence form with the lower over-rejection on the design split; " +
	"on a tie the higher catch, then the higher share of correct decisions over all traces, then the earlier arm of the experiment."

// Candidates says which evidence forms the rule may choose.
type Candidates string

// Deployable leaves out forms that no reviewer could be shown in use, and controls,
// which carry no evidence. All takes every form, for upper bounds.
const (
	Deployable Candidates = "deployable"
	All        Candidates = "all"
)

// Arm is a reviewer version under an evidence form as measured on the design split.
type Arm struct {
	VersionID string // of the reviewer
	Reviewer  string
	Version   int
	Form      evidence.Form
	Counts    stats.ReviewCounts // decisions on traces of known truth
	Undecided int                // items without a decision: error, blocked or missing
}

// Entry is an arm with why the rule may not choose it; Out is empty for a candidate.
type Entry struct {
	Arm
	Out string
}

// Choice is what the rule says for one reviewer version.
type Choice struct {
	VersionID string
	Reviewer  string
	Version   int
	Entries   []Entry // in the order of the experiment
	Chosen    int     // index in Entries; -1 when no arm is a candidate
	Why       string  // what decided, against the runner-up
	// Uneven reports that the candidates did not decide the same number of
	// traces, so that their rates are not over the same traces.
	Uneven bool
}

// Choose applies the rule to the arms of an experiment, reviewer by reviewer in the
// order of their first arm. Unknown values of c count as Deployable.
func Choose(arms []Arm, c Candidates) []Choice {
	var out []Choice
	at := map[string]int{}
	for _, a := range arms {
		i, ok := at[a.VersionID]
		if !ok {
			i = len(out)
			at[a.VersionID] = i
			out = append(out, Choice{VersionID: a.VersionID, Reviewer: a.Reviewer, Version: a.Version})
		}
		out[i].Entries = append(out[i].Entries, Entry{a, barred(a.Form, c)})
	}
	for i := range out {
		out[i].choose()
	}
	return out
}

func barred(f evidence.Form, c Candidates) string {
	switch {
	case c == All:
		return ""
	case !f.Deployable():
		return "not deployable"
	case f.Class() == evidence.ClassControl:
		return "a control without evidence"
	}
	return ""
}

func (c *Choice) choose() {
	var counts []stats.ReviewCounts
	var index []int
	for i, e := range c.Entries {
		if e.Out == "" {
			counts, index = append(counts, e.Counts), append(index, i)
		}
	}
	best := stats.ChooseForm(counts)
	if best < 0 {
		c.Chosen, c.Why = -1, "no arm of this reviewer is a candidate"
		return
	}
	c.Chosen = index[best]
	for _, i := range index {
		e := c.Entries[i]
		c.Uneven = c.Uneven || e.Undecided > 0 || e.Counts.N() != counts[best].N()
	}
	if len(index) == 1 {
		c.Why = "the only candidate"
		return
	}
	rest := append(append([]stats.ReviewCounts(nil), counts[:best]...), counts[best+1:]...)
	second := stats.ChooseForm(rest)
	if second >= best {
		second++
	}
	c.Why = decidedBy(counts[best], counts[second], string(c.Entries[index[second]].Form))
}

// decidedBy names the first criterion on which the chosen arm and the runner-up
// differ, with both counts.
func decidedBy(won, lost stats.ReviewCounts, runnerUp string) string {
	tied := ""
	for _, step := range []struct {
		metric stats.Metric
		name   string
		word   string
	}{
		{stats.OverRejection, "over-rejection", "lower"},
		{stats.Catch, "catch", "higher"},
		{stats.CorrectOverAll, "share of correct decisions", "higher"},
	} {
		a, b := won.Rate(step.metric), lost.Rate(step.metric)
		if equal(a, b) {
			tied += fmt.Sprintf("%s ties with %s at %s; ", step.name, runnerUp, counted(a))
			continue
		}
		return tied + fmt.Sprintf("%s %s: %s against %s of %s", step.word, step.name, counted(a), counted(b), runnerUp)
	}
	return tied + "the earlier arm of the experiment"
}

// equal compares rates as exact fractions; two undefined rates are equal.
func equal(a, b stats.Rate) bool {
	if a.Value == nil || b.Value == nil {
		return a.Value == nil && b.Value == nil
	}
	return int64(a.K)*int64(b.N) == int64(b.K)*int64(a.N)
}

func counted(r stats.Rate) string {
	if r.Value == nil {
		return "undefined"
	}
	return fmt.Sprintf("%d/%d", r.K, r.N)
}
