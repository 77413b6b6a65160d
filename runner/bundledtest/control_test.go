package bundledtest

import (
	"bytes"
	"encoding/json"
	"flag"
	"os"
	"path/filepath"
	"slices"
	"strings"
	"testing"

	"github.com/google/go-cmp/cmp"
	"github.com/rogpeppe/go-internal/txtar"

	"plumbline/experiments/ablation"
	"plumbline/experiments/bundled"
	"plumbline/experiments/trace"
)

var update = flag.Bool("update", false, "make the ablations of the bundled cases anew")

// Every ablation of the bundled cases is a proposal that the hidden tests refuse
// with the counts that it was recorded with, and every kind is there for both
// languages.
func TestControls(t *testing.T) {
	t.Parallel()
	need(t, "git")
	cases, err := bundled.Cases()
	if err != nil {
		t.Fatal(err)
	}
	kinds := map[string]int{}
	for _, c := range cases {
		if *update {
			t.Run("update/"+c.File, func(t *testing.T) { writeControls(t, c) })
			continue
		}
		controls, err := c.Controls()
		if err != nil {
			t.Fatal(err)
		}
		proposals, err := ablation.Propose(c.Instance.Language, c.Base, c.Instance.Oracle.GoldPatch)
		if err != nil {
			t.Fatal(err)
		}
		if k := controls[0]; k.Kind != bundled.Reference || k.Trace.Patch != c.Instance.Oracle.GoldPatch || k.Trace.Outcome.Label != trace.Acceptable {
			t.Errorf("%s: the first control is not the reference patch: %+v", c.File, k)
		}
		for _, k := range controls[1:] {
			kinds[c.Instance.Language+" "+k.Kind]++
			at := slices.IndexFunc(proposals, func(a ablation.Ablation) bool { return a.Name == k.Name })
			if at < 0 {
				t.Errorf("%s: %s is not proposed any more", c.File, k.Name)
				continue
			}
			p := proposals[at]
			if p.Patch != k.Trace.Patch || p.Missing != k.Missing || p.Item != k.Item || string(p.Kind) != k.Kind || p.File != k.File || p.Line != k.Line {
				t.Errorf("%s: %s is another proposal than the recorded one; run the test with -update", c.File, k.Name)
			}
			t.Run(c.File+"/"+k.Name, func(t *testing.T) {
				t.Parallel()
				need(t, map[bundled.Runner]string{bundled.Unittest: "python3", bundled.GoTest: "go"}[c.Runner])
				if got, want := measure(t, c, k.Trace.Patch), *k.Trace.Outcome.Tests; got != want {
					t.Errorf("counts %s", cmp.Diff(want, got))
				}
			})
		}
	}
	for _, language := range []string{"python", "go"} {
		for _, kind := range ablation.Kinds {
			if !*update && kinds[language+" "+string(kind)] < 3 {
				t.Errorf("%d ablations of %s of the kind %s, want at least 3", kinds[language+" "+string(kind)], language, kind)
			}
		}
	}
}

// measure runs the hidden tests on a patch.
func measure(t *testing.T, c bundled.Case, patch string) trace.TestCounts {
	t.Helper()
	o := c.Instance.Oracle
	passed := run(t, c, patch)
	return trace.TestCounts{
		FailToPassOK: len(kept(passed, o.FailToPass)), FailToPassAll: len(o.FailToPass),
		PassToPassOK: len(kept(passed, o.PassToPass)), PassToPassAll: len(o.PassToPass), Applied: true,
	}
}

// writeControls keeps, of each kind, the first proposal that the hidden tests refuse.
func writeControls(t *testing.T, c bundled.Case) {
	need(t, map[bundled.Runner]string{bundled.Unittest: "python3", bundled.GoTest: "go"}[c.Runner])
	proposals, err := ablation.Propose(c.Instance.Language, c.Base, c.Instance.Oracle.GoldPatch)
	if err != nil {
		t.Fatal(err)
	}
	out := &txtar.Archive{}
	for _, kind := range ablation.Kinds {
		for _, p := range proposals {
			if p.Kind != kind {
				continue
			}
			n := measure(t, c, p.Patch)
			if n.FailToPassOK == n.FailToPassAll && n.PassToPassOK == n.PassToPassAll {
				t.Logf("%s: the hidden tests do not miss it", p.Name)
				continue
			}
			var rec bytes.Buffer
			enc := json.NewEncoder(&rec)
			enc.SetEscapeHTML(false)
			enc.SetIndent("", "  ")
			if err := enc.Encode(bundled.ControlRecord{
				Kind: string(kind), File: p.File, Line: p.Line, Item: p.Item, Missing: p.Missing, F2POK: n.FailToPassOK, P2POK: n.PassToPassOK,
			}); err != nil {
				t.Fatal(err)
			}
			out.Files = append(out.Files, txtar.File{Name: p.Name + "/control.json", Data: rec.Bytes()}, txtar.File{Name: p.Name + "/patch.diff", Data: []byte(p.Patch)})
			break
		}
	}
	slices.SortStableFunc(out.Files, func(a, b txtar.File) int { return strings.Compare(a.Name, b.Name) })
	file := filepath.Join("..", "..", "experiments", "bundled", "controls", c.File)
	if err := os.MkdirAll(filepath.Dir(file), 0o755); err != nil {
		t.Fatal(err)
	}
	if err := os.WriteFile(file, txtar.Format(out), 0o644); err != nil {
		t.Fatal(err)
	}
}
