package ingest_test

import (
	"context"
	"errors"
	"fmt"
	"os"
	"path/filepath"
	"slices"
	"strings"
	"testing"

	"github.com/google/go-cmp/cmp"

	"plumbline/experiments/trace"
	"plumbline/models"
	"plumbline/models/modelstest"
	"plumbline/runner/ingest"
)

// trajectory is one line of the project's own traces, with n steps.
func trajectory(t testing.TB, id, patch string, n int, say string) string {
	t.Helper()
	steps := []obj{}
	for i := range n {
		steps = append(steps, obj{"index": i, "kind": "action", "tool": "bash", "action": fmt.Sprintf("step %d", i), "observation": say})
	}
	return line(t, obj{
		"trace_id": "x", "instance_id": id, "agent": "bot", "model": "bot", "patch_state": "text", "patch": patch,
		"summary": "done with " + id, "issue": "Fix " + id, "steps": steps,
	})
}

// What comes later completes what is stored, a change is a new attempt, and a
// contradiction is shown.
func TestImportsInSequence(t *testing.T) {
	t.Parallel()
	const id = "acme__shop-1"
	base := pred(t, id, "new")
	type want struct {
		outcome models.Imported
		rows    []string
		note    string
	}
	tests := []struct {
		name  string
		files tree
		o     ingest.Options
		want  want
	}{
		{"a prediction", tree{"preds.jsonl": base}, ingest.Options{}, want{models.ImportAdded, []string{"1 unknown 0 steps"}, ""}},
		{"the same in another file", tree{"other.jsonl": base}, ingest.Options{}, want{models.ImportKnown, []string{"1 unknown 0 steps"}, ""}},
		{"its trajectory", tree{"traces.jsonl": trajectory(t, id, diff("a.py", "new"), 3, "ok")}, ingest.Options{}, want{models.ImportCompleted, []string{"1 unknown 3 steps"}, ""}},
		{
			"its report", tree{"preds.jsonl": base, "logs/" + id + "/report.json": report(id, true)}, ingest.Options{},
			want{models.ImportCompleted, []string{"1 acceptable 3 steps"}, ""},
		},
		{
			"a contradiction", tree{"preds.jsonl": base, "logs/" + id + "/report.json": report(id, false)}, ingest.Options{},
			want{models.ImportConflict, []string{"1 acceptable 3 steps"}, "stored outcome acceptable (logs/acme__shop-1/report.json), this import says defective"},
		},
		{
			"another trajectory", tree{"traces.jsonl": trajectory(t, id, diff("a.py", "new"), 4, "ok")}, ingest.Options{},
			want{models.ImportAttempt, []string{"1 acceptable 3 steps", "2 unknown 4 steps"}, "another trajectory"},
		},
		{
			"a changed patch", tree{"preds.jsonl": pred(t, id, "newer")}, ingest.Options{},
			want{models.ImportAttempt, []string{"1 acceptable 3 steps", "2 unknown 4 steps", "3 unknown 0 steps"}, "another patch"},
		},
		{
			"another agent", tree{"preds.jsonl": pred(t, id, "newer")}, ingest.Options{Agent: "rival", Model: "m"},
			want{models.ImportAdded, []string{"1 acceptable 3 steps", "2 unknown 4 steps", "3 unknown 0 steps", "1 unknown 0 steps"}, ""},
		},
		{
			"a report alone, of a named agent", tree{"logs/" + id + "/report.json": report(id, false)}, ingest.Options{Agent: "rival"},
			want{models.ImportCompleted, []string{"1 acceptable 3 steps", "2 unknown 4 steps", "3 unknown 0 steps", "1 defective 0 steps"}, ""},
		},
		{
			"a report alone, of an agent with several attempts", tree{"logs/" + id + "/report.json": report(id, false)}, ingest.Options{Agent: "bot"},
			want{models.ImportConflict, []string{"1 acceptable 3 steps", "2 unknown 4 steps", "3 unknown 0 steps", "1 defective 0 steps"}, "fits 3 stored attempts"},
		},
	}
	modelstest.Each(t, func(t *testing.T, s *models.Store) {
		b := newBench(t, s)
		for _, tt := range tests {
			sum := b.load(t, tt.o, tt.files.write(t))
			if sum.Outcomes[tt.want.outcome] != 1 {
				t.Errorf("%s: outcomes %v, want one %s", tt.name, sum.Outcomes, tt.want.outcome)
			}
			var got []string
			for _, r := range b.traces(t) {
				got = append(got, fmt.Sprintf("%d %s %d steps", r.Attempt, r.Label, r.StepCount))
			}
			if d := cmp.Diff(tt.want.rows, got); d != "" {
				t.Errorf("%s: %s", tt.name, d)
			}
			notes := fmt.Sprint(sum.Notes)
			if !strings.Contains(notes, tt.want.note) || tt.want.note == "" && len(sum.Notes) > 0 {
				t.Errorf("%s: notes %s, want %q", tt.name, notes, tt.want.note)
			}
		}
		rows := b.traces(t)
		b.wholeTexts(t, rows)
		d, err := s.TraceDetail(t.Context(), admin, rows[0].ID)
		if err != nil {
			t.Fatal(err)
		}
		if d.Issue != "Fix "+id || d.Summary != "done with "+id {
			t.Errorf("issue %q and summary %q were not completed", d.Issue, d.Summary)
		}
	})
}

