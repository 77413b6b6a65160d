package runner_test

import (
	"context"
	"testing"

	"plumbline/experiments/evidence"
	"plumbline/experiments/simulate"
	"plumbline/experiments/toolreview"
	"plumbline/models"
	"plumbline/models/modelstest"
	"plumbline/runner"
	"plumbline/runner/reviewer"
	"plumbline/runner/runnertest"
)

func TestEstimate(t *testing.T) {
	t.Parallel()
	ctx, admin := context.Background(), models.LocalAdmin()
	b := runnertest.New(t, modelstest.SQLite(t))
	d, err := b.Runner.LoadBundled(ctx, admin, b.Project.ID)
	if err != nil {
		t.Fatal(err)
	}
	dollar, two := 1.0, 2.0
	priced := b.Reviewer(t, "priced", reviewer.Spec{
		Kind: reviewer.KindOpenAI, BaseURL: "http://127.0.0.1:1/v1", Model: "m", MaxTokens: 100,
		Price: &reviewer.Price{Version: "1", InputPerMTok: &dollar, OutputPerMTok: &two},
	})
	unpriced := b.Reviewer(t, "unpriced", reviewer.Spec{Kind: reviewer.KindOpenAI, BaseURL: "http://127.0.0.1:1/v1", Model: "m"})
	free := b.Reviewer(t, "simulated", reviewer.Spec{Kind: reviewer.KindSimulated, Simulated: &reviewer.Simulated{Preset: simulate.Small}})
	estimate := func(arms ...runner.ArmSpec) runner.Estimate {
		t.Helper()
		e, err := b.Runner.Estimate(ctx, admin, runner.LaunchSpec{DatasetID: d.ID, Votes: 5, Budget: 8000, Arms: arms})
		if err != nil {
			t.Fatal(err)
		}
		return e
	}

	e := estimate(runner.ArmSpec{ReviewerVersionID: priced, Form: evidence.Patch}, runner.ArmSpec{ReviewerVersionID: free, Form: evidence.Trace})
	if e.Traces == 0 || e.Acceptable+e.Defective+e.Unlabeled != e.Traces || e.Calls != 2*5*e.Traces {
		t.Errorf("counts %+v", e)
	}
	if got, want := *e.Arms[0].Output, int64(100*5*e.Traces); got != want {
		t.Errorf("output tokens %d, want %d: the reviewer's limit is below the usual length", got, want)
	}
	want := float64(*e.Arms[0].Input)*1e-6 + float64(*e.Arms[0].Output)*2e-6
	if got := *e.Arms[0].CostUSD; got < want*0.999 || got > want*1.001 {
		t.Errorf("cost %v, want %v", got, want)
	}
	if e.CostUSD == nil || *e.CostUSD != *e.Arms[0].CostUSD {
		t.Errorf("a simulated arm changes the cost: %v", e.CostUSD)
	}
	if *e.Arms[1].Input <= 0 {
		t.Errorf("trace form takes %d tokens", *e.Arms[1].Input)
	}

	looks := b.Reviewer(t, "looks", reviewer.Spec{
		Kind: reviewer.KindOpenAI, BaseURL: "http://127.0.0.1:1/v1", Model: "m", Tools: &toolreview.Policy{Turns: 7},
		Price: &reviewer.Price{Version: "1", InputPerMTok: &dollar, OutputPerMTok: &two},
	})
	if e := estimate(runner.ArmSpec{ReviewerVersionID: looks, Form: evidence.Patch}); e.Calls != 7*5*e.Traces || e.Arms[0].Turns != 7 || e.Input != nil || e.Output != nil || e.CostUSD != nil {
		t.Errorf("a review with tools is one call: %+v", e)
	}

	if e := estimate(runner.ArmSpec{ReviewerVersionID: priced, Form: evidence.Patch}, runner.ArmSpec{ReviewerVersionID: unpriced, Form: evidence.Patch}); e.CostUSD != nil {
		t.Errorf("one unknown price gives the cost %v", *e.CostUSD)
	}
	if e := estimate(runner.ArmSpec{ReviewerVersionID: priced, Form: evidence.StructuredMissing}); e.Arms[0].Input != nil || e.Arms[0].Why == nil {
		t.Errorf("a form that no trace can be shown in has an estimate: %+v", e.Arms[0])
	}
	if e := estimate(); e.Traces == 0 || e.Calls != 0 {
		t.Errorf("without arms: %+v", e)
	}
	if _, err := b.Runner.Estimate(ctx, models.Viewer{}, runner.LaunchSpec{DatasetID: d.ID}); err == nil {
		t.Error("a stranger got an estimate")
	}
}
