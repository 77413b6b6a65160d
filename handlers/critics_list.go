package handlers

import (
	"encoding/json"
	"fmt"
	"net/http"
	"strings"

	"github.com/labstack/echo/v4"

	"plumbline/models"
	"plumbline/runner"
	"plumbline/web/components"
	"plumbline/web/layout"
	"plumbline/web/pages"
)

// criticsList lists the imported critic tables.
func (h *Handlers) criticsList(c echo.Context) error {
	ctx, v := c.Request().Context(), viewer(c)
	tables, err := h.store.CriticTables(ctx, v)
	if err != nil {
		return err
	}
	view := pages.CriticTables{Frame: h.frame(c, "Critic tables"), Now: h.now()}
	view.Frame.Crumbs = []layout.Link{{Text: "Home", Href: "/"}}
	if v.CanEdit(h.project.ID) {
		view.NewURL = "/critics/new"
		view.Frame.Actions = []layout.Action{{Text: "Import a table", Href: view.NewURL, Primary: true}}
	}
	for _, t := range tables {
		view.Rows = append(view.Rows, pages.CriticTableLine{
			Name: t.Name, Href: criticsURL(t.ID), Origin: t.Origin, Tasks: t.TaskCount, Candidates: t.Candidates, Rows: t.RowCount, Errors: t.ErrorCount,
			Dropped: t.Dropped, Critics: declaredCritics(t), Hash: t.SHA256, ErrorsURL: criticsURL(t.ID) + "/errors", Added: t.CreatedAt,
		})
	}
	return render(c, http.StatusOK, pages.CriticTablesPage(view))
}

func declaration(t models.CriticTable) runner.CriticDeclaration {
	var d runner.CriticDeclaration
	if err := json.Unmarshal([]byte(t.Declared), &d); err != nil {
		return runner.CriticDeclaration{} // shown as nothing declared; the table itself says why it cannot be read
	}
	return d
}

func declaredCritics(t models.CriticTable) string {
	var names []string
	for _, c := range declaration(t).Critics {
		name := c.Name
		if name == "" {
			name = c.Column
		}
		names = append(names, name)
	}
	return strings.Join(names, ", ")
}

// criticsShow is the belief page of an imported table.
func (h *Handlers) criticsShow(c echo.Context) error {
	r := beliefRequestOf(criticsURL(c.Param("id")), c.QueryParams())
	src, err := h.tableSource(c, &r)
	if err != nil {
		return err
	}
	return h.beliefPage(c, src, &r)
}

func (h *Handlers) tableSource(c echo.Context, r *beliefRequest) (beliefSource, error) {
	v := viewer(c)
	rec, t, err := h.runner.RecordedTable(c.Request().Context(), v, c.Param("id"))
	if err != nil {
		return beliefSource{}, err
	}
	src := beliefSource{recorded: &rec, table: &t, edit: v.CanEdit(t.ProjectID)}
	src.crumbs = []layout.Link{{Text: "Home", Href: "/"}, {Text: "Critic tables", Href: "/critics"}}
	src.badges = []components.Badge{importedBadge}
	src.facts = tableFacts(t)
	src.pathURL = func(task, candidate int) string {
		return r.at(fmt.Sprintf("%s/candidates/%d.%d", criticsURL(t.ID), task+1, candidate+1), "view", "")
	}
	return src, nil
}

var importedBadge = components.Badge{Key: "imported", Text: "imported", Tone: components.Note,
	Why: "These outcomes come from a file; nothing of them was run here."}

func tableFacts(t models.CriticTable) []pages.Fact {
	d := declaration(t)
	facts := []pages.Fact{
		{Name: "file", Value: t.Origin}, {Name: "sha256", Value: t.SHA256, Mono: true}, {Name: "bytes", Value: components.Count(t.Bytes)},
		{Name: "rows", Value: components.Count(t.RowCount)}, {Name: "errors", Value: components.Count(t.ErrorCount)},
		{Name: "tasks left out", Value: components.Count(t.Dropped)}, {Name: "task", Value: d.Task, Mono: true}, {Name: "truth", Value: d.Label, Mono: true},
	}
	if t.ErrorCount > 0 {
		facts[4].Href = criticsURL(t.ID) + "/errors"
	}
	if d.Candidate != "" {
		facts = append(facts, pages.Fact{Name: "candidate", Value: d.Candidate, Mono: true})
	}
	if len(d.Group) > 0 {
		facts = append(facts, pages.Fact{Name: "group", Value: strings.Join(d.Group, ", "), Mono: true})
	}
	how := "independent attempts"
	if d.Chains {
		how = "chains: each candidate was made with feedback on the one before"
	}
	return append(facts, pages.Fact{Name: "candidates are", Value: how}, pages.Fact{Name: "imported by", Value: t.Author}, pages.Fact{Name: "table", Value: t.ID, Mono: true})
}

// criticsErrors lists what could not be read of a table.
func (h *Handlers) criticsErrors(c echo.Context) error {
	ctx, v := c.Request().Context(), viewer(c)
	t, err := h.store.CriticTable(ctx, v, c.Param("id"))
	if err != nil {
		return err
	}
	rows, err := h.store.CriticTableErrors(ctx, v, t.ID)
	if err != nil {
		return err
	}
	view := pages.CriticErrors{Frame: h.frame(c, "Errors of "+t.Name), More: max(0, t.ErrorCount-len(rows)),
		Says: fmt.Sprintf("%s of %s. A row that cannot be read takes its whole task out: a chain of candidates with a hole is another chain.",
			components.Plural(t.ErrorCount, "value could not be used", "values could not be used"), components.Plural(t.RowCount, "row", "rows"))}
	view.Frame.Crumbs = []layout.Link{{Text: "Home", Href: "/"}, {Text: "Critic tables", Href: "/critics"}, {Text: t.Name, Href: criticsURL(t.ID)}}
	for _, e := range rows {
		view.Rows = append(view.Rows, pages.CriticError{Line: e.Line, Field: e.Field, Value: e.Value, Why: e.Why})
	}
	return render(c, http.StatusOK, pages.CriticErrorsPage(view))
}

// criticsDelete forgets a table.
func (h *Handlers) criticsDelete(c echo.Context) error {
	if err := h.store.DeleteCriticTable(c.Request().Context(), viewer(c), c.Param("id")); err != nil {
		return err
	}
	return seeOther(c, "/critics")
}
