package main

import (
	"bytes"
	"context"
	"fmt"
	"math/rand/v2"
	"os"
	"path/filepath"
	"strings"
	"testing"
	"time"

	"plumbline/models"
	"plumbline/models/modelstest"
	"plumbline/runner"
	"plumbline/runner/reviewer/reviewertest"
	"plumbline/runner/sandbox"
)

// controlKills is how often the server of a control experiment is killed.
const controlKills = 10

// TestKillControl kills the server with SIGKILL in the middle of live episodes and
// starts it again. Every episode ends, steps follow one another without a hole or a
// double, every candidate is written once, the log replays to the same, and a paid
// call is made again only if it was in flight at a kill.
func TestKillControl(t *testing.T) {
	if _, err := sandbox.Open(context.Background(), sandbox.Auto, sandbox.Options{}); err != nil {
		modelstest.Need(t, err.Error())
	}
	for _, engine := range []string{"sqlite", "postgres"} {
		t.Run(engine, func(t *testing.T) {
			dir := t.TempDir()
			database := filepath.Join(dir, "plumbline.db")
			if engine == "postgres" {
				database = modelstest.PostgresURL(t)
			}
			testKillControl(t, dir, database)
		})
	}
}

func testKillControl(t *testing.T, dir, database string) {
	const tasks, policies, concurrency = 6, 2, 10
	endpoint := reviewertest.New(t, reviewertest.Options{Latency: 60 * time.Millisecond, Answer: func(c reviewertest.Call) string {
		if strings.Contains(c.Body.User(), "<<<<FILE ") {
			return fmt.Sprintf("<<<<FILE note-%d.txt\nwritten\n>>>>FILE\n", c.N)
		}
		return reviewertest.Decide([]string{"accept", "reject"}[len(c.Body.User())%2])
	}})
	source := launchForKill(t, dir, database, endpoint.URL, concurrency)
	s := startServer(t, dir, database)
	waitDone(t, database, source, -1)
	s.kill(t)
	asked := endpoint.Stats().Requests
	id := launchControlForKill(t, dir, database, source)

	rng := rand.New(rand.NewPCG(3, 4))
	fruitful, before := 0, 0
	for range controlKills {
		p := startServer(t, dir, database)
		time.Sleep(time.Duration(250+rng.IntN(450)) * time.Millisecond) // the random point
		p.kill(t)
		if now := stepsStored(t, database, id); now > before {
			before = now
			fruitful++
		}
	}
	s = startServer(t, dir, database)
	deadline := time.Now().Add(4 * time.Minute)
	store := openForKill(t, database)
	for {
		p, err := store.Progress(context.Background(), models.LocalAdmin(), id)
		if err != nil {
			t.Fatal(err)
		}
		if p.State == models.StateDone {
			break
		}
		if time.Now().After(deadline) {
			t.Fatalf("not done: %+v", p)
		}
		time.Sleep(50 * time.Millisecond)
	}
	s.kill(t)
	if fruitful < controlKills/3 {
		t.Errorf("only %d of %d kills hit an experiment that was being worked on", fruitful, controlKills)
	}
	res := controlResults(t, dir, database, id)
	requests, patches := endpoint.Stats().Requests-asked, patchesAsked(endpoint.Calls()[asked:])
	t.Logf("%d kills, %d while steps came in; %d calls kept, %d requests, %d of them for %d patches", controlKills, fruitful, res.Votes, requests, patches, res.Written)
	if res.Written != 2*tasks {
		t.Errorf("%d patches written, want %d", res.Written, 2*tasks)
	}
	// What is asked again was in flight at a kill, or on its way into the database:
	// of patches at most one for each task.
	if most := controlKills * 2 * concurrency; requests > res.Votes+most {
		t.Errorf("%d requests for %d calls that were kept: more than %d were made again", requests, res.Votes, most)
	}
	if patches > res.Written+controlKills*tasks {
		t.Errorf("%d requests for %d patches", patches, res.Written)
	}
	checkEpisodes(t, res, tasks*policies)
}

