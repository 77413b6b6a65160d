package handlers

import (
	"context"
	"errors"
	"fmt"
	"net/url"
	"strings"

	"plumbline/models"
	"plumbline/web/pages"
)

// traceURL is the address of a trace opened at an item; list, when not empty, is
// the text of the list it was opened from.
func traceURL(traceID, itemID, list string) string {
	q := url.Values{}
	if itemID != "" {
		q.Set("item", itemID)
	}
	if list != "" {
		q.Set("list", list)
	}
	return "/traces/" + url.PathEscape(traceID) + "?" + q.Encode()
}

// walk finds the neighbours of an item in the list of the "list" parameter of a
// trace page. A list that cannot be read, or whose experiment is gone, is no list:
// the trace is shown all the same.
func (h *Handlers) walk(ctx context.Context, v models.Viewer, list, itemID string) (pages.Walk, error) {
	l, ok := parseListText(list)
	if !ok || itemID == "" {
		return pages.Walk{}, nil
	}
	q, err := h.query(ctx, v, l)
	if err != nil {
		return pages.Walk{}, lost(err)
	}
	place, err := h.store.PlaceOutcome(ctx, v, q, l.values.Get("sort"), itemID)
	if err != nil {
		return pages.Walk{}, lost(err)
	}
	w := pages.Walk{List: strings.ToLower(l.kind.Title()), ListURL: l.with("", "")}
	if place.Place > 0 {
		w.Place = fmt.Sprintf("%d of %d", place.Place, place.Total)
	}
	if place.Prev.ItemID != "" {
		w.Prev = traceURL(place.Prev.TraceID, place.Prev.ItemID, list)
	}
	if place.Next.ItemID != "" {
		w.Next = traceURL(place.Next.TraceID, place.Next.ItemID, list)
	}
	return w, nil
}

// lost forgives a list that is not there or was written by hand.
func lost(err error) error {
	var invalid *models.InvalidError
	if errors.Is(err, models.ErrNotFound) || errors.As(err, &invalid) {
		return nil
	}
	return err
}
