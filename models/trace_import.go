package models

import (
	"context"
	"crypto/sha256"
	"maps"

	"gorm.io/gorm"

	"plumbline/experiments/trace"
)

// Imported says what became of one trace of an import.
type Imported string

// Outcomes of importing one trace.
const (
	ImportAdded     Imported = "added"
	ImportKnown     Imported = "known"     // the same attempt is stored already
	ImportCompleted Imported = "completed" // it filled what a stored attempt lacked
	ImportAttempt   Imported = "attempt"   // another patch or trajectory under a known agent and instance: a new attempt
	ImportConflict  Imported = "conflict"  // it disagrees with the stored attempt, which stays as it is
)

// PatchFacts are what the caller knows of a patch; the store does not parse.
type PatchFacts struct {
	SHA256         string // of the text as submitted
	Bytes          int64  // of the text as submitted; 0 takes the length of the text
	Files          int
	Added, Removed *int // nil: cannot be counted
}

// StepStream gives the steps of a trajectory one after the other, so that one of
// any size is stored without holding it in memory. Texts are cleaned already. Each
// is nil when they are not at hand, because the store has them.
type StepStream struct {
	Len    int
	SHA256 string // as trace.StepsHash
	Each   func(yield func(trace.Step) error) error
}

// TraceInput is one trace to import.
type TraceInput struct {
	Trace trace.Trace
	Patch PatchFacts
	// AgentSteps counts the agent's steps by the rule of its format; nil is unknown.
	AgentSteps *int
	// Steps takes the place of Trace.Steps when it is not nil.
	Steps *StepStream
	// Stored says that an ImportPlan found the attempt stored and texts may be left
	// out for that; it is completed and never added.
	Stored bool
}

// ImportResult is the outcome for one trace, in the order of the input.
type ImportResult struct {
	TraceID string // empty for a conflict that belongs to no single trace
	Outcome Imported
	Note    string // what differed, for a conflict or a new attempt
}

// ImportRun remembers which stored traces the attempts of one import were matched
// with, so that two equal attempts of one import are two traces, and the same
// import again finds both. It belongs to one goroutine.
type ImportRun struct {
	// taken has the traces matched or made by this import, and whether it made them.
	// There can be a million, so that each costs a few bytes and not its id.
	taken map[traceKey]bool
}

// traceKey stands for a trace's id.
type traceKey [16]byte

func keyOf(id string) (k traceKey) {
	sum := sha256.Sum256([]byte(id))
	copy(k[:], sum[:])
	return k
}

// NewImportRun starts an import.
func NewImportRun() *ImportRun { return &ImportRun{taken: map[traceKey]bool{}} }

// draft is what a transaction may write to.
func (r *ImportRun) draft() *ImportRun { return NewImportRun() }

func (r *ImportRun) take(id string, made bool) { r.taken[keyOf(id)] = made }

// keep takes over what a transaction that was committed wrote.
func (r *ImportRun) keep(d *ImportRun) { maps.Copy(r.taken, d.taken) }

// ImportTraces stores instances and traces in one transaction, as an import of its
// own; see ImportBatch.
func (s *Store) ImportTraces(ctx context.Context, v Viewer, datasetID string, instances []trace.Instance, traces []TraceInput) ([]ImportResult, error) {
	return s.ImportBatch(ctx, v, datasetID, NewImportRun(), instances, traces)
}

// ImportBatch stores instances and traces of one import in one transaction: all of
// them with all their texts, or nothing. Instances are matched by their published
// id; blanks of a stored one are filled and nothing is overwritten. A trace is the
// same attempt as a stored one if dataset, instance, agent, model and patch agree
// and the trajectories agree where both have one; it then completes that one.
// Another patch or trajectory is a new attempt. Importing twice adds nothing.
func (s *Store) ImportBatch(ctx context.Context, v Viewer, datasetID string, run *ImportRun, instances []trace.Instance, traces []TraceInput) (out []ImportResult, err error) {
	defer wrap(&err, "import %d traces into dataset %s", len(traces), datasetID)
	d, err := s.Dataset(ctx, v, datasetID)
	if err != nil {
		return nil, err
	}
	if err := v.mayEdit(d.ProjectID); err != nil {
		return nil, err
	}
	var draft *ImportRun
	err = s.tx(ctx, func(tx *gorm.DB) error {
		draft = run.draft()
		b := &importBatch{s: s, tx: tx, datasetID: datasetID, run: run, draft: draft}
		out, err = b.store(instances, traces)
		return err
	})
	if err == nil {
		run.keep(draft)
	}
	return out, err
}

// importBatch is one transaction of an import.
type importBatch struct {
	s          *Store
	tx         *gorm.DB
	datasetID  string
	run, draft *ImportRun
	instances  map[string]InstanceRow
	stored     map[string][]TraceRow // by instance id, in the order of attempts
}

func (b *importBatch) store(instances []trace.Instance, traces []TraceInput) ([]ImportResult, error) {
	for _, t := range traces {
		instances = append(instances, trace.Instance{ID: t.Trace.InstanceID})
	}
	if err := b.saveInstances(instances); err != nil {
		return nil, err
	}
	if err := b.loadStored(traces); err != nil {
		return nil, err
	}
	out := make([]ImportResult, len(traces))
	var fresh []newTrace
	for i, t := range traces {
		m := b.match(t)
		switch {
		case m.old != nil:
			res, err := b.complete(*m.old, t)
			if err != nil {
				return nil, err
			}
			out[i] = res
		case m.note != "":
			out[i] = ImportResult{Outcome: ImportConflict, Note: m.note}
		case t.Stored:
			out[i] = ImportResult{Outcome: ImportConflict, Note: "the stored attempt was changed during the import: import again"}
		default:
			n := b.add(t)
			out[i] = n.result
			fresh = append(fresh, n)
		}
	}
	return out, b.insert(fresh)
}
