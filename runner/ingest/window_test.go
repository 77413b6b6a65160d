package ingest_test

import (
	"fmt"
	"strings"
	"testing"

	"github.com/google/go-cmp/cmp"
	"github.com/google/go-cmp/cmp/cmpopts"

	"plumbline/models"
	"plumbline/models/modelstest"
	"plumbline/runner/ingest"
)

// A file of predictions that is imported alone is stored window by window. Its
// traces and its report are those of the same file beside another one, which is
// joined as a whole.
func TestWindows(t *testing.T) {
	t.Parallel()
	var text strings.Builder
	const n = 6_000 // more than a window
	for i := range n {
		id := fmt.Sprintf("acme__shop-%d", i%2500) // every instance several times, far apart
		switch {
		case i%1000 == 7:
			text.WriteString("{broken\n")
		case i%1000 == 8:
			text.WriteString(line(t, obj{"instance_id": id, "model_name_or_path": "bot", "model_patch": nil}))
		default:
			text.WriteString(pred(t, id, fmt.Sprint("same for two ", i/5500))) // equal attempts
		}
	}
	modelstest.Each(t, func(t *testing.T, s *models.Store) {
		alone := newBench(t, s)
		one := alone.load(t, ingest.Options{Split: "hash:a=1,b=1"}, tree{"preds.jsonl": text.String()}.write(t))
		both := alone.into(t, "beside")
		two := both.load(t, ingest.Options{Split: "hash:a=1,b=1"}, tree{"preds.jsonl": text.String(), "notes.txt": "x"}.write(t))
		own := cmpopts.IgnoreFields(models.TraceRow{}, "ID", "DatasetID", "InstanceRow", "CreatedAt", "Attempt")
		order := cmpopts.SortSlices(func(a, b models.TraceRow) bool {
			return a.InstanceID+a.PatchSHA256+fmt.Sprint(a.Attempt) < b.InstanceID+b.PatchSHA256+fmt.Sprint(b.Attempt)
		})
		if diff := cmp.Diff(both.traces(t), alone.traces(t), own, order); diff != "" {
			t.Errorf("the traces differ: %.2000s", diff)
		}
		two.Read.Files, two.Files = 1, two.Files[1:]
		if diff := cmp.Diff(two, one, cmpopts.IgnoreFields(ingest.Summary{}, "Notes")); diff != "" {
			t.Errorf("the reports differ: %.2000s", diff)
		}
		if one.Read.Instances != 2500 || len(one.Files) != 1 || len(one.Files[0].Problems) != 6 {
			t.Errorf("report %+v, files %+v", one.Read, one.Files)
		}
		again := alone.load(t, ingest.Options{Split: "hash:a=1,b=1", Again: true}, tree{"preds.jsonl": text.String()}.write(t))
		if diff := cmp.Diff(map[models.Imported]int{models.ImportKnown: n - 6}, again.Outcomes); diff != "" {
			t.Errorf("again: %s", diff)
		}
	})
}
