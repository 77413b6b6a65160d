package handlers

import (
	"encoding/json"
	"fmt"
	"net/http"
	"net/url"
	"time"

	"github.com/labstack/echo/v4"

	"plumbline/experiments/trace"
	"plumbline/models"
	"plumbline/runner"
	"plumbline/web/components"
	"plumbline/web/layout"
	"plumbline/web/pages"
)

func (h *Handlers) experimentShow(c echo.Context) error {
	ctx, v := c.Request().Context(), viewer(c)
	e, err := h.store.Experiment(ctx, v, c.Param("id"))
	if err != nil {
		return err
	}
	path := experimentURL(e.ID)
	if e.Kind == models.KindControl {
		return c.Redirect(http.StatusSeeOther, path+"/control")
	}
	result, m, err := h.resultOf(c, e, optionsOf(path, c.QueryParams()))
	if err != nil {
		return err
	}
	p, err := h.store.Progress(ctx, v, e.ID)
	if err != nil {
		return err
	}
	d, err := h.store.Dataset(ctx, v, e.DatasetID)
	if err != nil {
		return err
	}
	view := pages.Experiment{Frame: h.frame(c, e.Name), Now: h.now(), Result: result}
	view.Frame.Crumbs = []layout.Link{{Text: "Home", Href: "/"}, {Text: d.Name, Href: "/datasets/" + url.PathEscape(d.ID)}}
	design, err := h.store.UsesSplit(ctx, v, e.ID, trace.SplitDesign)
	if err != nil {
		return err
	}
	view.Frame.Badges = badgesOf(e, design)
	view.Frame.Actions = []layout.Action{{Text: "Wrong decisions", Href: outcomesURL(e.ID, pages.KindWrong), Key: "e"}, {Text: "Compare arms", Href: compareURL(result.Arms)}}
	view.Frame.Menu = []layout.Action{freezeAction(e), {Text: "Size ladder", Href: path + "/ladder"}, {Text: "Agreement", Href: path + "/agreement"}, {Text: "Exports", Href: path + "/exports"}}
	policies, err := toolPolicies(e)
	if err != nil {
		return err
	}
	if len(policies) > 0 {
		view.Frame.Menu = append(view.Frame.Menu, layout.Action{Text: "Reviews with tools", Href: toolsURL(e.ID)})
	}
	cascadeFrame(e, &view.Frame)
	edit := v.CanEdit(e.ProjectID)
	view.State = h.stateView(e.ID, p, edit, nil)
	if view.State.Status.Active() {
		view.State.EventsURL, view.State.ReloadURL = path+"/events", path+"/results?"+c.QueryString()
	}
	if view.Facts, err = h.facts(c, m, d); err != nil {
		return err
	}
	if err := h.heldOut(c, e, &view); err != nil {
		return err
	}
	if edit {
		view.Frame.Actions = append(view.Frame.Actions, layout.Action{Text: "Share", Href: "#share", Primary: true})
		if view.Share, err = h.sharePanel(c, e, ""); err != nil {
			return err
		}
	}
	return render(c, http.StatusOK, pages.ExperimentPage(view))
}

// experimentResults is the part of the page that a running experiment replaces.
func (h *Handlers) experimentResults(c echo.Context) error {
	e, err := h.store.Experiment(c.Request().Context(), viewer(c), c.Param("id"))
	if err != nil {
		return err
	}
	result, _, err := h.resultOf(c, e, optionsOf(experimentURL(e.ID), c.QueryParams()))
	if err != nil {
		return err
	}
	return render(c, http.StatusOK, pages.ExperimentResults(result))
}

func experimentURL(id string) string { return "/experiments/" + url.PathEscape(id) }

func (h *Handlers) resultOf(c echo.Context, e models.Experiment, o resultOptions) (pages.Result, *measured, error) {
	ctx, v := c.Request().Context(), viewer(c)
	m, err := h.results.get(ctx, v, e, o.interval == intervalInstance)
	if err != nil {
		return pages.Result{}, nil, err
	}
	if o.prefix && m.scaling != nil {
		if o.prefixes, err = h.results.prefixes(ctx, v, m); err != nil {
			return pages.Result{}, nil, err
		}
	}
	r := resultView(m, o)
	audits, err := h.store.ArmAudits(ctx, v, e.ID)
	if err != nil {
		return pages.Result{}, nil, err
	}
	misreads(r.Arms, audits, e.ID)
	if o.public {
		return r, m, nil
	}
	groups, err := h.store.ErrorGroups(ctx, v, e.ID)
	if err != nil {
		return pages.Result{}, nil, err
	}
	names := map[string]string{}
	for _, a := range r.Arms {
		names[a.ID] = a.Name()
	}
	for _, g := range groups {
		r.Problems = append(r.Problems, pages.Problem{Arm: names[g.ArmID], Class: g.Class, Status: g.Status, Count: g.N, Example: g.Example,
			Href: outcomesURL(e.ID, pages.KindErrors, "arm", g.ArmID)})
	}
	return r, m, nil
}

// badgesOf are the marks of a whole experiment.
func badgesOf(e models.Experiment, design bool) []components.Badge {
	var out []components.Badge
	if e.Simulated {
		out = append(out, components.Simulated)
	}
	if design {
		out = append(out, components.DesignSplit)
	}
	return out
}

