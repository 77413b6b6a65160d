package ingest_test

import (
	"context"
	"errors"
	"strings"
	"testing"

	"github.com/google/go-cmp/cmp"

	"plumbline/models"
	"plumbline/models/modelstest"
	"plumbline/runner/ingest"
)

// said are the labels of the dataset's traces.
func (b bench) said(t *testing.T) []string {
	t.Helper()
	var out []string
	for _, r := range b.traces(t) {
		out = append(out, strings.Join(strings.Fields(strings.Join([]string{r.InstanceID, r.Model, r.Label, r.Bucket, r.LabelSource}, " ")), " "))
	}
	return out
}

// A column of any table labels the attempts it speaks of: those of the same import
// and those that were there before. What it does not say for sure is a conflict.
func TestLabelColumn(t *testing.T) {
	t.Parallel()
	preds := pred(t, "acme__shop-1", "new") + pred(t, "acme__shop-2", "new") + pred(t, "acme__shop-3", "new")
	tests := []struct {
		name   string
		files  tree
		column string
		want   []string
		counts map[models.Imported]int
		blank  int
		faults []string
	}{
		{
			name: "csv", files: tree{"preds.jsonl": preds, "truth.csv": "instance_id,model,verdict\nacme__shop-1,bot,resolved\nacme__shop-2,bot,regression\nacme__shop-3,bot,\nacme__shop-4,bot,resolved\nacme__shop-1,bot,perhaps\n"},
			column: "verdict", blank: 1,
			want:   []string{"acme__shop-1 bot acceptable imported", "acme__shop-2 bot defective regression imported", "acme__shop-3 bot unknown"},
			counts: map[models.Imported]int{models.LabelGiven: 2, models.LabelNoTrace: 1},
			faults: []string{`truth.csv line 6, verdict: "perhaps" is no label`},
		},
		{
			name: "predictions", files: tree{"preds.jsonl": line(t, obj{"instance_id": "acme__shop-1", "model_name_or_path": "bot", "model_patch": diff("a.py", "x"), "ok": true}) +
				line(t, obj{"instance_id": "acme__shop-2", "model_name_or_path": "bot", "model_patch": diff("a.py", "y"), "ok": false})},
			column: "ok",
			want:   []string{"acme__shop-1 bot acceptable imported", "acme__shop-2 bot defective imported"},
			counts: map[models.Imported]int{models.LabelGiven: 2},
		},
		{
			name: "two attempts are told apart by their patch", files: tree{"preds.jsonl": line(t, obj{"instance_id": "acme__shop-1", "model_name_or_path": "bot", "model_patch": diff("a.py", "x"), "ok": 1}) +
				line(t, obj{"instance_id": "acme__shop-1", "model_name_or_path": "bot", "model_patch": diff("a.py", "y"), "ok": 0})},
			column: "ok",
			want:   []string{"acme__shop-1 bot acceptable imported", "acme__shop-1 bot defective imported"},
			counts: map[models.Imported]int{models.LabelGiven: 2},
		},
		{
			name: "dataset rows, a deeper column", files: tree{"preds.jsonl": preds, "rows.jsonl": line(t, obj{"instance_id": "acme__shop-1", "repo": "acme/shop", "base_commit": "abc", "problem_statement": "It breaks", "run": obj{"status": "No Change"}}) +
				line(t, obj{"instance_id": "acme__shop-2", "repo": "acme/shop", "base_commit": "abc", "problem_statement": "It breaks", "run": obj{"status": "Resolved"}})},
			column: "run.status",
			want:   []string{"acme__shop-1 bot defective no_change imported", "acme__shop-2 bot acceptable imported", "acme__shop-3 bot unknown"},
			counts: map[models.Imported]int{models.LabelGiven: 2},
		},
		{
			name: "an object by instance", files: tree{"preds.jsonl": preds, "truth.json": `{"acme__shop-1": {"outcome": "omission"}, "acme__shop-2": {"outcome": "unknown"}}`},
			column: "outcome",
			want:   []string{"acme__shop-1 bot defective omission imported", "acme__shop-2 bot unknown", "acme__shop-3 bot unknown"},
			counts: map[models.Imported]int{models.LabelGiven: 1, models.LabelKnown: 1},
		},
		{
			name: "against a report", files: tree{"preds.jsonl": preds, "logs/acme__shop-1/report.json": report("acme__shop-1", true), "truth.csv": "instance_id,y\nacme__shop-1,0\nacme__shop-2,1\n"},
			column: "y",
			want:   []string{"acme__shop-1 bot acceptable imported", "acme__shop-2 bot acceptable imported", "acme__shop-3 bot unknown"},
			counts: map[models.Imported]int{models.LabelGiven: 1, models.ImportConflict: 1},
		},
	}
	modelstest.Each(t, func(t *testing.T, s *models.Store) {
		all := newBench(t, s)
		for _, tt := range tests {
			t.Run(tt.name, func(t *testing.T) {
				b := all.into(t, tt.name)
				dir := tt.files.write(t)
				sum := b.load(t, ingest.Options{LabelColumn: tt.column}, dir)
				got := b.said(t)
				if diff := cmp.Diff(tt.want, got); diff != "" {
					t.Error(diff)
				}
				if sum.Column == nil {
					t.Fatal("the report does not tell of the column")
				}
				if diff := cmp.Diff(tt.counts, sum.Column.Outcomes); diff != "" || sum.Column.Blank != tt.blank || sum.Column.Unread != len(tt.faults) {
					t.Errorf("%s; %d blank, %d unread", diff, sum.Column.Blank, sum.Column.Unread)
				}
				said := messages(sum)
				if len(said) != len(tt.faults) {
					t.Fatalf("problems %q, want %q", said, tt.faults)
				}
				for i, want := range tt.faults {
					if !strings.HasPrefix(said[i], want) {
						t.Errorf("problem %q, want %q", said[i], want)
					}
				}
				if n := tt.counts[models.ImportConflict]; n > 0 && len(sum.Notes) != n {
					t.Errorf("the conflicts are not told: %+v", sum.Notes)
				}
				// Again, read anew: nothing is given twice and nothing changes.
				again := b.load(t, ingest.Options{LabelColumn: tt.column, Again: true}, dir)
				if diff := cmp.Diff(got, b.said(t)); diff != "" || again.Column.Outcomes[models.LabelGiven] != 0 {
					t.Errorf("the second time %v: %s", again.Column.Outcomes, diff)
				}
				if same := b.load(t, ingest.Options{LabelColumn: tt.column}, dir); same.Same == "" {
					t.Error("the very same import is not known")
				}
			})
		}
	})
}

