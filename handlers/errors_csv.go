package handlers

import (
	"strconv"
	"time"

	"github.com/labstack/echo/v4"

	"plumbline/models"
)

// errorsCSV downloads the whole list that errorsList shows a page of.
func (h *Handlers) errorsCSV(c echo.Context) error {
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
	// The first page comes before the first byte, so that a bad request is one.
	rows, next, err := h.store.SearchOutcomes(ctx, v, q, models.Page{Sort: l.values.Get("sort"), Limit: 2000})
	if err != nil {
		return err
	}
	w := csvFile(c, e.ID+"-"+string(l.kind)+".csv")
	if err := w.Write([]string{"item", "trace", "instance", "repository", "agent", "arm", "label", "bucket", "label_source", "state", "decision", "stage", "votes_accept", "votes_reject", "votes_uncertain", "votes_unparseable", "lines_added", "lines_removed", "error", "misread", "note", "note_author", "note_at", "exported_at"}); err != nil {
		return err
	}
	at := h.now().UTC().Format(time.RFC3339)
	for {
		extra, err := h.csvExtra(ctx, v, e.ID, rows)
		if err != nil {
			return err
		}
		for _, r := range rows {
			problem := r.ErrorClass
			if r.ErrorMessage != "" {
				problem += ": " + r.ErrorMessage
			}
			record := []string{r.ItemID, r.TraceID, r.InstanceID, r.Repo, r.Agent, armText(arms, r.ArmID), r.Label, r.Bucket, r.LabelSource, r.State, r.Decision, r.Stage,
				strconv.Itoa(r.NAccept), strconv.Itoa(r.NReject), strconv.Itoa(r.NUncertain), strconv.Itoa(r.NUnparseable),
				optional(r.PatchAdded), optional(r.PatchRemoved), problem}
			record = append(append(record, extra.of(r.ItemID)...), at)
			for i := range record {
				record[i] = plainCell(record[i])
			}
			if err := w.Write(record); err != nil {
				return err
			}
		}
		w.Flush()
		if err := w.Error(); err != nil || next == "" {
			return err
		}
		if rows, next, err = h.store.SearchOutcomes(ctx, v, q, models.Page{Sort: l.values.Get("sort"), After: next, Limit: 2000}); err != nil {
			return err
		}
	}
}

// optional writes an unknown number as an empty cell.
func optional(n *int) string {
	if n == nil {
		return ""
	}
	return strconv.Itoa(*n)
}
