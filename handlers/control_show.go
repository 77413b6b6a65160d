package handlers

import (
	"encoding/json"
	"fmt"
	"net/http"
	"net/url"
	"strings"

	"github.com/labstack/echo/v4"

	"plumbline/experiments/control"
	"plumbline/experiments/stats"
	"plumbline/experiments/trace"
	"plumbline/models"
	"plumbline/runner"
	"plumbline/web/charts"
	"plumbline/web/components"
	"plumbline/web/layout"
	"plumbline/web/pages"
)

// maxEpisodeRows bounds the list of episodes.
const maxEpisodeRows = 400

// controlShow is the page of a control experiment.
func (h *Handlers) controlShow(c echo.Context) error {
	ctx, v := c.Request().Context(), viewer(c)
	res, err := h.runner.ControlResults(ctx, v, c.Param("id"))
	if err != nil {
		return err
	}
	e := res.Experiment
	p, err := h.store.Progress(ctx, v, e.ID)
	if err != nil {
		return err
	}
	d, err := h.store.Dataset(ctx, v, e.DatasetID)
	if err != nil {
		return err
	}
	design, err := h.store.UsesSplit(ctx, v, e.ID, trace.SplitDesign)
	if err != nil {
		return err
	}
	path := experimentURL(e.ID)
	view := pages.Control{Frame: h.frame(c, e.Name), Now: h.now()}
	view.Frame.Crumbs = []layout.Link{{Text: "Home", Href: "/"}, {Text: d.Name, Href: "/datasets/" + url.PathEscape(d.ID)}}
	view.Frame.Badges = badgesOf(e, design)
	view.Frame.Menu = []layout.Action{{Text: "Votes as JSONL", Href: path + "/votes.jsonl"}, {Text: "Parameters it came from", Href: experimentURL(res.Config.SourceID) + "/belief"}}
	edit := v.CanEdit(e.ProjectID)
	view.State = h.stateView(e.ID, p, edit, nil)
	view.State.Progress.Unit, view.State.Progress.RateUnit = "episodes", "episodes"
	view.State.Actions = controlActions(path, p, edit)
	if view.State.Status.Active() {
		view.PollURL = path + "/control"
	}
	fillControl(&view, res)
	view.Facts = controlFacts(res)
	if edit && (p.State == models.StateStopped || p.Error > 0 && p.State == models.StateDone) {
		view.Resume = resumeForm(path, res)
	}
	return render(c, http.StatusOK, pages.ControlPage(view))
}

func controlActions(path string, p models.Progress, edit bool) []layout.Action {
	switch {
	case !edit:
	case p.State == models.StateRunning:
		return []layout.Action{{Text: "Stop", Href: path + "/stop", Post: true}}
	case p.State == models.StateStopping:
		return []layout.Action{{Text: "Stop", Blocked: "it is stopping: calls in flight are let finish"}}
	}
	return nil
}

func resumeForm(path string, res runner.ControlResults) *pages.ResumeForm {
	f := &pages.ResumeForm{Action: path + "/control/resume"}
	if res.Spent != "" {
		f.Why = "It stopped because " + res.Spent + " is reached: raise it to go on."
	}
	votes := ""
	if res.Config.MaxVotes > 0 {
		votes = fmt.Sprint(res.Config.MaxVotes)
	}
	f.Fields = []components.Input{{Name: "max_votes", Label: "Calls at most", Value: votes, Hint: "empty: no limit", MaxLength: 12}}
	if m := res.Config.MaxUSD; m != nil {
		f.Fields = append(f.Fields, components.Input{Name: "max_usd", Label: "Dollars at most", Value: plainNumber(*m), MaxLength: 12})
	}
	return f
}

