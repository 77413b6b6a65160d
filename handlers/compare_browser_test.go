package handlers_test

import (
	"net/url"
	"testing"

	"github.com/chromedp/chromedp"

	"plumbline/handlers/handlertest"
)

// What an experiment could show follows the form without a reload; that page and
// comparisons of many arms fit narrow and dark windows.
func TestPlanAndCompareInABrowser(t *testing.T) {
	site, e, arms := resultSite(t)
	b := site.NewBrowser(t, 1280, 900)
	form := "/experiments/new?" + url.Values{"arm": {arms[0].ReviewerVersionID + ":patch"}, "split": {"all"}, "first": {arms[0].ID}}.Encode()
	b.Do(chromedp.Navigate(site.URL+form), chromedp.WaitVisible(chromedp.CSS("#power-rates")))
	before := handlertest.Script[string](b, `window.sameDocument = document.querySelector("#power dl").textContent`)
	handlertest.Script[bool](b, `(() => { const f = document.querySelector("[name=second_over]"); f.value = "0.02"; return f.dispatchEvent(new Event("change", { bubbles: true })); })()`)
	b.Until("another power", `window.sameDocument && document.querySelector("#power dl").textContent !== window.sameDocument`)
	if after := handlertest.Script[string](b, `document.querySelector("#power dl").textContent`); after == before {
		t.Errorf("the power stays %s", after)
	}
	b.Until("the estimate beside it", `document.querySelectorAll("#estimate").length === 1 && document.querySelectorAll("#power").length === 1`)

	many := url.Values{"experiment": {e.ID}, "pairs": {"all"}, "rows": {"all"}}
	pages := []string{form, "/compare?" + many.Encode(), "/compare?" + url.Values{"arm": {arms[0].ID, arms[1].ID, arms[2].ID}}.Encode(), "/reviewers", "/definitions"}
	for _, width := range []int64{390, 1280} {
		b.Do(chromedp.EmulateViewport(width, 844))
		for _, dark := range []bool{false, true} {
			b.Dark(dark)
			for _, p := range pages {
				b.Do(chromedp.Navigate(site.URL+p), chromedp.WaitVisible(chromedp.CSS("main")))
				if over := handlertest.Script[int](b, `document.documentElement.scrollWidth - window.innerWidth`); over > 0 {
					t.Errorf("%s is %d pixels too wide at %d", p, over, width)
				}
				for _, faint := range handlertest.Script[[]string](b, faintText) {
					t.Errorf("%s, dark %t: %s", p, dark, faint)
				}
			}
		}
	}
	b.Quiet()
}
