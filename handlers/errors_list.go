package handlers

import (
	"cmp"
	"context"
	"fmt"
	"net/http"
	"slices"

	"github.com/labstack/echo/v4"

	"plumbline/experiments/cascade"
	"plumbline/experiments/trace"
	"plumbline/models"
	"plumbline/web/components"
	"plumbline/web/layout"
	"plumbline/web/pages"
)

const outcomePage = 50

// errorsList shows the traces behind one number of an experiment.
func (h *Handlers) errorsList(c echo.Context) error {
	ctx, v := c.Request().Context(), viewer(c)
	e, err := h.store.Experiment(ctx, v, c.Param("id"))
	if err != nil {
		return err
	}
	l := parseList(e.ID, c.QueryParams())
	q, err := h.query(ctx, v, l)
	if err != nil {
		return err
	}
	arms, err := h.store.Arms(ctx, v, e.ID)
	if err != nil {
		return err
	}
	view := pages.Errors{Frame: h.frame(c, l.kind.Title()), Now: h.now(), Kind: l.kind, Sort: l.values.Get("sort"),
		SortURL: func(key string) string { return l.with("sort", key) }, CSVURL: experimentURL(e.ID) + "/errors.csv?" + l.values.Encode(), AllURL: l.path() + "?kind=" + string(l.kind)}
	view.Frame.Crumbs = []layout.Link{{Text: "Home", Href: "/"}, {Text: e.Name, Href: experimentURL(e.ID)}}
	if e.Simulated {
		view.Frame.Badges = append(view.Frame.Badges, components.Simulated)
	}
	cells, ties, err := h.listCells(ctx, v, l, q)
	if err != nil {
		return err
	}
	misread, err := h.misreadList(c, e, l, q, arms, &view)
	if err != nil {
		return err
	}
	view.Tabs = kindTabs(l, cells, misread, ties)
	rows, next, err := h.store.SearchOutcomes(ctx, v, q, models.Page{Sort: view.Sort, After: c.QueryParam("after"), Limit: outcomePage})
	if err != nil {
		return err
	}
	if view.Rows, err = h.outcomeLines(c, e, arms, rows, l); err != nil {
		return err
	}
	view.Total = kindCount(l.kind, cells)
	switch l.kind {
	case pages.KindMisread:
		view.Total = misread.n
	case pages.KindTies:
		view.Total = ties
	}
	view.Pager = components.Pager{Shown: fmt.Sprintf("%s of %s", components.Count(len(rows)), components.Plural(view.Total, "item", "items"))}
	if next != "" {
		view.Pager.Next = l.with("after", next)
	}
	if c.QueryParam("after") != "" {
		view.Pager.Prev = l.with("", "")
	}
	facets, err := h.store.OutcomeFacets(ctx, v, q, 5000)
	if err != nil {
		return err
	}
	view.Filters = outcomeFilters(l, arms, facets)
	return h.errorGroups(c, l, q, arms, view)
}

func (h *Handlers) errorGroups(c echo.Context, l outcomeList, q models.OutcomeQuery, arms []models.Arm, view pages.Errors) error {
	by := l.values.Get("group")
	for _, name := range []string{models.GroupArm, models.GroupStage, models.GroupRepo, models.GroupAgent, models.GroupBucket, models.GroupVotes, models.GroupSize, models.GroupMisread} {
		link := layout.Link{Text: name, Href: l.with("group", name)}
		if name == by {
			link.Href = ""
		}
		view.GroupBy = append(view.GroupBy, link)
	}
	if by == "" {
		return render(c, http.StatusOK, pages.ErrorsPage(view))
	}
	view.GroupBy = append(view.GroupBy, layout.Link{Text: "none", Href: l.with("group", "")})
	groups, err := h.store.GroupOutcomes(c.Request().Context(), viewer(c), q, by)
	if err != nil {
		return err
	}
	view.Group, view.Groups = by, groupLines(l, by, arms, groups)
	return render(c, http.StatusOK, pages.ErrorsPage(view))
}

// groupParams names the filter that narrows a list to one group.
var groupParams = map[string]string{
	models.GroupArm: "arm", models.GroupStage: "stage", models.GroupRepo: "repo", models.GroupAgent: "agent", models.GroupBucket: "bucket",
	models.GroupVotes: "votes", models.GroupSize: "size", models.GroupMisread: "flagged",
}

// groupLines merges what the reader sees as one group, most traces first.
func groupLines(l outcomeList, by string, arms []models.Arm, groups []models.OutcomeGroup) []pages.OutcomeGroup {
	var out []pages.OutcomeGroup
	at := map[string]int{}
	for _, g := range groups {
		value, name := g.Name, g.Name
		switch by {
		case models.GroupVotes:
			value = splitName(g.Pattern.Accept, g.Pattern.Reject, g.Pattern.Uncertain, g.Pattern.Unparseable)
			name = value
		case models.GroupArm:
			name = armText(arms, g.Name)
		case models.GroupStage:
			name = stageText(g.Name)
		case models.GroupBucket:
			name = components.BucketWord(trace.Bucket(g.Name))
		}
		if name == "" {
			name = "none or not known"
		}
		i, ok := at[name]
		if !ok {
			i = len(out)
			at[name] = i
			out = append(out, pages.OutcomeGroup{Name: name})
			if value != "" {
				out[i].Href = l.with(groupParams[by], value)
			}
		}
		out[i].Count += g.N
		out[i].Of += g.Of
	}
	slices.SortStableFunc(out, func(a, b pages.OutcomeGroup) int { return cmp.Compare(b.Count, a.Count) })
	return out
}

