package cascade

import "plumbline/experiments/trace"

// Cell is one of the 2×2×2 outcomes of a kept test: on the agent's patch, on the
// reference patch, and what the official tests say of the agent's patch. The last
// two are for the audit alone: no decision and no reviewer ever sees them.
type Cell struct {
	Patch, Gold Result // Passed or FailedTest
	Truth       trace.Label
}

// CellOf places a kept test; false when one of the three is not known. A test that
// no longer loads on a tree counts as failed there.
func CellOf(patched, gold Result, truth trace.Label) (Cell, bool) {
	c := Cell{Patch: side(patched), Gold: side(gold), Truth: truth}
	return c, c.Patch != NotRun && c.Gold != NotRun && known(truth)
}

func side(r Result) Result {
	switch r {
	case Passed:
		return Passed
	case FailedTest, SetUp:
		return FailedTest
	}
	return NotRun
}

// Cells lists all eight in a fixed order: patch, gold, truth.
func Cells() []Cell {
	var out []Cell
	for _, patched := range []Result{FailedTest, Passed} {
		for _, gold := range []Result{FailedTest, Passed} {
			for _, truth := range []trace.Label{trace.Defective, trace.Acceptable} {
				out = append(out, Cell{patched, gold, truth})
			}
		}
	}
	return out
}

// Finding is what the audit says of a test.
type Finding string

// Findings. Over-specified, under-specified and patch-restating are paper G's
// (§6.1, S2.5, S3.5): a test that fails the reference solution is over-specified
// whatever it does on the patch; one that passes a patch which the official tests
// refuse tests too little; one that passes the patch and fails the reference
// restates the patch. ReferenceBound fails an acceptable patch and passes the
// reference: it asks for a detail that the official tests leave open.
const (
	SoundReject    Finding = "sound rejection"
	SoundPass      Finding = "sound pass"
	UnderSpecified Finding = "under-specified"
	OverSpecified  Finding = "over-specified"
	PatchRestating Finding = "patch-restating"
	ReferenceBound Finding = "bound to the reference"
)

// Findings names the cell, the heaviest first.
func (c Cell) Findings() []Finding {
	defect := c.Truth == trace.Defective
	switch {
	case c.Gold == FailedTest && c.Patch == Passed:
		return []Finding{PatchRestating, OverSpecified}
	case c.Gold == FailedTest:
		return []Finding{OverSpecified}
	case c.Patch == Passed && defect:
		return []Finding{UnderSpecified}
	case c.Patch == Passed:
		return []Finding{SoundPass}
	case defect:
		return []Finding{SoundReject}
	}
	return []Finding{ReferenceBound}
}

// AuditTable counts kept tests by cell.
type AuditTable struct {
	Cells   map[Cell]int
	Unknown int // kept tests with a side that was not run or has no outcome
}

// Tabulate audits the kept tests of records under a policy's episodes; the two
// lists are in the same order.
func Tabulate(episodes []Episode, records []Record) AuditTable {
	t := AuditTable{Cells: map[Cell]int{}}
	for i, e := range episodes {
		kept, ok := e.State.Kept()
		if !ok {
			continue
		}
		c, ok := CellOf(kept.Patched, records[i].GoldResults[len(e.State.Attempts)-1], e.Label)
		if !ok {
			t.Unknown++
			continue
		}
		t.Cells[c]++
	}
	return t
}

// Of counts the tests with a finding.
func (t AuditTable) Of(f Finding) int {
	n := 0
	for c, k := range t.Cells {
		for _, x := range c.Findings() {
			if x == f {
				n += k
			}
		}
	}
	return n
}
