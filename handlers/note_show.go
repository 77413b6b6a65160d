package handlers

import (
	"context"

	"plumbline/models"
	"plumbline/web/pages"
)

// itemNote is the note of an item with its history.
func (h *Handlers) itemNote(ctx context.Context, v models.Viewer, item models.TraceItem, edit bool, here string) (*pages.Note, error) {
	history, err := h.store.NoteHistory(ctx, v, item.ItemID)
	if err != nil {
		return nil, err
	}
	n := &pages.Note{Label: item.ReviewerName + " · " + item.Form, Back: here}
	if edit {
		n.Action = noteURL(item.ItemID)
	}
	for i, x := range history {
		if i == 0 && x.Text != "" {
			n.Text, n.Author, n.When = x.Text, x.Author, x.CreatedAt
			continue
		}
		n.Older = append(n.Older, pages.NoteLine{Text: x.Text, Author: x.Author, When: x.CreatedAt})
	}
	return n, nil
}

// lineNote is the note of a row of a list.
func lineNote(n models.ItemNote, itemID, instance string, edit bool, here string) pages.Note {
	out := pages.Note{Text: n.Text, Author: n.Author, When: n.CreatedAt, Back: here, Label: instance}
	if edit {
		out.Action = noteURL(itemID)
	}
	return out
}
