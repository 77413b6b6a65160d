package handlers

import (
	"errors"
	"maps"
	"net/http"
	"net/url"
	"slices"
	"strings"

	"github.com/labstack/echo/v4"

	"plumbline/experiments/cascade"
	"plumbline/experiments/evidence"
	"plumbline/models"
	"plumbline/runner"
	"plumbline/runner/reviewer"
	"plumbline/web/components"
	"plumbline/web/pages"
)

// cascadeForm is the form of a new cascade as texts.
type cascadeForm struct {
	Name, Dataset, Split, Votes, Seed, Budget string
	Reviewer, Form, Generator                 string
	Repeats, Wall, Sandbox                    string
	Policies, Baselines                       []string
	Audit                                     bool
	fresh                                     bool // nobody has filled it yet
}

func cascadeFormOf(q url.Values) cascadeForm {
	or := func(name, other string) string {
		if s := strings.TrimSpace(q.Get(name)); s != "" {
			return s
		}
		return other
	}
	f := cascadeForm{
		Name: or("name", ""), Dataset: q.Get("dataset"), Split: q.Get("split"), Votes: or("votes", defaultVotes), Seed: or("seed", defaultSeed), Budget: or("budget", defaultBudget),
		Reviewer: q.Get("reviewer"), Form: or("form", string(evidence.Checked)), Generator: q.Get("generator"), Repeats: or("repeats", "2"), Wall: or("wall", "60"), Sandbox: q.Get("sandbox"),
		Policies: q["policy"], Baselines: q["baseline"], Audit: q.Get("audit") != "",
	}
	if f.fresh = !q.Has("votes"); f.fresh {
		f.Policies, f.Baselines, f.Audit = []string{"recommended", "evaluated"}, []string{string(evidence.Patch), string(evidence.Structured)}, true
	}
	return f
}

// offeredPolicies are the rules that the form offers, by name.
var offeredPolicies = []struct {
	policy cascade.Policy
	says   string
}{
	{cascade.Recommended(""), "A generated test that fails rejects; one that passes goes on to the reviewer as evidence."},
	{cascade.Evaluated(""), "A generated test that fails rejects, and one that passes accepts. In the published evaluation 0.30 of such acceptances were right."},
	{withName(cascade.RulesOnly(), "rules and reviewer", 1), "No test is generated: the reviewer gets what the mechanical rules leave open."},
}

func withName(p cascade.Policy, name string, votes int) cascade.Policy {
	p.Name, p.Residual.Votes = name, votes
	return p
}

// residualForms are the evidence forms that a residual reviewer may be shown.
var residualForms = []evidence.Form{evidence.Checked, evidence.Structured, evidence.Patch, evidence.Trace, evidence.Summary}

// baselineForms are the forms of arms without checks on the same traces.
var baselineForms = []evidence.Form{evidence.Patch, evidence.Structured}

// spec reads the form; what is wrong is in the fields by the names of the form.
func (in cascadeForm) spec() (runner.CascadeSpec, fields) {
	bad := fields{}
	s := runner.CascadeSpec{
		LaunchSpec: runner.LaunchSpec{DatasetID: in.Dataset, Name: in.Name, Votes: bad.small("votes", in.Votes), Budget: bad.small("budget", in.Budget)},
		Checks: runner.ChecksSpec{
			Generator: in.Generator, Repeats: bad.small("repeats", in.Repeats), TestWallS: float64(bad.small("wall", in.Wall)), Audit: in.Audit, Sandbox: bad.webBackend("sandbox", in.Sandbox),
		},
	}
	if in.Split != allTraces {
		s.SplitID = in.Split
	}
	if seed := bad.int("seed", in.Seed); seed != nil {
		s.Seed = *seed
	}
	for name, n := range map[string]int{"votes": s.Votes, "repeats": s.Checks.Repeats, "wall": int(s.Checks.TestWallS)} {
		if _, wrong := bad[name]; !wrong && n < 1 {
			bad[name] = "choose at least 1"
		}
	}
	if s.Votes > cascade.MaxVotes {
		bad["votes"] = "choose 1 to 99 votes"
	}
	if in.Reviewer == "" {
		bad["reviewer"] = "choose a reviewer for what the checks leave open"
	}
	for _, o := range offeredPolicies {
		if slices.Contains(in.Policies, o.policy.Name) {
			s.Policy = append(s.Policy, runner.CascadeArm{Policy: o.policy, ReviewerVersionID: in.Reviewer, Form: evidence.Form(in.Form)})
		}
	}
	if len(s.Policy) == 0 {
		bad["policy"] = "choose at least one rule"
	}
	for _, f := range baselineForms {
		if slices.Contains(in.Baselines, string(f)) {
			s.Policy = append(s.Policy, runner.CascadeArm{Policy: cascade.ReviewOnly(string(f)+" only", ""), ReviewerVersionID: in.Reviewer, Form: f})
		}
	}
	return s, bad
}

