package handlers

import (
	"bytes"
	"fmt"
	"strings"
	"testing"

	"plumbline/experiments/formats"
	"plumbline/models"
	"plumbline/models/modelstest"
	"plumbline/runner"
)

// voteLine is what the tests of results read of a line of votes.
type voteLine struct {
	Raw  string
	Vote string `json:"verdict"`
}

// readRecords reads a download as the readers of an import do.
func readRecords(t *testing.T, name, body string) (formats.Format, []formats.Record) {
	t.Helper()
	f, _ := formats.Sniff(name, []byte(body[:min(len(body), formats.SniffLen)]))
	var recs []formats.Record
	rep, err := formats.Read(f, bytes.NewReader([]byte(body)), formats.Source{Path: name, Size: int64(len(body))}, func(r formats.Record) error {
		if p, ok := r.(*formats.Problem); ok {
			t.Errorf("%s: %v", name, p)
		}
		recs = append(recs, r)
		return nil
	})
	if err != nil {
		t.Fatal(err)
	}
	return rep.Format, recs
}

// Every link of the pages of exports gives a file that the readers know, with every
// vote, decision and trace in it.
func TestExportLinks(t *testing.T) {
	t.Parallel()
	modelstest.Each(t, func(t *testing.T, store *models.Store) {
		s := newJudgedSite(t, store)
		votes, items := s.experiment.ItemTotal*3, s.experiment.ItemTotal
		traces := items / len(s.arms)
		want := map[string]string{
			"predictions.jsonl": fmt.Sprint("predictions-jsonl ", traces), "traces.jsonl": "plumbline-traces-jsonl",
			"votes.csv": fmt.Sprint("votes-csv ", votes), "votes.jsonl": fmt.Sprint("votes-jsonl ", votes), "votes.parquet": fmt.Sprint("votes-parquet ", votes),
			"decisions.csv": fmt.Sprint("decisions-csv ", items), "decisions.jsonl": fmt.Sprint("decisions-jsonl ", items), "decisions.parquet": fmt.Sprint("decisions-parquet ", items),
			"inspect.json": fmt.Sprint("inspect-json ", votes),
			"arms.csv":     "text", "arms.jsonl": "jsonl-other", "arms.parquet": "dataset-rows-parquet",
		}
		if page := s.get(t, "/experiments/"+s.experiment.ID, 200); len(links(t, page, "/exports")) == 0 {
			t.Error("the page of the experiment leads to no exports")
		}
		hrefs := links(t, s.get(t, "/experiments/"+s.experiment.ID+"/exports", 200), "/experiments/"+s.experiment.ID+"/")
		seen := map[string]bool{}
		for _, href := range hrefs {
			name := href[strings.LastIndex(href, "/")+1:]
			w, ok := want[name]
			if !ok {
				continue
			}
			seen[name] = true
			body := s.get(t, href, 200)
			if strings.HasPrefix(name, "arms.") {
				if len(body) < 1000 {
					t.Errorf("%s has %d bytes", name, len(body))
				}
				continue // figures are for people and not read again
			}
			f, recs := readRecords(t, name, body)
			if !strings.HasPrefix(w, string(f)) {
				t.Errorf("%s is read as %s", name, f)
			}
			if got := fmt.Sprintf("%s %d", f, len(recs)); strings.Contains(w, " ") && got != w {
				t.Errorf("%s: %s, want %s", name, got, w)
			}
		}
		if len(seen) != len(runner.Exports()) || len(seen) != len(want) {
			t.Errorf("links to %v, want one to each of %d files", seen, len(want))
		}
	})
}

// A dataset's traces are exported as the list shows them: the filter goes along.
func TestExportFollowsTheFilter(t *testing.T) {
	t.Parallel()
	s := newJudgedSite(t, modelstest.SQLite(t))
	base := "/datasets/" + s.experiment.DatasetID
	page := s.get(t, base+"/exports?label=acceptable", 200)
	if !strings.Contains(page, "the list&#39;s filter selects") && !strings.Contains(page, "the list's filter selects") {
		t.Error("the page does not say that a filter selects")
	}
	count := func(label string) int {
		body := s.get(t, base+"/predictions.jsonl?label="+label, 200)
		return strings.Count(body, "\n")
	}
	all, good, bad := count(""), count("acceptable"), count("defective")
	if good == 0 || bad == 0 || good >= all || good+bad > all {
		t.Errorf("%d acceptable and %d defective of %d", good, bad, all)
	}
	hrefs := links(t, page, "traces.jsonl")
	if len(hrefs) != 1 || !strings.Contains(hrefs[0], "label=acceptable") {
		t.Errorf("links %v", hrefs)
	}
	s.get(t, base+"/votes.csv", 404)
	s.get(t, "/experiments/ex_none/votes.parquet", 404)
	s.get(t, "/datasets/ds_none/exports", 404)
}
