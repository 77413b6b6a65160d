package handlers_test

import (
	"strconv"
	"testing"

	"github.com/chromedp/chromedp"

	"plumbline/handlers/handlertest"
)

// Dragging a cost asks the server and moves the regions, the thresholds, the tree
// and the address, without a message of the console or a request elsewhere.
func TestDraggedCostsMoveTheDecisions(t *testing.T) {
	t.Parallel()
	s, _, e := playground(t, 0)
	b := s.NewBrowser(t, 1280, 1200)
	b.Do(chromedp.Navigate(s.URL + "/experiments/" + e.ID + "/belief?view=plan&costs=draft"))
	const regions = `document.querySelector("#plan-out").innerText`
	b.Until("the plan", `document.querySelector("#plan-out .plan-first")`)
	before := handlertest.Script[string](b, regions)
	first := b.Location()
	const drag = `(() => { const s = document.querySelector('.sliders input[name="c_ver"]'); s.value = s.max; s.dispatchEvent(new Event("input", {bubbles: true})); return s.value })()`
	if v := handlertest.Script[string](b, drag); v == "" {
		t.Fatal("there is no slider for the cost of a verification")
	}
	b.Until("new decisions", `document.querySelector("#plan-out") && `+regions+` !== `+strconv.Quote(before))
	b.Until("a new address", `location.href !== `+strconv.Quote(first)+` && location.search.includes("c_ver=")`)
	if len(b.Problems) > 0 || len(b.Foreign) > 0 {
		t.Errorf("the browser complains of %v and asked %v", b.Problems, b.Foreign)
	}
}