// cascadeNew is the form of a new cascade.
func (h *Handlers) cascadeNew(c echo.Context) error {
	view, err := h.cascadePage(c, cascadeFormOf(c.QueryParams()), fields{})
	if err != nil {
		return err
	}
	return render(c, http.StatusOK, pages.CascadeNewPage(view))
}

// cascadeCreate starts a cascade, or shows the form again with what is wrong at
// each field.
func (h *Handlers) cascadeCreate(c echo.Context) error {
	values, err := c.FormParams()
	if err != nil {
		return err
	}
	in := cascadeFormOf(values)
	spec, bad := in.spec()
	if len(bad) == 0 {
		e, err := h.runner.LaunchCascade(c.Request().Context(), viewer(c), spec)
		var invalid *models.InvalidError
		switch {
		case err == nil:
			return seeOther(c, experimentURL(e.ID)+"/funnel")
		case errors.As(err, &invalid):
			maps.Copy(bad, invalid.Fields)
		default:
			return err
		}
	}
	for from, to := range map[string]string{"cascade_arms": "policy", "arms": "policy", "test_wall_s": "wall", "budget_tokens": "budget"} {
		if text := bad[from]; text != "" {
			bad[to] = text
		}
	}
	view, err := h.cascadePage(c, in, bad)
	if err != nil {
		return err
	}
	return render(c, http.StatusUnprocessableEntity, pages.CascadeNewPage(view))
}

