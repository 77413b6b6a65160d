package handlers_test

import (
	"context"
	"net/http"
	"net/url"
	"strings"
	"testing"

	"plumbline/experiments/cascade"
	"plumbline/experiments/evidence"
	"plumbline/experiments/simulate"
	"plumbline/experiments/trace"
	"plumbline/models"
	"plumbline/runner"
	"plumbline/runner/reviewer"
	"plumbline/runner/runnertest"
)

const hostile = "<script>alert(1)</script>\u202e\x07"

// observed keeps checks of a trace as if they had been run: a test that fails on
// the base, and what it did on the patch and on the reference.
func observed(t *testing.T, s *site, e models.Experiment, traceID string, patched, gold cascade.Result) {
	t.Helper()
	ctx := context.Background()
	config, err := runner.CascadeConfigOf(e)
	if err != nil {
		t.Fatal(err)
	}
	set, err := s.Store.OpenCheckSet(ctx, traceID, config.ChecksSHA256, `{"repeats":2,"test_wall_s":60}`)
	if err != nil {
		t.Fatal(err)
	}
	steps := []error{
		s.Store.SavePatchCheck(ctx, set.ID, false, ""),
		s.Store.SaveStaticCheck(ctx, set.ID, models.StaticCheck{
			Ran: true, Caused: 1, Runs: []models.StaticRun{{Tool: "pyflakes", Version: "3.2", Backend: "bubblewrap", Runs: 2, WallMS: 40}},
			Findings: []models.StaticFinding{{Tool: "pyflakes", Side: models.FindingCaused, File: "a" + hostile + ".py", Line: 3, Class: "unused", Message: "unused import " + hostile}},
		}),
	}
	discarded := models.GeneratedTest{SetID: set.ID, Attempt: 1, Generator: "recorded replies", Recorded: true, Flaw: string(cascade.NoTest)}
	kept := models.GeneratedTest{SetID: set.ID, Attempt: 2, Generator: "recorded replies", Recorded: true, Path: "test_x.py", Asserts: "the total " + hostile}
	for _, g := range []models.GeneratedTest{discarded, kept} {
		_, err := s.Store.AddGeneratedTest(ctx, g, models.GeneratedTestText{Prompt: "PROMPT", Reply: "REPLY", Source: "SOURCE " + hostile})
		steps = append(steps, err)
	}
	for side, r := range map[models.TestSide]cascade.Result{models.OnBase: cascade.FailedTest, models.OnPatched: patched, models.OnGold: gold} {
		steps = append(steps, s.Store.SaveTestRun(ctx, set.ID, 2, side, models.TestRun{
			Result: string(r), Headline: "headline on " + string(side), Output: "OUTPUT-" + string(side) + hostile, Runs: 1, WallMS: 5, Backend: "bubblewrap",
		}))
	}
	for _, err := range steps {
		if err != nil {
			t.Fatal(err)
		}
	}
}

// aCascade is a cascade whose checks are known of two traces; this process can run
// none, so that the others end in trouble.
func aCascade(t *testing.T, s *site) (e models.Experiment, defective, acceptable models.TraceRow) {
	t.Helper()
	ctx := context.Background()
	id := s.Reviewer(t, "sim", reviewer.Spec{Kind: reviewer.KindSimulated, Simulated: &reviewer.Simulated{Preset: simulate.Small}})
	e, err := s.Runner.LaunchCascade(ctx, admin, runner.CascadeSpec{
		LaunchSpec: runner.LaunchSpec{DatasetID: s.dataset.ID, Name: "cascade " + hostile, Votes: 3, Seed: 1, Budget: 16000},
		Checks:     runner.ChecksSpec{Generator: runner.RecordedGenerator, Audit: true},
		Policy: []runner.CascadeArm{
			{Policy: cascade.Recommended(""), ReviewerVersionID: id, Form: evidence.Checked},
			{Policy: cascade.Evaluated(""), ReviewerVersionID: id, Form: evidence.Checked},
			{Policy: cascade.ReviewOnly("patch only", ""), ReviewerVersionID: id, Form: evidence.Patch},
		},
	})
	if err != nil {
		t.Fatal(err)
	}
	rows, _, err := s.Store.Traces(ctx, admin, models.TraceFilter{DatasetID: s.dataset.ID}, models.Page{Limit: 500})
	if err != nil {
		t.Fatal(err)
	}
	for _, r := range rows {
		switch {
		case r.Label == string(trace.Defective) && r.PatchState == string(trace.PatchText):
			defective = r
		case r.Label == string(trace.Acceptable):
			acceptable = r
		}
	}
	observed(t, s, e, defective.ID, cascade.FailedTest, cascade.Passed)
	observed(t, s, e, acceptable.ID, cascade.Passed, cascade.FailedTest)
	stop := s.Work(t, 4)
	s.Wait(t, e.ID, runnertest.Ended)
	stop()
	return e, defective, acceptable
}

