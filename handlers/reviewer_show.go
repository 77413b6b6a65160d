package handlers

import (
	"encoding/json"
	"fmt"
	"net/http"
	"net/url"
	"reflect"
	"sort"
	"strconv"
	"strings"

	"github.com/labstack/echo/v4"

	"plumbline/models"
	"plumbline/web/components"
	"plumbline/web/pages"
)

// reviewerShow is a reviewer in one of its versions, the newest unless another is
// asked for. Saving the form adds a version.
func (h *Handlers) reviewerShow(c echo.Context) error {
	ctx, v := c.Request().Context(), viewer(c)
	r, versions, err := h.store.Reviewer(ctx, v, c.Param("id"))
	if err != nil {
		return err
	}
	if len(versions) == 0 {
		return fmt.Errorf("reviewer %s has no version: %w", r.ID, models.ErrNotFound)
	}
	shown := versions[0]
	if asked := c.QueryParam("version"); asked != "" {
		found := false
		for _, x := range versions {
			if strconv.Itoa(x.Version) == asked {
				shown, found = x, true
			}
		}
		if !found {
			return fmt.Errorf("version %q of reviewer %s: %w", asked, r.ID, models.ErrNotFound)
		}
	}
	spec, err := specOf(shown)
	if err != nil {
		return err
	}
	uses, err := h.store.ReviewerUses(ctx, v, r.ID, 20)
	if err != nil {
		return err
	}
	view := h.reviewerPage(c, r.Name, formOf(r.Name, r.Note, spec), fields{})
	view.ReadOnly = !v.CanEdit(r.ProjectID)
	view.Submit = "Save as version " + strconv.Itoa(versions[0].Version+1)
	view.Versions = versionRows(versions, shown)
	if row, err := reviewerRow(models.ReviewerLatest{Reviewer: r, Version: shown}); err == nil {
		view.Frame.Badges = append(view.Frame.Badges, row.Badges...)
	}
	view.Frame.Badges = append(view.Frame.Badges, components.Badge{
		Key: "version", Text: "version " + strconv.Itoa(shown.Version), Why: "Experiments keep the version they were started with.",
	})
	for _, u := range uses {
		view.Usage = append(view.Usage, pages.Fact{Name: u.ExperimentName, Value: "version " + strconv.Itoa(u.Version), Href: "/experiments/" + url.PathEscape(u.ExperimentID)})
	}
	if view.Screening, err = h.screening(ctx, v, r.ID); err != nil {
		return err
	}
	return render(c, http.StatusOK, pages.ReviewerPage(view))
}

func versionRows(versions []models.ReviewerVersion, shown models.ReviewerVersion) []pages.ReviewerVersionRow {
	var out []pages.ReviewerVersionRow
	for i, x := range versions {
		row := pages.ReviewerVersionRow{
			Version: x.Version, Model: x.Model, When: x.CreatedAt, Current: x.ID == shown.ID,
			Href: "/reviewers/" + url.PathEscape(x.ReviewerID) + "?version=" + strconv.Itoa(x.Version),
		}
		if i+1 < len(versions) {
			row.Changed = changedKeys(versions[i+1].Spec, x.Spec)
		}
		out = append(out, row)
	}
	return out
}

// changedKeys names the settings that differ between two versions.
func changedKeys(before, after string) []string {
	var a, b map[string]any
	if json.Unmarshal([]byte(before), &a) != nil || json.Unmarshal([]byte(after), &b) != nil {
		return nil
	}
	names := map[string]bool{}
	for k := range a {
		names[k] = true
	}
	for k := range b {
		names[k] = true
	}
	var out []string
	for k := range names {
		if !reflect.DeepEqual(a[k], b[k]) {
			out = append(out, strings.ReplaceAll(k, "_", " "))
		}
	}
	sort.Strings(out)
	return out
}