// Two equal attempts in one file are two traces, and stay two.
func TestEqualAttempts(t *testing.T) {
	t.Parallel()
	twice := tree{"preds.jsonl": pred(t, "acme__shop-1", "new") + pred(t, "acme__shop-1", "new") + pred(t, "acme__shop-1", "newer")}.write(t)
	b := sqlite(t)
	for _, want := range []models.Imported{models.ImportAdded, models.ImportKnown} {
		if sum := b.load(t, ingest.Options{Again: true}, twice); sum.Outcomes[want] != 3 {
			t.Errorf("outcomes %v, want 3 %s", sum.Outcomes, want)
		}
		var got []string
		for _, r := range b.traces(t) {
			got = append(got, fmt.Sprint(r.Attempt))
		}
		if d := cmp.Diff([]string{"1", "2", "3"}, got); d != "" {
			t.Error(d)
		}
	}
}

// A label by a person is not overwritten by a file.
func TestManualLabelStays(t *testing.T) {
	t.Parallel()
	b := sqlite(t)
	files := tree{"preds.jsonl": pred(t, "acme__shop-1", "new")}
	b.load(t, ingest.Options{}, files.write(t))
	id := b.traces(t)[0].ID
	if err := b.store.SetLabel(t.Context(), admin, models.LabelChange{TraceID: id, Label: trace.Defective, Source: trace.Manual, Reason: "read it"}); err != nil {
		t.Fatal(err)
	}
	files["logs/acme__shop-1/report.json"] = report("acme__shop-1", true)
	sum := b.load(t, ingest.Options{}, files.write(t))
	if r := b.traces(t)[0]; r.Label != "defective" || r.LabelSource != "manual" {
		t.Errorf("label %s from %s", r.Label, r.LabelSource)
	}
	if len(sum.Notes) != 1 || !strings.Contains(sum.Notes[0].Message, "labelled by hand") {
		t.Errorf("notes %+v", sum.Notes)
	}
}

