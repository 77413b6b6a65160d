package handlers

import (
	"context"
	"encoding/json"
	"fmt"
	"net/http"
	"strconv"

	"github.com/labstack/echo/v4"

	"plumbline/experiments/stats"
	"plumbline/experiments/toolreview"
	"plumbline/experiments/trace"
	"plumbline/models"
	"plumbline/runner"
	"plumbline/runner/reviewer"
	"plumbline/web/components"
	"plumbline/web/pages"
)

// mostTranscripts of one arm are read for its page.
const mostTranscripts = 500

// toolArms is the page of all reviews with tools of an experiment.
func (h *Handlers) toolArms(c echo.Context) error {
	ctx, v := c.Request().Context(), viewer(c)
	e, err := h.store.Experiment(ctx, v, c.Param("id"))
	if err != nil {
		return err
	}
	arms, err := h.store.Arms(ctx, v, e.ID)
	if err != nil {
		return err
	}
	policies, err := toolPolicies(e)
	if err != nil {
		return err
	}
	view := pages.ToolArms{Frame: h.frame(c, "Reviews with tools")}
	view.Frame.Crumbs = crumbs(e.Name, experimentURL(e.ID))
	for _, a := range arms {
		p, ok := policies[a.ReviewerVersionID]
		if !ok {
			continue
		}
		arm, err := h.toolArm(ctx, v, e, a, p)
		if err != nil {
			return err
		}
		view.Arms = append(view.Arms, arm)
	}
	if len(view.Arms) == 0 {
		view.None = "No arm of this experiment has a reviewer that uses tools."
	}
	return render(c, http.StatusOK, pages.ToolArmsPage(view))
}

// toolPolicies are the budgets of the reviewers with tools, by version.
func toolPolicies(e models.Experiment) (map[string]toolreview.Policy, error) {
	var snap runner.Snapshot
	if err := json.Unmarshal([]byte(e.Config), &snap); err != nil {
		return nil, fmt.Errorf("read the configuration of experiment %s: %w", e.ID, err)
	}
	out := map[string]toolreview.Policy{}
	for id, r := range snap.Reviewers {
		var spec reviewer.Spec
		if err := json.Unmarshal(r.Spec, &spec); err != nil {
			return nil, fmt.Errorf("read the settings of reviewer %s: %w", r.Name, err)
		}
		if spec.Tools != nil {
			out[id] = spec.Tools.Filled()
		}
	}
	return out, nil
}

func (h *Handlers) toolArm(ctx context.Context, v models.Viewer, e models.Experiment, a models.Arm, p toolreview.Policy) (pages.ToolArm, error) {
	out := pages.ToolArm{ID: "arm-" + strconv.Itoa(a.Idx), Name: a.ReviewerName + " · " + a.Form, Policy: p.String()}
	rows, _, err := h.store.Outcomes(ctx, v, models.OutcomeFilter{ExperimentID: e.ID, ArmID: a.ID}, "", mostTranscripts)
	if err != nil {
		return out, err
	}
	var all []toolreview.Record
	for _, row := range rows {
		votes, err := h.store.VoteDetails(ctx, v, row.ItemID)
		if err != nil {
			return out, err
		}
		found := false
		for _, x := range votes {
			rec, ok := toolreview.ReadRecord(x.Raw)
			if !ok {
				continue
			}
			found = true
			all = append(all, rec)
			t := pages.ToolTrace{
				Name: row.InstanceID, Attempt: row.Agent + " · " + row.Model, Href: toolURL(row.ItemID, x.Idx+1), Truth: components.Truth{Label: trace.Label(row.Label), Bucket: trace.Bucket(row.Bucket)},
				Mark: components.Mark(x.Vote), End: string(rec.End), Turns: rec.Counts.Turns, Commands: rec.Counts.Commands, Prompt: rec.Counts.Prompt, Cost: x.CostUSD,
			}
			if len(votes) > 1 {
				t.Name += ", vote " + strconv.Itoa(x.Idx+1)
			}
			t.Wrong = components.Wrong(t.Mark, t.Truth.Label)
			out.Traces = append(out.Traces, t)
		}
		if !found {
			out.Without++
		}
	}
	out.Shown = fmt.Sprintf("%s. %s with a transcript", out.Policy, components.Plural(len(all), "review", "reviews"))
	if out.Without > 0 {
		out.Shown += fmt.Sprintf(", %s without one: missing, or ended by trouble with the endpoint or the sandbox", components.Plural(out.Without, "item", "items"))
	}
	if len(rows) == mostTranscripts {
		out.Shown += fmt.Sprintf("; the first %d items of the arm", mostTranscripts)
	}
	out.Shown += "."
	fillToolSummary(&out, toolreview.Summarise(all, stats.Options{Seed: uint64(e.Seed)}))
	return out, nil
}

func fillToolSummary(out *pages.ToolArm, s toolreview.Summary) {
	for _, k := range toolreview.EndKinds {
		rate, ok := s.Ends[k]
		if !ok {
			continue
		}
		r := components.Rate{Metric: "tool_end", K: rate.K, N: rate.N, Value: rate.Value, Why: rate.Reason}
		if iv, _ := stats.Wilson(rate.K, rate.N, 0); iv != nil {
			r.Lo, r.Hi, r.Method = &iv.Lo, &iv.Hi, "Wilson"
		}
		out.Ends = append(out.Ends, pages.ToolEnd{Name: string(k), Says: k.Explain(), Rate: r})
	}
	for _, m := range []struct {
		metric, name string
		mean         toolreview.Mean
		digits       int
	}{
		{"tool_turns", "turns", s.Turns, 2}, {"tool_commands", "commands", s.Commands, 2}, {"tool_tokens", "prompt tokens", s.Prompt, 0}, {"tool_tokens", "output tokens", s.Completion, 0},
	} {
		row := pages.ToolMean{Metric: m.metric, Name: m.name, N: m.mean.N, Why: m.mean.Reason}
		if m.mean.Value != nil {
			row.Value = decimal(*m.mean.Value, m.digits)
		}
		if iv := m.mean.Interval; iv != nil {
			row.Interval = decimal(iv.Lo, m.digits) + " – " + decimal(iv.Hi, m.digits)
		}
		out.Means = append(out.Means, row)
	}
}

func decimal(v float64, digits int) string {
	if digits == 0 {
		return components.Count(int64(v + 0.5))
	}
	return strconv.FormatFloat(v, 'f', digits, 64)
}
