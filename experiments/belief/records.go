package belief

import (
	"fmt"
	"slices"
)

// Column describes one critic of a table: its name and how many outcomes it has
// (2: fail, pass).
type Column struct {
	Name     string
	Outcomes int
}

// Candidate is one recorded candidate. Outcomes has one entry for each critic of
// the table, Scores one for each score column (NaN when missing).
type Candidate struct {
	ID       string
	Outcomes []Outcome
	Scores   []float64
	Y        Label
}

// Task is the unit of independence: the candidates recorded for one problem, in
// the order in which they were made. Group sets runs of the same problems by
// different generators apart; it is empty when there is only one.
type Task struct {
	ID         string
	Group      string
	Candidates []Candidate
}

// Table is a set of recorded candidates. It is not changed by any method; derived
// tables share nothing that a caller could modify through them by accident.
type Table struct {
	Critics []Column
	Scores  []string
	Tasks   []Task
}

// Critic returns the index of a critic by name, or -1.
func (t Table) Critic(name string) int {
	return slices.IndexFunc(t.Critics, func(c Column) bool { return c.Name == name })
}

// Candidates counts the candidates of all tasks.
func (t Table) Candidates() int {
	n := 0
	for _, k := range t.Tasks {
		n += len(k.Candidates)
	}
	return n
}

// Groups lists the groups in order of first appearance.
func (t Table) Groups() []string {
	var out []string
	seen := map[string]bool{}
	for _, k := range t.Tasks {
		if !seen[k.Group] {
			seen[k.Group] = true
			out = append(out, k.Group)
		}
	}
	return out
}

// Only returns the table of one group.
func (t Table) Only(group string) Table {
	return t.Where(func(k Task) bool { return k.Group == group })
}

// Where returns the table of the tasks that keep says yes to.
func (t Table) Where(keep func(Task) bool) Table {
	out := Table{Critics: t.Critics, Scores: t.Scores}
	for _, k := range t.Tasks {
		if keep(k) {
			out.Tasks = append(out.Tasks, k)
		}
	}
	return out
}

// Select returns the table with the named critics only, in that order.
func (t Table) Select(names ...string) (Table, error) {
	from := make([]int, len(names))
	cols := make([]Column, len(names))
	for i, name := range names {
		from[i] = t.Critic(name)
		if from[i] < 0 {
			return Table{}, fmt.Errorf("select critics: there is no critic %q", name)
		}
		cols[i] = t.Critics[from[i]]
	}
	return t.derive(cols, func(c Candidate) []Outcome {
		out := make([]Outcome, len(from))
		for i, f := range from {
			out[i] = c.Outcomes[f]
		}
		return out
	}), nil
}

// derive copies the table with other critics.
func (t Table) derive(cols []Column, outcomes func(Candidate) []Outcome) Table {
	out := Table{Critics: cols, Scores: t.Scores, Tasks: make([]Task, len(t.Tasks))}
	for i, k := range t.Tasks {
		next := Task{ID: k.ID, Group: k.Group, Candidates: make([]Candidate, len(k.Candidates))}
		for j, c := range k.Candidates {
			next.Candidates[j] = Candidate{ID: c.ID, Outcomes: outcomes(c), Scores: c.Scores, Y: c.Y}
		}
		out.Tasks[i] = next
	}
	return out
}

// Validate reports the first place where a candidate does not fit the columns.
func (t Table) Validate() error {
	for _, k := range t.Tasks {
		for j, c := range k.Candidates {
			if len(c.Outcomes) != len(t.Critics) || len(c.Scores) != len(t.Scores) {
				return fmt.Errorf("task %s, candidate %d: %d outcomes for %d critics, %d scores for %d columns",
					k.ID, j, len(c.Outcomes), len(t.Critics), len(c.Scores), len(t.Scores))
			}
			for i, z := range c.Outcomes {
				if z < Unrecorded || int(z) >= t.Critics[i].Outcomes {
					return fmt.Errorf("task %s, candidate %d: critic %s has no outcome %d", k.ID, j, t.Critics[i].Name, z)
				}
			}
		}
	}
	return nil
}