// A table alone labels what was imported before, keeps the history, and makes no
// attempt of its own; a column that is nowhere is told.
func TestLabelColumnOfStoredTraces(t *testing.T) {
	t.Parallel()
	modelstest.Each(t, func(t *testing.T, s *models.Store) {
		b := newBench(t, s)
		b.load(t, ingest.Options{}, tree{"preds.jsonl": pred(t, "acme__shop-1", "new") + pred(t, "acme__shop-2", "new")}.write(t))
		dir := tree{"truth.csv": "instance_id;resolved\nacme__shop-1;true\nacme__shop-2;false\nacme__shop-3;false\n"}.write(t)
		sum := b.load(t, ingest.Options{LabelColumn: "resolved"}, dir)
		want := []string{"acme__shop-1 bot acceptable imported", "acme__shop-2 bot defective imported"}
		if diff := cmp.Diff(want, b.said(t)); diff != "" {
			t.Error(diff)
		}
		if sum.Read.Attempts != 0 || sum.Column.Outcomes[models.LabelNoTrace] != 1 {
			t.Errorf("the table made attempts: %+v, %+v", sum.Read, sum.Column)
		}
		events, err := s.LabelEvents(t.Context(), admin, b.traces(t)[1].ID)
		if err != nil || len(events) != 1 || events[0].OldLabel != "unknown" || events[0].Reason != "from column resolved of truth.csv:3" {
			t.Errorf("history %+v, %v", events, err)
		}
		var invalid *models.InvalidError
		if _, _, err := b.ingest.Import(context.Background(), admin, b.dataset.ID, []string{dir}, ingest.Options{LabelColumn: "nowhere"}); !errors.As(err, &invalid) {
			t.Errorf("a column that is nowhere: %v", err)
		}
	})
}
