package handlers_test

import (
	"context"
	"net/url"
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

// resultSite is a site with one finished experiment of four arms.
func resultSite(t *testing.T) (*handlertest.Site, models.Experiment, []models.Arm) {
	t.Helper()
	ctx, v := context.Background(), models.LocalAdmin()
	site := handlertest.New(t, modelstest.SQLite(t), nil)
	d, err := site.Runner.LoadBundled(ctx, v, site.Project.ID)
	if err != nil {
		t.Fatal(err)
	}
	spec := runner.LaunchSpec{DatasetID: d.ID, Name: "in the browser", Votes: 3, Seed: 7, Budget: 8000}
	for _, preset := range []string{simulate.Small, simulate.Erratic} {
		id := site.Reviewer(t, preset, reviewer.Spec{Kind: reviewer.KindSimulated, Model: preset, Simulated: &reviewer.Simulated{Preset: preset}})
		for _, f := range []evidence.Form{evidence.Structured, evidence.Official} {
			spec.Arms = append(spec.Arms, runner.ArmSpec{ReviewerVersionID: id, Form: f})
		}
	}
	e, err := site.Runner.Launch(ctx, v, spec)
	if err != nil {
		t.Fatal(err)
	}
	stop := site.Work(t, 4)
	site.Wait(t, e.ID, runnertest.Ended)
	stop()
	arms, err := site.Store.Arms(ctx, v, e.ID)
	if err != nil {
		t.Fatal(err)
	}
	return site, e, arms
}

// Charts are drawn under the content policy, select an arm everywhere, remember it
// in the address, zoom, and can be saved.
func TestChartsInABrowser(t *testing.T) {
	site, e, arms := resultSite(t)
	b := site.NewBrowser(t, 1280, 900)
	page := site.URL + "/experiments/" + e.ID
	b.Do(chromedp.Navigate(page), chromedp.WaitVisible(chromedp.CSS("table")))
	figures := handlertest.Script[int](b, `document.querySelectorAll("[data-chart]").length`)
	b.Until("every chart to be drawn", `document.querySelectorAll("[data-chart] canvas").length === `+itoa(figures))
	if figures < 6 {
		t.Errorf("only %d figures", figures)
	}
	// Every figure has a table with rows, with or without its drawing.
	if bare := handlertest.Script[int](b, `[...document.querySelectorAll("figure.chart")].filter(f => f.querySelector("[data-chart]") && !f.querySelector("table tbody tr")).length`); bare != 0 {
		t.Errorf("%d figures without a table", bare)
	}

	// A click on the swatch of an arm selects it: address, row, and not a reload.
	handlertest.Script[bool](b, `window.sameDocument = true`)
	handlertest.Script[bool](b, `document.querySelector('[data-pick-arm="`+arms[1].ID+`"]').click() || true`)
	b.Until("the arm in the address", `new URL(location).searchParams.get("arm") === "`+arms[1].ID+`" && window.sameDocument`)
	if rows := handlertest.Script[int](b, `document.querySelectorAll('tr[data-arm][data-current]').length`); rows != 1 {
		t.Errorf("%d rows are selected", rows)
	}
	b.Do(chromedp.Navigate(b.Location()), chromedp.WaitVisible(chromedp.CSS(`tr[data-arm="`+arms[1].ID+`"][data-current]`)))

	// Hovering shows a tooltip without breaking the policy.
	x := handlertest.Script[float64](b, `(() => { const r = document.querySelector("#tradeoff canvas").getBoundingClientRect(); window.scrollTo(0, r.top); return r.left + r.width / 3; })()`)
	y := handlertest.Script[float64](b, `(() => { const r = document.querySelector("#tradeoff canvas").getBoundingClientRect(); return r.top + r.height / 3; })()`)
	b.Do(chromedp.MouseClickXY(x, y))

	// Zoom, theme and the downloads.
	for _, press := range []string{`#risk-coverage [data-zoom]`, `[data-theme-switch]`, `#risk-coverage [data-save=csv]`, `#composition [data-save=svg]`, `#composition [data-save=png]`} {
		handlertest.Script[bool](b, `(() => { HTMLAnchorElement.prototype.click = function () { window.saved = this.download; }; document.querySelector("`+press+`").click(); return true; })()`)
	}
	b.Until("the picture to be saved", `window.saved === "composition.png"`)
	if pressed := handlertest.Script[string](b, `document.querySelector("#risk-coverage [data-zoom]").getAttribute("aria-pressed")`); pressed != "true" {
		t.Error("zoom is not pressed")
	}
	if theme := handlertest.Script[string](b, `document.documentElement.dataset.theme + " " + localStorage.getItem("theme")`); theme != "light light" {
		t.Errorf("the theme is %q after one press", theme)
	}
	b.Quiet()
}

// Nothing scrolls sideways at 390 pixels, and text is readable in the dark.
func TestNarrowAndDark(t *testing.T) {
	site, e, arms := resultSite(t)
	b := site.NewBrowser(t, 390, 844)
	pages := []string{"/", "/definitions", "/published", "/reviewers", "/reviews", "/critics", "/import", "/cascades/new", "/compare", "/compare?" + url.Values{"arm": {arms[0].ID, arms[1].ID}}.Encode()}
	for _, more := range []string{"", "?interval=bootstrap&sort=-risk&col=catch&col=cost", "/errors?kind=wrong", "/errors?kind=misses&group=repository", "/errors?kind=blocked",
		"/ladder", "/agreement", "/exports", "/tools", "/belief", "/freeze"} {
		pages = append(pages, "/experiments/"+e.ID+more)
	}
	for _, dark := range []bool{false, true} {
		b.Dark(dark)
		for _, p := range pages {
			b.Do(chromedp.Navigate(site.URL+p), chromedp.WaitVisible(chromedp.CSS("main")))
			if over := handlertest.Script[int](b, `document.documentElement.scrollWidth - window.innerWidth`); over > 0 {
				t.Errorf("%s is %d pixels too wide", p, over)
			}
			for _, faint := range handlertest.Script[[]string](b, faintText) {
				t.Errorf("%s, dark %t: %s", p, dark, faint)
			}
		}
	}
	b.Do(chromedp.EmulateViewport(1280, 900))
	for _, p := range pages {
		b.Do(chromedp.Navigate(site.URL+p), chromedp.WaitVisible(chromedp.CSS("main")))
		if over := handlertest.Script[int](b, `document.documentElement.scrollWidth - window.innerWidth`); over > 0 {
			t.Errorf("%s is %d pixels too wide at 1280", p, over)
		}
	}
	b.Quiet()
}

// faintText lists visible texts with a contrast below 4.5:1 to the nearest solid
// background (WCAG 2.2, relative luminance), a few at most.
const faintText = `(() => {
	const canvas = document.createElement("canvas").getContext("2d", { willReadFrequently: true });
	const rgba = c => { canvas.clearRect(0, 0, 1, 1); canvas.fillStyle = c; canvas.fillRect(0, 0, 1, 1); return canvas.getImageData(0, 0, 1, 1).data; };
	const lum = c => [0, 1, 2].map(i => c[i] / 255).map(v => v <= 0.04045 ? v / 12.92 : ((v + 0.055) / 1.055) ** 2.4).reduce((s, v, i) => s + v * [0.2126, 0.7152, 0.0722][i], 0);
	const out = [];
	for (const el of document.querySelectorAll("body *")) {
		if (![...el.childNodes].some(n => n.nodeType === 3 && n.data.trim()) || !el.checkVisibility({ opacityProperty: true }) || el.closest(".sr, script, [disabled]")) continue;
		let bg, at = el;
		for (; at; at = at.parentElement) {
			const s = getComputedStyle(at);
			if (s.backgroundImage !== "none") break;
			bg = rgba(s.backgroundColor);
			if (bg[3] === 255) break;
			bg = undefined;
		}
		if (!bg) continue;
		const a = lum(rgba(getComputedStyle(el).color)), b = lum(bg);
		const ratio = (Math.max(a, b) + 0.05) / (Math.min(a, b) + 0.05);
		if (ratio < 4.5) out.push(el.className + " " + JSON.stringify(el.textContent.trim().slice(0, 30)) + " has a contrast of " + ratio.toFixed(2));
	}
	return [...new Set(out)].slice(0, 8);
})()`
