package formats_test

import (
	"encoding/json"
	"os"
	"path/filepath"
	"testing"

	"github.com/google/go-cmp/cmp"

	"plumbline/experiments/formats"
)

// TestDryRun pins the interface: key names, nulls, order.
func TestDryRun(t *testing.T) {
	t.Parallel()
	res := formats.DryRun(tree{
		"run/trajs/acme__shop-7.traj":           traj(t, "acme__shop-7", fix),
		"run/logs/acme__shop-7/report.json":     report(t, "acme__shop-7", true, [2]int{1, 0}, [2]int{2, 0}),
		"run/all_preds.jsonl":                   pred(t, "acme__shop-7", "bot", fix) + "{\"model_patch\": null}\n" + `{"instance_id": "acme__shop-8", "model_patch": null}` + "\n{\"cut",
		"run/logs/acme__shop-7/test_output.txt": "PASSED\n",
		"run/big.traj.json":                     "version https://git-lfs.github.com/spec/v1\n",
	}.read(t, formats.Options{KeepSummaries: true}))
	got, err := json.MarshalIndent(res, "", " ")
	if err != nil {
		t.Fatal(err)
	}
	golden := filepath.Join("testdata", "dryrun.golden.json")
	if *update {
		if err := os.WriteFile(golden, append(got, '\n'), 0o644); err != nil {
			t.Fatal(err)
		}
	}
	want, err := os.ReadFile(golden)
	if err != nil {
		t.Fatal(err)
	}
	if d := cmp.Diff(string(want), string(got)+"\n"); d != "" {
		t.Error(d)
	}
}