func patchesAsked(calls []reviewertest.Call) int {
	n := 0
	for _, c := range calls {
		if strings.Contains(c.Body.User(), "<<<<FILE ") {
			n++
		}
	}
	return n
}

func checkEpisodes(t *testing.T, res runner.ControlResults, want int) {
	t.Helper()
	if len(res.Episodes) != want {
		t.Errorf("%d episodes, want %d", len(res.Episodes), want)
	}
	for _, e := range res.Episodes {
		if e.State != models.EpisodeDone || e.Steps != len(res.Steps[e.ID]) {
			t.Errorf("%s on %s: %s after %d steps, %d in the log: %s", e.Policy, e.InstanceID, e.State, e.Steps, len(res.Steps[e.ID]), e.Why)
		}
		for i, x := range res.Steps[e.ID] {
			if x.Idx != i {
				t.Errorf("%s on %s: step %d has number %d", e.Policy, e.InstanceID, i, x.Idx)
			}
		}
	}
	for _, p := range res.Policies {
		if len(p.Differs) > 0 || p.Replayed*len(res.Policies) != want {
			t.Errorf("%s: %d replayed, different on %v", p.Name, p.Replayed, p.Differs)
		}
	}
}

func stepsStored(t *testing.T, database, id string) int {
	t.Helper()
	all, err := openForKill(t, database).EpisodeSteps(context.Background(), models.LocalAdmin(), id)
	if err != nil {
		t.Fatal(err)
	}
	n := 0
	for _, steps := range all {
		n += len(steps)
	}
	return n
}

// openApp opens the program's parts in this process, without a server.
func openApp(t *testing.T, dir, database string) *app {
	t.Helper()
	g := &Globals{Data: dir, Database: database, LogLevel: "error", LogFormat: "text", DBConns: 10, Lease: time.Second}
	a, err := newApp(context.Background(), g, streams{nil, &bytes.Buffer{}, os.Stderr})
	if err != nil {
		t.Fatal(err)
	}
	return a
}

func controlResults(t *testing.T, dir, database, id string) runner.ControlResults {
	t.Helper()
	a := openApp(t, dir, database)
	defer a.close()
	res, err := a.runner.ControlResults(context.Background(), models.LocalAdmin(), id)
	if err != nil {
		t.Fatal(err)
	}
	return res
}

// launchControlForKill plays two policies on the six first Python instances, with
// the endpoint as reviewer and as generator.
func launchControlForKill(t *testing.T, dir, database, source string) string {
	t.Helper()
	ctx, v := context.Background(), models.LocalAdmin()
	a := openApp(t, dir, database)
	defer a.close()
	e, err := a.store.Experiment(ctx, v, source)
	if err != nil {
		t.Fatal(err)
	}
	rows, _, err := a.store.Traces(ctx, v, models.TraceFilter{DatasetID: e.DatasetID}, models.Page{Limit: 500})
	if err != nil {
		t.Fatal(err)
	}
	var ids []string
	chosen := map[string]bool{}
	for _, r := range rows {
		if r.Language == "python" && (chosen[r.InstanceID] || len(chosen) < 6) {
			chosen[r.InstanceID] = true
			ids = append(ids, r.ID)
		}
	}
	split, err := a.store.AddToSplit(ctx, v, e.DatasetID, "python", ids)
	if err != nil {
		t.Fatal(err)
	}
	arms, err := a.store.Arms(ctx, v, source)
	if err != nil {
		t.Fatal(err)
	}
	c, err := a.runner.LaunchControl(ctx, v, runner.ControlSpec{
		SourceID: source, SplitID: split.ID, Name: "killed", Seed: 1, Generator: arms[0].ReviewerVersionID, Verify: runner.VerifyExisting,
		Policies: []string{"best_of_n_select", "best_of_n_last"},
		Choice:   runner.BeliefChoice{Critics: []string{"1-decision", "2-decision"}, Costs: runner.CostChoice{Rule: runner.DraftCosts}},
	})
	if err != nil {
		t.Fatal(err)
	}
	return c.ID
}
