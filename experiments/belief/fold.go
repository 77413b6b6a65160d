package belief

import (
	"fmt"
	"hash/fnv"
)

// Fold assigns a task to one of k folds by a hash of its id (FNV-1a, 64 bits):
// the same task is in the same fold in every experiment and every group.
func Fold(id string, k int) int {
	h := fnv.New64a()
	h.Write([]byte(id))
	return int(h.Sum64() % uint64(k))
}

// KFold assigns the tasks of a table to k ≥ 2 folds. Folds of few tasks may be
// empty; a fold may not hold all of them, since nothing would be left to fit on.
func KFold(t Table, k int) ([]int, error) {
	if k < 2 {
		return nil, fmt.Errorf("make folds: %d folds; cross-fitting needs at least 2", k)
	}
	folds := make([]int, len(t.Tasks))
	for i, task := range t.Tasks {
		folds[i] = Fold(task.ID, k)
	}
	return folds, checkFolds(t, folds)
}

// LeaveOneOut makes one fold for each task id.
func LeaveOneOut(t Table) ([]int, error) {
	folds, of := make([]int, len(t.Tasks)), map[string]int{}
	for i, task := range t.Tasks {
		f, ok := of[task.ID]
		if !ok {
			f = len(of)
			of[task.ID] = f
		}
		folds[i] = f
	}
	return folds, checkFolds(t, folds)
}

func checkFolds(t Table, folds []int) error {
	if len(t.Tasks) == 0 {
		return fmt.Errorf("make folds: %w", errNoTasks)
	}
	if len(folds) != len(t.Tasks) {
		return fmt.Errorf("make folds: %d assignments for %d tasks", len(folds), len(t.Tasks))
	}
	for i, task := range t.Tasks {
		if folds[i] != folds[0] || task.ID != t.Tasks[0].ID {
			for _, f := range folds {
				if f != folds[0] {
					return nil
				}
			}
			return fmt.Errorf("make folds: all %d tasks fall into one fold; use leave-one-out", len(t.Tasks))
		}
	}
	return fmt.Errorf("make folds: there is only the task %s, and nothing to fit on without it", t.Tasks[0].ID)
}
