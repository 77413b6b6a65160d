package handlers_test

import (
	"context"
	"net/http"
	"strings"
	"testing"

	"github.com/chromedp/chromedp"

	"plumbline/handlers/handlertest"
	"plumbline/models"
	"plumbline/models/modelstest"
	"plumbline/runner/reviewer"
	"plumbline/runner/reviewer/reviewertest"
	"plumbline/runner/runnertest"
)

// A newcomer's way through the product in a real browser: look at the dataset,
// launch an experiment against a real endpoint, watch it, stop and resume it, read
// the result, step through false rejections, open a trace, share the page, open
// the link signed out, and revoke it.
func TestNewcomer(t *testing.T) {
	s := modelstest.SQLite(t)
	site := handlertest.New(t, s, nil)
	ctx := context.Background()
	if _, err := site.Runner.LoadBundled(ctx, models.LocalAdmin(), site.Project.ID); err != nil {
		t.Fatal(err)
	}
	// The endpoint rejects everything, so that false rejections are certain.
	endpoint := reviewertest.New(t, reviewertest.Options{Latency: 120_000_000, Answer: func(reviewertest.Call) string { return reviewertest.Decide("reject") }})
	site.Reviewer(t, "strict", reviewer.Spec{Kind: reviewer.KindOpenAI, BaseURL: endpoint.URL, Model: "m-strict", Concurrency: 12})
	site.Work(t, 4)
	b := site.NewBrowser(t, 1280, 900)

	// Home → dataset.
	b.Do(chromedp.Navigate(site.URL+"/"), chromedp.WaitVisible(chromedp.CSS("main")))
	click(b, "Bundled cases")
	b.Until("the dataset page", `location.pathname.startsWith("/datasets/")`)
	if text := b.Text("main"); !strings.Contains(text, "acceptable") || !strings.Contains(text, "omission") {
		t.Errorf("the dataset page shows no composition: %.300s", text)
	}

	// New experiment: choose, see the estimate follow, start.
	b.Do(chromedp.Navigate(site.URL+"/experiments/new"), chromedp.WaitVisible(chromedp.CSS("#estimate")))
	handlertest.Script[bool](b, `[...document.querySelectorAll("input[name=split]")].find(x => x.closest("tr").textContent.includes("design")).click() || true`)
	handlertest.Script[bool](b, `[...document.querySelectorAll("input[name=arm]")].find(x => x.getAttribute("aria-label") === "strict, patch").click() || true`)
	b.Do(chromedp.SetValue(chromedp.CSS("input[name=votes]"), "5"))
	handlertest.Script[bool](b, `document.querySelector("input[name=votes]").dispatchEvent(new Event("change", {bubbles: true}))`)
	calls := 5 * count(t, site, "design")
	b.Until("the estimate of calls", `document.querySelector("#estimate").textContent.replace(/[^0-9]/g, " ").split(" ").includes("`+itoa(calls)+`")`)
	b.Do(chromedp.SetValue(chromedp.CSS("input[name=name]"), "newcomer"))
	handlertest.Script[bool](b, `document.querySelector("form.new-exp").requestSubmit([...document.querySelectorAll("form.new-exp button")].find(x => /start/i.test(x.textContent))) || true`)
	b.Until("the experiment page", `/^\/experiments\/ex_/.test(location.pathname)`)
	id := strings.TrimPrefix(strings.SplitN(b.Location(), "/experiments/", 2)[1], "/")

	// Live progress without a reload.
	handlertest.Script[bool](b, `(window.sameDocument = true)`)
	b.Until("votes to come in", `/running/i.test(document.body.innerText)`)
	site.Wait(t, id, func(p models.Progress) bool { return p.Votes > 20 })

	// Stop, then resume.
	click(b, "Stop")
	p := site.Wait(t, id, runnertest.Ended)
	if p.State != models.StateStopped || p.Missing == 0 {
		t.Fatalf("after Stop: %+v", p)
	}
	b.Until("the stopped state to show", `/stopped/i.test(document.body.innerText)`)
	click(b, "Resume")
	p = site.Wait(t, id, func(p models.Progress) bool { return p.State == models.StateDone })
	if p.Votes != p.VotesAsked || p.Done != p.Total {
		t.Fatalf("after Resume: %+v", p)
	}
	if got := endpoint.Stats().Requests; int64(got) != p.VotesAsked {
		t.Errorf("%d requests for %d votes", got, p.VotesAsked)
	}
	b.Until("the end to show without a reload", `/done/i.test(document.body.innerText)`)

	// The result: rates as k/n that link to the traces behind them.
	b.Do(chromedp.Navigate(site.URL+"/experiments/"+id), chromedp.WaitVisible(chromedp.CSS("table")))
	b.Until("the charts", `document.querySelectorAll("figure canvas, figure svg").length >= 3`)
	res, err := site.Runner.Results(ctx, models.LocalAdmin(), id, runnerOptions)
	if err != nil {
		t.Fatal(err)
	}
	over := res.Arms[0].Measures.Of("over_rejection")
	if text := b.Text("main"); !strings.Contains(text, itoa(over.K)+"/"+itoa(over.N)) {
		t.Errorf("the page does not show over-rejection as %d/%d", over.K, over.N)
	}

	// False rejections, by keyboard into a trace and on to the next.
	b.Do(chromedp.Navigate(site.URL+"/experiments/"+id+"/errors?kind=false_rejections"), chromedp.WaitVisible(chromedp.CSS("table")))
	if rows := handlertest.Script[int](b, `document.querySelectorAll("main table tbody tr").length`); rows != over.K {
		t.Errorf("%d false rejections listed, the rate counts %d", rows, over.K)
	}
	b.Do(chromedp.KeyEvent("j"), chromedp.KeyEvent("o"))
	b.Until("the trace page", `location.pathname.startsWith("/traces/")`)
	first := b.Location()
	text := b.Text("main")
	for _, want := range []string{"acceptable", "reject", "strict", "The cited line settles it."} {
		if !strings.Contains(text, want) {
			t.Errorf("the trace page does not show %q", want)
		}
	}
	b.Do(chromedp.KeyEvent("e"))
	b.Until("the evidence tab", `/tab=evidence/.test(location.search)`)
	shown := b.Text("main")
	item := itemOf(t, site, id, b.Location())
	ev, err := s.Evidence(ctx, models.LocalAdmin(), item)
	if err != nil {
		t.Fatal(err)
	}
	for _, line := range strings.Split(ev.Text, "\n")[:5] {
		if _, text, ok := strings.Cut(line, "| "); ok && !strings.Contains(shown, strings.TrimSpace(text)) {
			t.Errorf("the evidence page lacks the line %q", text)
		}
	}
	b.Do(chromedp.Navigate(first), chromedp.WaitVisible(chromedp.CSS("main")), chromedp.KeyEvent("j"))
	b.Until("the next false rejection", `location.href !== "`+first+`" && location.pathname.startsWith("/traces/")`)

	// Share, open signed out, revoke.
	b.Do(chromedp.Navigate(site.URL+"/experiments/"+id+"#share"), chromedp.WaitVisible(chromedp.CSS("#share")))
	click(b, "Make a link")
	b.Do(chromedp.WaitVisible(chromedp.CSS("input.share-link")))
	link := handlertest.Script[string](b, `document.querySelector("input.share-link").value`)
	path := link[strings.Index(link, "/s/"):]
	stranger := site.Client(t)
	page := stranger.Get(t, path)
	if page.Code != http.StatusOK || !strings.Contains(page.Body, "newcomer") || !strings.Contains(page.Body, "noindex") {
		t.Fatalf("the shared page answers %d: %.200s", page.Code, page.Body)
	}
	handlertest.Script[bool](b, `(window.confirm = () => true) && true`)
	click(b, "Revoke")
	b.Until("the link to be revoked", `/revoked/i.test(document.body.innerText)`)
	if again := stranger.Get(t, path); again.Code != http.StatusNotFound {
		t.Errorf("a revoked link answers %d", again.Code)
	}
	b.Quiet()
}
