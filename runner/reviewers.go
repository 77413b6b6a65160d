package runner

import (
	"context"
	"encoding/json"
	"fmt"

	"plumbline/runner/reviewer"
)

// built is a reviewer version made ready to ask. A version never changes, so it
// is built once a process.
type built struct {
	reviewer reviewer.Reviewer
	spec     reviewer.Spec
}

// reviewer returns the reviewer of a version with the settings that the
// experiment's snapshot holds.
func (r *Runner) reviewer(_ context.Context, versionID string, snap Snapshot) (built, error) {
	key := versionID
	if snap.Cache {
		key += " cached"
	}
	r.mu.Lock()
	defer r.mu.Unlock()
	if b, ok := r.reviewers[key]; ok {
		return b, nil
	}
	kept, ok := snap.Reviewers[versionID]
	if !ok {
		return built{}, fmt.Errorf("the experiment keeps no settings of reviewer version %s", versionID)
	}
	var spec reviewer.Spec
	if err := json.Unmarshal(kept.Spec, &spec); err != nil {
		return built{}, fmt.Errorf("read the settings of reviewer %s version %d: %w", kept.Name, kept.Version, err)
	}
	deps := r.deps
	if snap.Cache {
		deps.Cache = answers{r.store}
	}
	rev, err := reviewer.New(spec, deps)
	if err != nil {
		return built{}, err // not kept: a key that is missing now may be there on resume
	}
	b := built{rev, spec.Filled()}
	r.reviewers[key] = b
	return b, nil
}