// Several paths keep equal names apart; a path named twice is read once.
func TestSeveralPaths(t *testing.T) {
	t.Parallel()
	dir := tree{
		"a/preds.jsonl": pred(t, "acme__shop-1", "a"), "b/preds.jsonl": pred(t, "acme__shop-1", "b"),
		"b/logs/acme__shop-1/report.json": report("acme__shop-1", true),
	}.write(t)
	at := func(names ...string) []string {
		for i, n := range names {
			names[i] = filepath.Join(dir, filepath.FromSlash(n))
		}
		return names
	}
	tests := []struct {
		name  string
		paths []string
		files []string
		rows  []string
	}{
		{"two folders", at("a", "b"), []string{"a/preds.jsonl", "b/logs/acme__shop-1/report.json", "b/preds.jsonl"}, []string{"acceptable", "unknown"}},
		{"two files", at("a/preds.jsonl", "b/preds.jsonl"), []string{"a/preds.jsonl", "b/preds.jsonl"}, []string{"unknown", "unknown"}},
		{"a file and a folder beside it", at("b/preds.jsonl", "b/logs"), []string{"logs/acme__shop-1/report.json", "preds.jsonl"}, []string{"acceptable"}},
		{"one twice", at("b", "b/preds.jsonl", "b"), []string{"logs/acme__shop-1/report.json", "preds.jsonl"}, []string{"acceptable"}},
		{"one file", at("a/preds.jsonl"), []string{"preds.jsonl"}, []string{"unknown"}},
	}
	all := sqlite(t)
	for _, tt := range tests {
		b := all.into(t, tt.name)
		sum := b.load(t, ingest.Options{}, tt.paths...)
		var files, rows []string
		for _, f := range sum.Files {
			files = append(files, f.Path)
		}
		for _, r := range b.traces(t) {
			rows = append(rows, r.Label)
		}
		slices.Sort(rows)
		if d := cmp.Diff(tt.files, files); d != "" {
			t.Errorf("%s: %s", tt.name, d)
		}
		if d := cmp.Diff(tt.rows, rows); d != "" {
			t.Errorf("%s: %s", tt.name, d)
		}
	}
	if _, _, err := all.ingest.Import(t.Context(), admin, all.dataset.ID, at("nowhere"), ingest.Options{}); !errors.Is(err, os.ErrNotExist) {
		t.Errorf("a path that does not exist: %v", err)
	}
}

// Texts that wait for other files are put aside, and come back whole.
func TestTextsThatWait(t *testing.T) {
	t.Parallel()
	files, preds := tree{}, ""
	const n, size = 6, 8 << 20
	for i := range n {
		id := fmt.Sprintf("acme__shop-%d", i)
		preds += pred(t, id, strings.Repeat(string(rune('a'+i)), size))
		files["runs/"+id+"/trajectory.json"] = line(t, obj{
			"metadata": obj{"instance_id": id}, "max_iterations": 30,
			"nodes": []obj{
				{"node_id": 0, "action": obj{"file": "a.py"}, "observation": obj{"message": strings.Repeat("seen ", 1<<20)}},
				{"node_id": 1, "parent_id": 0, "action": obj{"file": "b.py"}, "observation": obj{"message": "ok"}},
			},
		})
	}
	files["runs/preds.jsonl"] = preds
	files["zz/rows.jsonl"] = line(t, obj{"instance_id": "acme__shop-3", "repo": "acme/shop", "base_commit": "abc", "problem_statement": "Late words", "FAIL_TO_PASS": []string{"t"}, "PASS_TO_PASS": []string{}, "patch": "gold", "test_patch": "tests"})
	b := sqlite(t)
	sum := b.load(t, ingest.Options{}, files.write(t))
	rows := b.traces(t)
	if len(rows) != n || sum.Read.Joined != 2*n {
		t.Fatalf("%d traces, %d records joined", len(rows), sum.Read.Joined)
	}
	for _, r := range rows {
		if r.StepCount != 2 || r.PatchBytes < size {
			t.Errorf("%s: %d steps, patch of %d bytes", r.InstanceID, r.StepCount, r.PatchBytes)
		}
	}
	b.wholeTexts(t, rows)
	for _, r := range rows {
		d, err := b.store.TraceDetail(t.Context(), admin, r.ID)
		if err != nil {
			t.Fatal(err)
		}
		if want := map[string]string{"acme__shop-3": "Late words"}[r.InstanceID]; d.Issue != want {
			t.Errorf("%s: issue %q, want %q", r.InstanceID, d.Issue, want)
		}
	}
}

