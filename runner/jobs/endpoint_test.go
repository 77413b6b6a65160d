package jobs_test

import (
	"context"
	"strings"
	"testing"
	"time"

	"plumbline/experiments/evidence"
	"plumbline/models"
	"plumbline/models/modelstest"
	"plumbline/runner"
	"plumbline/runner/reviewer"
	"plumbline/runner/reviewer/reviewertest"
	"plumbline/runner/runnertest"
)

func endpointSpec(url string) reviewer.Spec {
	return reviewer.Spec{Kind: reviewer.KindOpenAI, BaseURL: url, Model: "m", MaxAttempts: 2, Concurrency: 20}
}

// twoArms launches an experiment with one good and one bad reviewer on the design
// split of the bundled cases.
func twoArms(t *testing.T, b *runnertest.Bench, good, bad reviewer.Spec) models.Experiment {
	t.Helper()
	ctx := context.Background()
	d, err := b.Runner.LoadBundled(ctx, admin, b.Project.ID)
	if err != nil {
		t.Fatal(err)
	}
	splits, err := b.Store.Splits(ctx, admin, d.ID)
	if err != nil {
		t.Fatal(err)
	}
	spec := runner.LaunchSpec{DatasetID: d.ID, Name: "two", Votes: 2, Seed: 3, Budget: 8000}
	for _, s := range splits {
		if s.Name == "design" {
			spec.SplitID = s.ID
		}
	}
	for _, id := range []string{b.Reviewer(t, "good", good), b.Reviewer(t, "bad", bad)} {
		spec.Arms = append(spec.Arms, runner.ArmSpec{ReviewerVersionID: id, Form: evidence.Patch})
	}
	e, err := b.Runner.Launch(ctx, admin, spec)
	if err != nil {
		t.Fatal(err)
	}
	return e
}

// Whatever an endpoint answers, no vote is invented, the trouble is told on the
// item and in the error table, and the other arm goes on.
func TestBadEndpoints(t *testing.T) {
	t.Parallel()
	tests := []struct {
		name   string
		fault  func(reviewertest.Call) reviewertest.Fault
		key    string // the server wants it, the reviewer does not have it
		answer func(reviewertest.Call) string
		class  string
		says   string
	}{
		{name: "wrong key", key: "sk-right", class: "auth", says: "401"},
		{name: "429", fault: reviewertest.Always(reviewertest.RateLimited(0)), class: "rate_limited", says: "429"},
		{name: "500", fault: reviewertest.Always(reviewertest.Status(500, "boom")), class: "server", says: "500"},
		{name: "HTML", fault: reviewertest.Always(reviewertest.HTML(502)), class: "server", says: "502"},
		{name: "HTML as success", fault: reviewertest.Always(reviewertest.HTML(200)), class: "malformed_body"},
		{name: "half a reply", fault: reviewertest.Always(reviewertest.Half()), class: "network"},
		{name: "nothing", fault: reviewertest.Always(reviewertest.Hang()), class: "timeout"},
		{name: "reset", fault: reviewertest.Always(reviewertest.Reset()), class: "network"},
		{name: "error in a 200", fault: reviewertest.Always(reviewertest.ErrorIn200("server_error", "overloaded")), class: "server", says: "overloaded"},
	}
	for _, tt := range tests {
		t.Run(tt.name, func(t *testing.T) {
			t.Parallel()
			b := runnertest.New(t, modelstest.SQLite(t))
			good := reviewertest.New(t, reviewertest.Options{})
			bad := reviewertest.New(t, reviewertest.Options{Fault: tt.fault, Key: tt.key})
			spec := endpointSpec(bad.URL)
			if tt.class == "timeout" {
				spec.TimeoutS = 0.3
			}
			e := twoArms(t, b, endpointSpec(good.URL), spec)
			b.Work(t, 4)
			p := b.Wait(t, e.ID, runnertest.Ended)
			if p.State != models.StateDone || p.Done != p.Total/2 || p.Error != p.Total/2 || p.Votes != p.VotesAsked/2 {
				t.Fatalf("progress %+v", p)
			}
			rows, _, err := b.Store.Outcomes(context.Background(), admin, models.OutcomeFilter{ExperimentID: e.ID, State: models.ItemError}, "", 1000)
			if err != nil {
				t.Fatal(err)
			}
			for _, r := range rows {
				if r.ErrorClass != tt.class || !strings.Contains(r.ErrorMessage, tt.says) {
					t.Fatalf("item says %s: %s; want class %s and %q", r.ErrorClass, r.ErrorMessage, tt.class, tt.says)
				}
				if strings.Contains(r.ErrorMessage, "<script") || strings.Contains(r.ErrorMessage, "sk-") {
					t.Fatalf("item shows what it must not: %s", r.ErrorMessage)
				}
			}
			groups, err := b.Store.ErrorGroups(context.Background(), admin, e.ID)
			if err != nil || len(groups) == 0 {
				t.Errorf("no error group (%v)", err)
			}
			for _, a := range results(t, b, e.ID).Arms {
				want := p.Total / 2
				if a.Arm.ReviewerName == "bad" {
					want = 0
				}
				if a.Counts.N() != want {
					t.Errorf("arm %s counts %d traces, want %d", a.Arm.ReviewerName, a.Counts.N(), want)
				}
			}
		})
	}
}

