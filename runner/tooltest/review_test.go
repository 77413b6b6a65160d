package tooltest

import (
	"context"
	"encoding/json"
	"slices"
	"strings"
	"testing"

	"github.com/google/go-cmp/cmp"

	"plumbline/experiments/bundled"
	"plumbline/experiments/evidence"
	"plumbline/experiments/patch"
	"plumbline/experiments/simulate"
	"plumbline/experiments/toolreview"
	"plumbline/models"
	"plumbline/models/modelstest"
	"plumbline/runner"
	"plumbline/runner/reviewer"
	"plumbline/runner/reviewer/reviewertest"
	"plumbline/runner/runnertest"
	"plumbline/runner/sandbox"
)

var admin = models.LocalAdmin()

const instance = "plumbline-cases__retrykit-1"

func bench(t *testing.T) *runnertest.Bench {
	t.Helper()
	if _, err := sandbox.Open(context.Background(), sandbox.Auto, sandbox.Options{}); err != nil {
		modelstest.Need(t, err.Error())
	}
	host, err := runner.NewCheckHost(t.TempDir(), "")
	if err != nil {
		t.Fatal(err)
	}
	return runnertest.NewWith(t, modelstest.SQLite(t), func(c *runner.Config) { c.Checks = host })
}

// split takes the traces of the instance by the names of their models in the archive;
// no names: all.
func split(t *testing.T, b *runnertest.Bench, first int) (datasetID, splitID string, rows []models.TraceRow) {
	t.Helper()
	ctx := context.Background()
	d, err := b.Runner.LoadBundled(ctx, admin, b.Project.ID)
	if err != nil {
		t.Fatal(err)
	}
	all, _, err := b.Store.Traces(ctx, admin, models.TraceFilter{DatasetID: d.ID}, models.Page{Limit: 500})
	if err != nil {
		t.Fatal(err)
	}
	var ids []string
	for _, r := range all {
		if r.InstanceID == instance && len(rows) < first {
			ids, rows = append(ids, r.ID), append(rows, r)
		}
	}
	s, err := b.Store.AddToSplit(ctx, admin, d.ID, "part", ids)
	if err != nil {
		t.Fatal(err)
	}
	return d.ID, s.ID, rows
}

func withTools(t *testing.T, b *runnertest.Bench, name string, srv *reviewertest.Server, p toolreview.Policy) string {
	t.Helper()
	one, two := 1.0, 2.0
	return b.Reviewer(t, name, reviewer.Spec{
		Kind: reviewer.KindOpenAI, BaseURL: srv.URL, Model: "tooled", Tools: &p, MaxAttempts: 2,
		Price: &reviewer.Price{Version: "test", InputPerMTok: &one, OutputPerMTok: &two},
	})
}

const probe = `python3 -c '
from retrykit.client import Client
from retrykit.message import Request, TransportError
n = 0
def send(request):
    global n
    n += 1
    raise TransportError("x")
try:
    Client(send, sleep=lambda s: None).call(Request("POST", "http://example.org", {}))
except TransportError:
    pass
print("sent", n)
'`

func args(t *testing.T, v any) string {
	t.Helper()
	raw, err := json.Marshal(v)
	if err != nil {
		t.Fatal(err)
	}
	return string(raw)
}

// investigator looks, searches, lists the tree and probes the behaviour that the
// issue demands; it accepts what sends a POST once.
func investigator(t *testing.T) func(reviewertest.Call) reviewertest.Fault {
	look := reviewertest.Use("read_file", `{"path":"retrykit/client.py"}`)
	search := reviewertest.Use("search", `{"pattern":"class [A-Z]"}`)
	list := reviewertest.Use("run", args(t, map[string]string{"command": "find . -type f | sort; ls /box; grep -rl tests_hidden . ; echo changed >retrykit/client.py"}))
	return func(c reviewertest.Call) reviewertest.Fault {
		decision := "reject"
		for _, m := range c.Body.Messages {
			if m.Role == "tool" && strings.Contains(m.Content, "sent 1\n") {
				decision = "accept"
			}
		}
		return reviewertest.Script(look, search, list, reviewertest.Use("run", args(t, map[string]string{"command": probe})),
			reviewertest.Use("decide", reviewertest.Decide(decision)))(c)
	}
}

