package handlers

import (
	"errors"
	"net/http"
	"net/url"
	"strings"

	"github.com/labstack/echo/v4"

	"plumbline/models"
	"plumbline/runner"
	"plumbline/runner/reviewer"
	"plumbline/web/components"
	"plumbline/web/layout"
	"plumbline/web/pages"
)

// beliefSource is where the candidates of a belief page come from.
type beliefSource struct {
	recorded   *runner.Recorded
	experiment *models.Experiment  // nil: an imported table
	table      *models.CriticTable // nil: an experiment
	crumbs     []layout.Link
	badges     []components.Badge
	facts      []pages.Fact
	pathURL    func(task, candidate int) string
	traceURL   func(candidate string) string
	edit       bool
	writers    []writer // endpoints that can write patches, for those who may start them
}

// writer is a reviewer whose endpoint can write a patch.
type writer struct{ versionID, name string }

// beliefShow is the belief page of an experiment.
func (h *Handlers) beliefShow(c echo.Context) error {
	r := beliefRequestOf(experimentURL(c.Param("id"))+"/belief", c.QueryParams())
	src, err := h.experimentSource(c, c.Param("id"), &r)
	if err != nil {
		return err
	}
	return h.beliefPage(c, src, &r)
}

func (h *Handlers) experimentSource(c echo.Context, id string, r *beliefRequest) (beliefSource, error) {
	ctx, v := c.Request().Context(), viewer(c)
	e, err := h.store.Experiment(ctx, v, id)
	if err != nil {
		return beliefSource{}, err
	}
	rec, err := h.runner.RecordedOf(ctx, v, e.ID, r.byGenerator)
	if err != nil {
		return beliefSource{}, err
	}
	d, err := h.store.Dataset(ctx, v, e.DatasetID)
	if err != nil {
		return beliefSource{}, err
	}
	src := beliefSource{recorded: &rec, experiment: &e, edit: v.CanEdit(e.ProjectID)}
	if src.edit && r.view == pages.ViewPolicies {
		if src.writers, err = h.writers(c, d.ProjectID); err != nil {
			return beliefSource{}, err
		}
	}
	src.crumbs = []layout.Link{{Text: "Home", Href: "/"}, {Text: d.Name, Href: "/datasets/" + url.PathEscape(d.ID)}, {Text: e.Name, Href: experimentURL(e.ID)}}
	if e.Simulated {
		src.badges = append(src.badges, components.Simulated)
	}
	src.traceURL = func(candidate string) string { return "/traces/" + url.PathEscape(candidate) }
	src.pathURL = func(task, candidate int) string {
		id := rec.Table.Tasks[task].Candidates[candidate].ID
		return r.at("/traces/"+url.PathEscape(id)+"/belief", "experiment", e.ID, "view", "")
	}
	return src, nil
}

func (h *Handlers) writers(c echo.Context, projectID string) ([]writer, error) {
	all, err := h.store.Reviewers(c.Request().Context(), viewer(c), projectID)
	if err != nil {
		return nil, err
	}
	var out []writer
	for _, x := range all {
		if k := reviewer.Kind(x.Version.Kind); k == reviewer.KindOpenAI || k == reviewer.KindAnthropic {
			out = append(out, writer{x.Version.ID, x.Reviewer.Name})
		}
	}
	return out, nil
}

// beliefPage renders a view of any source.
func (h *Handlers) beliefPage(c echo.Context, src beliefSource, r *beliefRequest) error {
	title := "Belief"
	if src.table != nil {
		title = src.table.Name
	}
	view, code, err := h.beliefs.get(beliefKey(src, r), func() (pages.Belief, int, error) { return h.beliefView(src, r) })
	if err != nil {
		return err
	}
	view.Frame = h.frame(c, title)
	view.Frame.Crumbs, view.Frame.Badges = src.crumbs, src.badges
	return render(c, code, pages.BeliefPage(view))
}

// beliefView computes what a page shows, without its frame.
func (h *Handlers) beliefView(src beliefSource, r *beliefRequest) (pages.Belief, int, error) {
	view := pages.Belief{View: r.view, Views: beliefViews(src, r), Facts: src.facts}
	code := http.StatusOK
	study, err := h.study(src, r)
	if err != nil {
		if !errors.Is(err, runner.ErrChoice) {
			return view, code, err
		}
		r.bad["critic"] = strings.TrimPrefix(err.Error(), runner.ErrChoice.Error()+": ")
	}
	view.Setup = setupForm(src, r, study)
	if len(r.bad) > 0 {
		code = http.StatusUnprocessableEntity
		view.Trouble = "Nothing is computed until the marked fields are mended."
		if study == nil {
			view.Trouble = "Nothing is computed: " + fieldText(r.bad)
		}
		view.Setup.Open = true
	} else if err := h.fillView(&view, src, r, study); err != nil {
		return view, code, err
	}
	if src.table != nil && src.edit {
		view.Delete = &layout.Action{Text: "Delete the table", Href: "/critics/" + url.PathEscape(src.table.ID) + "/delete", Post: true, Danger: true,
			Confirm: "Delete this table and its file?"}
	}
	return view, code, nil
}

// study makes the study of a request that can be read.
func (h *Handlers) study(src beliefSource, r *beliefRequest) (*runner.Study, error) {
	if len(r.bad) > 0 {
		return nil, nil
	}
	return runner.NewStudy(src.recorded, r.choice)
}

func (h *Handlers) fillView(view *pages.Belief, src beliefSource, r *beliefRequest, s *runner.Study) error {
	view.Notes = src.recorded.Notes
	correct, defective := src.recorded.Labelled()
	if correct+defective == 0 && r.view != pages.ViewTasks {
		view.Trouble = "No candidate has a known label, so nothing can be estimated. Import or set labels first."
		return nil
	}
	switch r.view {
	case pages.ViewScores:
		fillScores(view, s)
	case pages.ViewPolicies:
		fillPolicies(view, src, r, s)
	case pages.ViewPlan:
		fillPlan(view, r, s)
	case pages.ViewRegimes:
		return fillRegimes(view, r, s)
	case pages.ViewRobust:
		fillRobust(view, s)
	case pages.ViewTasks:
		fillTasks(view, src, s)
	case pages.ViewPublished:
		fillPublished(view, s)
	default:
		fillCritics(view, s)
	}
	return nil
}

func beliefViews(src beliefSource, r *beliefRequest) []pages.TabLink {
	var out []pages.TabLink
	add := func(v pages.BeliefView, text string) {
		out = append(out, pages.TabLink{Text: text, Href: r.href("view", string(v), "sim", "", "refits", ""), Current: r.view == v})
	}
	add(pages.ViewCritics, "Critics")
	add(pages.ViewScores, "Belief as a score")
	add(pages.ViewPolicies, "Policies")
	add(pages.ViewPlan, "Decisions")
	add(pages.ViewRegimes, "Regimes")
	add(pages.ViewRobust, "Sensitivity")
	add(pages.ViewTasks, "Candidates")
	if src.table != nil {
		add(pages.ViewPublished, "Published rules")
	}
	return out
}
