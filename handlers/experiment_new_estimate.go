package handlers

import (
	"errors"
	"fmt"
	"net/http"

	"github.com/labstack/echo/v4"

	"plumbline/experiments/stats"
	"plumbline/models"
	"plumbline/runner"
	"plumbline/web/components"
	"plumbline/web/pages"
)

// experimentEstimate gives the estimate alone, each time the form changes.
func (h *Handlers) experimentEstimate(c echo.Context) error {
	values, err := c.FormParams()
	if err != nil {
		return err
	}
	if !viewer(c).CanEdit(h.project.ID) {
		return models.ErrForbidden
	}
	e, err := h.estimate(c, experimentFormOf(values))
	if err != nil {
		return err
	}
	return render(c, http.StatusOK, pages.EstimateBox(e, "/experiments/new"))
}

// estimate turns the choice into what it will take, with everything the reader
// should know before paying for it.
func (h *Handlers) estimate(c echo.Context, in experimentForm) (pages.Estimate, error) {
	out := pages.Estimate{Blocked: "Choose a split and at least one arm."}
	spec, bad := in.spec()
	if in.Dataset == "" {
		out.Blocked = "There is no dataset yet."
		return out, nil
	}
	if len(bad) > 0 {
		out.Blocked = fieldText(bad)
		return out, nil
	}
	e, err := h.runner.Estimate(c.Request().Context(), viewer(c), spec)
	if err != nil {
		return out, err
	}
	out.Power = power(e)
	if e.Traces == 0 {
		out.Blocked = "There is no trace in this split."
		return out, nil
	}
	if len(e.Arms) == 0 {
		return out, nil
	}
	out.Ready, out.Blocked = true, ""
	out.Traces, out.Arms, out.Votes, out.Calls = e.Traces, len(e.Arms), spec.Votes, e.Calls
	out.Input, out.Output, out.CostUSD = e.Input, e.Output, e.CostUSD
	out.Note = fmt.Sprintf("From the prompts of %s; a reply is taken as %d tokens.", components.Plural(e.Sampled, "trace", "traces"), runner.OutputTokens)
	unpriced := 0
	for _, a := range e.Arms {
		out.Lines = append(out.Lines, pages.EstimateLine{Reviewer: a.Reviewer, Form: string(a.Form), Calls: a.Calls, Input: a.Input, Output: a.Output, CostUSD: a.CostUSD})
		if a.CostUSD == nil {
			unpriced++
		}
		if a.Unshown > 0 && errors.Unwrap(a.Why) != nil {
			a.Why = errors.Unwrap(a.Why)
		}
		if a.Unshown > 0 {
			out.Warnings = append(out.Warnings, components.Flash{
				Tone: components.Warn, Text: fmt.Sprintf("%s · %s:", a.Reviewer, a.Form),
				Detail: fmt.Sprintf("%d of %d sampled traces cannot be shown in this form (%v); they end as errors and cost nothing.", a.Unshown, e.Sampled, a.Why),
			})
		}
	}
	if e.Unlabeled > 0 {
		out.Warnings = append(out.Warnings, components.Flash{
			Tone: components.Warn, Text: components.Plural(e.Unlabeled, "trace has", "traces have") + " no known label:",
			Detail: "votes are asked and paid for, and counted in no rate.",
		})
	}
	if e.Acceptable == 0 || e.Defective == 0 {
		missing := "acceptable"
		if e.Defective == 0 {
			missing = "defective"
		}
		out.Warnings = append(out.Warnings, components.Flash{Tone: components.Warn, Text: "No trace is " + missing + ":", Detail: "the rates of that class will be undefined."})
	}
	if unpriced > 0 {
		out.Warnings = append(out.Warnings, components.Flash{
			Tone: components.Warn, Text: "The cost is unknown:", Detail: components.Plural(unpriced, "arm has", "arms have") + " no price for what it would use.",
			Href: "/reviewers", Link: "Set a price",
		})
	}
	return out, nil
}

// power says how wide the 95% interval of a rate will be on the classes of the
// split (Wilson 1927), at the two rates that reviews hover around.
func power(e runner.Estimate) pages.Power {
	var p pages.Power
	for _, class := range []struct {
		name string
		n    int
	}{{"over-rejection", e.Acceptable}, {"catch", e.Defective}} {
		if class.n == 0 {
			continue
		}
		for _, rate := range []float64{0.1, 0.5} {
			k := int(rate*float64(class.n) + 0.5)
			i, why := stats.Wilson(k, class.n, 0)
			if i == nil {
				p.Sentence = why
				return p
			}
			p.Rows = append(p.Rows, pages.Fact{
				Name:  fmt.Sprintf("%s %d/%d", class.name, k, class.n),
				Value: components.Fraction(&i.Lo) + " to " + components.Fraction(&i.Hi),
			})
		}
	}
	if len(p.Rows) > 0 {
		p.Sentence = "95% intervals that a rate would have on this split:"
	}
	return p
}
