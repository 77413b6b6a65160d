package formats

import "plumbline/experiments/trace"

// Judge turns a published outcome into a label. Only a judged failure is a
// defect: tests ran and the instance is unresolved. A patch that changes nothing
// is a defect of its own kind. Everything else (error, infrastructure,
// ambiguous, time-out, not applied, not submitted, a claim) leaves the label
// unknown, with the reason kept.
//
// Broken pass-to-pass tests (or a bucket that the reader set) make a regression,
// failing fail-to-pass tests alone an omission. Without counts the kind of defect
// is not known and the bucket stays empty.
func Judge(o trace.Outcome, state trace.PatchState) (trace.Label, trace.Bucket) {
	nothing := state == trace.PatchEmpty || state == trace.PatchBlank || state == trace.PatchNull || state == trace.PatchNone
	switch {
	case o.Resolved == nil && !(o.Reason == ReasonEmptyPatch && nothing):
		return trace.Unknown, trace.NoBucket
	case o.Resolved != nil && *o.Resolved:
		if o.Reason == ReasonClaimed {
			return trace.Unknown, trace.NoBucket
		}
		return trace.Acceptable, trace.NoBucket
	case nothing && (o.Reason == ReasonEmptyPatch || o.Reason == ReasonUnresolved || o.Reason == ReasonNotSubmitted):
		return trace.Defective, trace.NoChange
	case o.Reason != ReasonUnresolved:
		return trace.Unknown, trace.NoBucket
	case o.Bucket == trace.Regression, o.Tests != nil && o.Tests.PassToPassAll > o.Tests.PassToPassOK:
		return trace.Defective, trace.Regression
	case o.Tests != nil && o.Tests.FailToPassAll > o.Tests.FailToPassOK:
		return trace.Defective, trace.Omission
	}
	return trace.Defective, trace.NoBucket
}