// cascadePage is the form with what is wrong with it.
func (h *Handlers) cascadePage(c echo.Context, in cascadeForm, bad fields) (pages.CascadeNew, error) {
	ctx, v := c.Request().Context(), viewer(c)
	if !v.CanEdit(h.project.ID) {
		return pages.CascadeNew{}, models.ErrForbidden
	}
	sets, err := h.store.Datasets(ctx, v)
	if err != nil {
		return pages.CascadeNew{}, err
	}
	if in.Dataset == "" && len(sets) > 0 {
		in.Dataset = sets[0].ID
	}
	view := pages.CascadeNew{Frame: h.frame(c, "New review cascade"), Action: "/cascades", Preview: "/cascades/new", Error: bad["dataset"]}
	view.Frame.Crumbs = crumbs("Home", "/")
	if bad["split"] != "" {
		view.Error = bad["split"]
	}
	bundledSet := false
	for _, d := range sets {
		view.Datasets = append(view.Datasets, components.Choice{Value: d.ID, Text: d.Name, Selected: d.ID == in.Dataset})
		bundledSet = bundledSet || d.ID == in.Dataset && d.Bundled
	}
	if in.fresh && bundledSet {
		in.Generator = runner.RecordedGenerator
	}
	if in.Dataset != "" {
		split := experimentForm{Dataset: in.Dataset, Split: in.Split}
		if view.Splits, err = h.splitChoices(c, &split); err != nil {
			return view, err
		}
	}
	reviewers, err := h.store.Reviewers(ctx, v, h.project.ID)
	if err != nil {
		return view, err
	}
	number := func(name, label, value, hint, unit string) components.Input {
		return components.Input{Name: name, Label: label, Kind: "number", Value: value, Hint: hint, Unit: unit, Error: bad[name], Step: "1", Min: "1"}
	}
	view.Name = components.Input{Name: "name", Label: "Name", Value: in.Name, MaxLength: 200, Error: bad["name"], Required: true}
	view.Votes, view.Seed = number("votes", "Votes (K)", in.Votes, "of the reviewer on what is left", ""), number("seed", "Seed", in.Seed, "", "")
	view.Budget = components.Input{Name: "budget", Label: "Evidence budget", Kind: "number", Value: in.Budget, Hint: "of one text; 0: no limit", Unit: "tokens", Error: bad["budget"], Step: "1"}
	view.Reviewer, view.Generator = cascadeReviewers(reviewers, in, bundledSet)
	view.Reviewer.Error, view.Generator.Error = bad["reviewer"], bad["generator"]
	view.Form = components.Input{Name: "form", Label: "It is shown", Kind: "select", Error: bad["form"], Hint: "checked: what the checks found"}
	for _, f := range residualForms {
		view.Form.Options = append(view.Form.Options, components.Choice{Value: string(f), Text: string(f), Selected: string(f) == in.Form})
	}
	view.Repeats = number("repeats", "Runs on the base", in.Repeats, "a test that does not end alike is discarded", "")
	view.Wall = number("wall", "Time limit of a run", in.Wall, "", "seconds")
	view.Sandbox = components.Input{Name: "sandbox", Label: "Sandbox", Kind: "select", Options: backendChoices(in.Sandbox), Error: bad["sandbox"]}
	view.Audit = components.Input{Name: "audit", Label: "Audit kept tests on the reference patch", Kind: "checkbox", Value: "1", Checked: in.Audit, Hint: "no decision and no reviewer sees the outcome"}
	view.PolicyError = bad["policy"]
	for _, o := range offeredPolicies {
		view.Policies = append(view.Policies, pages.PolicyChoice{Name: "policy", Value: o.policy.Name, Text: o.policy.Name, Says: o.says, Selected: slices.Contains(in.Policies, o.policy.Name)})
	}
	for _, f := range baselineForms {
		view.Baselines = append(view.Baselines, pages.PolicyChoice{
			Name: "baseline", Value: string(f), Text: string(f) + " only", Says: "The same reviewer on the same traces without any check.", Selected: slices.Contains(in.Baselines, string(f)),
		})
	}
	if len(reviewers) == 0 {
		view.NoReview = components.Empty{Why: "There is no reviewer yet.", Text: "New reviewer", Href: "/reviewers/new"}
	}
	return view, nil
}

// cascadeReviewers are the choices of the residual reviewer, and of who writes
// tests: an endpoint, the replies recorded for the bundled cases, or nobody.
func cascadeReviewers(all []models.ReviewerLatest, in cascadeForm, bundledSet bool) (residual, generator components.Input) {
	residual = components.Input{Name: "reviewer", Label: "Residual reviewer", Kind: "select", Required: true}
	generator = components.Input{Name: "generator", Label: "Tests are written by", Kind: "select", Hint: "it sees issue and patch and nothing else"}
	generator.Options = []components.Choice{{Value: "", Text: "nobody", Selected: in.Generator == ""}}
	if bundledSet {
		generator.Options = append(generator.Options, components.Choice{Value: runner.RecordedGenerator, Text: "recorded replies of the bundled cases", Selected: in.Generator == runner.RecordedGenerator})
	}
	for _, r := range all {
		residual.Options = append(residual.Options, components.Choice{Value: r.Version.ID, Text: r.Reviewer.Name, Selected: r.Version.ID == in.Reviewer})
		if k := reviewer.Kind(r.Version.Kind); k == reviewer.KindOpenAI || k == reviewer.KindAnthropic {
			generator.Options = append(generator.Options, components.Choice{Value: r.Version.ID, Text: r.Reviewer.Name + " (" + r.Version.Model + ")", Selected: r.Version.ID == in.Generator})
		}
	}
	return residual, generator
}
