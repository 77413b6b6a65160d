package handlers_test

import (
	"context"
	"net/http"
	"net/url"
	"strings"
	"testing"

	"plumbline/experiments/simulate"
	"plumbline/models"
	"plumbline/runner/reviewer"
	"plumbline/web/components"
)

func TestNewExperiment(t *testing.T) {
	t.Parallel()
	s := newSite(t, nil)
	page := s.get(t, "/experiments/new")
	clean(t, "/experiments/new", page)
	if !strings.Contains(page, "There is no reviewer yet.") {
		t.Error("without a reviewer the form has no empty state")
	}
	sim := s.Reviewer(t, "sim<b>", reviewer.Spec{Kind: reviewer.KindSimulated, Simulated: &reviewer.Simulated{Preset: simulate.Small}})
	dear := s.Reviewer(t, "dear", reviewer.Spec{Kind: reviewer.KindOpenAI, BaseURL: "http://127.0.0.1:9/v1", Model: "m"})
	splits, err := s.Store.Splits(context.Background(), admin, s.dataset.ID)
	if err != nil || len(splits) == 0 {
		t.Fatal(splits, err)
	}
	form := url.Values{
		"dataset": {s.dataset.ID}, "split": {splits[0].ID}, "name": {"mine"}, "votes": {"2"}, "seed": {"9"}, "budget": {"8000"},
		"arm": {sim + ":patch", sim + ":official", dear + ":patch"},
	}
	path := "/experiments/new?" + form.Encode()
	page = s.get(t, path)
	clean(t, path, page)
	calls := splits[0].Traces * 3 * 2
	for _, want := range []string{"sim&lt;b&gt;", "not deployable", "The cost is unknown", ">" + components.Count(calls) + "</b> calls", `data-badge="unknown-price"`} {
		if !strings.Contains(page, want) {
			t.Errorf("the form lacks %q", want)
		}
	}
	if strings.Count(page, "checked") < 4 {
		t.Error("the choice of the address is not kept")
	}
	code, box, _ := s.post(t, "/experiments/estimate", form)
	if code != http.StatusOK || strings.Contains(box, "<html") || !strings.Contains(box, `id="estimate"`) || !strings.Contains(box, components.Count(calls)+"</b> calls") {
		t.Errorf("the estimate alone: %d %.200s", code, box)
	}

	for name, change := range map[string]struct{ field, value, want string }{
		"no arm":       {"arm", "", "at least one"},
		"no votes":     {"votes", "0", "choose 1 to 99 votes"},
		"votes a word": {"votes", "many", "must be a whole number"},
		"small budget": {"budget", "3", "at least 500 tokens"},
		"no name":      {"name", "", "give the experiment a name"},
		"bad arm":      {"arm", "x", "could not be read"},
	} {
		bad := url.Values{}
		for k, v := range form {
			bad[k] = v
		}
		bad.Set(change.field, change.value)
		if change.value == "" {
			bad.Del(change.field)
		}
		if code, page, _ := s.post(t, "/experiments", bad); code != http.StatusUnprocessableEntity || !strings.Contains(page, change.want) {
			t.Errorf("%s: %d without %q", name, code, change.want)
		}
	}
	if all, err := s.Store.Experiments(context.Background(), admin, models.ExperimentFilter{}); err != nil || len(all) != 0 {
		t.Fatalf("refused forms made %d experiments, %v", len(all), err)
	}

	form["arm"] = []string{sim + ":patch"}
	code, page, where := s.post(t, "/experiments", form)
	if code != http.StatusSeeOther || !strings.HasPrefix(where, "/experiments/ex_") {
		t.Fatalf("started: %d %q %s", code, where, page)
	}
	e, err := s.Store.Experiment(context.Background(), admin, strings.TrimPrefix(where, "/experiments/"))
	if err != nil || e.Votes != 2 || e.Seed != 9 || e.ItemTotal != splits[0].Traces || e.SplitID == nil || *e.SplitID != splits[0].ID {
		t.Errorf("experiment %+v, %v", e, err)
	}
}

func TestSearch(t *testing.T) {
	t.Parallel()
	s := newSite(t, nil)
	rows, _, err := s.Store.Traces(context.Background(), admin, models.TraceFilter{DatasetID: s.dataset.ID}, models.Page{Limit: 1})
	if err != nil {
		t.Fatal(err)
	}
	for _, q := range []string{"", rows[0].InstanceID[2:8], "BUNDLED", "%", "<script>", "no such thing"} {
		path := "/search?q=" + url.QueryEscape(q)
		clean(t, path, s.get(t, path))
	}
	if page := s.get(t, "/search?q="+url.QueryEscape(rows[0].InstanceID)); !strings.Contains(page, "/traces/tr_") {
		t.Error("a trace is not found by its instance")
	}
	if page := s.get(t, "/search?q=%25"); !strings.Contains(page, "Nothing has this in its name.") {
		t.Error("a wildcard matches everything")
	}
}
