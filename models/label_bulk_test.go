package models_test

import (
	"context"
	"errors"
	"testing"

	"github.com/google/go-cmp/cmp"
	"github.com/google/go-cmp/cmp/cmpopts"

	"plumbline/experiments/trace"
	"plumbline/models"
	"plumbline/models/modelstest"
)

// A bulk change touches what the filter selects and nothing else, keeps every old
// value, and takes the copies of the labels on decisions along.
func TestLabelTraces(t *testing.T) {
	t.Parallel()
	modelstest.Each(t, func(t *testing.T, s *models.Store) {
		ctx := context.Background()
		d, err := modelstest.FillTraces(ctx, s, 1500, 5)
		if err != nil {
			t.Fatal(err)
		}
		f := models.TraceFilter{DatasetID: d.ID, Agent: "2025-agent-001"}
		before := allTraces(t, s, f, "", 500)
		rest := allTraces(t, s, models.TraceFilter{DatasetID: d.ID, Agent: "2025-agent-002"}, "", 500)
		held, err := s.LabelsBefore(ctx, admin, f)
		if err != nil {
			t.Fatal(err)
		}
		n, want := 0, map[models.LabelBefore]int{}
		for _, r := range before {
			want[models.LabelBefore{Label: r.Label, Bucket: r.Bucket, Source: r.LabelSource}]++
		}
		for _, h := range held {
			n += h.N
			if got := want[models.LabelBefore{Label: h.Label, Bucket: h.Bucket, Source: h.Source}]; got != h.N {
				t.Errorf("%+v: %d are stored", h, got)
			}
		}
		if n != len(before) || n != 500 {
			t.Fatalf("%d traces in the preview, %d in the list, want 500", n, len(before))
		}
		change := models.BulkLabel{Filter: f, Label: trace.Defective, Bucket: trace.Regression, Reason: "the build was broken", Expect: 500}
		done, err := s.LabelTraces(ctx, admin, change)
		if err != nil {
			t.Fatal(err)
		}
		same := 0
		old := map[string]models.TraceRow{}
		for _, r := range before {
			old[r.ID] = r
			if r.Label == "defective" && r.Bucket == "regression" {
				same++
			}
		}
		if diff := cmp.Diff(models.BulkDone{Selected: 500, Changed: 500 - same}, done); diff != "" {
			t.Error(diff)
		}
		for i, r := range allTraces(t, s, f, "", 500) {
			if r.Label != "defective" || r.Bucket != "regression" {
				t.Fatalf("%s is %s %s", r.ID, r.Label, r.Bucket)
			}
			if i%50 != 0 {
				continue
			}
			events, err := s.LabelEvents(ctx, admin, r.ID)
			if err != nil {
				t.Fatal(err)
			}
			was := old[r.ID]
			if was.Label == r.Label && was.Bucket == r.Bucket {
				if len(events) != 0 || r.LabelSource != was.LabelSource {
					t.Errorf("%s had this label and was changed: %+v", r.ID, events)
				}
				continue
			}
			want := []models.LabelEvent{{
				TraceID: r.ID, Label: "defective", Bucket: "regression", Source: "manual", Reason: "the build was broken", Author: "admin",
				OldLabel: was.Label, OldBucket: was.Bucket,
			}}
			if diff := cmp.Diff(want, events, cmpopts.IgnoreFields(models.LabelEvent{}, "ID", "CreatedAt")); diff != "" {
				t.Error(diff)
			}
		}
		if diff := cmp.Diff(rest, allTraces(t, s, models.TraceFilter{DatasetID: d.ID, Agent: "2025-agent-002"}, "", 500)); diff != "" {
			t.Errorf("traces outside the filter changed: %s", diff)
		}
		history, err := s.LabelHistory(ctx, admin, d.ID, 100)
		if err != nil {
			t.Fatal(err)
		}
		sum := 0
		for _, h := range history {
			sum += h.N
			if h.Author != "admin" || h.Reason != "the build was broken" || !h.At.Equal(history[0].At) {
				t.Errorf("history %+v", h)
			}
		}
		if sum != done.Changed {
			t.Errorf("the history tells of %d changes, want %d", sum, done.Changed)
		}
	})
}