// A file that changes between the passes gives nothing wrong, and says so.
func TestFileChangesMeanwhile(t *testing.T) {
	t.Parallel()
	files := tree{"preds.jsonl": pred(t, "acme__shop-1", "new") + pred(t, "acme__shop-2", "new"), "traces.jsonl": trajectory(t, "acme__shop-3", diff("a.py", "x"), 3, "before")}
	dir := files.write(t)
	b := sqlite(t)
	changed := false
	sum := b.load(t, ingest.Options{Progress: func(p ingest.Progress) {
		if p.Phase != ingest.PhaseRead || p.Files < p.AllFiles || changed {
			return
		}
		changed = true
		for name, content := range map[string]string{"preds.jsonl": pred(t, "acme__shop-1", "new") + pred(t, "acme__shop-2", "otherwise"), "traces.jsonl": trajectory(t, "acme__shop-3", diff("a.py", "x"), 3, "after")} {
			if err := os.WriteFile(filepath.Join(dir, name), []byte(content), 0o644); err != nil {
				t.Error(err)
			}
		}
	}}, dir)
	if rows := b.traces(t); len(rows) != 1 || rows[0].InstanceID != "acme__shop-1" {
		t.Errorf("stored: %+v", rows)
	}
	said := messages(sum)
	if len(said) != 2 || !strings.Contains(said[0], "preds.jsonl: changed while it was imported; 1 of its records") || !strings.Contains(said[1], "traces.jsonl: changed") {
		t.Errorf("problems %q", said)
	}
	if sum := b.load(t, ingest.Options{}, dir); sum.Same != "" || len(b.traces(t)) != 3 {
		t.Errorf("imported again: %+v, %d traces", sum.Outcomes, len(b.traces(t)))
	}
}

// A rule shares the instances of an import out, whatever is imported when.
func TestImportIntoSplits(t *testing.T) {
	t.Parallel()
	var first, second string
	for i := range 60 {
		id := fmt.Sprintf("acme__shop-%d", i)
		first += pred(t, id, "a")
		second += pred(t, id, "b")
	}
	modelstest.Each(t, func(t *testing.T, s *models.Store) {
		b := newBench(t, s)
		const rule = "hash:design=30,held-out=70"
		sum := b.load(t, ingest.Options{Split: rule}, tree{"p.jsonl": first}.write(t))
		b.load(t, ingest.Options{Split: rule}, tree{"p.jsonl": second}.write(t))
		r, err := trace.ParseSplitRule(rule)
		if err != nil {
			t.Fatal(err)
		}
		splits, err := s.Splits(t.Context(), admin, b.dataset.ID)
		if err != nil {
			t.Fatal(err)
		}
		if len(splits) != 2 || splits[0].Traces+splits[1].Traces != 120 || sum.Splits["design"]+sum.Splits["held-out"] != 60 {
			t.Fatalf("splits %+v, said %v", splits, sum.Splits)
		}
		for _, sp := range splits {
			rows, _, err := s.Traces(t.Context(), admin, models.TraceFilter{DatasetID: b.dataset.ID, SplitID: sp.ID}, models.Page{Limit: 500})
			if err != nil {
				t.Fatal(err)
			}
			for _, row := range rows {
				if want := r.Of(row.InstanceID); want != sp.Name {
					t.Errorf("%s is in %s, want %s", row.InstanceID, sp.Name, want)
				}
			}
		}
		var invalid *models.InvalidError
		_, _, err = b.ingest.Import(context.Background(), admin, b.dataset.ID, []string{t.TempDir()}, ingest.Options{Split: "hash:x"})
		if !errors.As(err, &invalid) || invalid.Fields["split"] == "" {
			t.Errorf("a wrong rule: %v", err)
		}
	})
}

// A dry run leaves nothing behind.
func TestDryRunWritesNothing(t *testing.T) {
	t.Parallel()
	dir := tree{"run.zip": zipped(t, member{name: "in.zip", text: zipped(t, member{name: "preds.jsonl", text: pred(t, "acme__shop-1", "new")})})}.write(t)
	uploads := filepath.Join(t.TempDir(), "uploads")
	res, err := ingest.New(ingest.Config{Uploads: uploads}).DryRun(t.Context(), []string{dir}, ingest.Options{})
	if err != nil {
		t.Fatal(err)
	}
	if len(res.Traces) != 1 || len(res.Files) != 1 || res.Files[0].Path != "in/preds.jsonl" {
		t.Errorf("%+v", res)
	}
	if left, _ := os.ReadDir(uploads); len(left) != 0 {
		t.Errorf("left behind: %v", left)
	}
}
