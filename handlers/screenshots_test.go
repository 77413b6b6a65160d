package handlers_test

import (
	"context"
	"flag"
	"os"
	"path/filepath"
	"strings"
	"testing"

	"github.com/chromedp/chromedp"

	"plumbline/experiments/evidence"
	"plumbline/experiments/simulate"
	"plumbline/handlers/handlertest"
	"plumbline/models"
	"plumbline/models/modelstest"
	"plumbline/runner"
	"plumbline/runner/reviewer"
	"plumbline/runner/runnertest"
)

var (
	screenshots = flag.String("screenshots", "", "folder that TestScreenshots writes the pictures of the README into")
	demoURL     = flag.String("demo", "", "address of a demo whose cascade has ended, for pictures of its checks")
)

// TestScreenshots makes the pictures of the README from the bundled cases and
// simulated reviewers. Without -screenshots it only checks that every page of them
// draws without a complaint of the browser.
func TestScreenshots(t *testing.T) {
	site := handlertest.New(t, modelstest.SQLite(t), nil)
	ctx, v := context.Background(), models.LocalAdmin()
	d, err := site.Runner.LoadBundled(ctx, v, site.Project.ID)
	if err != nil {
		t.Fatal(err)
	}
	spec := runner.LaunchSpec{DatasetID: d.ID, Name: "Simulated reviewers, three kinds of evidence", Votes: 5, Seed: 1, Budget: 16000}
	for _, name := range []string{simulate.Strong, simulate.Small} {
		id := site.Reviewer(t, name, reviewer.Spec{Kind: reviewer.KindSimulated, Model: name, Simulated: &reviewer.Simulated{Preset: name}})
		for _, f := range []evidence.Form{evidence.Patch, evidence.Structured, evidence.Official} {
			spec.Arms = append(spec.Arms, runner.ArmSpec{ReviewerVersionID: id, Form: f})
		}
	}
	e, err := site.Runner.Launch(ctx, v, spec)
	if err != nil {
		t.Fatal(err)
	}
	site.Work(t, 4)
	site.Wait(t, e.ID, runnertest.Ended)

	wide, narrow := site.NewBrowser(t, 1280, 900), site.NewBrowser(t, 390, 844)
	list := "/experiments/" + e.ID + "/errors?kind=false_rejections"
	trace := firstTrace(t, site, list)
	for _, shot := range []struct {
		name string
		b    *handlertest.Browser
		path string
		dark bool
	}{
		{"experiment", wide, "/experiments/" + e.ID, false},
		{"experiment-dark", wide, "/experiments/" + e.ID, true},
		{"errors", wide, list, false},
		{"trace", wide, trace, false},
		{"experiment-narrow", narrow, "/experiments/" + e.ID, false},
	} {
		shot.b.Dark(shot.dark)
		shot.b.Do(chromedp.Navigate(site.URL+shot.path), chromedp.WaitVisible(chromedp.CSS("main")))
		if strings.HasPrefix(shot.name, "experiment") {
			shot.b.Until("the charts", `document.querySelectorAll("figure canvas, figure svg").length >= 3`)
		}
		if *screenshots == "" {
			continue
		}
		if err := os.WriteFile(filepath.Join(*screenshots, shot.name+".png"), shot.b.Screen(), 0o644); err != nil {
			t.Fatal(err)
		}
	}
	wide.Quiet()
	narrow.Quiet()
	if *screenshots != "" && *demoURL != "" {
		checkPictures(t, site.NewBrowser(t, 1280, 1500), strings.TrimSuffix(*demoURL, "/"))
	}
}

// checkPictures are the funnel of the demo's cascade with the audit of its tests, and
// a trace of it with its checks.
func checkPictures(t *testing.T, b *handlertest.Browser, url string) {
	t.Helper()
	visit := func(path string) {
		b.Do(chromedp.Navigate(url+path), chromedp.WaitVisible(chromedp.CSS("main")))
	}
	shoot := func(name string) {
		if err := os.WriteFile(filepath.Join(*screenshots, name+".png"), b.Screen(), 0o644); err != nil {
			t.Fatal(err)
		}
	}
	b.Dark(false)
	visit("/")
	cascade := handlertest.Script[string](b, `[...document.querySelectorAll("a[data-open]")].find(a => a.textContent.includes("Review cascade")).getAttribute("href")`)
	visit(cascade + "/funnel")
	b.Until("the chart", `document.querySelectorAll("figure canvas, figure svg").length >= 1`)
	shoot("funnel")
	visit(handlertest.Script[string](b, `[...document.querySelectorAll("main tr")].filter(r => r.textContent.includes("generated test")).
		map(r => r.querySelector("a[href$='/checks']")).find(a => a).getAttribute("href")`))
	shoot("checks")
}

// firstTrace is the address of the first trace page that a list links to.
func firstTrace(t *testing.T, site *handlertest.Site, list string) string {
	t.Helper()
	for _, link := range inspect(t, list, site.Client(t).Get(t, list).Body) {
		if strings.HasPrefix(link, "/traces/") {
			return link
		}
	}
	t.Fatalf("%s links to no trace", list)
	return ""
}
