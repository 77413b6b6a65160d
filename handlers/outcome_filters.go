package handlers

import (
	"cmp"
	"slices"

	"plumbline/experiments/trace"
	"plumbline/models"
	"plumbline/web/components"
)

// outcomeFilters are the chips of a list. Their options are what the list holds
// now, with counts; a chip that is set can be removed.
func outcomeFilters(l outcomeList, arms []models.Arm, facets []models.OutcomeFacet) []components.Filter {
	var out []components.Filter
	for _, f := range []struct {
		name, param string
		value       func(models.OutcomeFacet) string
		text        func(string) string
	}{
		{"arm", "arm", func(f models.OutcomeFacet) string { return f.ArmID }, func(id string) string { return armText(arms, id) }},
		{"repository", "repo", func(f models.OutcomeFacet) string { return f.Repo }, nil},
		{"agent", "agent", func(f models.OutcomeFacet) string { return f.Agent }, nil},
		{"bucket", "bucket", func(f models.OutcomeFacet) string { return f.Bucket }, func(b string) string { return components.BucketWord(trace.Bucket(b)) }},
		{"stage", "stage", func(f models.OutcomeFacet) string { return f.Stage }, stageText},
		{"truth", "label", func(f models.OutcomeFacet) string { return f.Label }, nil},
		{"patch", "size", func(f models.OutcomeFacet) string { return f.Size }, nil},
	} {
		counts := map[string]int{}
		for _, x := range facets {
			if v := f.value(x); v != "" {
				counts[v] += x.N
			}
		}
		set := l.values.Get(f.param)
		if len(counts) < 2 && set == "" {
			continue // nothing to choose
		}
		text := f.text
		if text == nil {
			text = func(s string) string { return s }
		}
		filter := components.Filter{Name: f.name}
		if set != "" {
			filter.Clear = l.with(f.param, "")
			if counts[set] == 0 {
				counts[set] = 0 // a filter that leaves nothing still shows
			}
		}
		for v, n := range counts {
			filter.Options = append(filter.Options, components.FilterOption{Text: text(v), Href: l.with(f.param, v), Count: &n, Selected: v == set})
		}
		slices.SortFunc(filter.Options, func(a, b components.FilterOption) int {
			return cmp.Or(cmp.Compare(*b.Count, *a.Count), cmp.Compare(a.Text, b.Text))
		})
		out = append(out, filter)
	}
	if votes := l.values.Get("votes"); votes != "" {
		out = append(out, components.Filter{Name: "votes", Clear: l.with("votes", ""), Options: []components.FilterOption{{Text: votes, Href: l.with("votes", votes), Selected: true}}})
	}
	if share := l.values.Get("share"); share != "" {
		out = append(out, components.Filter{Name: "vote share", Clear: l.with("share", ""), Options: []components.FilterOption{{Text: "at least " + share, Href: l.with("share", share), Selected: true}}})
	}
	if flagged := l.values.Get("flagged"); flagged != "" {
		out = append(out, components.Filter{Name: "misread", Clear: l.with("flagged", ""), Options: []components.FilterOption{{Text: flagged, Href: l.with("flagged", flagged), Selected: true}}})
	}
	if against := l.values.Get("against"); against != "" {
		out = append(out, components.Filter{Name: "other arm", Clear: l.with("against", ""), Options: []components.FilterOption{
			{Text: l.values.Get("against_kind") + " by " + armText(arms, against), Href: l.with("", ""), Selected: true}}})
	}
	return out
}
