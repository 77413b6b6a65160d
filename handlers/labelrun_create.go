package handlers

import (
	"errors"
	"maps"
	"net/http"
	"net/url"
	"strconv"
	"strings"

	"github.com/labstack/echo/v4"

	"plumbline/models"
	"plumbline/runner/checks"
	"plumbline/runner/sandbox"
	"plumbline/web/components"
	"plumbline/web/pages"
)

// labelRunForm is the form of a label run as texts.
type labelRunForm struct {
	Split, Repeat, Sandbox, Seconds string
	DropBroken                      bool
}

func labelRunFormOf(q url.Values) labelRunForm {
	f := labelRunForm{Split: q.Get("split"), Repeat: q.Get("repeat"), Sandbox: q.Get("sandbox"), Seconds: q.Get("seconds"), DropBroken: q.Get("drop_broken") != ""}
	if f.Repeat == "" {
		f.Repeat = "3"
	}
	if f.Seconds == "" {
		f.Seconds = "300"
	}
	return f
}

// webBackends are the sandboxes that a browser may ask for: to run strangers' code
// without one is a decision for whoever has the server's command line.
var webBackends = []string{sandbox.Auto, sandbox.Bubblewrap, sandbox.Namespaces, sandbox.Docker, sandbox.Podman, sandbox.Apptainer}

// webBackend reads the choice of a sandbox; empty takes the first that works.
func (b fields) webBackend(name, value string) string {
	if value == "" {
		return sandbox.Auto
	}
	for _, s := range webBackends {
		if value == s {
			return s
		}
	}
	b[name] = "choose one of " + strings.Join(webBackends, ", ")
	return ""
}

func backendChoices(chosen string) []components.Choice {
	var out []components.Choice
	for _, s := range webBackends {
		text := s
		if s == sandbox.Auto {
			text = "the first that works"
		}
		out = append(out, components.Choice{Value: s, Text: text, Selected: s == chosen})
	}
	return out
}

// labelRuns lists the label runs of a dataset, with the form for another.
func (h *Handlers) labelRuns(c echo.Context) error {
	return h.labelRunsPage(c, http.StatusOK, labelRunFormOf(c.QueryParams()), fields{}, "")
}

func (h *Handlers) labelRunsPage(c echo.Context, code int, in labelRunForm, bad fields, trouble string) error {
	ctx, v := c.Request().Context(), viewer(c)
	d, err := h.store.Dataset(ctx, v, c.Param("id"))
	if err != nil {
		return err
	}
	runs, err := h.store.LabelRuns(ctx, v, d.ID)
	if err != nil {
		return err
	}
	base := "/datasets/" + url.PathEscape(d.ID)
	view := pages.LabelRuns{Frame: h.frame(c, "Labels by execution"), Now: h.now()}
	view.Frame.Crumbs = crumbs("Home", "/", d.Name, base)
	if trouble != "" {
		view.Frame.Flash = append(view.Frame.Flash, components.Flash{Tone: components.Bad, Text: trouble})
	}
	active := false
	for _, r := range runs {
		row := pages.LabelRunRow{Href: labelRunURL(r.ID), When: r.CreatedAt, Status: components.Status(r.State), Traces: r.TraceTotal, Instances: r.TaskTotal, Rounds: r.Rounds, Backend: r.Backend, By: r.CreatedBy}
		active = active || row.Status.Active()
		view.Rows = append(view.Rows, row)
	}
	switch {
	case !v.CanEdit(d.ProjectID):
	case h.labels == nil:
		view.NoForm = "This server has no folder for checks, so it starts no label run; plumbline label does."
	case active:
		view.NoForm = "A label run of this dataset is under way; another can start when it has ended."
	default:
		form, err := h.labelRunFields(c, d, in, bad)
		if err != nil {
			return err
		}
		form.Action = base + "/labelruns"
		view.Form = &form
	}
	return render(c, code, pages.LabelRunsPage(view))
}

