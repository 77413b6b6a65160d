package handlers

import (
	"errors"
	"fmt"
	"net/http"
	"net/url"
	"strconv"
	"strings"

	"github.com/labstack/echo/v4"

	"plumbline/experiments/control"
	"plumbline/models"
	"plumbline/runner"
	"plumbline/web/components"
	"plumbline/web/layout"
	"plumbline/web/pages"
)

// traceBelief is the belief path of a trace in an experiment.
func (h *Handlers) traceBelief(c echo.Context) error {
	ctx, v := c.Request().Context(), viewer(c)
	row, err := h.store.TraceDetail(ctx, v, c.Param("id"))
	if err != nil {
		return err
	}
	id := c.QueryParam("experiment")
	if id == "" {
		items, err := h.store.TraceItems(ctx, v, row.Row.ID, 1)
		if err != nil {
			return err
		}
		if len(items) == 0 {
			return h.emptyPath(c, row.Row)
		}
		id = items[0].ExperimentID
	}
	r := beliefRequestOf("/traces/"+url.PathEscape(row.Row.ID)+"/belief", c.QueryParams())
	src, err := h.experimentSource(c, id, &r)
	if err != nil {
		return err
	}
	task, candidate, ok := src.recorded.Find(row.Row.ID)
	if !ok {
		return fmt.Errorf("trace %s in experiment %s: %w", row.Row.ID, id, models.ErrNotFound)
	}
	crumbs := append(src.crumbs, layout.Link{Text: "Belief", Href: r.at(experimentURL(id)+"/belief", "experiment", "", "policy", "", "view", string(pages.ViewTasks))})
	return h.pathPage(c, src, &r, task, candidate, "Belief in "+row.Row.InstanceID, crumbs)
}

// emptyPath answers for a trace that no experiment has looked at.
func (h *Handlers) emptyPath(c echo.Context, row models.TraceRow) error {
	view := pages.BeliefPath{Frame: h.frame(c, "Belief in "+row.InstanceID), Trouble: "No experiment has looked at this trace, so there is no critic and no belief."}
	view.Frame.Crumbs = []layout.Link{{Text: "Home", Href: "/"}, {Text: "Trace", Href: "/traces/" + url.PathEscape(row.ID)}}
	return render(c, http.StatusOK, pages.BeliefPathPage(view))
}

// criticsPath is the belief path of a candidate of an imported table, by its place.
func (h *Handlers) criticsPath(c echo.Context) error {
	r := beliefRequestOf(criticsURL(c.Param("id"))+"/candidates/"+url.PathEscape(c.Param("candidate")), c.QueryParams())
	src, err := h.tableSource(c, &r)
	if err != nil {
		return err
	}
	task, candidate, ok := src.recorded.Find(c.Param("candidate"))
	if !ok {
		return fmt.Errorf("candidate %s of table %s: %w", c.Param("candidate"), src.table.ID, models.ErrNotFound)
	}
	k := src.recorded.Table.Tasks[task]
	crumbs := append(src.crumbs, layout.Link{Text: src.table.Name, Href: r.at(criticsURL(src.table.ID), "policy", "", "view", string(pages.ViewTasks))})
	return h.pathPage(c, src, &r, task, candidate, fmt.Sprintf("Belief in %s, candidate %d", k.ID, candidate+1), crumbs)
}

func (h *Handlers) pathPage(c echo.Context, src beliefSource, r *beliefRequest, task, candidate int, title string, crumbs []layout.Link) error {
	view := pages.BeliefPath{Frame: h.frame(c, title)}
	view.Frame.Crumbs, view.Frame.Badges = crumbs, src.badges
	if r.policy == "" {
		r.policy = "dp"
	}
	study, err := h.study(src, r)
	switch {
	case errors.Is(err, runner.ErrChoice):
		r.bad["critic"] = strings.TrimPrefix(err.Error(), runner.ErrChoice.Error()+": ")
	case err != nil:
		return err
	}
	if len(r.bad) > 0 {
		view.Trouble = "Nothing is computed: " + fieldText(r.bad)
		return render(c, http.StatusUnprocessableEntity, pages.BeliefPathPage(view))
	}
	names := []string{"dp", "greedy_kernel", "greedy_prior", "always_verify"}
	if gate := study.BestGate(); gate != "" {
		names = append(names, gate, "pipeline")
	}
	if !containsText(names, r.policy) {
		names = append(names, r.policy)
	}
	for _, n := range names {
		view.Policy = append(view.Policy, pages.TabLink{Text: n, Href: r.href("policy", n), Current: n == r.policy})
	}
	path, err := study.PathOf(task, candidate, r.policy)
	if err != nil {
		view.Trouble = "There is no path: " + err.Error() + "."
		return render(c, http.StatusOK, pages.BeliefPathPage(view))
	}
	fillPath(&view, src, study, path, task, candidate)
	return render(c, http.StatusOK, pages.BeliefPathPage(view))
}

