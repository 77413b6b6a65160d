package handlers

import (
	"bytes"
	"context"
	"html"
	"net/url"
	"slices"
	"strings"
	"testing"
	"time"

	"plumbline/models"
	"plumbline/models/modelstest"
	"plumbline/web/components"
)

// Wrong orders, filters that do not combine, and days that move with the reader's
// zone, in other tools: one row a complaint.
func TestComplaintsN(t *testing.T) {
	t.Parallel()
	s := newJudgedSite(t, modelstest.SQLite(t))
	at := experimentURL(s.experiment.ID) + "/errors?kind=all"
	// pages walks a list by its own links and gives the items in order.
	pages := func(t *testing.T, path string) (items []string) {
		for range 20 {
			page := s.get(t, path, 200)
			for _, href := range links(t, page, "/traces/") {
				if id := itemOf(t, html.UnescapeString(href)); len(items) == 0 || items[len(items)-1] != id {
					items = append(items, id)
				}
			}
			next := ""
			for _, href := range links(t, page, "after=") {
				next = html.UnescapeString(href)
			}
			if next == "" {
				return items
			}
			path = next
		}
		t.Fatalf("%s does not end", path)
		return nil
	}
	whole := func(t *testing.T, path string, want int) []string {
		items := pages(t, path)
		sorted := slices.Sorted(slices.Values(items))
		if len(items) != want || len(slices.Compact(sorted)) != want {
			t.Errorf("%s: %d items, %d of them different, want %d", path, len(items), len(slices.Compact(sorted)), want)
		}
		return items
	}
	for name, row := range map[string]func(t *testing.T){
		"langfuse#4421, #5371, #1363: equal keys keep one order over all pages": func(t *testing.T) {
			for _, sort := range []string{"arm", "-arm", "repo", "-size"} {
				up := whole(t, at+"&sort="+sort, s.experiment.ItemTotal)
				if again := pages(t, at+"&sort="+sort); !slices.Equal(up, again) {
					t.Errorf("sorted by %s twice gives two orders", sort)
				}
			}
		},
		"opik#553: filters combine, and with pages": func(t *testing.T) {
			arm, label := s.arms[0].ID, "defective"
			want, _, err := s.bench.Store.SearchOutcomes(context.Background(), models.LocalAdmin(), models.OutcomeQuery{ExperimentID: s.experiment.ID, ArmID: arm, Label: label}, models.Page{Limit: 5000})
			if err != nil {
				t.Fatal(err)
			}
			got := whole(t, at+"&"+url.Values{"arm": {arm}, "label": {label}}.Encode(), len(want))
			for _, w := range want {
				if !slices.Contains(got, w.ItemID) {
					t.Errorf("the list lacks %s", w.ItemID)
				}
			}
		},
		"the address is the state: filters survive sorting and paging": func(t *testing.T) {
			page := s.get(t, at+"&label=defective&sort=-instance", 200)
			for _, href := range append(links(t, page, "sort="), links(t, page, "after=")...) {
				u, err := url.Parse(html.UnescapeString(href))
				if err != nil {
					t.Fatal(err)
				}
				if strings.Contains(u.Path, "/errors") && u.Query().Get("label") == "" && u.Query().Get("kind") == "all" && u.Query().Has("after") {
					t.Errorf("a link to the next page forgets the filter: %s", href)
				}
			}
		},
		"langfuse#5693: a time is one instant in every zone": func(t *testing.T) {
			night := time.Date(2026, 3, 29, 1, 30, 0, 0, time.UTC) // when clocks change in Europe
			for _, zone := range []*time.Location{time.FixedZone("", 14*3600), time.FixedZone("", -12*3600), time.UTC} {
				var b bytes.Buffer
				if err := components.When(night.In(zone), night.Add(time.Hour).In(zone)).Render(context.Background(), &b); err != nil {
					t.Fatal(err)
				}
				if got := b.String(); !strings.Contains(got, `datetime="2026-03-29T01:30:00Z"`) || !strings.Contains(got, "29 Mar 2026 01:30:00 UTC") {
					t.Errorf("in %s: %s", zone, got)
				}
			}
		},
		"langfuse#15822: the table can be taken along": func(t *testing.T) {
			if body := s.get(t, experimentURL(s.experiment.ID)+"/arms.csv", 200); strings.Count(body, "\n") < len(s.arms) {
				t.Errorf("the export of the arms has %d lines", strings.Count(body, "\n"))
			}
		},
	} {
		t.Run(name, row)
	}
}