func TestLabelTracesRefuses(t *testing.T) {
	t.Parallel()
	modelstest.Each(t, func(t *testing.T, s *models.Store) {
		ctx := context.Background()
		b := setup(t, s, 5)
		good := models.BulkLabel{Filter: models.TraceFilter{DatasetID: b.dataset.ID}, Label: trace.Unknown, Reason: "why", Expect: 5}
		viewer := models.Viewer{Name: "v", Roles: map[string]models.Role{b.project.ID: models.RoleViewer}}
		tests := []struct {
			name   string
			v      models.Viewer
			change func(*models.BulkLabel)
			field  string
			is     error
		}{
			{"another number of traces", admin, func(c *models.BulkLabel) { c.Expect = 4 }, "filter", nil},
			{"no reason", admin, func(c *models.BulkLabel) { c.Reason = " " }, "reason", nil},
			{"no label", admin, func(c *models.BulkLabel) { c.Label = "good" }, "label", nil},
			{"a bucket of an acceptable trace", admin, func(c *models.BulkLabel) { c.Label, c.Bucket = trace.Acceptable, trace.Omission }, "bucket", nil},
			{"an odd filter", admin, func(c *models.BulkLabel) { c.Filter.Without = []string{"x"} }, "without", nil},
			{"a viewer", viewer, func(*models.BulkLabel) {}, "", models.ErrForbidden},
			{"a stranger", models.Viewer{Name: "x"}, func(*models.BulkLabel) {}, "", models.ErrNotFound},
		}
		for _, tt := range tests {
			c := good
			tt.change(&c)
			_, err := s.LabelTraces(ctx, tt.v, c)
			var invalid *models.InvalidError
			switch {
			case tt.is != nil && !errors.Is(err, tt.is):
				t.Errorf("%s: %v, want %v", tt.name, err, tt.is)
			case tt.is == nil && (!errors.As(err, &invalid) || invalid.Fields[tt.field] == ""):
				t.Errorf("%s: %v, want a complaint about %s", tt.name, err, tt.field)
			}
		}
		for i, r := range allTraces(t, s, good.Filter, "", 100) {
			if want := []string{"acceptable", "defective"}[i%2]; r.Label != want {
				t.Errorf("a refused change left %s %s", r.ID, r.Label)
			}
		}
		if h, err := s.LabelHistory(ctx, admin, b.dataset.ID, 10); err != nil || len(h) != 0 {
			t.Errorf("a refused change left a history: %+v, %v", h, err)
		}
	})
}

