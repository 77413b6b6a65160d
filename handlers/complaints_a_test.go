package handlers_test

import (
	"context"
	"fmt"
	"io"
	"net/http"
	"os"
	"path/filepath"
	"strings"
	"testing"

	"plumbline/experiments/evidence"
	"plumbline/experiments/export"
	"plumbline/experiments/simulate"
	"plumbline/experiments/trace"
	"plumbline/models"
	"plumbline/runner"
	"plumbline/runner/ingest"
	"plumbline/runner/reviewer"
)

// bigSite is a site with the traces that viewers die on, imported from files.
type bigSite struct {
	*site
	traces map[string]string // id by instance
}

// writeBig writes a trace step by step into a file of traces.
func writeBig(t *testing.T, w *export.Traces, instance string, steps int, step func(i int) export.Step) {
	t.Helper()
	err := w.Begin(export.Trace{
		TraceID: instance, InstanceID: instance, Repo: "acme/big", Agent: "bot", Model: "m", Attempt: 1, PatchState: "text", Issue: "The issue of " + instance,
		Patch: "--- a/x.py\n+++ b/x.py\n@@ -1 +1 @@\n-a\n+b\n", Summary: "The summary of " + instance, Label: "unknown",
	})
	for i := 0; i < steps && err == nil; i++ {
		err = w.Step(step(i))
	}
	if err == nil {
		err = w.End()
	}
	if err != nil {
		t.Fatal(err)
	}
}

func newBigSite(t *testing.T) *bigSite {
	t.Helper()
	s := &bigSite{newSite(t, nil), map[string]string{}}
	path := filepath.Join(t.TempDir(), "traces.jsonl")
	f, err := os.Create(path)
	if err != nil {
		t.Fatal(err)
	}
	w := export.NewTraces(f)
	action := func(i int, seen string) export.Step {
		return export.Step{Index: i, Kind: "action", Tool: "bash", Action: fmt.Sprintf("run part %d", i), Observation: seen}
	}
	writeBig(t, w, "acme__long-1", 33_000, func(i int) export.Step { return action(i, fmt.Sprintf("saw part %d", i)) })
	lines := strings.Repeat("PASS tests/unit/test_parser.py::test_case\n", 5_000)
	writeBig(t, w, "acme__heavy-1", 420, func(i int) export.Step {
		if i == 200 {
			return action(i, strings.Repeat(lines, 190)+"the end of the large one") // 40 MB
		}
		return action(i, lines)
	})
	deep := strings.Repeat(`{"a":[`, 200) + `"the bottom"` + strings.Repeat(`]}`, 200)
	writeBig(t, w, "acme__deep-1", 3, func(i int) export.Step { return action(i, deep) })
	image := "data:image/png;base64," + strings.Repeat("iVBORw0KGgoAAAANSUhEUgAA", 900_000) // 20 MB
	writeBig(t, w, "acme__image-1", 3, func(i int) export.Step { return action(i, image[:len(image)*min(i, 1)]) })
	page := "<!doctype html><html><body onload=alert(1)>" + strings.Repeat("<div class='x'>text</div>\n", 4_000) + "</body></html>"
	for k := range 120 {
		writeBig(t, w, fmt.Sprintf("acme__html-%d", k), 1, func(i int) export.Step { return action(i, page) })
	}
	if err := w.Close(); err != nil {
		t.Fatal(err)
	}
	if err := f.Close(); err != nil {
		t.Fatal(err)
	}
	ctx := context.Background()
	if _, _, err := s.Ingest.Import(ctx, admin, s.dataset.ID, []string{path}, ingest.Options{}); err != nil {
		t.Fatal(err)
	}
	for at := 0; at < 10_000; at += 1000 {
		in := make([]models.TraceInput, 1000)
		for i := range in {
			n := at + i
			in[i] = models.TraceInput{Trace: trace.Trace{
				InstanceID: fmt.Sprintf("acme__many-%d", n), Agent: "crowd", PatchState: trace.PatchText, Patch: "a patch that no list may load " + strings.Repeat("x", 500),
			}, Patch: models.PatchFacts{SHA256: fmt.Sprint(n), Files: 1}}
		}
		if _, err := s.Store.ImportTraces(ctx, admin, s.dataset.ID, nil, in); err != nil {
			t.Fatal(err)
		}
	}
	rows, _, err := s.Store.Traces(ctx, admin, models.TraceFilter{DatasetID: s.dataset.ID, Agent: "bot"}, models.Page{Limit: 500})
	if err != nil {
		t.Fatal(err)
	}
	for _, r := range rows {
		s.traces[r.InstanceID] = r.ID
	}
	return s
}

