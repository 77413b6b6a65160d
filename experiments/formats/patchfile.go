package formats

import (
	"regexp"
	"strings"

	"plumbline/experiments/patch"
)

// Patch files: patch.diff beside a report, model.patch, <id>.diff. The file is a
// prediction of its folder or of its own name.

func matchPatchFile(l *look) Confidence {
	n := l.lower()
	named := strings.HasSuffix(n, ".diff") || strings.HasSuffix(n, ".patch")
	if l.json != nil && !named {
		return None
	}
	t := strings.TrimLeft(l.text, "\r\n\t ")
	switch {
	case strings.HasPrefix(t, "diff --git "), strings.HasPrefix(t, "--- ") && strings.Contains(t, "\n+++ "):
		return Certain
	case named:
		return Likely
	}
	return None
}

func readPatchFile(x *reading) error {
	text, err := x.text(maxText)
	if err != nil {
		return err
	}
	x.count(1)
	if acrPatch(x.base()) {
		p := x.part(PartPatch)
		p.Trace.PatchState, p.Trace.Patch = patch.State(text), text
		return x.put(p)
	}
	return x.put(&Prediction{Pos: x.at(0, ""), InstanceID: x.fileID(), State: patch.State(text), Patch: text, FromFile: true, Keyless: true})
}

// anID matches an instance id inside a path segment: owner__name-number and the
// variants with dots, underscores and hashes.
var anID = regexp.MustCompile(`[A-Za-z0-9][A-Za-z0-9_.-]*?__[A-Za-z0-9_.-]+?[-_.](?:pr_)?[A-Za-z0-9]*[0-9][A-Za-z0-9]*`)

// fileID guesses the instance id of a file from its own name, then from the
// folders around it, inner ones first. Empty when no segment looks like one.
func (x *reading) fileID() string {
	segs := strings.Split(x.src.Path, "/")
	for i := len(segs) - 1; i >= 0; i-- {
		s := segs[i]
		if i == len(segs)-1 {
			s = trimExts(s, ".log", ".diff", ".patch", ".json", ".traj", ".md", ".yaml", ".jsonl", ".events", ".eval")
		}
		if strings.Contains(s, "__") && wholeID(s) {
			return s
		}
	}
	return ""
}

// wholeID reports whether a segment as a whole is an instance id.
func wholeID(s string) bool {
	loc := anID.FindStringIndex(s)
	return loc != nil && loc[0] == 0 && loc[1] == len(s)
}
