package models

import "context"

// VoteEvidence returns the evidence text that votes of an experiment were asked
// under, by its hash, for audits; it needs an editor of the experiment.
func (s *Store) VoteEvidence(ctx context.Context, v Viewer, experimentID, sha256 string) (out EvidenceRow, err error) {
	defer wrap(&err, "load the evidence of a vote")
	if err := s.editExperiment(ctx, v, experimentID); err != nil {
		return out, err
	}
	err = s.read(ctx).Take(&out, "sha256 = ?", sha256).Error
	return out, err
}
