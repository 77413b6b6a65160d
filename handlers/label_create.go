package handlers

import (
	"context"
	"errors"
	"net/http"
	"net/url"

	"github.com/labstack/echo/v4"

	"plumbline/experiments/trace"
	"plumbline/models"
	"plumbline/web/components"
	"plumbline/web/pages"
)

// labelCreate labels a trace by hand. A form that is not complete comes back with
// what is wrong with it.
func (h *Handlers) labelCreate(c echo.Context) error {
	var form struct {
		Label  string `form:"label"`
		Bucket string `form:"bucket"`
		Reason string `form:"reason"`
		Back   string `form:"back"`
	}
	if err := c.Bind(&form); err != nil {
		return err
	}
	ctx, v, id := c.Request().Context(), viewer(c), c.Param("id")
	err := h.store.SetLabel(ctx, v, models.LabelChange{
		TraceID: id, Label: trace.Label(form.Label), Bucket: trace.Bucket(form.Bucket), Source: trace.Manual, Reason: form.Reason,
	})
	back := "/traces/" + url.PathEscape(id)
	if form.Back != "" {
		back = localPath(form.Back)
	}
	if err == nil {
		return seeOther(c, back)
	}
	var invalid *models.InvalidError
	if !errors.As(err, &invalid) {
		return err
	}
	row, err := h.store.Trace(ctx, v, id)
	if err != nil {
		return err
	}
	events, err := h.store.LabelEvents(ctx, v, id)
	if err != nil {
		return err
	}
	view := labelForm(row, back)
	view.Frame, view.Now, view.Events = h.frame(c, "Label "+row.InstanceID), h.now(), labelChanges(events)
	view.Label, view.Bucket, view.Cancel, view.Errors = trace.Label(form.Label), trace.Bucket(form.Bucket), back, invalid.Fields
	view.Reason.Value, view.Reason.Error = form.Reason, invalid.Fields["reason"]
	return render(c, http.StatusUnprocessableEntity, pages.LabelPage(view))
}

// labelForm is the form for a trace as it is labelled now.
func labelForm(row models.TraceRow, back string) pages.Label {
	now := truthOf(row)
	return pages.Label{
		Action: "/traces/" + url.PathEscape(row.ID) + "/label", Current: now, Label: now.Label, Bucket: now.Bucket,
		Hidden: []components.Pair{{Name: "back", Value: back}},
		Reason: components.Input{Name: "reason", Label: "Reason", Kind: "textarea", Rows: 3, Wide: true, Required: true, MaxLength: 4000, Hint: "Kept with your name and the old label."},
	}
}

func labelChanges(events []models.LabelEvent) []pages.LabelChange {
	var out []pages.LabelChange
	for _, e := range events {
		out = append(out, pages.LabelChange{
			When: e.CreatedAt, Author: e.Author, Reason: e.Reason,
			From: components.Truth{Label: trace.Label(e.OldLabel), Bucket: trace.Bucket(e.OldBucket)},
			To:   components.Truth{Label: trace.Label(e.Label), Bucket: trace.Bucket(e.Bucket), From: trace.LabelSource(e.Source)},
		})
	}
	return out
}

// traceLabel fills the label's part of a trace page.
func (h *Handlers) traceLabel(ctx context.Context, v models.Viewer, row models.TraceRow, set models.Dataset, here string, view *pages.Trace) error {
	events, err := h.store.LabelEvents(ctx, v, row.ID)
	if err != nil {
		return err
	}
	view.Label = pages.LabelPane{Source: labelSource(row), Events: labelChanges(events)}
	if v.CanEdit(set.ProjectID) {
		form := labelForm(row, here)
		view.Label.Form = &form
	}
	return nil
}

// labelSource says in a sentence where a label comes from.
func labelSource(r models.TraceRow) string {
	from := ""
	if r.OutcomeSource != "" {
		from = " (" + r.OutcomeSource + ")"
	}
	reason := ""
	if r.OutcomeReason != "" {
		reason = " Reported: " + r.OutcomeReason + "."
	}
	switch trace.LabelSource(r.LabelSource) {
	case trace.Execution:
		return "The official tests were run" + from + "." + reason
	case trace.Imported:
		return "From an imported evaluation" + from + "." + reason
	case trace.Constructed:
		return "True by construction" + from + "." + reason
	case trace.Manual:
		return "Labelled by a person."
	}
	return "No judged outcome is known." + reason
}
