package staticpairs_test

import (
	"context"
	"os"
	"path/filepath"
	"strings"
	"testing"

	"github.com/google/go-cmp/cmp"

	"plumbline/experiments/findings"
	"plumbline/runner/staticpairs"
)

const diff = "diff --git a/a.py b/a.py\n--- a/a.py\n+++ b/a.py\n@@ -1 +1,2 @@\n x = 1\n+print(y)\n"

func write(t *testing.T, files map[string]string) string {
	t.Helper()
	dir := t.TempDir()
	for name, text := range files {
		p := filepath.Join(dir, name)
		if err := os.MkdirAll(filepath.Dir(p), 0o755); err != nil {
			t.Fatal(err)
		}
		if err := os.WriteFile(p, []byte(text), 0o644); err != nil {
			t.Fatal(err)
		}
	}
	return dir
}

// What cannot be compared is said and not counted; what is left decides the row.
func TestLeftOut(t *testing.T) {
	t.Parallel()
	dir := write(t, map[string]string{
		"runs/preds.jsonl": `{"instance_id":"o__r-1","model_name_or_path":"m","model_patch":"x"}` + "\n",
		"pairs/index.json": `[
			{"dir":"pairs/good","instance_id":"o__r-1","prediction_file":"runs/preds.jsonl"},
			{"dir":"pairs/one-side","instance_id":"o__r-2","prediction_file":"runs/preds.jsonl"},
			{"dir":"pairs/odd","instance_id":"o__r-3","prediction_file":"nowhere/preds.jsonl"}]`,
		"pairs/good/patch.diff": diff, "pairs/good/base.pyflakes.txt": "", "pairs/good/patched.pyflakes.txt": "a.py:2:7: undefined name 'y'\n",
		"pairs/one-side/patch.diff": diff, "pairs/one-side/base.pyflakes.txt": "",
		"pairs/odd/patch.diff": diff, "pairs/odd/base.lintotron.bin": "?", "pairs/odd/patched.lintotron.bin": "?",
		"pairs/odd/base.ruff.json": "{broken", "pairs/odd/patched.ruff.json": "[]",
	})
	set, err := staticpairs.Read(filepath.Join(dir, "pairs"))
	if err != nil {
		t.Fatal(err)
	}
	outcomes, err := staticpairs.ReadOutcomes(context.Background(), dir, set.From)
	if err != nil {
		t.Fatal(err)
	}
	set.Judge(outcomes)
	yes := true
	set.Pairs[0].Resolved = &yes
	var got []string
	for _, r := range set.Compare() {
		got = append(got, r.Name+": "+r.LeftOut)
	}
	want := []string{"good: ", "one-side: " + findings.NoPairTool, "odd: " + findings.NoPairTool}
	if d := cmp.Diff(want, got); d != "" {
		t.Error(d)
	}
	for _, tool := range set.Pairs[2].Tools {
		if tool.Why == "" {
			t.Errorf("%s of the odd pair can be compared", tool.Tool)
		}
	}
	if r := set.Compare()[0]; r.Static.Decisive != 1 || !strings.Contains(r.Caused[0].String(), "undefined name 'y'") {
		t.Errorf("%+v", r)
	}
}

func TestBadFolder(t *testing.T) {
	t.Parallel()
	for name, files := range map[string]map[string]string{
		"no index": {}, "broken index": {"index.json": "{"}, "no folder": {"index.json": `[{"dir":"gone","instance_id":"x"}]`},
		"no patch": {"index.json": `[{"dir":"p"}]`, "p/base.pyflakes.txt": ""}, "out of the folder": {"index.json": `[{"dir":".."}]`},
		"broken list": {"index.json": `[]`, "apply_status.json": "x"},
	} {
		if _, err := staticpairs.Read(write(t, files)); err == nil {
			t.Errorf("%s: no error", name)
		}
	}
}