// stageText names the stage of a cascade that decided, for people.
func stageText(key string) string {
	if s, ok := cascade.ParseStage(key); ok {
		return s.Name()
	}
	return "no cascade"
}

func armText(arms []models.Arm, id string) string {
	for _, a := range arms {
		if a.ID == id {
			return a.ReviewerName + " · " + a.Form
		}
	}
	return id
}

// kindCount adds up the cells of a kind.
func kindCount(kind pages.OutcomeKind, cells []models.OutcomeCount) int {
	states, want := cellsOf(kind)
	n := 0
	for _, c := range cells {
		in := len(states) == 0 && len(want) == 0
		in = in || slices.Contains(states, c.State)
		for _, w := range want {
			in = in || ((w.Label == "" || w.Label == c.Label) && slices.Contains(w.Decisions, c.Decision))
		}
		if in {
			n += c.N
		}
	}
	return n
}

// listCells counts the items under the filters of a list for the tabs of all kinds,
// and those of a list of ties, which is narrowed by votes and not by cells.
func (h *Handlers) listCells(ctx context.Context, v models.Viewer, l outcomeList, q models.OutcomeQuery) (cells []models.OutcomeCount, ties int, err error) {
	cells, err = h.store.CountOutcomeCells(ctx, v, q)
	if err != nil || l.kind != pages.KindTies {
		return cells, 0, err
	}
	for _, c := range cells {
		ties += c.N
	}
	all := parseList(l.experiment, l.values)
	all.kind = pages.KindAll
	if q, err = h.query(ctx, v, all); err != nil {
		return nil, 0, err
	}
	cells, err = h.store.CountOutcomeCells(ctx, v, q)
	return cells, ties, err
}

// kindTabs are the mistakes, and the current list if it is none of them.
func kindTabs(l outcomeList, cells []models.OutcomeCount, misread misreadCount, ties int) []pages.KindTab {
	var out []pages.KindTab
	for _, k := range pages.OutcomeKinds {
		if !k.Mistake && k.Kind != l.kind {
			continue
		}
		tab := pages.KindTab{Kind: k.Kind, Href: l.with("kind", string(k.Kind)), Current: k.Kind == l.kind}
		n := kindCount(k.Kind, cells)
		switch k.Kind {
		case pages.KindMisread:
			n = misread.n
		case pages.KindTies:
			n = ties
		}
		if tab.Count = &n; k.Kind == pages.KindMisread && misread.unaudited > 0 {
			tab.Count, tab.Why = nil, components.Plural(misread.unaudited, "vote was", "votes were")+" not audited"
		}
		out = append(out, tab)
	}
	return out
}

// outcomeLines adds the votes to the rows of a list.
func (h *Handlers) outcomeLines(c echo.Context, e models.Experiment, arms []models.Arm, rows []models.OutcomeLine, l outcomeList) ([]pages.OutcomeLine, error) {
	ids := make([]string, len(rows))
	for i, r := range rows {
		ids[i] = r.ItemID
	}
	votes, err := h.store.Votes(c.Request().Context(), viewer(c), e.ID, ids)
	if err != nil {
		return nil, err
	}
	notes, err := h.store.Notes(c.Request().Context(), viewer(c), e.ID, ids)
	if err != nil {
		return nil, err
	}
	flags := map[string]*pages.Flag{}
	if l.kind == pages.KindMisread {
		if flags, err = h.firstFlags(c.Request().Context(), viewer(c), e.ID, ids); err != nil {
			return nil, err
		}
	}
	edit, here := viewer(c).CanEdit(e.ProjectID), c.Request().URL.RequestURI()
	byItem := map[string][]models.VoteRow{}
	for _, v := range votes {
		byItem[v.ItemID] = append(byItem[v.ItemID], v)
	}
	index := map[string]int{}
	for _, a := range arms {
		index[a.ID] = a.Idx
	}
	out := make([]pages.OutcomeLine, len(rows))
	for i, r := range rows {
		href := traceURL(r.TraceID, r.ItemID, l.text())
		out[i] = pages.OutcomeLine{
			Instance: r.InstanceID, Href: href, Repo: r.Repo, Agent: r.Agent,
			Truth: components.Truth{Label: trace.Label(r.Label), Bucket: trace.Bucket(r.Bucket), From: trace.LabelSource(r.LabelSource)},
			Votes: squares(r.State, byItem[r.ItemID], e.Votes, href), Decision: components.Mark(r.Decision),
			Arm: armText(arms, r.ArmID), ArmIndex: index[r.ArmID], Added: r.PatchAdded, Removed: r.PatchRemoved,
			Flag: flags[r.ItemID], Note: lineNote(notes[r.ItemID], r.ItemID, r.InstanceID, edit, here),
		}
		if r.Decision == "" {
			out[i].Decision = markOfState(r.State)
		}
		if r.ErrorClass != "" {
			out[i].Error = r.ErrorClass + ": " + r.ErrorMessage
		}
	}
	return out, nil
}

// squares are the votes of an item in order of their index; an index without a
// vote shows why it has none.
func squares(state string, votes []models.VoteRow, k int, href string) []components.Square {
	out := make([]components.Square, k)
	for i := range out {
		out[i].Mark = markOfState(state)
	}
	for _, v := range votes {
		if v.Idx < 0 || v.Idx >= k {
			continue
		}
		says := v.Headline
		if says == "" {
			says = v.Problem
		}
		out[v.Idx] = components.Square{Mark: components.Mark(v.Vote), Says: says, Cached: v.Cached, Href: fmt.Sprintf("%s#vote-%d", href, v.Idx+1)}
	}
	return out
}