func fillControl(view *pages.Control, res runner.ControlResults) {
	if res.Live > 0 {
		view.Marks = append(view.Marks, pages.LiveOutcome)
	}
	if res.Simulated > 0 {
		view.Marks = append(view.Marks, pages.SimulatedOutcome)
	}
	if res.Recorded > 0 {
		view.Marks = append(view.Marks, pages.RecordedOutcome)
	}
	var sources []string
	for _, x := range []struct {
		n    int
		what string
	}{{res.Live, "asked, written or run live"}, {res.Simulated, "answered by simulated reviewers"}, {res.Recorded, "looked up in records"}} {
		if x.n > 0 {
			sources = append(sources, components.Count(x.n)+" "+x.what)
		}
	}
	view.Sources = "No outcome yet."
	if len(sources) > 0 {
		view.Sources = "Outcomes: " + strings.Join(sources, ", ") + "."
	}
	var drawn []charts.Utility
	replayed, differ := 0, 0
	for i, p := range res.Policies {
		row, u := playedRow(i, p)
		view.Rows, drawn = append(view.Rows, row), append(drawn, u)
		replayed, differ = replayed+p.Replayed, differ+len(p.Differs)
		for _, t := range p.Differs {
			view.Disagree = append(view.Disagree, fmt.Sprintf("%s on %s: replaying the log takes other actions or earns something else. A label may have changed since.", p.Name, t))
		}
	}
	view.Figure = charts.Utilities(drawn)
	view.Figure.Says = "Mean over the episodes that have ended, with its interval by task. At 0 nothing is done."
	if replayed > 0 {
		view.Agrees = fmt.Sprintf("Replaying the logged outcomes with the same parameters gives the same actions and utility in %d of %d ended episodes.", replayed-differ, replayed)
	}
	view.Notes = controlNotes(res.Config)
	fillEpisodes(view, res)
	view.Sentence = controlSentence(res)
}

// controlNotes say what the actions did.
func controlNotes(c runner.ControlConfig) []string {
	verify := "Verifying looks up the official outcome that is recorded for the attempt."
	switch c.Verify {
	case runner.VerifyOfficial:
		verify = "Verifying runs the official tests in the sandbox, on the reference patch and the base first."
	case runner.VerifyExisting:
		verify = "Verifying runs only the tests that pass before the change: a patch that leaves the issue as it is passes them. What is solved here need not be correct."
	}
	regenerate := "Regenerating takes the next recorded attempt at the task."
	if w := c.Generator; w != nil {
		regenerate = fmt.Sprintf("Regenerating asks %s for a patch, with the issue and files of the base and nothing else; the first candidate is the first recorded attempt. The k-th candidate of a task is written once and shared.", w.Name)
	}
	return []string{verify, regenerate, "Policies that ask the same reviewer or run the same check about the same candidate share the answer, which is paid for once."}
}

func playedRow(i int, p runner.PlayedPolicy) (pages.PlayedRow, charts.Utility) {
	rep := p.Played
	row := pages.PlayedRow{
		Name: p.Name, Does: policyDoes(p.Name), Mean: quantity(stats.Number{Value: rep.MeanUtility, Reason: "no episode has ended"}, p.Mean), Upper: rep.MeanUtilityUpper,
		N: rep.N, Solved: rep.Solve.K, Censored: rep.Censored, Unplayable: len(rep.Episodes) - rep.N, Open: p.Open, Errors: p.Errors, Differs: len(p.Differs),
		Total: len(rep.Episodes) + p.Open + p.Errors, Delta: pages.Quantity{Why: "always_verify is not played"},
	}
	for _, e := range rep.Episodes {
		row.Calls += float64(e.CriticCalls) / float64(len(rep.Episodes))
		row.Regenerations += float64(e.Regenerations) / float64(len(rep.Episodes))
	}
	if d := p.Delta; d != nil {
		row.Delta = quantity(stats.Number{Value: d.Mean, Reason: "no task ended under both"}, d.Interval)
	}
	return row, charts.Utility{Arm: charts.Arm{ID: p.Name, Name: p.Name, Index: i}, Replay: row.Mean.Value, ReplayLo: row.Mean.Lo, ReplayHi: row.Mean.Hi,
		ReplayUpper: row.Upper, Tasks: row.N, Absent: row.Unplayable}
}

