package handlers

import (
	"encoding/json"
	"errors"
	"fmt"
	"maps"
	"net/http"
	"net/url"
	"strings"

	"github.com/labstack/echo/v4"

	"plumbline/models"
	"plumbline/web/pages"
)

// reviewerCreate stores a reviewer, or a new version of it. The form comes back
// with what is wrong at each field; a pasted key is neither stored nor shown.
func (h *Handlers) reviewerCreate(c echo.Context) error {
	var in reviewerForm
	if err := c.Bind(&in); err != nil {
		return err
	}
	spec, bad := in.spec()
	if strings.TrimSpace(in.Name) == "" {
		bad["name"] = "is needed"
	}
	if len(bad) == 0 {
		raw, err := json.Marshal(spec)
		if err != nil {
			return fmt.Errorf("write the settings of reviewer %q: %w", in.Name, err)
		}
		version, err := h.store.SaveReviewer(c.Request().Context(), viewer(c), models.ReviewerDraft{
			ProjectID: h.project.ID, Name: in.Name, Note: in.Note, Kind: string(spec.Kind), Model: spec.Model, Spec: string(raw),
		})
		var invalid *models.InvalidError
		switch {
		case err == nil:
			return seeOther(c, "/reviewers/"+url.PathEscape(version.ReviewerID))
		case errors.As(err, &invalid):
			maps.Copy(bad, invalid.Fields)
		default:
			return err
		}
	}
	in.Key = string(spec.Redacted().Key)
	return render(c, http.StatusUnprocessableEntity, pages.ReviewerPage(h.reviewerPage(c, "Reviewer", in, bad)))
}