func results(t *testing.T, b *runnertest.Bench, id string) runner.Results {
	t.Helper()
	res, err := b.Runner.Results(context.Background(), admin, id, runner.ResultOptions{})
	if err != nil {
		t.Fatal(err)
	}
	return res
}

// Once an endpoint is well again, a resume asks for the missing votes and for
// nothing else.
func TestResumeAfterTrouble(t *testing.T) {
	t.Parallel()
	modelstest.Each(t, func(t *testing.T, s *models.Store) {
		b := runnertest.New(t, s)
		good := reviewertest.New(t, reviewertest.Options{})
		var well bool // set while no request is under way
		shaky := reviewertest.New(t, reviewertest.Options{Fault: func(c reviewertest.Call) reviewertest.Fault {
			if well || c.N%3 == 0 {
				return nil
			}
			return reviewertest.Status(500, "boom")
		}})
		spec := endpointSpec(shaky.URL)
		spec.MaxAttempts = 1
		e := twoArms(t, b, endpointSpec(good.URL), spec)
		b.Work(t, 4)
		p := b.Wait(t, e.ID, runnertest.Ended)
		if p.Error == 0 {
			t.Fatalf("nothing went wrong: %+v", p)
		}
		well = true
		asked := shaky.Stats().Requests
		missing := p.VotesAsked - p.Votes
		if err := b.Runner.Resume(context.Background(), admin, e.ID); err != nil {
			t.Fatal(err)
		}
		p = b.Wait(t, e.ID, runnertest.Ended)
		if p.Error != 0 || p.Done != p.Total || p.Votes != p.VotesAsked {
			t.Errorf("after the resume: %+v", p)
		}
		if again := int64(shaky.Stats().Requests - asked); again != missing {
			t.Errorf("the resume asked %d times for %d missing votes", again, missing)
		}
	})
}

// Failures on the way that a retry mends are votes in the end, and on record.
func TestRetriesAreOnRecord(t *testing.T) {
	t.Parallel()
	b := runnertest.New(t, modelstest.SQLite(t))
	good := reviewertest.New(t, reviewertest.Options{})
	slow := reviewertest.New(t, reviewertest.Options{Fault: reviewertest.Once(reviewertest.RateLimited(10 * time.Millisecond))})
	e := twoArms(t, b, endpointSpec(good.URL), endpointSpec(slow.URL))
	b.Work(t, 4)
	p := b.Wait(t, e.ID, runnertest.Ended)
	if p.Done != p.Total || p.Votes != p.VotesAsked {
		t.Fatalf("progress %+v", p)
	}
	groups, err := b.Store.ErrorGroups(context.Background(), admin, e.ID)
	if err != nil {
		t.Fatal(err)
	}
	n := 0
	for _, g := range groups {
		if g.Class != "rate_limited" {
			t.Errorf("unexpected class %s", g.Class)
		}
		n += g.N
	}
	if n == 0 {
		t.Error("the retried failures left no record")
	}
}

// Several workers share an experiment: every vote is asked for once, and more than
// one of them takes part.
func TestWorkersShareAnExperiment(t *testing.T) {
	t.Parallel()
	modelstest.Each(t, func(t *testing.T, s *models.Store) {
		good := reviewertest.New(t, reviewertest.Options{Latency: 20 * time.Millisecond})
		first := runnertest.New(t, s)
		spec := endpointSpec(good.URL)
		e := twoArms(t, first, spec, spec)
		owners := map[string]bool{}
		for range 3 {
			runnertest.New(t, s).Work(t, 1)
		}
		p := first.Wait(t, e.ID, func(p models.Progress) bool {
			rows, err := s.WriteDB().Query("SELECT DISTINCT owner FROM shards WHERE owner <> ''")
			if err != nil {
				t.Fatal(err)
			}
			defer rows.Close()
			for rows.Next() {
				var o string
				if err := rows.Scan(&o); err != nil {
					t.Fatal(err)
				}
				owners[o] = true
			}
			return runnertest.Ended(p)
		})
		if p.Votes != p.VotesAsked || p.Done != p.Total || p.State != models.StateDone {
			t.Errorf("progress %+v", p)
		}
		if got := int64(good.Stats().Requests); got != p.VotesAsked {
			t.Errorf("%d requests for %d votes", got, p.VotesAsked)
		}
		if len(owners) < 2 {
			t.Errorf("%d of 3 workers took part", len(owners))
		}
	})
}