func fillEpisodes(view *pages.Control, res runner.ControlResults) {
	for i, e := range res.Episodes {
		if i >= maxEpisodeRows {
			view.More = len(res.Episodes) - maxEpisodeRows
			return
		}
		prior := res.Config.Problems[e.Fold].Prior
		row := pages.EpisodeRow{
			Href: "/episodes/" + url.PathEscape(e.ID), Task: e.InstanceID, Policy: e.Policy, Status: episodeStatus(e.Episode), Why: e.Why, Solved: e.Solved,
			Cost: e.Cost, Reward: e.Reward, Running: e.State == models.EpisodeRunning, Path: actionsInShort(res.Steps[e.ID]),
		}
		row.Belief = components.Belief{Prior: &prior, Why: "it has not begun"}
		if e.Steps > 0 {
			b := e.Belief
			row.Belief.Value = &b
		}
		if e.State == models.EpisodeDone && control.Status(e.Status) != control.Unreplayable {
			u := e.Utility()
			row.Utility = &u
		}
		view.Episodes = append(view.Episodes, row)
	}
}

func episodeStatus(e models.Episode) string {
	if e.State == models.EpisodeDone {
		if control.Status(e.Status) == control.Unreplayable {
			return "not playable"
		}
		return e.Status
	}
	return e.State
}

// actionsInShort writes a log in a line: "tests ✓ · regenerate · verify ✗".
func actionsInShort(steps []models.EpisodeStep) string {
	var out []string
	for _, s := range steps {
		text := strings.TrimPrefix(s.Action, "critic:")
		switch s.Says {
		case "pass":
			text += " ✓"
		case "fail":
			text += " ✗"
		case "":
		default:
			text += " " + s.Says
		}
		out = append(out, text)
	}
	return strings.Join(out, " · ")
}

func controlSentence(res runner.ControlResults) string {
	var best *runner.PlayedPolicy
	ended := 0
	for i := range res.Policies {
		p := &res.Policies[i]
		ended += p.Played.N
		if p.Played.MeanUtility != nil && (best == nil || *p.Played.MeanUtility > *best.Played.MeanUtility+1e-9) {
			best = p
		}
	}
	if best == nil {
		return ""
	}
	text := fmt.Sprintf("Of %s ended, %s earns most: %s a task", components.Plural(ended, "episode", "episodes"), best.Name, components.Decimal(best.Played.MeanUtility, 2))
	if d := best.Delta; d != nil && d.Mean != nil && d.Interval != nil && best.Name != "always_verify" {
		text += fmt.Sprintf(", %s more than always verifying (95%% interval %s to %s)", components.Decimal(d.Mean, 2), components.Decimal(&d.Interval.Lo, 2), components.Decimal(&d.Interval.Hi, 2))
	}
	return text + "."
}

func controlFacts(res runner.ControlResults) []pages.Fact {
	e, c := res.Experiment, res.Config
	var names []string
	for _, k := range c.Critics {
		names = append(names, k.Name+" ("+string(k.Kind)+")")
	}
	verify := map[runner.VerifyMode]string{runner.VerifyOfficial: "official tests in the sandbox", runner.VerifyExisting: "existing tests in the sandbox"}[c.Verify]
	if verify == "" {
		verify = "recorded labels"
	}
	regenerate := pages.Fact{Name: "regenerate", Value: "next recorded attempt"}
	if w := c.Generator; w != nil {
		regenerate.Value, regenerate.Href = w.Name+", "+w.Model+", prompt "+w.Prompt, "/datasets/"+url.PathEscape(w.DatasetID)
	}
	ask := "reviewers and checks themselves"
	if c.Ask == runner.AskRecords {
		ask = "the records of the source"
	}
	facts := []pages.Fact{
		{Name: "parameters from", Value: c.SourceID, Href: experimentURL(c.SourceID) + "/belief", Mono: true}, {Name: "critics", Value: strings.Join(names, ", ")}, {Name: "asked", Value: ask},
		regenerate, {Name: "verify", Value: verify},
		{Name: "votes K", Value: components.Count(e.Votes)}, {Name: "seed", Value: fmt.Sprint(e.Seed), Mono: true},
	}
	for _, p := range c.Problems {
		facts = append(facts, pages.Fact{Name: "costs", Value: fmt.Sprintf("%s: R %s, verify %s, regenerate %s", c.Costs, plainNumber(p.Reward), plainNumber(p.CostVerify), plainNumber(p.CostRegenerate))})
		break
	}
	limit := "none"
	if c.MaxVotes > 0 {
		limit = components.Plural(c.MaxVotes, "call", "calls")
	}
	if c.MaxUSD != nil {
		limit += ", $" + plainNumber(*c.MaxUSD)
	}
	spent := components.Plural(res.Votes, "call", "calls")
	if res.Written > 0 {
		spent += fmt.Sprintf(" (%s)", components.Plural(res.Written, "patch", "patches"))
	}
	if res.UnknownCost > 0 {
		spent += ", price unknown"
	} else {
		spent += ", " + components.Money(&res.USD)
	}
	return append(facts, pages.Fact{Name: "limit", Value: limit}, pages.Fact{Name: "spent", Value: spent}, pages.Fact{Name: "code", Value: e.CodeVersion, Mono: true}, pages.Fact{Name: "experiment", Value: e.ID, Mono: true})
}

