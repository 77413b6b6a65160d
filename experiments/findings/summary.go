package findings

import (
	"plumbline/experiments/cascade"
	"plumbline/experiments/patch"
)

// Outcome turns attributions, one a tool, into what the cascade reads. A finding
// in a test file decides nothing: agents' tests are taken out before a patch is
// judged. The same fault reported by two tools is one.
func Outcome(all []Attribution) cascade.Static {
	out := cascade.Static{Ran: len(all) > 0}
	if !out.Ran {
		out.Why = "no tool ran on both trees"
		return out
	}
	decisive, caused, standing := map[place]bool{}, map[place]bool{}, map[place]bool{}
	for _, a := range all {
		for _, f := range a.Caused {
			caused[placeOf(f)] = true
			if Decides(f) {
				decisive[placeOf(f)], standing[placeOf(f)] = true, true
			}
		}
		for _, f := range a.Standing {
			if Decides(f) {
				standing[placeOf(f)] = true
			}
		}
	}
	out.Decisive, out.Caused, out.Standing = len(decisive), len(caused), len(standing)
	return out
}

// Decides reports whether a caused finding may reject.
func Decides(f Finding) bool { return f.Class.Decisive() && !patch.IsTestPath(f.File) }

type place struct {
	file  string
	line  int
	class Class
	// message tells findings apart whose class says too little.
	message string
}

func placeOf(f Finding) place {
	p := place{file: f.File, line: f.Line, class: f.Class}
	if !f.Class.Decisive() || f.Line == 0 {
		p.message = f.Message
	}
	return p
}
