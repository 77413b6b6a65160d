package handlers

import (
	"context"
	"fmt"
	"net/url"

	"github.com/labstack/echo/v4"

	"plumbline/models"
	"plumbline/runner"
	"plumbline/web/components"
	"plumbline/web/pages"
)

// screening is the part of a reviewer's page that says whether it reads what it is
// shown.
func (h *Handlers) screening(ctx context.Context, v models.Viewer, reviewerID string) (*pages.Screening, error) {
	s, err := h.runner.Screen(ctx, v, reviewerID)
	if err != nil {
		return nil, err
	}
	view := &pages.Screening{Mark: screenView(s, ""), Threshold: s.Threshold}
	for _, l := range s.Lines {
		line := pages.ScreenLine{Prompt: l.Prompt, Grounded: l.Grounded, Versions: l.Versions, Unaudited: l.Unaudited, Verdict: string(l.Verdict)}
		line.Rate = components.Rate{Metric: "screening", K: l.Rate.K, N: l.Rate.N, Value: l.Rate.Value, Why: l.Rate.Reason}
		if l.Interval != nil {
			line.Rate.Lo, line.Rate.Hi, line.Rate.Method = &l.Interval.Lo, &l.Interval.Hi, l.Interval.Method
		}
		if l.Repeats {
			line.Rate.Warnings = []string{"Several votes are on one trace and are taken as independent, so the interval is too narrow."}
		}
		if l.Simulated {
			line.Badges = []components.Badge{components.Simulated}
		}
		view.Lines = append(view.Lines, line)
	}
	if v.All == models.RoleAdmin {
		view.Form = &pages.ScreenForm{Action: "/settings/screening", Back: reviewerURL(reviewerID)}
	}
	return view, nil
}

func reviewerURL(id string) string { return "/reviewers/" + url.PathEscape(id) }

func screenView(s runner.Screening, href string) pages.ScreenMark {
	m := pages.ScreenMark{Href: href}
	if s.Verdict != runner.ScreenNone {
		m.Verdict = string(s.Verdict)
	}
	for _, l := range s.Lines {
		if l.Prompt != s.Prompt || l.Rate.N == 0 || (m.Why != "" && l.Verdict != s.Verdict) {
			continue
		}
		where := "other"
		if l.Grounded {
			where = "grounded"
		}
		m.Why = fmt.Sprintf("%d of %d votes on %s evidence contradict it or themselves (95%% interval %s to %s, threshold %s).",
			l.Rate.K, l.Rate.N, where, components.Fraction(&l.Interval.Lo), components.Fraction(&l.Interval.Hi), components.Fraction(&s.Threshold))
	}
	return m
}

// screenOfVersion is the verdict on the reviewer of a version, and its page.
func (h *Handlers) screenOfVersion(c echo.Context, projectID, versionID string) (pages.ScreenMark, string, error) {
	ctx, v := c.Request().Context(), viewer(c)
	found, err := h.store.ReviewerVersions(ctx, v, projectID, []string{versionID})
	if err != nil {
		return pages.ScreenMark{}, "", err
	}
	href := reviewerURL(found[0].Reviewer.ID)
	s, err := h.runner.Screen(ctx, v, found[0].Reviewer.ID)
	return screenView(s, href+"#screening"), href, err
}
