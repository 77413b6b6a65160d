package handlers

import (
	"encoding/json"
	"fmt"
	"net/http"
	"net/url"

	"github.com/labstack/echo/v4"

	"plumbline/experiments/simulate"
	"plumbline/models"
	"plumbline/runner/reviewer"
	"plumbline/web/components"
	"plumbline/web/layout"
	"plumbline/web/pages"
)

// reviewersList lists the project's reviewers in their newest versions.
func (h *Handlers) reviewersList(c echo.Context) error {
	v := viewer(c)
	all, err := h.store.Reviewers(c.Request().Context(), v, h.project.ID)
	if err != nil {
		return err
	}
	view := pages.Reviewers{Frame: h.frame(c, "Reviewers"), Now: h.now()}
	if v.CanEdit(h.project.ID) {
		view.New, view.Presets = "/reviewers/new", presetLinks()
		view.Frame.Actions = []layout.Action{{Text: "New reviewer", Href: view.New, Primary: true}}
	}
	for _, r := range all {
		row, err := reviewerRow(r)
		if err != nil {
			return err
		}
		s, err := h.runner.Screen(c.Request().Context(), v, r.Reviewer.ID)
		if err != nil {
			return err
		}
		row.Badges = append(row.Badges, screenView(s, "").Badge())
		view.Reviewers = append(view.Reviewers, row)
	}
	return render(c, http.StatusOK, pages.ReviewersPage(view))
}

func specOf(v models.ReviewerVersion) (reviewer.Spec, error) {
	var s reviewer.Spec
	if err := json.Unmarshal([]byte(v.Spec), &s); err != nil {
		return s, fmt.Errorf("read reviewer version %s: %w", v.ID, err)
	}
	return s.Filled().Redacted(), nil
}

func reviewerRow(r models.ReviewerLatest) (pages.ReviewerRow, error) {
	s, err := specOf(r.Version)
	if err != nil {
		return pages.ReviewerRow{}, err
	}
	row := pages.ReviewerRow{
		Name: r.Reviewer.Name, Href: "/reviewers/" + url.PathEscape(r.Reviewer.ID), Note: r.Reviewer.Note, Kind: kindWord(s.Kind),
		Model: s.Model, Key: string(s.Key), Prompt: s.PromptVersion, Price: priceWord(s.Price), Version: r.Version.Version, When: r.Version.CreatedAt,
	}
	if u, err := url.Parse(s.BaseURL); err == nil {
		row.Endpoint = u.Host
	}
	if s.Kind == reviewer.KindSimulated {
		row.Badges = []components.Badge{components.Simulated}
	}
	return row, nil
}

func kindWord(k reviewer.Kind) string {
	switch k {
	case reviewer.KindOpenAI:
		return "OpenAI-compatible"
	case reviewer.KindAnthropic:
		return "Anthropic"
	}
	return string(k)
}

// priceWord names a price and its two main rates; empty is an unknown price.
func priceWord(p *reviewer.Price) string {
	if p == nil {
		return ""
	}
	rate := func(v *float64) string {
		if v == nil {
			return "unknown"
		}
		return components.Money(v)
	}
	return fmt.Sprintf("%s: %s in, %s out", p.Version, rate(p.InputPerMTok), rate(p.OutputPerMTok))
}

// presetLinks open the form with the settings of a simulated reviewer.
func presetLinks() []pages.PresetLink {
	var out []pages.PresetLink
	for _, r := range simulate.Presets() {
		c := r.For("patch")
		out = append(out, pages.PresetLink{
			Name: r.Name, Href: "/reviewers/new?kind=simulated&preset=" + url.QueryEscape(r.Name),
			Says: fmt.Sprintf("shown the patch, rejects %.0f%% of defective and %.0f%% of acceptable traces", 100*c.Defective.Reject, 100*c.Acceptable.Reject),
		})
	}
	return out
}