// The funnel says what each stage decided and why, what tests are worth, what other
// rules would have decided, and which ends are no verdict; every count leads on.
func TestFunnel(t *testing.T) {
	t.Parallel()
	s := newSite(t, nil)
	e, defective, acceptable := aCascade(t, s)
	path := "/experiments/" + e.ID + "/funnel"
	page := s.get(t, path)
	clean(t, path, page)
	for _, want := range []string{
		`data-badge="simulated"`, `data-badge="recorded"`, "the patch changes no code", "a generated test fails on the patch", "no sandbox", "rules only", "tests only", "patch only",
		"a pass accepts", "without static checks", "sound rejection", "under-specified", "patch-restating", "over-specified", "no test in the reply",
	} {
		if !strings.Contains(page, want) {
			t.Errorf("the funnel lacks %q", want)
		}
	}
	if strings.Contains(page, "<script>alert") {
		t.Error("a name is not escaped")
	}
	other := s.get(t, path+"?policy=1")
	clean(t, path+"?policy=1", other)
	if !strings.Contains(other, "That is the evaluated rule, not the recommended one") || !strings.Contains(other, string(cascade.WhyTestPasses)) {
		t.Error("the evaluated rule is shown without its warning or its acceptance")
	}
	if show := s.get(t, "/experiments/"+e.ID); !strings.Contains(show, `href="`+path+`"`) {
		t.Error("the experiment's page does not lead to the funnel")
	}

	checks := "/traces/" + acceptable.ID + "/checks"
	page = s.get(t, checks)
	clean(t, checks, page)
	for _, want := range []string{"kept, because it fails on the base", "discarded: no test in the reply", "OUTPUT-base", "OUTPUT-patched", "OUTPUT-gold", "SOURCE", "REPLY", "PROMPT", "patch-restating", "unused import", "caused by the patch"} {
		if !strings.Contains(page, want) {
			t.Errorf("the checks lack %q", want)
		}
	}
	if strings.Contains(page, "<script>alert") || strings.Contains(page, "\u202e") {
		t.Error("a stranger's text is not made visible")
	}
	sets, err := s.Store.TraceChecks(context.Background(), admin, defective.ID)
	if err != nil || len(sets) != 1 {
		t.Fatal(sets, err)
	}
	raw := "/traces/" + defective.ID + "/checks/" + sets[0].Set.ID + "/2/base"
	if text := s.get(t, raw); !strings.HasPrefix(text, "OUTPUT-base") {
		t.Errorf("the whole output is %q", text)
	}
	for _, gone := range []string{"/traces/" + defective.ID + "/checks/" + sets[0].Set.ID + "/9/base", "/traces/" + acceptable.ID + "/checks/" + sets[0].Set.ID + "/2/base", "/experiments/ex_none/funnel", "/traces/tr_none/checks"} {
		if code, _, _ := s.ask(t, http.MethodGet, gone, "", nil); code != http.StatusNotFound {
			t.Errorf("%s: %d", gone, code)
		}
	}
	tab := s.get(t, "/traces/"+acceptable.ID+"?tab=checks")
	for _, want := range []string{"unused import", "the total", checks} {
		if !strings.Contains(tab, want) {
			t.Errorf("the trace's checks lack %q", want)
		}
	}
}

// A share page of a cascade shows no check, no test and nothing of the reference.
func TestShareOfCascade(t *testing.T) {
	t.Parallel()
	s := newSite(t, nil)
	e, defective, _ := aCascade(t, s)
	_, link, err := s.Store.ShareExperiment(context.Background(), admin, e.ID, nil)
	if err != nil {
		t.Fatal(err)
	}
	page := s.get(t, "/s/"+link)
	for _, bad := range []string{"OUTPUT-", "SOURCE", "headline on gold", "patch-restating", "over-specified", "/funnel", "/checks", defective.ID} {
		if strings.Contains(page, bad) {
			t.Errorf("the share page shows %q", bad)
		}
	}
}