// page asks for a page, which must stay small, show what it is asked for and hold
// nothing it is not.
func (s *bigSite) page(t *testing.T, path string, limit int, wants ...string) string {
	t.Helper()
	text := s.get(t, path)
	if len(text) > limit {
		t.Errorf("%s has %d bytes, at most %d are wanted", path, len(text), limit)
	}
	for _, w := range wants {
		if !strings.Contains(text, w) {
			t.Errorf("%s does not show %q", path, w)
		}
	}
	return text
}

// What people complain about when there is much data: each row is one complaint
// about other viewers, and what this one does. How fast it does it stands in
// docs/benchmarks.md; that an import and an export need little memory is tested
// where they are.
func TestComplaintsA(t *testing.T) {
	if testing.Short() {
		t.Skip("imports 200 MB")
	}
	t.Parallel()
	s := newBigSite(t)
	list := "/datasets/" + s.dataset.ID + "/traces"
	const small, large = 200_000, 500_000
	tests := []struct {
		name  string
		check func(t *testing.T)
	}{
		{"a log of over 100 MB takes the viewer's memory", func(t *testing.T) {
			s.page(t, "/traces/"+s.traces["acme__heavy-1"], large, "The issue of acme__heavy-1")
		}},
		{"a sample of 127 MB opens after 45 seconds", func(t *testing.T) {
			for _, i := range []int{1, 100, 420} {
				s.page(t, fmt.Sprintf("/traces/%s?tab=steps&step=%d", s.traces["acme__heavy-1"], i), large, fmt.Sprintf("run part %d", i-1))
			}
		}},
		{"inline JSON of 127 MB: never interactive", func(t *testing.T) {
			text := s.page(t, fmt.Sprintf("/traces/%s?tab=steps&step=201", s.traces["acme__heavy-1"]), large, "run part 200")
			if strings.Contains(text, "the end of the large one") {
				t.Error("the page holds an observation of 40 MB")
			}
		}},
		{"32,843 steps are loaded at once and the page hangs", func(t *testing.T) {
			for _, i := range []int{1, 16_000, 33_000} {
				s.page(t, fmt.Sprintf("/traces/%s?tab=steps&step=%d", s.traces["acme__long-1"], i), large, fmt.Sprintf("saw part %d", i-1))
			}
		}},
		{"10,000 spans freeze the page", func(t *testing.T) {
			s.page(t, "/traces/"+s.traces["acme__long-1"], large, "33,000")
		}},
		{"a warning above 150 steps, no log above 350", func(t *testing.T) {
			text := s.page(t, fmt.Sprintf("/traces/%s?tab=steps&step=400", s.traces["acme__long-1"]), large, "saw part 399")
			if strings.Contains(text, "too many steps") {
				t.Error("the page refuses")
			}
		}},
		{"steps above a cap of 20,000 are left out", func(t *testing.T) {
			s.page(t, fmt.Sprintf("/traces/%s?tab=steps&from=25000&step=25001", s.traces["acme__long-1"]), large, "run part 25000", "saw part 25000", "step=25002")
		}},
		{"130 levels of nesting and an inline image make the page crawl", func(t *testing.T) {
			s.page(t, fmt.Sprintf("/traces/%s?tab=steps&step=1", s.traces["acme__deep-1"]), large, "run part 0")
			s.page(t, fmt.Sprintf("/traces/%s?tab=steps&step=2", s.traces["acme__image-1"]), large, "run part 1")
		}},
		{"a hundred tests with whole HTML pages exhaust the heap", func(t *testing.T) {
			s.page(t, list+"?agent=bot", small, "acme__html-")
			if text := s.page(t, "/traces/"+s.traces["acme__html-7"]+"?tab=steps&step=1", large); strings.Contains(text, "<body onload") {
				t.Error("a stranger's markup is on the page")
			}
		}},
		{"a browser view of 200 rich results fails", func(t *testing.T) {
			s.page(t, list+"?q=html", small, "acme__html-")
		}},
		{"10,000 rows are drawn on one page", func(t *testing.T) {
			s.page(t, list+"?agent=crowd", small, "acme__many-")
		}},
		{"a list fails because its rows carry what was put in and out", func(t *testing.T) {
			if text := s.page(t, list, small); strings.Contains(text, "a patch that no list may load") {
				t.Error("the list holds patches")
			}
		}},
		{"a trace above 4 MB is refused by the interface", func(t *testing.T) { s.download(t, list, "heavy", 100<<20, "the end of the large one") }},
		{"more than 4 MB of observations answer with an error", func(t *testing.T) { s.download(t, list, "long", 4<<20, "saw part 32999") }},
		{"one large result is more than a string can hold", func(t *testing.T) { s.download(t, list, "image", 20<<20, "iVBORw0KGgo") }},
		{"fifty traces are fetched one by one", func(t *testing.T) {
			text := s.get(t, strings.TrimSuffix(list, "/traces")+"/predictions.jsonl?agent=bot")
			if n := strings.Count(text, "\n"); n != len(s.traces) {
				t.Errorf("one request gives %d of %d patches", n, len(s.traces))
			}
		}},
		{"hundreds of runs take minutes to list", func(t *testing.T) { s.manyRuns(t, 350) }},
	}
	for _, tt := range tests {
		t.Run(tt.name, func(t *testing.T) { tt.check(t) })
	}
}