// episodeShow is the decision log of one episode.
func (h *Handlers) episodeShow(c echo.Context) error {
	ctx, v := c.Request().Context(), viewer(c)
	e, steps, err := h.store.EpisodeLog(ctx, v, c.Param("id"))
	if err != nil {
		return err
	}
	x, err := h.store.Experiment(ctx, v, e.ExperimentID)
	if err != nil {
		return err
	}
	config, err := runner.ControlConfigOf(x)
	if err != nil {
		return err
	}
	view := pages.Episode{Frame: h.frame(c, e.Policy+" on "+e.InstanceID), Now: h.now(), Status: episodeStatus(e.Episode), Why: e.Why, Cost: e.Cost, Reward: e.Reward}
	view.Frame.Crumbs = []layout.Link{{Text: "Home", Href: "/"}, {Text: x.Name, Href: experimentURL(x.ID) + "/control"}}
	view.Frame.Badges = badgesOf(x, false)
	problem := config.Problems[e.Fold]
	var used []string
	candidate := -1
	for _, s := range steps {
		if s.Candidate != candidate {
			used, candidate = nil, s.Candidate
		}
		view.Steps = append(view.Steps, logStep(s, problem, used))
		if name, ok := strings.CutPrefix(s.Action, "critic:"); ok {
			used = append(used, name)
		}
	}
	if len(steps) > 0 {
		view.Sentence = "First: " + steps[0].Reason + "."
	}
	fitted := fmt.Sprintf("%s of the source", components.Plural(config.FittedOn[e.Fold], "task", "tasks"))
	view.Facts = []pages.Fact{{Name: "task", Value: e.InstanceID}, {Name: "policy", Value: e.Policy, Mono: true}, {Name: "parameters from", Value: fitted + ", none of them this one"},
		{Name: "prior", Value: components.Fraction(&problem.Prior)}, {Name: "episode", Value: e.ID, Mono: true}}
	return render(c, http.StatusOK, pages.EpisodePage(view))
}

func logStep(s models.EpisodeStep, p control.Problem, used []string) pages.LogStep {
	bar := func(x float64) components.Belief {
		b := components.Belief{Value: &x, Prior: &p.Prior}
		if p.Reward > 0 {
			at := p.CostVerify / p.Reward
			b.Accept = &at
		}
		return b
	}
	out := pages.LogStep{When: s.CreatedAt, Note: s.Note}
	out.PathStep = pages.PathStep{
		Number: s.Idx + 1, Candidate: s.Candidate + 1, Trace: "/traces/" + url.PathEscape(s.TraceID), Before: bar(s.Before), After: bar(s.After),
		Reason: s.Reason, Action: actionWords(s.Action), Outcome: s.Says, Cost: s.Cost, Used: append([]string(nil), used...),
	}
	var d control.Decision
	if json.Unmarshal([]byte(s.Decision), &d) == nil {
		out.Values = valuesOf(d)
	}
	switch s.Source {
	case runner.SourceLive:
		out.Mark = pages.LiveOutcome
	case runner.SourceSimulated:
		out.Mark = pages.SimulatedOutcome
	case runner.SourceRecorded:
		out.Mark = pages.RecordedOutcome
	}
	if s.ItemID != "" {
		out.Item = "/items/" + url.PathEscape(s.ItemID)
	}
	if s.Impossible {
		out.Note = "the likelihoods exclude this outcome: the belief is kept. " + out.Note
	}
	return out
}
