package handlers

import (
	"plumbline/models"
	"plumbline/web/pages"
)

func (r traceRequest) panes() []pages.TabLink {
	return []pages.TabLink{
		{Text: "Steps", Href: r.href("pane", string(pages.PaneSteps)), Current: r.pane == pages.PaneSteps},
		{Text: "Content", Href: r.href(), Current: r.pane == pages.PaneContent},
		{Text: "Votes", Href: r.href("pane", string(pages.PaneVotes)) + "#votes", Key: "v", Current: r.pane == pages.PaneVotes},
	}
}

func (r traceRequest) tabs(d models.TraceDetail, items []models.TraceItem, edit bool) []pages.TabLink {
	tab := func(t pages.TraceTab, text, key string, count *int) pages.TabLink {
		return pages.TabLink{Text: text, Key: key, Count: count, Current: r.tab == t, Href: r.href("tab", string(t))}
	}
	files, steps, arms := &d.Row.PatchFiles, &d.Row.StepCount, len(items)
	out := []pages.TabLink{
		tab(pages.TabIssue, "Issue", "i", nil), tab(pages.TabDiff, "Diff", "d", files), tab(pages.TabEvidence, "Evidence", "e", &arms),
		tab(pages.TabChecks, "Checks", "c", nil), tab(pages.TabSteps, "Steps", "s", steps), tab(pages.TabSummary, "Summary", "", nil),
	}
	if edit {
		out = append(out, tab(pages.TabOracle, "Oracle", "", nil))
	}
	return out
}
