package bundled

import (
	"embed"
	"fmt"
	"path"
	"slices"
	"strings"
	"sync"

	"plumbline/experiments/trace"
)

// SplitControls is the split of the controlled cases.
const SplitControls = "controls"

// Reference is the kind of a control that is the reference patch itself and lacks
// nothing; the other kinds are those of package ablation.
const Reference = "control"

// NothingMissing is what a reference patch lacks, as the structured-missing form
// names it.
const NothingMissing = "nothing is known to be missing"

// Control is a patch whose truth is known by construction: the reference patch of a
// case, or the reference patch without one piece, which running the hidden tests
// has shown to be defective.
type Control struct {
	Kind    string
	Name    string // unique in a case
	File    string // where the piece was; empty for a reference patch
	Line    int    // on the tree with the whole reference patch
	Item    string // the piece in a few words; empty for a reference patch
	Missing string // the sentence that names it to a reviewer
	Trace   trace.Trace
}

// ControlRecord is control.json of an archive of controls.
type ControlRecord struct {
	Kind    string `json:"kind"`
	File    string `json:"file"`
	Line    int    `json:"line"`
	Item    string `json:"item"`
	Missing string `json:"missing"`
	F2POK   int    `json:"f2p_ok"` // as measured
	P2POK   int    `json:"p2p_ok"`
}

//go:embed controls/*.txtar
var controlArchives embed.FS

var controlsOnce = sync.OnceValues(func() (map[string][]Control, error) {
	cases, err := Cases()
	if err != nil {
		return nil, err
	}
	out := map[string][]Control{}
	for _, c := range cases {
		data, err := controlArchives.ReadFile(path.Join("controls", c.File))
		if err != nil {
			return nil, fmt.Errorf("read the controls of %s: %w", c.File, err)
		}
		if out[c.File], err = parseControls(c, data); err != nil {
			return nil, fmt.Errorf("controls of %s: %w", c.File, err)
		}
	}
	return out, nil
})

// Controls returns the controlled cases made from c: its reference patch, then its
// ablations by name. They are parsed once and shared, so callers must not change
// them. An error means that the program was built with a broken archive.
func (c Case) Controls() ([]Control, error) {
	all, err := controlsOnce()
	return all[c.File], err
}

func parseControls(c Case, data []byte) ([]Control, error) {
	files, err := unpack(data)
	if err != nil {
		return nil, err
	}
	out := []Control{c.reference()}
	var names []string
	for p := range files {
		dir, _, _ := strings.Cut(p, "/")
		names = append(names, dir)
	}
	slices.Sort(names)
	for i, name := range slices.Compact(names) {
		x := folder(files, name)
		var rec ControlRecord
		if err := decode(x["control.json"], &rec); err != nil {
			return nil, fmt.Errorf("%s: control.json: %w", name, err)
		}
		if !strings.HasPrefix(x["patch.diff"], "diff --git ") || rec.Kind == "" || rec.Item == "" || rec.Missing == "" {
			return nil, fmt.Errorf("%s: kind, item, missing and patch.diff are required", name)
		}
		k := Control{Kind: rec.Kind, Name: name, File: rec.File, Line: rec.Line, Item: rec.Item, Missing: rec.Missing}
		k.Trace = c.controlTrace("ablation", rec.Kind, i+1, name, x["patch.diff"], rec.F2POK, rec.P2POK)
		if k.Trace.Outcome.Label != trace.Defective {
			return nil, fmt.Errorf("%s: the counts do not make it defective", name)
		}
		out = append(out, k)
	}
	return out, nil
}

func (c Case) reference() Control {
	o := c.Instance.Oracle
	return Control{
		Kind: Reference, Name: "reference", Missing: NothingMissing,
		Trace: c.controlTrace("reference", "reference patch", 1, "reference", o.GoldPatch, len(o.FailToPass), len(o.PassToPass)),
	}
}

// controlTrace is a patch without an agent: it has no steps and no summary.
func (c Case) controlTrace(agent, model string, attempt int, name, patch string, f2p, p2p int) trace.Trace {
	o := c.Instance.Oracle
	label, bucket := Classify(f2p == len(o.FailToPass), p2p == len(o.PassToPass), patch == "")
	resolved := label == trace.Acceptable
	out := trace.Trace{
		InstanceID: c.Instance.ID, Agent: agent, Model: model, Attempt: attempt, PatchState: trace.PatchText, Patch: patch, Status: "constructed",
		Outcome: trace.Outcome{
			Resolved: &resolved, Source: "bundled/" + c.File, Label: label, Bucket: bucket, From: trace.Constructed,
			Tests: &trace.TestCounts{FailToPassOK: f2p, FailToPassAll: len(o.FailToPass), PassToPassOK: p2p, PassToPassAll: len(o.PassToPass), Applied: true},
		},
		Trajectory: "bundled/" + c.File + "/controls/" + name,
	}
	if !resolved {
		out.Outcome.Reason = "unresolved"
	}
	return out
}