// download exports the traces of an instance: whole, and sent while it is read.
func (s *bigSite) download(t *testing.T, list, what string, least int, want string) {
	t.Helper()
	res, err := s.client.Get(s.server.URL + strings.TrimSuffix(list, "/traces") + "/traces.jsonl?q=" + what)
	if err != nil {
		t.Fatal(err)
	}
	defer res.Body.Close()
	if res.StatusCode != http.StatusOK || res.ContentLength >= 0 {
		t.Errorf("status %d, %d bytes known beforehand", res.StatusCode, res.ContentLength)
	}
	n, found, tail := 0, false, ""
	buf := make([]byte, 1<<20)
	for {
		k, err := res.Body.Read(buf)
		n += k
		part := tail + string(buf[:k])
		found = found || strings.Contains(part, want)
		tail = part[max(0, len(part)-100):]
		if err == io.EOF {
			break
		}
		if err != nil {
			t.Fatal(err)
		}
	}
	if n < least || !found || !strings.HasSuffix(tail, "]}\n") {
		t.Errorf("%d bytes, wanted text found: %v, ends in %q", n, found, tail)
	}
}

// manyRuns launches experiments and lists them.
func (s *bigSite) manyRuns(t *testing.T, n int) {
	t.Helper()
	ctx := context.Background()
	id := s.Reviewer(t, "sim", reviewer.Spec{Kind: reviewer.KindSimulated, Simulated: &reviewer.Simulated{Preset: simulate.Small}})
	d, err := s.Store.EnsureDataset(ctx, admin, s.Project.ID, "one trace", "", false)
	if err != nil {
		t.Fatal(err)
	}
	in := models.TraceInput{Trace: trace.Trace{InstanceID: "acme__one-1", Agent: "a", PatchState: trace.PatchText, Patch: "--- a/x\n+++ b/x\n@@ -1 +1 @@\n-a\n+b\n"}}
	if _, err := s.Store.ImportTraces(ctx, admin, d.ID, nil, []models.TraceInput{in}); err != nil {
		t.Fatal(err)
	}
	for i := range n {
		if _, err := s.Runner.Launch(ctx, admin, runner.LaunchSpec{
			DatasetID: d.ID, Name: fmt.Sprintf("run number %d", i), Votes: 1, Seed: int64(i), Arms: []runner.ArmSpec{{ReviewerVersionID: id, Form: evidence.Patch}},
		}); err != nil {
			t.Fatal(err)
		}
	}
	s.page(t, "/", 400_000, fmt.Sprintf("run number %d", n-1))
}