// split is the split of an experiment; the zero value stands for all traces.
func (h *Handlers) split(c echo.Context, e models.Experiment) (models.SplitCount, error) {
	if e.SplitID == nil {
		return models.SplitCount{}, nil
	}
	splits, err := h.store.Splits(c.Request().Context(), viewer(c), e.DatasetID)
	if err != nil {
		return models.SplitCount{}, err
	}
	for _, s := range splits {
		if s.ID == *e.SplitID {
			return s, nil
		}
	}
	return models.SplitCount{}, fmt.Errorf("split %s: %w", *e.SplitID, models.ErrNotFound)
}

// statusOf is the state of an experiment as the pages name it.
func statusOf(p models.Progress) components.Status {
	switch p.State {
	case models.StateRunning:
		if p.Done+p.Running+p.Error+p.Blocked == 0 {
			return components.Queued
		}
		return components.Running
	case models.StateStopping:
		return components.Stopping
	case models.StateStopped:
		return components.Stopped
	}
	return components.Done
}

// stateView is the live line. pace is nil where the speed is not known.
func (h *Handlers) stateView(id string, p models.Progress, edit bool, pace *float64) pages.ExperimentState {
	s := pages.ExperimentState{Status: statusOf(p), Now: h.now(), Progress: components.Progress{
		Total: p.Total, Done: p.Done, Running: p.Running, Errors: p.Error, Blocked: p.Blocked, Rate: pace, RateUnit: "votes",
	}}
	if p.StartedAt != nil {
		s.Started = *p.StartedAt
	}
	if p.FinishedAt != nil {
		s.Finished = *p.FinishedAt
	}
	if pace != nil && *pace > 0 {
		left := time.Duration(float64(p.VotesAsked-p.Votes) / *pace * float64(time.Second)).Round(time.Second)
		s.Progress.Left = &left
	}
	if !edit {
		return s
	}
	path := experimentURL(id)
	switch {
	case p.State == models.StateRunning:
		s.Actions = []layout.Action{{Text: "Stop", Href: path + "/stop", Post: true}}
	case p.State == models.StateStopping:
		s.Actions = []layout.Action{{Text: "Stop", Blocked: "it is stopping: calls in flight are let finish"}}
	case p.Missing > 0 || p.Error > 0:
		s.Actions = []layout.Action{{Text: "Resume", Href: path + "/resume", Post: true}}
	}
	return s
}

// facts are the provenance of an experiment. dataset is the zero value on a page
// whose reader may not open it.
func (h *Handlers) facts(c echo.Context, m *measured, dataset models.Dataset) ([]pages.Fact, error) {
	e := m.Experiment
	facts := []pages.Fact{}
	if dataset.ID != "" {
		split, err := h.split(c, e)
		if err != nil {
			return nil, err
		}
		name := "all traces"
		if split.Name != "" {
			name = split.Name + " (" + components.Plural(split.Traces, "trace", "traces") + ")"
		}
		facts = append(facts, pages.Fact{Name: "dataset", Value: dataset.Name, Href: "/datasets/" + url.PathEscape(dataset.ID)}, pages.Fact{Name: "split", Value: name})
	}
	facts = append(facts, pages.Fact{Name: "votes K", Value: components.Count(e.Votes)}, pages.Fact{Name: "seed", Value: fmt.Sprint(e.Seed), Mono: true})
	var snap runner.Snapshot
	if err := json.Unmarshal([]byte(e.Config), &snap); err != nil {
		h.log.Warn("configuration not read", "experiment", e.ID, "err", err)
	} else {
		facts = append(facts, snapshotFacts(snap)...)
	}
	return append(facts,
		pages.Fact{Name: "code", Value: e.CodeVersion, Mono: true},
		pages.Fact{Name: "evidence", Value: components.Plural(m.texts, "text", "texts") + ", sha256:" + m.digest[:16], Mono: true},
		pages.Fact{Name: "experiment", Value: e.ID, Mono: true},
	), nil
}

// snapshotFacts are the settings of the launch as they were.
func snapshotFacts(s runner.Snapshot) []pages.Fact {
	budget := "no limit"
	if s.Budget > 0 {
		budget = components.Count(s.Budget) + " tokens of evidence"
	}
	cache := "off"
	if s.Cache {
		cache = "on: equal requests take the stored answer"
	}
	facts := []pages.Fact{{Name: "tally", Value: string(s.Rule)}, {Name: "budget", Value: budget}, {Name: "leakage", Value: string(s.OnLeak)}, {Name: "cache", Value: cache}}
	seen := map[string]bool{}
	for _, a := range s.Arms {
		r, ok := s.Reviewers[a.ReviewerVersionID]
		if !ok || seen[a.ReviewerVersionID] {
			continue
		}
		seen[a.ReviewerVersionID] = true
		var spec struct {
			PromptVersion string `json:"prompt_version"`
		}
		value := fmt.Sprintf("%s, version %d", r.Name, r.Version)
		if json.Unmarshal(r.Spec, &spec) == nil && spec.PromptVersion != "" {
			value += ", prompt " + spec.PromptVersion
		}
		facts = append(facts, pages.Fact{Name: "reviewer", Value: value})
	}
	return facts
}

// compareURL compares all arms of a result, the first as baseline.
func compareURL(arms []pages.ArmRow) string {
	q := url.Values{}
	for _, a := range arms {
		q.Add("arm", a.ID)
	}
	return "/compare?" + q.Encode()
}