func fillPath(view *pages.BeliefPath, src beliefSource, s *runner.Study, p runner.Path, task, candidate int) {
	k := src.recorded.Table.Tasks[task]
	view.Truth = components.Truth{Label: labelWord(p.Label)}
	bar := func(x float64) components.Belief {
		return components.Belief{Value: &x, Prior: &p.Prior, Accept: p.Thresholds.VerifyOverStop}
	}
	view.Start, view.Final = bar(p.Prior), bar(p.Final)
	at := 0
	var used []string
	for i, e := range p.Episode.Events {
		step := pages.PathStep{Number: i + 1, Candidate: candidate + at + 1, Before: bar(e.Before), After: bar(e.After), Action: actionWords(e.Action), Outcome: e.Outcome, Cost: e.Cost,
			Used: append([]string(nil), used...)}
		if src.traceURL != nil && candidate+at < len(k.Candidates) {
			step.Trace = src.traceURL(k.Candidates[candidate+at].ID)
		}
		if d := e.Decision; d != nil {
			step.Reason, step.Values = d.Reason, valuesOf(*d)
		}
		switch {
		case e.Action == "regenerate":
			at++
			used = nil
		case strings.HasPrefix(e.Action, "critic:"):
			used = append(used, strings.TrimPrefix(e.Action, "critic:"))
		}
		view.Steps = append(view.Steps, step)
	}
	view.Status, view.Why, view.Cost, view.Reward = string(p.Episode.Status), p.Episode.Why, p.Episode.Cost, p.Episode.Reward
	for _, x := range p.All {
		row := pages.ObservedStep{Critic: x.Critic, Outcome: x.Outcome, LLR: x.LLR, Before: bar(x.Before), After: bar(x.After)}
		switch {
		case x.Impossible:
			row.Note = "the likelihoods exclude this outcome: the belief is kept"
		case x.Missing:
			row.Note = "no usable answer: the belief is kept"
		}
		view.All = append(view.All, row)
	}
	view.Sentence = pathSentence(p)
	view.Basis = fmt.Sprintf("Parameters from %s (%s); this task is not among them.", components.Plural(p.Tasks, "other task", "other tasks"), strings.ToLower(foldBadge(s).Text))
	if candidate > 0 {
		view.Notes = append(view.Notes, "The policy starts with this candidate in hand, as if those before it did not exist.")
	}
	if s.Choice.Temper {
		view.Notes = append(view.Notes, "Tempering is not applied on a path.")
	}
	view.Facts = []pages.Fact{{Name: "candidate", Value: fmt.Sprintf("%d of %d", candidate+1, len(k.Candidates))}, {Name: "task", Value: k.ID}, {Name: "budget", Value: budgetWords(s)}}
	for _, l := range priceRows(s) {
		view.Facts = append(view.Facts, pages.Fact{Name: "cost of " + l.Name, Value: l.Cost})
	}
}

func pathSentence(p runner.Path) string {
	text := fmt.Sprintf("The belief starts at %s", components.Fraction(&p.Prior))
	if len(p.All) > 0 {
		text += fmt.Sprintf(" and would be %s after %s", components.Fraction(&p.Final), components.Plural(len(p.All), "recorded outcome", "recorded outcomes"))
	}
	if len(p.Episode.Events) > 0 && p.Episode.Events[0].Decision != nil {
		return text + ". First: " + p.Episode.Events[0].Decision.Reason + "."
	}
	return text + "."
}

// valuesOf lists the values of the available actions.
func valuesOf(d control.Decision) []pages.NamedValue {
	var out []pages.NamedValue
	for _, v := range d.Values {
		out = append(out, pages.NamedValue{Name: strings.TrimPrefix(v.Name, "critic:"), Value: v.Value, Best: v.Name == d.Name})
	}
	return out
}

// beliefEpisodesCSV lists every replayed episode of every policy.
func (h *Handlers) beliefEpisodesCSV(c echo.Context) error {
	r := beliefRequestOf(experimentURL(c.Param("id"))+"/belief", c.QueryParams())
	src, err := h.experimentSource(c, c.Param("id"), &r)
	if err != nil {
		return err
	}
	return h.episodesCSV(c, src, &r)
}

func (h *Handlers) criticsEpisodesCSV(c echo.Context) error {
	r := beliefRequestOf(criticsURL(c.Param("id")), c.QueryParams())
	src, err := h.tableSource(c, &r)
	if err != nil {
		return err
	}
	return h.episodesCSV(c, src, &r)
}

func (h *Handlers) episodesCSV(c echo.Context, src beliefSource, r *beliefRequest) error {
	study, err := h.study(src, r)
	if err != nil && !errors.Is(err, runner.ErrChoice) {
		return err
	}
	if err != nil || len(r.bad) > 0 {
		if err != nil {
			r.bad["critic"] = err.Error()
		}
		return &models.InvalidError{Fields: r.bad}
	}
	if study.ProblemError != nil {
		return models.Invalid("costs", study.ProblemError.Error())
	}
	rep := study.Policies(0)
	w := csvFile(c, "episodes.csv")
	write := func(cells ...string) {
		for i := range cells {
			cells[i] = plainCell(cells[i])
		}
		w.Write(cells) // the error shows at the flush
	}
	write("policy", "group", "task", "actions", "status", "solved", "cost", "reward", "utility", "final_belief", "censored_why")
	for _, p := range rep.Policies {
		if p.Replay == nil {
			continue
		}
		for _, e := range p.Replay.Episodes {
			write(p.Name, e.Group, e.Task, strings.Join(e.Actions(), " "), string(e.Status), strconv.FormatBool(e.Solved), exact(e.Cost), exact(e.Reward), exact(e.Utility), exact(e.FinalBelief), e.Why)
		}
	}
	w.Flush()
	return w.Error()
}

func exact(x float64) string { return strconv.FormatFloat(x, 'g', -1, 64) }
