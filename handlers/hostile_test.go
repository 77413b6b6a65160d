package handlers_test

import (
	"context"
	"encoding/json"
	"net/http"
	"net/url"
	"regexp"
	"slices"
	"strings"
	"testing"
	"time"

	"golang.org/x/net/html"

	"plumbline/experiments/evidence"
	"plumbline/experiments/trace"
	"plumbline/handlers/handlertest"
	"plumbline/models"
	"plumbline/models/modelstest"
	"plumbline/runner"
	"plumbline/runner/reviewer"
	"plumbline/runner/reviewer/reviewertest"
	"plumbline/runner/runnertest"
)

// evil is what a stranger may put into any text.
const evil = `"><script>window.pwned=1</script><img src=x onerror=pwned()></script><style>*{}</style>` + "\u202e\x00\x1b[31m" + `{{.}}</textarea>`

// A stranger's text in every field reaches every page as text.
func TestHostileTexts(t *testing.T) {
	t.Parallel()
	modelstest.Each(t, func(t *testing.T, s *models.Store) {
		site := handlertest.New(t, s, nil)
		e, traceID := hostileExperiment(t, site, 1<<14)
		c := site.Client(t)
		seen := map[string]bool{}
		queue := []string{"/", "/experiments/" + e.ID, "/traces/" + traceID, "/reviewers", "/import", "/experiments/new", "/compare", "/search?q=" + url.QueryEscape(evil)}
		for len(queue) > 0 && len(seen) < 150 {
			path := queue[0]
			queue = queue[1:]
			if seen[path] {
				continue
			}
			seen[path] = true
			a := c.Get(t, path)
			if a.Code >= 500 {
				t.Errorf("GET %s answers %d", path, a.Code)
			}
			if !strings.Contains(a.Header.Get("Content-Type"), "text/html") {
				continue
			}
			queue = append(queue, inspect(t, path, a.Body)...)
		}
		if len(seen) < 40 {
			t.Errorf("only %d pages were found", len(seen))
		}
		link := c.Post(t, "/experiments/"+e.ID+"/share", url.Values{"expires": {"none"}})
		token := regexp.MustCompile(`/s/[A-Za-z0-9_-]{43}`).FindString(link.Body)
		if token == "" {
			t.Fatalf("no link was made: %d %.300s", link.Code, link.Body)
		}
		shared := site.Client(t).Get(t, token)
		if shared.Code != http.StatusOK {
			t.Fatalf("the shared page answers %d", shared.Code)
		}
		for _, href := range inspect(t, "share", shared.Body) {
			if !strings.HasPrefix(href, token) && !strings.HasPrefix(href, "/static/") {
				t.Errorf("the shared page leads to %s", href)
			}
		}
		for _, secret := range []string{"hidden::test", "GOLD", "test patch secret", "env:SECRET_KEY"} {
			if strings.Contains(shared.Body, secret) {
				t.Errorf("the shared page shows %q", secret)
			}
		}
	})
}