// A cascade is started by the form; what is wrong comes back at its field, and a
// browser cannot ask for no sandbox.
func TestNewCascade(t *testing.T) {
	t.Parallel()
	s := newSite(t, nil)
	page := s.get(t, "/cascades/new")
	clean(t, "/cascades/new", page)
	if !strings.Contains(page, "There is no reviewer yet.") {
		t.Error("without a reviewer the form has no empty state")
	}
	sim := s.Reviewer(t, "sim<b>", reviewer.Spec{Kind: reviewer.KindSimulated, Simulated: &reviewer.Simulated{Preset: simulate.Small}})
	dear := s.Reviewer(t, "writer", reviewer.Spec{Kind: reviewer.KindOpenAI, BaseURL: "http://127.0.0.1:9/v1", Model: "m"})
	splits, err := s.Store.Splits(context.Background(), admin, s.dataset.ID)
	if err != nil || len(splits) == 0 {
		t.Fatal(splits, err)
	}
	form := url.Values{
		"dataset": {s.dataset.ID}, "split": {splits[0].ID}, "name": {"mine"}, "votes": {"2"}, "seed": {"9"}, "budget": {"8000"}, "reviewer": {sim}, "form": {"checked"},
		"generator": {dear}, "repeats": {"3"}, "wall": {"20"}, "sandbox": {"auto"}, "policy": {"recommended", "rules and reviewer"}, "baseline": {"structured"}, "audit": {"1"},
	}
	path := "/cascades/new?" + form.Encode()
	page = s.get(t, path)
	clean(t, path, page)
	if !strings.Contains(page, "sim&lt;b&gt;") || strings.Count(page, "checked") < 4 || strings.Contains(page, `value="none"`) {
		t.Error("the form loses the choice, or offers no sandbox at all")
	}
	for name, change := range map[string]struct{ field, value, want string }{
		"no rule":        {"policy", "", "choose at least one rule"},
		"no votes":       {"votes", "0", "choose at least 1"},
		"many votes":     {"votes", "500", "1 to 99 votes"},
		"no name":        {"name", "", "give the experiment a name"},
		"no sandbox":     {"sandbox", "none", "choose one of auto"},
		"no reviewer":    {"reviewer", "", "choose a reviewer"},
		"upper bound":    {"form", "official", "cannot be shown"},
		"sim writes":     {"generator", sim, "writes no tests"},
		"eleven repeats": {"repeats", "11", "choose 1 to 10 runs"},
	} {
		bad := url.Values{}
		for k, v := range form {
			bad[k] = v
		}
		bad.Set(change.field, change.value)
		if code, page, _ := s.post(t, "/cascades", bad); code != http.StatusUnprocessableEntity || !strings.Contains(page, change.want) {
			t.Errorf("%s: %d without %q", name, code, change.want)
		}
	}
	if all, err := s.Store.Experiments(context.Background(), admin, models.ExperimentFilter{}); err != nil || len(all) != 0 {
		t.Fatalf("refused forms made %d experiments, %v", len(all), err)
	}
	code, page, where := s.post(t, "/cascades", form)
	id, ok := strings.CutSuffix(strings.TrimPrefix(where, "/experiments/"), "/funnel")
	if code != http.StatusSeeOther || !ok {
		t.Fatalf("started: %d %q %s", code, where, page)
	}
	e, err := s.Store.Experiment(context.Background(), admin, id)
	if err != nil || e.Kind != runner.KindCascade || e.ItemTotal != 3*splits[0].Traces {
		t.Fatalf("experiment %+v, %v", e, err)
	}
	config, err := runner.CascadeConfigOf(e)
	if err != nil || config.Checks.Repeats != 3 || config.Checks.TestWallS != 20 || !config.Checks.Audit || config.GeneratorName != "writer" || len(config.Arms) != 3 || config.Arms[0].Policy.Residual.Votes != 2 {
		t.Errorf("configuration %+v, %v", config, err)
	}
	empty := s.get(t, where)
	clean(t, where, empty)
	if !strings.Contains(empty, "No trace has a verdict yet.") {
		t.Error("a cascade that has not begun has no empty state")
	}
}
