package handlers

import (
	"errors"
	"fmt"
	"net/http"

	"github.com/a-h/templ"
	"github.com/labstack/echo/v4"

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
	in := experimentFormOf(values)
	e, plan, err := h.estimate(c, in)
	if err != nil {
		return err
	}
	plan.OOB = true
	return render(c, http.StatusOK, templ.Join(pages.EstimateBox(e, "/experiments/new"), pages.PowerBox(plan)))
}

// estimate turns the choice into what it will take and what it could show, with
// everything the reader should know before paying for it.
func (h *Handlers) estimate(c echo.Context, in experimentForm) (pages.Estimate, pages.PowerPlan, error) {
	out := pages.Estimate{Blocked: "Choose a split and at least one arm."}
	plan := pages.PowerPlan{Empty: "Choose a dataset and a split."}
	spec, bad := in.spec()
	if in.Dataset == "" {
		out.Blocked = "There is no dataset yet."
		return out, plan, nil
	}
	if len(bad) > 0 {
		out.Blocked = fieldText(bad)
		plan.Empty = "Something in the form cannot be read: " + out.Blocked
		return out, plan, nil
	}
	e, err := h.runner.Estimate(c.Request().Context(), viewer(c), spec)
	if err != nil {
		return out, plan, err
	}
	if plan, out.Power, err = h.powerPlan(c, in, spec, e); err != nil {
		return out, plan, err
	}
	fillEstimate(&out, spec, e)
	return out, plan, nil
}

// fillEstimate says what it will take, unless there is nothing to ask.
func fillEstimate(out *pages.Estimate, spec runner.LaunchSpec, e runner.Estimate) {
	if e.Traces == 0 {
		out.Blocked = "There is no trace in this split."
		return
	}
	if len(e.Arms) == 0 {
		return
	}
	out.Ready, out.Blocked = true, ""
	out.Traces, out.Arms, out.Votes, out.Calls = e.Traces, len(e.Arms), spec.Votes, e.Calls
	out.Input, out.Output, out.CostUSD = e.Input, e.Output, e.CostUSD
	out.Note = fmt.Sprintf("From the prompts of %s; a reply is taken as %d tokens.", components.Plural(e.Sampled, "trace", "traces"), runner.OutputTokens)
	unpriced := 0
	for _, a := range e.Arms {
		out.Lines = append(out.Lines, pages.EstimateLine{Reviewer: a.Reviewer, Form: string(a.Form), Calls: a.Calls, Input: a.Input, Output: a.Output, CostUSD: a.CostUSD})
		switch {
		case a.Turns > 0:
			out.Warnings = append(out.Warnings, components.Flash{
				Tone: components.Warn, Text: fmt.Sprintf("%s · %s:", a.Reviewer, a.Form),
				Detail: fmt.Sprintf("a review with tools takes up to %d calls, each with the conversation so far. Calls are given as the most there can be; tokens and cost cannot be foreseen.", a.Turns),
			})
		case a.CostUSD == nil:
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
}
