package handlers

import (
	"fmt"
	"net/url"
	"strconv"
	"strings"

	"github.com/labstack/echo/v4"

	"plumbline/experiments/control"
	"plumbline/models"
	"plumbline/runner"
	"plumbline/runner/sandbox"
	"plumbline/web/components"
	"plumbline/web/pages"
)

// liveForm is the form that plays policies live, with the choices of the page.
func liveForm(src beliefSource, r *beliefRequest, s *runner.Study) *pages.LiveForm {
	e := src.experiment
	regenerate := []components.Choice{{Value: "", Text: "take the next recorded attempt"}}
	for _, w := range src.writers {
		regenerate = append(regenerate, components.Choice{Value: w.versionID, Text: "let " + components.FirstLine(w.name, 40) + " write a patch"})
	}
	sandboxes := []components.Choice{{Value: "", Text: "the best there is"}, {Value: sandbox.Bubblewrap, Text: sandbox.Bubblewrap}, {Value: sandbox.Namespaces, Text: sandbox.Namespaces},
		{Value: sandbox.Docker, Text: sandbox.Docker}, {Value: sandbox.Podman, Text: sandbox.Podman}, {Value: sandbox.Apptainer, Text: sandbox.Apptainer}}
	f := &pages.LiveForm{Action: experimentURL(e.ID) + "/control"}
	switch {
	case s.Choice.Joint || s.Choice.Temper:
		f.Why = "A joint critic and tempered evidence cannot be played; choose the critics one by one."
		return f
	case len(s.Critics) == 0:
		f.Why = "Choose at least one critic to ask."
		return f
	}
	f.Keep = r.keep(func(name string) bool { return name == "view" || name == "policy" || name == "refits" || name == "sim" })
	for _, name := range control.Names(&s.Problem) {
		usual := name == "always_verify" || name == "dp" || name == "greedy_kernel" || name == s.BestGate()
		f.Policies = append(f.Policies, components.Choice{Value: name, Text: name, Selected: usual})
	}
	f.Fields = []components.Input{
		{Name: "name", Label: "Name", Value: "Control: " + components.FirstLine(e.Name, 60), MaxLength: 200},
		{Name: "ask", Label: "Critics", Kind: "select", Options: []components.Choice{{Value: string(runner.AskLive), Text: "ask reviewers, run checks"}, {Value: string(runner.AskRecords), Text: "look up what is recorded"}}},
		{Name: "tasks", Label: "Tasks", Kind: "select", Options: []components.Choice{{Value: "", Text: "those of this experiment"}, {Value: "held-out", Text: "the held-out split"}, {Value: "all", Text: "all of the dataset"}}},
		{Name: "generator", Label: "Regenerating", Kind: "select", Options: regenerate, Hint: "a written patch needs tests to verify it"},
		{Name: "verify", Label: "Verifying", Kind: "select", Options: []components.Choice{{Value: string(runner.VerifyRecords), Text: "looks up the recorded label"},
			{Value: string(runner.VerifyOfficial), Text: "runs the official tests"}, {Value: string(runner.VerifyExisting), Text: "runs the existing tests"}}},
		{Name: "sandbox", Label: "Tests run in", Kind: "select", Options: sandboxes},
		{Name: "seed", Label: "Seed", Value: strconv.FormatInt(e.Seed, 10), MaxLength: 20},
		{Name: "max_votes", Label: "Calls at most", Hint: "empty: no limit", MaxLength: 12},
		{Name: "max_usd", Label: "Dollars at most", Hint: "empty: no limit", MaxLength: 12},
	}
	return f
}

// controlCreate starts a control experiment from the choices of a belief page.
func (h *Handlers) controlCreate(c echo.Context) error {
	ctx, v := c.Request().Context(), viewer(c)
	source, err := h.store.Experiment(ctx, v, c.Param("id"))
	if err != nil {
		return err
	}
	form, err := c.FormParams()
	if err != nil {
		return err
	}
	q := url.Values{}
	for name, values := range form {
		switch name {
		case "csrf", "name", "ask", "tasks", "seed", "max_votes", "max_usd", "policy", "generator", "verify", "sandbox":
		default:
			q[name] = values
		}
	}
	r := beliefRequestOf(experimentURL(source.ID)+"/belief", q)
	spec := runner.ControlSpec{
		SourceID: source.ID, Name: strings.TrimSpace(form.Get("name")), Policies: form["policy"], Ask: runner.AskMode(form.Get("ask")), ByGenerator: r.byGenerator, Choice: r.choice,
		Generator: form.Get("generator"), Verify: runner.VerifyMode(form.Get("verify")), Sandbox: form.Get("sandbox"),
	}
	if spec.SplitID, err = h.controlSplit(c, source, form.Get("tasks")); err != nil {
		return err
	}
	if spec.Seed, err = strconv.ParseInt(strings.TrimSpace(form.Get("seed")), 10, 64); err != nil {
		r.bad["seed"] = "choose a whole number"
	}
	spec.MaxVotes, spec.MaxUSD = limitsOf(form, r.bad)
	if len(r.bad) > 0 {
		return &models.InvalidError{Fields: r.bad}
	}
	e, err := h.runner.LaunchControl(ctx, v, spec)
	if err != nil {
		return err
	}
	return seeOther(c, experimentURL(e.ID)+"/control")
}

// controlSplit finds the split to play: that of the source, the held-out one, or
// none for all traces.
func (h *Handlers) controlSplit(c echo.Context, source models.Experiment, tasks string) (string, error) {
	switch tasks {
	case "":
		if source.SplitID != nil {
			return *source.SplitID, nil
		}
		return "", nil
	case "all":
		return "", nil
	}
	splits, err := h.store.Splits(c.Request().Context(), viewer(c), source.DatasetID)
	if err != nil {
		return "", err
	}
	for _, s := range splits {
		if s.Name == tasks {
			return s.ID, nil
		}
	}
	return "", models.Invalid("tasks", fmt.Sprintf("the dataset has no split %q", components.FirstLine(tasks, 40)))
}

// limitsOf reads the limits of a control experiment; 0 and nil are none.
func limitsOf(form url.Values, bad fields) (votes int, usd *float64) {
	if s := strings.TrimSpace(form.Get("max_votes")); s != "" {
		n, err := strconv.Atoi(s)
		if err != nil || n < 1 {
			bad["max_votes"] = "choose a whole number above 0, or leave it empty"
		}
		votes = n
	}
	if s := strings.TrimSpace(form.Get("max_usd")); s != "" {
		x, err := strconv.ParseFloat(s, 64)
		if err != nil || !(x > 0) || x > maxNumber {
			bad["max_usd"] = "give an amount above 0, or leave it empty"
		} else {
			usd = &x
		}
	}
	return votes, usd
}

// controlResume goes on, with other limits where they are given.
func (h *Handlers) controlResume(c echo.Context) error {
	form, err := c.FormParams()
	if err != nil {
		return err
	}
	bad := fields{}
	votes, usd := limitsOf(form, bad)
	if len(bad) > 0 {
		return &models.InvalidError{Fields: bad}
	}
	var limit *int
	if _, given := form["max_votes"]; given {
		limit = &votes
	}
	if err := h.runner.ResumeControl(c.Request().Context(), viewer(c), c.Param("id"), limit, usd); err != nil {
		return err
	}
	return seeOther(c, experimentURL(c.Param("id"))+"/control")
}