func (h *Handlers) labelRunFields(c echo.Context, d models.Dataset, in labelRunForm, bad fields) (pages.LabelRunForm, error) {
	splits, err := h.store.Splits(c.Request().Context(), viewer(c), d.ID)
	if err != nil {
		return pages.LabelRunForm{}, err
	}
	choices := []components.Choice{{Value: "", Text: "all traces", Selected: in.Split == ""}}
	for _, s := range splits {
		choices = append(choices, components.Choice{Value: s.ID, Text: s.Name + " (" + components.Count(s.Traces) + ")", Selected: s.ID == in.Split})
	}
	f := pages.LabelRunForm{
		Split:   components.Input{Name: "split", Label: "Traces", Kind: "select", Options: choices, Error: bad["split"]},
		Repeat:  components.Input{Name: "repeat", Label: "Runs on each tree", Kind: "number", Min: "1", Max: "20", Value: in.Repeat, Hint: "tests that do not end alike are left out", Error: bad["repeat"]},
		Seconds: components.Input{Name: "seconds", Label: "Time limit of a run", Kind: "number", Min: "1", Value: in.Seconds, Unit: "seconds", Error: bad["seconds"]},
		Sandbox: components.Input{Name: "sandbox", Label: "Sandbox", Kind: "select", Options: backendChoices(in.Sandbox), Error: bad["sandbox"]},
		Drop: components.Input{Name: "drop_broken", Label: "Leave out pass-to-pass tests that fail on the reference patch here", Kind: "checkbox", Value: "1", Checked: in.DropBroken,
			Hint: "instead of calling the instance unusable"},
		Mirrors: h.mirrors, Bundled: d.Bundled,
	}
	return f, nil
}

// labelRunCreate starts a label run, or shows the form again with what is wrong.
func (h *Handlers) labelRunCreate(c echo.Context) error {
	values, err := c.FormParams()
	if err != nil {
		return err
	}
	ctx, v := c.Request().Context(), viewer(c)
	d, err := h.store.Dataset(ctx, v, c.Param("id"))
	if err != nil {
		return err
	}
	if !v.CanEdit(d.ProjectID) {
		return models.ErrForbidden
	}
	in, bad := labelRunFormOf(values), fields{}
	if h.labels == nil {
		return h.labelRunsPage(c, http.StatusUnprocessableEntity, in, bad, "")
	}
	spec := checks.LabelSpec{DatasetID: d.ID, SplitID: in.Split, Settings: checks.LabelSettings{
		Backend: bad.webBackend("sandbox", in.Sandbox), Repeat: bad.small("repeat", in.Repeat), Seconds: bad.small("seconds", in.Seconds), DropBroken: in.DropBroken, Repos: h.mirrors,
	}}
	for name, n := range map[string]int{"repeat": spec.Settings.Repeat, "seconds": spec.Settings.Seconds} {
		if _, wrong := bad[name]; !wrong && n < 1 {
			bad[name] = "choose at least 1"
		}
	}
	trouble := ""
	if len(bad) == 0 {
		run, err := h.labels.Start(ctx, v, spec)
		var invalid *models.InvalidError
		switch {
		case err == nil:
			return seeOther(c, labelRunURL(run.ID))
		case errors.As(err, &invalid):
			maps.Copy(bad, invalid.Fields)
		case errors.Is(err, sandbox.ErrUnavailable):
			trouble = "No sandbox works here, so nothing was started: " + err.Error() + ". plumbline doctor tells more."
		case errors.Is(err, models.ErrConflict):
			trouble = "A label run of this dataset is under way; another can start when it has ended."
		default:
			return err
		}
	}
	return h.labelRunsPage(c, http.StatusUnprocessableEntity, in, bad, trouble)
}

// labelRunStop lets runs of tests end and starts no more.
func (h *Handlers) labelRunStop(c echo.Context) error {
	id := c.Param("id")
	if err := h.store.StopLabelRun(c.Request().Context(), viewer(c), id); err != nil && !errors.Is(err, models.ErrConflict) {
		return err
	}
	return seeOther(c, labelRunURL(id))
}

// labelRunResume goes on with what is not done.
func (h *Handlers) labelRunResume(c echo.Context) error {
	if h.labels == nil {
		return models.Invalid("run", "this server starts no label run: "+strconv.Quote("plumbline label --resume")+" does")
	}
	id := c.Param("id")
	if err := h.labels.Resume(c.Request().Context(), viewer(c), id); err != nil && !errors.Is(err, models.ErrConflict) {
		return err
	}
	return seeOther(c, labelRunURL(id))
}
