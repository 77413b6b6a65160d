package handlers_test

import (
	"context"
	"net/url"
	"strconv"
	"testing"

	"plumbline/handlers/handlertest"
	"plumbline/models"
	"plumbline/runner"
)

var runnerOptions runner.ResultOptions

func itoa(n int) string { return strconv.Itoa(n) }

// count is the number of traces in a split of the bundled cases.
func count(t *testing.T, site *handlertest.Site, split string) int {
	t.Helper()
	ctx := context.Background()
	ds, err := site.Store.Datasets(ctx, models.LocalAdmin())
	if err != nil {
		t.Fatal(err)
	}
	for _, d := range ds {
		splits, err := site.Store.Splits(ctx, models.LocalAdmin(), d.ID)
		if err != nil {
			t.Fatal(err)
		}
		for _, s := range splits {
			if s.Name == split {
				return s.Traces
			}
		}
	}
	t.Fatalf("no split %q", split)
	return 0
}

// click presses the first visible button or link with a text.
func click(b *handlertest.Browser, text string) {
	b.Until("a button "+text, `[...document.querySelectorAll("button, a")].some(x => x.textContent.trim() === "`+text+`" && x.offsetParent !== null)`)
	handlertest.Script[bool](b, `[...document.querySelectorAll("button, a")].find(x => x.textContent.trim() === "`+text+`" && x.offsetParent !== null).click() || true`)
}

// itemOf is the item whose trace page an address shows.
func itemOf(t *testing.T, site *handlertest.Site, experiment, address string) string {
	t.Helper()
	u, err := url.Parse(address)
	if err != nil {
		t.Fatal(err)
	}
	if id := u.Query().Get("item"); id != "" {
		return id
	}
	t.Fatalf("%s names no item", address)
	return ""
}
