// Package labelcolumn reads the labels of attempts from one column of a table that
// somebody keeps beside the traces: JSON lines, a JSON array, a JSON object keyed by
// instance, CSV or Parquet.
package labelcolumn

import (
	"fmt"
	"strings"

	"plumbline/experiments/trace"
)

// Parse reads a label. Words are taken in any case; a kind of defect is a label
// with a bucket. A blank says nothing: ok is false and the error nil. Any other word
// is an error, since a label is not guessed.
func Parse(value string) (label trace.Label, bucket trace.Bucket, ok bool, err error) {
	word := strings.ToLower(strings.TrimSpace(value))
	switch strings.NewReplacer("-", "_", " ", "_").Replace(word) {
	case "", "null", "none", "nan", "n/a", "na":
		return "", trace.NoBucket, false, nil
	case "true", "1", "1.0", "yes", "resolved", "acceptable", "correct", "pass", "passed":
		return trace.Acceptable, trace.NoBucket, true, nil
	case "false", "0", "0.0", "no", "unresolved", "not_resolved", "defective", "incorrect", "wrong", "fail", "failed":
		return trace.Defective, trace.NoBucket, true, nil
	case "omission":
		return trace.Defective, trace.Omission, true, nil
	case "regression":
		return trace.Defective, trace.Regression, true, nil
	case "no_change", "empty_patch":
		return trace.Defective, trace.NoChange, true, nil
	case "unknown", "ambiguous", "infra":
		return trace.Unknown, trace.NoBucket, true, nil
	}
	if len(value) > 60 {
		value = value[:60] + "…"
	}
	return "", trace.NoBucket, false, fmt.Errorf("%q is no label: write resolved, unresolved, omission, regression, no_change or unknown", value)
}
