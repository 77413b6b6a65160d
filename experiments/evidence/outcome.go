package evidence

import "regexp"

// Outcome is a result that the pipeline reports on one line of an evidence text.
type Outcome struct {
	Line   int    // 1-based
	Text   string // of that line
	Source OutcomeSource
	Suite  string // FAIL_TO_PASS or PASS_TO_PASS, empty for both together
	Passed bool   // false: failed; a static finding is never passed
}

// OutcomeSource says which check a result belongs to.
type OutcomeSource string

// Sources of results.
const (
	FromOfficial  OutcomeSource = "official"
	FromGenerated OutcomeSource = "generated test"
	FromStatic    OutcomeSource = "static finding"
)

var (
	officialOutcome  = regexp.MustCompile(`^official (?:(FAIL_TO_PASS|PASS_TO_PASS) )?execution: (passed|failed)\b`)
	generatedOutcome = regexp.MustCompile(`^generated test \d+: (passed|failed) on the patched tree\b`)
	staticOutcome    = regexp.MustCompile(`^static finding \d+, caused by the patch: `)
)

// Outcomes reads the results off the pipeline's own lines. Quoted lines never give
// one, whatever they say. A suite that was not run gives none.
func Outcomes(lines []Line) []Outcome {
	var out []Outcome
	for _, l := range lines {
		if !l.Own {
			continue
		}
		o := Outcome{Line: l.N, Text: l.Text}
		if m := officialOutcome.FindStringSubmatch(l.Text); m != nil {
			o.Source, o.Suite, o.Passed = FromOfficial, m[1], m[2] == "passed"
		} else if m := generatedOutcome.FindStringSubmatch(l.Text); m != nil {
			o.Source, o.Passed = FromGenerated, m[1] == "passed"
		} else if staticOutcome.MatchString(l.Text) {
			o.Source = FromStatic
		} else {
			continue
		}
		out = append(out, o)
	}
	return out
}