func hostileExperiment(t *testing.T, site *handlertest.Site, lineLength int) (models.Experiment, string) {
	t.Helper()
	ctx, v := context.Background(), models.LocalAdmin()
	d, err := site.Store.EnsureDataset(ctx, v, site.Project.ID, evil, evil, false)
	if err != nil {
		t.Fatal(err)
	}
	long := strings.Repeat("x", lineLength)
	in := trace.Instance{ID: "own__er-1" + evil, Repo: evil, BaseCommit: evil, Issue: "# " + evil + "\n\n[x](javascript:alert(1)) ![i](http://elsewhere.example/p.png)\n" + evil,
		Oracle: trace.Oracle{GoldPatch: "GOLD" + evil, TestPatch: "test patch secret", FailToPass: []string{"hidden::test"}, PassToPass: []string{"p"}}}
	patch := "diff --git a/" + "a.py b/a.py\n--- a/a.py\n+++ b/a.py\n@@ -1 +1,2 @@\n-" + evil + "\n+" + long + "\n+" + evil + "\n"
	resolved := true
	tr := trace.Trace{InstanceID: in.ID, Agent: evil, Model: evil, PatchState: trace.PatchText, Patch: patch, Summary: evil, Status: evil,
		Steps:   []trace.Step{{Kind: trace.StepAction, Tool: evil, Thought: evil, Action: evil, Observation: evil + "\x1b[31mred", Error: true}},
		Outcome: trace.Outcome{Resolved: &resolved, Label: trace.Acceptable, From: trace.Imported, Source: evil, Reason: evil}}
	other := tr
	other.Agent, other.Outcome.Label, other.Patch = "b"+evil, trace.Defective, "no diff "+evil
	other.Outcome.Bucket, other.PatchState = trace.Omission, trace.PatchNoDiffFound
	res, err := site.Store.ImportTraces(ctx, v, d.ID, []trace.Instance{in}, []models.TraceInput{
		{Trace: tr, Patch: models.PatchFacts{SHA256: "a"}}, {Trace: other, Patch: models.PatchFacts{SHA256: "b"}},
	})
	if err != nil {
		t.Fatal(err)
	}
	if err := site.Store.SetLabel(ctx, v, models.LabelChange{TraceID: res[1].TraceID, Label: trace.Acceptable, Source: trace.Manual, Reason: evil}); err != nil {
		t.Fatal(err)
	}
	reply, err := json.Marshal(map[string]any{"rationale": evil, "decision": "reject", "citations": []any{map[string]any{"line": 2, "quote": evil}}})
	if err != nil {
		t.Fatal(err)
	}
	endpoint := reviewertest.New(t, reviewertest.Options{Answer: func(c reviewertest.Call) string {
		if c.N%4 == 3 {
			return evil
		}
		return string(reply)
	}})
	broken := reviewertest.New(t, reviewertest.Options{Fault: reviewertest.Always(reviewertest.Status(400, evil))})
	good := site.Reviewer(t, "g"+evil[:60], reviewer.Spec{Kind: reviewer.KindOpenAI, BaseURL: endpoint.URL, Model: evil})
	bad := site.Reviewer(t, "b"+evil[:60], reviewer.Spec{Kind: reviewer.KindOpenAI, BaseURL: broken.URL, Model: evil, MaxAttempts: 1})
	site.Work(t, 2)
	e, err := site.Runner.Launch(ctx, v, runner.LaunchSpec{DatasetID: d.ID, Name: evil, Votes: 3, Seed: 1, Budget: 4000, Arms: []runner.ArmSpec{
		{ReviewerVersionID: good, Form: evidence.Patch}, {ReviewerVersionID: bad, Form: evidence.Patch}, {ReviewerVersionID: good, Form: evidence.Summary},
	}})
	if err != nil {
		t.Fatal(err)
	}
	site.Wait(t, e.ID, runnertest.Ended)
	return e, res[0].TraceID
}

// inspect parses a page, fails on what only an injection could have put there, and
// returns the links to the site itself.
func inspect(t *testing.T, path, body string) (links []string) {
	t.Helper()
	doc, err := html.Parse(strings.NewReader(body))
	if err != nil {
		t.Fatalf("parse %s: %v", path, err)
	}
	for n := range doc.Descendants() {
		if n.Type != html.ElementNode {
			continue
		}
		attr := map[string]string{}
		for _, a := range n.Attr {
			attr[a.Key] = a.Val
			if strings.HasPrefix(a.Key, "on") || a.Key == "style" {
				t.Errorf("%.80s: <%s %s=…>", path, n.Data, a.Key)
			}
		}
		switch n.Data {
		case "script":
			if src := attr["src"]; attr["type"] != "application/json" && !strings.HasPrefix(src, "/static/") {
				t.Errorf("%.80s: a script of its own: %q %q", path, attr["type"], src)
			}
		case "style", "iframe", "object", "embed", "base":
			t.Errorf("%.80s: a <%s> element", path, n.Data)
		}
		for _, key := range []string{"href", "src", "action", "formaction"} {
			val, ok := attr[key]
			if !ok {
				continue
			}
			if n.Data == "a" && strings.Contains(attr["rel"], "noreferrer") {
				continue // a link that the issue's author wrote; following it is the reader's choice
			}
			if !strings.HasPrefix(val, "/") && !strings.HasPrefix(val, "#") && !strings.HasPrefix(val, "?") && val != "" {
				t.Errorf("%.80s: <%s %s=%q> leaves the site", path, n.Data, key, val)
			}
			if n.Data == "a" && key == "href" && strings.HasPrefix(val, "/") && !slices.Contains(links, val) {
				links = append(links, strings.SplitN(val, "#", 2)[0])
			}
		}
	}
	return links
}

// A 5 MB line does not keep the trace page waiting.
func TestHugeLine(t *testing.T) {
	t.Parallel()
	site := handlertest.New(t, modelstest.SQLite(t), nil)
	_, id := hostileExperiment(t, site, 5<<20)
	c := site.Client(t)
	start := time.Now()
	a := c.Get(t, "/traces/"+id)
	t.Logf("the page has %d bytes after %v", len(a.Body), time.Since(start))
	if a.Code != http.StatusOK || len(a.Body) > 400_000 {
		t.Errorf("answer %d with %d bytes", a.Code, len(a.Body))
	}
	if !strings.Contains(a.Body, "not highlighted") && !strings.Contains(a.Body, "without highlighting") && !strings.Contains(a.Body, "cut") {
		t.Error("the page does not say that the line is shown cut and without highlighting")
	}
}