// A reviewer with tools is an arm like any other: its votes, tokens and cost are
// those of an arm, and what it did on the patched tree is on record.
func TestArmWithTools(t *testing.T) {
	ctx := context.Background()
	b := bench(t)
	datasetID, splitID, rows := split(t, b, 6)
	srv := reviewertest.New(t, reviewertest.Options{Fault: investigator(t)})
	preset := simulate.Presets()[0].Name
	e, err := b.Runner.Launch(ctx, admin, runner.LaunchSpec{
		DatasetID: datasetID, SplitID: splitID, Name: "tools", Votes: 1, Seed: 1, Budget: 16000,
		Arms: []runner.ArmSpec{
			{ReviewerVersionID: withTools(t, b, "with tools", srv, toolreview.Policy{}), Form: evidence.Patch},
			{ReviewerVersionID: b.Reviewer(t, preset, reviewer.Spec{Kind: reviewer.KindSimulated, Model: preset, Simulated: &reviewer.Simulated{Preset: preset}}), Form: evidence.Patch},
		},
	})
	if err != nil {
		t.Fatal(err)
	}
	b.Work(t, 2)
	if p := b.Wait(t, e.ID, runnertest.Ended); p.Error != 0 || p.Blocked != 0 || p.Missing != 0 || p.Done != 2*len(rows) {
		t.Fatalf("%+v", p)
	}
	res, err := b.Runner.Results(ctx, admin, e.ID, runner.ResultOptions{})
	if err != nil || len(res.Arms) != 2 {
		t.Fatalf("%v, %d arms", err, len(res.Arms))
	}
	attempts := attemptsOf(t)
	rejected := 0
	for _, r := range rows {
		d, rec := reviewOf(t, b, e.ID, r.ID)
		if rec.End != toolreview.Decided || rec.Counts.Turns != 5 || rec.Counts.Calls != 4 || rec.Counts.Commands != 4 || rec.Counts.Reads != 2 {
			t.Errorf("%s: %s, %+v", r.Model, rec.End, rec.Counts)
			continue
		}
		if d.InputTokens == nil || *d.InputTokens != *rec.Counts.Prompt || *d.OutputTokens != *rec.Counts.Completion || d.CostUSD == nil || *d.CostUSD <= 0 || d.PriceVersion != "test" || d.Attempts != 5 {
			t.Errorf("%s: vote %+v, counts %+v", r.Model, d.VoteRow, rec.Counts)
		}
		shown := rec.Turns[0].Results[0].Shown
		if !strings.Contains(shown, "     1  \"\"\"Sends a request") || !strings.Contains(rec.Turns[1].Results[0].Shown, "./retrykit/client.py:") {
			t.Errorf("%s: it reads %q and finds %q", r.Model, shown, rec.Turns[1].Results[0].Shown)
		}
		// The tree is the base and the patch, and nothing else.
		a := attempts[r.Agent+" "+r.Model]
		if diff := cmp.Diff("exit code 0\n"+strings.Join(a.files, "\n")+"\nhome\ntree\n", rec.Turns[2].Results[0].Shown); diff != "" {
			t.Errorf("%s: tree (-want +got):\n%s", r.Model, diff)
		}
		// What one command changes is gone for the next.
		if strings.Contains(rec.Turns[3].Results[0].Shown, "SyntaxError") || strings.Contains(rec.Turns[3].Results[0].Shown, "NameError") {
			t.Errorf("%s: %s", r.Model, rec.Turns[3].Results[0].Shown)
		}
		if d.Vote == "reject" {
			rejected++
		}
		if want := a.posts; (d.Vote == "accept") != want {
			t.Errorf("%s: vote %s, a POST is sent once: %v", r.Model, d.Vote, want)
		}
	}
	if rejected == 0 || rejected == len(rows) {
		t.Errorf("%d of %d are rejected: the probe tells nothing", rejected, len(rows))
	}
	for _, c := range srv.Calls() {
		for _, secret := range []string{"tests_hidden", "test_no_sleep_past_the_deadline"} {
			// The listing is asked for by that word; nothing answers it.
			if strings.Count(string(c.Raw), secret) > strings.Count(string(c.Raw), "grep -rl tests_hidden") {
				t.Fatalf("a request holds %s", secret)
			}
		}
	}
}

// attempt is what is known of a bundled attempt.
type attempt struct {
	files []string // of the patched tree, as find lists them
	posts bool     // a POST that fails is sent once
}

func attemptsOf(t *testing.T) map[string]attempt {
	t.Helper()
	cases, err := bundled.Cases()
	if err != nil {
		t.Fatal(err)
	}
	out := map[string]attempt{}
	for _, c := range cases {
		if c.Instance.ID != instance {
			continue
		}
		for _, a := range c.Attempts {
			x := attempt{posts: a.Name != "04-errors-still-retried"}
			seen := map[string]bool{}
			for name := range c.Base {
				seen["./"+name] = true
			}
			d := patch.Parse(a.Trace.Patch)
			for i := range d.Files {
				seen["./"+d.Files[i].Path()] = true
			}
			for name := range seen {
				x.files = append(x.files, name)
			}
			slices.Sort(x.files)
			out[a.Trace.Agent+" "+a.Trace.Model] = x
		}
	}
	return out
}

// reviewOf is the vote of the arm with tools on a trace, with its transcript.
func reviewOf(t *testing.T, b *runnertest.Bench, experimentID, traceID string) (models.VoteDetail, toolreview.Record) {
	t.Helper()
	ctx := context.Background()
	items, err := b.Store.TraceItems(ctx, admin, traceID, 20)
	if err != nil {
		t.Fatal(err)
	}
	for _, it := range items {
		if it.ExperimentID != experimentID || !strings.Contains(it.ReviewerName, "tools") {
			continue
		}
		votes, err := b.Store.VoteDetails(ctx, admin, it.ItemID)
		if err != nil || len(votes) != 1 {
			t.Fatalf("%v, %d votes", err, len(votes))
		}
		rec, ok := toolreview.ReadRecord(votes[0].Raw)
		if !ok {
			t.Fatalf("the reply of %s is no transcript: %.200s", it.ItemID, votes[0].Raw)
		}
		return votes[0], rec
	}
	t.Fatalf("no arm with tools has looked at %s", traceID)
	return models.VoteDetail{}, toolreview.Record{}
}