// A label that a table gives goes to the one trace it speaks of, and is a conflict
// where that is not sure or another label is stored.
func TestLabelByName(t *testing.T) {
	t.Parallel()
	modelstest.Each(t, func(t *testing.T, s *models.Store) {
		ctx := context.Background()
		b := setup(t, s, 0)
		put := func(i int, agent, patch string, label trace.Label) {
			in := attempt(i, patch, label)
			in.Trace.Agent, in.Trace.Model = agent, agent+"-model"
			if _, err := s.ImportTraces(ctx, admin, b.dataset.ID, []trace.Instance{instance(i)}, []models.TraceInput{in}); err != nil {
				t.Fatal(err)
			}
		}
		put(0, "one", "p", trace.Unknown)
		put(1, "one", "p", trace.Unknown)
		put(1, "two", "p", trace.Unknown)
		put(2, "one", "p", trace.Acceptable)
		put(3, "one", "p", trace.Unknown)
		put(3, "one", "q", trace.Unknown)
		tests := []struct {
			name string
			in   models.NamedLabel
			want models.Imported
		}{
			{"the only one of its instance", models.NamedLabel{InstanceID: "acme__tool-0", Label: trace.Defective}, models.LabelGiven},
			{"again", models.NamedLabel{InstanceID: "acme__tool-0", Label: trace.Defective}, models.LabelKnown},
			{"its kind of defect", models.NamedLabel{InstanceID: "acme__tool-0", Label: trace.Defective, Bucket: trace.Omission}, models.LabelGiven},
			{"no kind takes none away", models.NamedLabel{InstanceID: "acme__tool-0", Label: trace.Defective}, models.LabelKnown},
			{"another kind", models.NamedLabel{InstanceID: "acme__tool-0", Label: trace.Defective, Bucket: trace.Regression}, models.ImportConflict},
			{"two agents", models.NamedLabel{InstanceID: "acme__tool-1", Label: trace.Acceptable}, models.ImportConflict},
			{"one of them", models.NamedLabel{InstanceID: "acme__tool-1", Model: "two", Label: trace.Acceptable}, models.LabelGiven},
			{"the other by its model", models.NamedLabel{InstanceID: "acme__tool-1", Model: "one-model", Label: trace.Defective}, models.LabelGiven},
			{"against a report", models.NamedLabel{InstanceID: "acme__tool-2", Label: trace.Defective}, models.ImportConflict},
			{"unknown against a report", models.NamedLabel{InstanceID: "acme__tool-2", Label: trace.Unknown}, models.ImportConflict},
			{"two attempts", models.NamedLabel{InstanceID: "acme__tool-3", Agent: "one", Label: trace.Acceptable}, models.ImportConflict},
			{"one by its patch", models.NamedLabel{InstanceID: "acme__tool-3", PatchSHA256: "71", Label: trace.Acceptable}, models.LabelGiven},
			{"one by its number", models.NamedLabel{InstanceID: "acme__tool-3", Attempt: 1, Label: trace.Defective}, models.LabelGiven},
			{"nobody", models.NamedLabel{InstanceID: "acme__tool-9", Label: trace.Defective}, models.LabelNoTrace},
			{"nobody of that name", models.NamedLabel{InstanceID: "acme__tool-0", Agent: "three", Label: trace.Defective}, models.LabelNoTrace},
		}
		for _, tt := range tests {
			tt.in.From = "column y of labels.csv:2"
			res, err := s.LabelByName(ctx, admin, b.dataset.ID, []models.NamedLabel{tt.in})
			if err != nil {
				t.Fatal(err)
			}
			if res[0].Outcome != tt.want || (res[0].Note != "") != (tt.want == models.ImportConflict) {
				t.Errorf("%s: %+v, want %s", tt.name, res[0], tt.want)
			}
		}
		var got []string
		for _, r := range allTraces(t, s, models.TraceFilter{DatasetID: b.dataset.ID}, "instance", 100) {
			got = append(got, r.InstanceID+" "+r.Agent+" "+r.Label+" "+r.Bucket+" "+r.LabelSource+" "+r.OutcomeSource)
		}
		const from = "column y of labels.csv:2"
		want := []string{
			"acme__tool-0 one defective omission imported " + from,
			"acme__tool-1 one defective  imported " + from,
			"acme__tool-1 two acceptable  imported " + from,
			"acme__tool-2 one acceptable  imported report.json",
			"acme__tool-3 one defective  imported " + from,
			"acme__tool-3 one acceptable  imported " + from,
		}
		if diff := cmp.Diff(want, got); diff != "" {
			t.Error(diff)
		}
		viewer := models.Viewer{Name: "v", Roles: map[string]models.Role{b.project.ID: models.RoleViewer}}
		if _, err := s.LabelByName(ctx, viewer, b.dataset.ID, nil); !errors.Is(err, models.ErrForbidden) {
			t.Errorf("a viewer: %v", err)
		}
	})
}
