// Package controltest plays policies live: a model behind a real endpoint writes
// patches, checks and suites run in the sandbox, and everything is replayed from its
// log.
package controltest

import (
	"context"
	"fmt"
	"os"
	"path/filepath"
	"runtime"
	"slices"
	"strings"
	"sync"
	"testing"

	"plumbline/experiments/bundled"
	"plumbline/experiments/evidence"
	"plumbline/models"
	"plumbline/models/modelstest"
	"plumbline/runner"
	"plumbline/runner/reviewer"
	"plumbline/runner/reviewer/reviewertest"
	"plumbline/runner/runnertest"
	"plumbline/runner/sandbox"
	"plumbline/runner/workspace"
)

var admin = models.LocalAdmin()

// played are the instances of these tests; their tests need Python alone.
var played = []string{"plumbline-cases__confkit-1", "plumbline-cases__pathrules-1", "plumbline-cases__retrykit-1"}

// host is where checks run; what is compiled is kept between runs of the tests.
func host(t *testing.T) *runner.CheckHost {
	t.Helper()
	if _, err := sandbox.Open(context.Background(), sandbox.Auto, sandbox.Options{}); err != nil {
		modelstest.Need(t, err.Error())
	}
	dir := t.TempDir()
	if cache, err := os.UserCacheDir(); err == nil {
		keep := filepath.Join(cache, "plumbline-test-gocache")
		if os.MkdirAll(keep, 0o755) == nil && os.Mkdir(filepath.Join(dir, "go"), 0o755) == nil {
			if err := os.Symlink(keep, filepath.Join(dir, "go", runtime.Version())); err != nil {
				t.Fatal(err)
			}
		}
	}
	h, err := runner.NewCheckHost(dir, "")
	if err != nil {
		t.Fatal(err)
	}
	return h
}

// bed is a finished review experiment of an endpoint on some bundled instances, with
// a generator of patches.
type bed struct {
	*runnertest.Bench
	endpoint *reviewertest.Server
	source   models.Experiment
	split    string
	writer   string
	stop     func()

	mu      sync.Mutex
	written map[string]int // requests for a patch, by instance
}

func newBed(t *testing.T, s *models.Store) *bed {
	t.Helper()
	ctx := context.Background()
	b := &bed{written: map[string]int{}}
	b.Bench = runnertest.NewWith(t, s, func(c *runner.Config) { c.Checks = host(t) })
	b.endpoint = reviewertest.New(t, reviewertest.Options{Answer: b.answer(t)})
	d, err := b.Runner.LoadBundled(ctx, admin, b.Project.ID)
	if err != nil {
		t.Fatal(err)
	}
	rows, _, err := s.Traces(ctx, admin, models.TraceFilter{DatasetID: d.ID}, models.Page{Limit: 500})
	if err != nil {
		t.Fatal(err)
	}
	var ids []string
	for _, r := range rows {
		if slices.Contains(played, r.InstanceID) {
			ids = append(ids, r.ID)
		}
	}
	split, err := s.AddToSplit(ctx, admin, d.ID, "part", ids)
	if err != nil {
		t.Fatal(err)
	}
	b.split = split.ID
	price := 1.0
	spec := reviewer.Spec{Kind: reviewer.KindOpenAI, BaseURL: b.endpoint.URL, Model: "m", MaxAttempts: 1, Concurrency: 8, Price: &reviewer.Price{Version: "test", InputPerMTok: &price, OutputPerMTok: &price}}
	id := b.Reviewer(t, "reader", spec)
	b.writer = b.Reviewer(t, "writer", spec)
	if b.source, err = b.Runner.Launch(ctx, admin, runner.LaunchSpec{
		DatasetID: d.ID, Name: "source", Votes: 1, Seed: 5, Budget: 9000, OnLeak: runner.Withhold, Arms: []runner.ArmSpec{{ReviewerVersionID: id, Form: evidence.Patch}},
	}); err != nil {
		t.Fatal(err)
	}
	b.stop = b.Work(t, 2)
	if p := b.Wait(t, b.source.ID, runnertest.Ended); p.Done != p.Total {
		t.Fatalf("the source ended as %+v", p)
	}
	return b
}

// answer votes by a rule on the text, and writes patches: for each instance first
// nothing of use, then the reference.
func (b *bed) answer(t *testing.T) func(reviewertest.Call) string {
	replies := map[string][]string{}
	cases, err := bundled.Cases()
	if err != nil {
		t.Fatal(err)
	}
	cache, err := workspace.OpenCache(t.TempDir())
	if err != nil {
		t.Fatal(err)
	}
	for _, c := range cases {
		if !slices.Contains(played, c.Instance.ID) {
			continue
		}
		base, err := cache.FromFiles(context.Background(), c.Base)
		if err != nil {
			t.Fatal(err)
		}
		gold := base.Tree()
		if rep := gold.Apply(c.Instance.Oracle.GoldPatch, workspace.ApplyOptions{}); !rep.Applied {
			t.Fatalf("%s: %+v", c.Instance.ID, rep)
		}
		var whole strings.Builder
		for _, name := range gold.Changed() {
			f, err := gold.Read(name)
			if err != nil {
				t.Fatal(err)
			}
			fmt.Fprintf(&whole, "<<<<FILE %s\n%s>>>>FILE\n", name, f.Data)
		}
		replies[c.Instance.Issue] = []string{"I see no way to do that.", "Here it is.\n" + whole.String()}
	}
	return func(c reviewertest.Call) string {
		user := c.Body.User()
		for issue, all := range replies {
			if strings.Contains(user, issue) && strings.Contains(user, "<<<<FILE ") && !strings.Contains(user, "diff --git") {
				b.mu.Lock()
				n := b.written[issue]
				b.written[issue]++
				b.mu.Unlock()
				return all[min(n, len(all)-1)]
			}
		}
		if len(user)%3 == 0 {
			return reviewertest.Decide("reject")
		}
		return reviewertest.Decide("accept")
	}
}

func (b *bed) asked() int {
	b.mu.Lock()
	defer b.mu.Unlock()
	n := 0
	for _, k := range b.written {
		n += k
	}
	return n
}

func (b *bed) spec(name string, critics ...string) runner.ControlSpec {
	return runner.ControlSpec{
		SourceID: b.source.ID, SplitID: b.split, Name: name, Seed: 5, Generator: b.writer, Verify: runner.VerifyOfficial,
		Policies: []string{"always_verify", "best_of_n_last", "pipeline"},
		Choice:   runner.BeliefChoice{Critics: critics, Costs: runner.CostChoice{Rule: runner.DraftCosts}},
	}
}
