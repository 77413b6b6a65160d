package ingest_test

import (
	"bufio"
	"fmt"
	"math/rand/v2"
	"path/filepath"
	"strings"
	"testing"
	"time"

	"github.com/google/go-cmp/cmp"
	"github.com/google/go-cmp/cmp/cmpopts"

	"plumbline/models"
	"plumbline/models/modelstest"
	"plumbline/runner/ingest"
)

// An import that is killed leaves whole traces or none of them; the same import
// again adds the rest and nothing twice.
func TestKilledImport(t *testing.T) {
	t.Parallel()
	const traces, rounds = 1000, 6
	var text strings.Builder
	for i := range traces {
		id := fmt.Sprintf("acme__shop-%d", i)
		text.WriteString(trajectory(t, id, diff("a.py", id), 40, strings.Repeat("seen ", 100)))
	}
	dir := tree{"traces.jsonl": text.String()}.write(t)
	databases := map[string]func(t *testing.T) string{
		"sqlite":   func(t *testing.T) string { return filepath.Join(t.TempDir(), "plumbline.db") },
		"postgres": func(t *testing.T) string { return modelstest.PostgresURL(t) },
	}
	whole := sqlite(t) // the same files imported without a stop
	whole.load(t, ingest.Options{}, dir)
	for name, database := range databases {
		t.Run(name, func(t *testing.T) {
			into := database(t)
			b := newBench(t, modelstest.Open(t, into))
			rng := rand.New(rand.NewPCG(3, uint64(len(name))))
			stored, partly := 0, 0
			for range rounds {
				killed(t, dir, into, 1+rng.IntN(4), time.Duration(rng.IntN(40))*time.Millisecond)
				rows := b.traces(t)
				if len(rows) < stored {
					t.Fatalf("%d traces are left of %d", len(rows), stored)
				}
				if len(rows) > stored && len(rows) < traces {
					partly++
				}
				stored = len(rows)
				b.wholeTexts(t, rows)
				for _, r := range rows {
					d, err := b.store.TraceDetail(t.Context(), admin, r.ID)
					if err != nil {
						t.Fatal(err)
					}
					if r.StepCount != 40 || d.Issue == "" || d.Patch == "" || d.Summary == "" {
						t.Fatalf("%s is stored in part: %d steps, issue %q, patch %q, summary %q", r.InstanceID, r.StepCount, d.Issue, d.Patch, d.Summary)
					}
				}
			}
			t.Logf("%d of %d traces were stored by imports that were killed, %d of %d of them in the middle of their work", stored, traces, partly, rounds)
			if partly == 0 {
				t.Error("no import was killed in the middle of its work")
			}
			sum := b.load(t, ingest.Options{}, dir)
			rows := b.traces(t)
			if len(rows) != traces || sum.Same != "" {
				t.Errorf("%d traces in the end, want %d", len(rows), traces)
			}
			b.wholeTexts(t, rows)
			b.sameAs(t, whole, rows)
			if sum := b.load(t, ingest.Options{}, dir); sum.Same == "" || len(b.traces(t)) != traces {
				t.Errorf("the finished import is not known: %+v", sum.Outcomes)
			}
		})
	}
}

// sameAs compares all that is stored of the traces with what another import stored.
func (b bench) sameAs(t *testing.T, other bench, rows []models.TraceRow) {
	t.Helper()
	own := cmpopts.IgnoreFields(models.TraceRow{}, "ID", "DatasetID", "InstanceRow", "CreatedAt")
	byInstance := cmpopts.SortSlices(func(a, b models.TraceRow) bool { return a.InstanceID < b.InstanceID })
	want := other.traces(t)
	if diff := cmp.Diff(want, rows, own, byInstance); diff != "" {
		t.Errorf("the traces are not those of an import without a stop: %.2000s", diff)
	}
	ids := map[string]string{}
	for _, r := range want {
		ids[r.InstanceID] = r.ID
	}
	for i, r := range rows {
		if i%50 != 0 {
			continue
		}
		got, in, err := b.store.LoadTrace(t.Context(), admin, r.ID)
		if err != nil {
			t.Fatal(err)
		}
		wanted, inWanted, err := other.store.LoadTrace(t.Context(), admin, ids[r.InstanceID])
		if err != nil {
			t.Fatal(err)
		}
		if diff := cmp.Diff(wanted, got) + cmp.Diff(inWanted, in); diff != "" {
			t.Errorf("%s is not as in an import without a stop: %.2000s", r.InstanceID, diff)
		}
	}
}

// killed starts an import in a process of its own and kills it a while after it
// told of its progress in storing so many times.
func killed(t *testing.T, path, into string, marks int, after time.Duration) {
	t.Helper()
	cmd := child(t, path, into)
	out, err := cmd.StdoutPipe()
	if err == nil {
		err = cmd.Start()
	}
	if err != nil {
		t.Fatal(err)
	}
	for lines := bufio.NewScanner(out); marks > 0 && lines.Scan(); {
		if strings.HasPrefix(lines.Text(), string(ingest.PhaseStore)) {
			marks--
		}
	}
	<-time.After(after)
	_ = cmd.Process.Kill() // it may have ended by itself
	_ = cmd.Wait()
}
