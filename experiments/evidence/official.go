package evidence

import (
	"fmt"

	"plumbline/experiments/trace"
)

const headOfficial = "Official execution (run independently of the agent)"

// Names of the suites, as published.
const (
	failToPass = "FAIL_TO_PASS"
	passToPass = "PASS_TO_PASS"
)

// official shows aggregate outcomes: of each suite where counts are known, of both
// together where only the verdict was imported, and of an attempt without a code
// change by its nature, because no fail-to-pass suite passes on an empty diff
// (paper G, S3.6).
func (d *document) official() error {
	lines, err := officialLines(d.in)
	if err != nil {
		return err
	}
	s := d.add(partFixed, "official execution", headOfficial)
	for _, l := range lines {
		s.own("%s", l)
	}
	return nil
}

func officialLines(in Input) ([]string, error) {
	switch {
	case in.Tests != nil && !in.Tests.Applied && hasChange(in):
		return []string{"official execution: failed (the patch does not apply to the base, so no suite could run)"}, nil
	case in.Tests != nil && in.Tests.FailToPassAll+in.Tests.PassToPassAll > 0:
		return []string{
			suiteLine(failToPass, in.Tests.FailToPassOK, in.Tests.FailToPassAll),
			suiteLine(passToPass, in.Tests.PassToPassOK, in.Tests.PassToPassAll),
		}, nil
	case in.Resolved != nil && *in.Resolved:
		return []string{"official execution: passed (both suites; counts are not recorded)"}, nil
	case in.Resolved != nil:
		return []string{"official execution: failed (which suite is not recorded)"}, nil
	case !hasChange(in) && in.PatchState != trace.PatchNoDiffFound:
		return []string{"official " + failToPass + " execution: failed (no code change was submitted)"}, nil
	}
	return nil, ErrNoOutcome
}

// suiteLine says passed or failed first and once; the counts avoid both words, so
// that no failing line can be quoted as a passing one.
func suiteLine(suite string, ok, all int) string {
	switch {
	case all == 0:
		return fmt.Sprintf("official %s execution: not run (the suite holds no test)", suite)
	case ok == all:
		return fmt.Sprintf("official %s execution: passed (%d of %d tests ok)", suite, ok, all)
	default:
		return fmt.Sprintf("official %s execution: failed (%d of %d tests ok)", suite, ok, all)
	}
}
