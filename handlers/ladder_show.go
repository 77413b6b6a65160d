package handlers

import (
	"fmt"
	"math"
	"net/http"
	"net/url"
	"slices"
	"strconv"
	"strings"

	"github.com/labstack/echo/v4"

	"plumbline/experiments/published"
	"plumbline/experiments/stats"
	"plumbline/models"
	"plumbline/runner"
	"plumbline/web/charts"
	"plumbline/web/components"
	"plumbline/web/layout"
	"plumbline/web/pages"
)

// mostLaddered are the experiments on one ladder.
const mostLaddered = 8

// sizePrefix begins the parameters that give the size of a reviewer version.
const sizePrefix = "size_"

// ladderMetrics are the rates a ladder can be drawn for, the default first.
var ladderMetrics = []stats.Metric{stats.CorrectOverAll, stats.Catch, stats.OverRejection, stats.Coverage, stats.Risk}

// ladderRequest is what the address of a ladder says.
type ladderRequest struct {
	path      string
	query     url.Values
	metric    stats.Metric
	byPrice   bool
	sizes     map[string]float64
	published []string
}

func parseLadder(path string, query url.Values) (ladderRequest, error) {
	r := ladderRequest{path: path, query: query, metric: stats.Metric(query.Get("metric")), byPrice: query.Get("by") == "price", sizes: map[string]float64{},
		published: optionsOf(path, query).published}
	if !slices.Contains(ladderMetrics, r.metric) {
		r.metric = ladderMetrics[0]
	}
	for name, values := range query {
		id, ok := strings.CutPrefix(name, sizePrefix)
		text := strings.TrimSpace(strings.ReplaceAll(values[0], ",", "."))
		if !ok || text == "" {
			continue
		}
		v, err := strconv.ParseFloat(text, 64)
		if err != nil || !(v > 0) || math.IsInf(v, 0) || v > 1e6 {
			return r, models.Invalid(name, "a size is a number of billions above 0")
		}
		r.sizes[id] = v
	}
	return r, nil
}

// ladderShow sets size against quality, and the three interventions side by side.
func (h *Handlers) ladderShow(c echo.Context) error {
	ctx, v := c.Request().Context(), viewer(c)
	req, err := parseLadder(experimentURL(c.Param("id"))+"/ladder", c.QueryParams())
	if err != nil {
		return err
	}
	ids := []string{c.Param("id")}
	for _, id := range c.QueryParams()["with"] {
		if id != "" && !slices.Contains(ids, id) {
			ids = append(ids, id)
		}
	}
	if len(ids) > mostLaddered {
		return models.Invalid("with", fmt.Sprintf("set at most %d experiments side by side", mostLaddered))
	}
	var measured []*measured
	var results []runner.Results
	for _, id := range ids {
		e, err := h.store.Experiment(ctx, v, id)
		if err != nil {
			return err
		}
		m, err := h.results.get(ctx, v, e, false)
		if err != nil {
			return err
		}
		measured, results = append(measured, m), append(results, m.Results)
	}
	l, err := h.runner.Ladder(ctx, v, results, runner.LadderOptions{Metric: req.metric, Sizes: req.sizes, ByPrice: req.byPrice})
	if err != nil {
		return err
	}
	view := pages.Ladder{Frame: h.frame(c, "Ladder"), Metric: string(req.metric), Action: req.path}
	first := results[0].Experiment
	view.Frame.Crumbs = crumbs("Home", "/", first.Name, experimentURL(first.ID))
	ladderBadges(&view, results)
	req.switches(&view)
	view.Warnings = unlike(results)
	for _, e := range results {
		if e.Experiment.Kind == runner.KindCascade {
			view.Warnings = append(view.Warnings, e.Experiment.Name+" is a cascade: its reviewers judge what the checks leave, and its rates are those of the whole.")
		}
	}
	ladderRows(&view, l, len(results) > 1)
	view.Outcome, view.Trends = ladderOutcome(l), ladderTrends(l, req.byPrice)
	req.figures(&view, l, measured)
	if err := h.ladderForms(c, req, results, &view); err != nil {
		return err
	}
	return render(c, http.StatusOK, pages.LadderPage(view))
}

// unlike says in what the experiments differ besides their reviewers.
func unlike(results []runner.Results) []string {
	var out []string
	for _, x := range []struct {
		what string
		of   func(models.Experiment) string
	}{
		{"dataset", func(e models.Experiment) string { return e.DatasetID }},
		{"split", func(e models.Experiment) string {
			if e.SplitID == nil {
				return ""
			}
			return *e.SplitID
		}},
		{"the number of votes K", func(e models.Experiment) string { return strconv.Itoa(e.Votes) }},
	} {
		for _, r := range results[1:] {
			if x.of(r.Experiment) != x.of(results[0].Experiment) {
				out = append(out, "The experiments differ in "+x.what+"; part of a difference may come from that. Paired differences are on the traces both have.")
				break
			}
		}
	}
	return out
}

func ladderBadges(view *pages.Ladder, results []runner.Results) {
	for _, r := range results {
		if r.Experiment.Simulated && len(view.Badges) == 0 {
			view.Badges = append(view.Badges, components.Simulated)
		}
	}
	view.Frame.Badges = view.Badges
}

// switches are the links of the head of the page.
func (r ladderRequest) switches(view *pages.Ladder) {
	for _, m := range ladderMetrics {
		d, _ := components.Define(string(m))
		link := layout.Link{Text: d.Name, Href: components.With(r.path, r.query, "metric", string(m))}
		if m == r.metric {
			link.Href = ""
		}
		view.Metrics = append(view.Metrics, link)
	}
	view.Axis = "parameters (billions)"
	byParameters, byPrice := layout.Link{Text: view.Axis, Href: components.With(r.path, r.query, "by", "")}, layout.Link{Text: "price (US$ per million input tokens)", Href: components.With(r.path, r.query, "by", "price")}
	if r.byPrice {
		view.Axis, byPrice.Href = byPrice.Text, ""
	} else {
		byParameters.Href = ""
	}
	view.Axes = []layout.Link{byParameters, byPrice}
	view.Overlays = overlayLinks(resultOptions{path: r.path, query: r.query, published: r.published})
}

// rungName names an arm; with several experiments it says which.
func rungName(r runner.Rung, several bool) string {
	name := r.Arm.Arm.ReviewerName + " · " + r.Arm.Arm.Form
	if several {
		name += " · " + components.FirstLine(r.Experiment.Name, 30)
	}
	return name
}

func ladderRows(view *pages.Ladder, l runner.Ladder, several bool) {
	for _, r := range l.Rungs {
		row := pages.LadderRow{Arm: armRow(r.Experiment, r.Index, r.Arm, optionsOf("", nil)), Name: rungName(r, several), Size: r.Size, SizeFrom: r.SizeFrom, Traces: r.Arm.Counts.N()}
		if len(view.Badges) > 0 { // the page says it once
			row.Arm.Badges = slices.DeleteFunc(row.Arm.Badges, func(b components.Badge) bool { return b.Key == components.Simulated.Key })
		}
		view.Rows = append(view.Rows, row)
	}
}

// ladderOutcome says in words what each intervention did on average.
func ladderOutcome(l runner.Ladder) string {
	d, _ := components.Define(string(l.Metric))
	var parts []string
	for _, kind := range []string{runner.AnotherReviewer, runner.MoreVotes, runner.OtherEvidence} {
		sum, n, lo, hi := 0.0, 0, math.Inf(1), math.Inf(-1)
		for _, x := range l.Interventions {
			if x.Kind == kind && x.Difference.Value != nil {
				v := *x.Difference.Value
				sum, n, lo, hi = sum+v, n+1, math.Min(lo, v), math.Max(hi, v)
			}
		}
		switch n {
		case 0:
		case 1:
			parts = append(parts, kind+" "+withSign(sum))
		default:
			parts = append(parts, fmt.Sprintf("%s %s on average over %d comparisons (%s to %s)", kind, withSign(sum/float64(n)), n, withSign(lo), withSign(hi)))
		}
	}
	if len(parts) == 0 {
		return "There is nothing to compare yet: it takes two reviewers with the same evidence, two votes, or one reviewer with two kinds of evidence."
	}
	return "Change of “" + d.Name + "”: " + strings.Join(parts, "; ") + "."
}

// withSign writes a difference with a true minus.
func withSign(v float64) string { return strings.Replace(fmt.Sprintf("%+.2f", v), "-", "−", 1) }

func ladderTrends(l runner.Ladder, byPrice bool) []string {
	d, _ := components.Define(string(l.Metric))
	size := "Size"
	if byPrice {
		size = "Price"
	}
	var out []string
	for _, t := range l.Trends {
		if t.Tau.Value == nil {
			continue
		}
		says := "is not monotonic"
		if t.Monotonic {
			says = "is monotonic"
		}
		out = append(out, fmt.Sprintf("%s against “%s” with %s evidence %s: Kendall’s tau %s over %d reviewers.", size, d.Name, t.Form, says, withSign(*t.Tau.Value), t.N))
	}
	return out
}

// figures draws the ladder, the plane of catch and over-rejection, the
// interventions and the votes.
func (r ladderRequest) figures(view *pages.Ladder, l runner.Ladder, measured []*measured) {
	over := publishedPoints(r.published)
	several := len(measured) > 1
	var rungs []charts.Rung
	var trades []charts.Trade
	index := map[string]charts.Arm{}
	for i, x := range l.Rungs {
		row := view.Rows[i]
		arm := charts.Arm{ID: x.Arm.Arm.ID, Name: row.Name, Index: x.Index}
		index[arm.ID] = arm
		rate := row.Arm.Rates[view.Metric]
		rungs = append(rungs, charts.Rung{Arm: arm, Form: x.Arm.Arm.Form, Size: x.Size, Value: estimate(rate), From: x.From, Href: rate.Href})
		trades = append(trades, charts.Trade{Arm: arm, Catch: estimate(row.Arm.Rates["catch"]), Over: estimate(row.Arm.Rates["over_rejection"]), From: x.From,
			Href: outcomesURL(x.Experiment.ID, pages.KindWrong, "arm", arm.ID)})
	}
	var printed func(charts.Published) charts.Estimate
	switch {
	case r.byPrice:
	case r.metric == stats.Catch:
		printed = func(p charts.Published) charts.Estimate { return p.Catch }
	case r.metric == stats.OverRejection:
		printed = func(p charts.Published) charts.Estimate { return p.Over }
	}
	view.BySize = charts.LadderFigure(view.Metric, view.Axis, rungs, over, printed)
	if len(r.published) > 0 && printed == nil {
		view.BySize.Notes = append(view.BySize.Notes, "The papers print no such rate by size; choose catch or over-rejection over parameters.")
	}
	view.Tradeoff = charts.Tradeoff(trades, over...)
	view.Changes = charts.Interventions(view.Metric, ladderChanges(l, several))
	at := slices.Index(scalingMetrics, r.metric)
	var scales []charts.Scale
	for _, m := range measured {
		if m.scaling == nil {
			continue
		}
		rows := make([]pages.ArmRow, len(m.Arms))
		for _, s := range m.scales(rows, at, m.scaling) {
			scales = append(scales, s)
		}
		for i, a := range m.Arms {
			scales[len(scales)-len(m.Arms)+i].Arm = index[a.Arm.ID]
		}
	}
	var votes []charts.PublishedScale
	if r.metric == stats.CorrectOverAll && len(r.published) > 0 {
		t, points := published.MoreVotes()
		for _, p := range points {
			votes = append(votes, charts.PublishedScale{K: p.K, Value: &p.Correct.Value, Name: "mean of three reviewers, official", Source: t.Cite(), Href: publishedURL(t.Key)})
		}
	}
	view.Votes = charts.Scaling(view.Metric, scales, votes...)
}

func ladderChanges(l runner.Ladder, several bool) []charts.Change {
	var out []charts.Change
	for _, x := range l.Interventions {
		c := charts.Change{Kind: x.Kind, Name: rungName(x.From, several) + " → " + rungName(x.To, several), First: x.First, Second: x.Second, Value: x.Difference.Value, N: x.N, Why: x.Difference.Reason,
			Href: "/compare?" + url.Values{"arm": {x.From.Arm.Arm.ID, x.To.Arm.Arm.ID}}.Encode()}
		from, to := x.From.Arm.Arm, x.To.Arm.Arm
		switch x.Kind {
		case runner.MoreVotes:
			c.Name = fmt.Sprintf("%s: K = %d → %d", rungName(x.From, several), x.FromK, x.ToK)
			c.Label = fmt.Sprintf("K %d→%d %s · %s", x.FromK, x.ToK, from.ReviewerName, from.Form)
			c.Href = outcomesURL(x.From.Experiment.ID, pages.KindAll, "arm", from.ID) + "&group=votes"
		case runner.OtherEvidence:
			c.Label = "→ " + to.Form + " · " + from.ReviewerName
		case runner.AnotherReviewer:
			c.Label = "→ " + to.ReviewerName + " · " + from.Form
		}
		if x.Interval != nil {
			c.Lo, c.Hi = &x.Interval.Lo, &x.Interval.Hi
		}
		out = append(out, c)
	}
	return out
}

// ladderForms fills what the reader can change: experiments and sizes.
func (h *Handlers) ladderForms(c echo.Context, req ladderRequest, results []runner.Results, view *pages.Ladder) error {
	for i, r := range results {
		line := pages.LadderExperiment{Name: r.Experiment.Name, Href: experimentURL(r.Experiment.ID)}
		if i > 0 {
			line.RemoveURL = toggled(req.path, req.query, "with", r.Experiment.ID, false)
			view.Keep = append(view.Keep, components.Pair{Name: "with", Value: r.Experiment.ID})
		}
		view.Experiments = append(view.Experiments, line)
	}
	for _, name := range []string{"metric", "by", "published"} {
		for _, value := range req.query[name] {
			view.Keep = append(view.Keep, components.Pair{Name: name, Value: value})
		}
	}
	seen := map[string]bool{}
	for _, row := range view.Rows {
		id := ""
		for _, r := range results {
			for _, a := range r.Arms {
				if a.Arm.ID == row.Arm.ID {
					id = a.Arm.ReviewerVersionID
				}
			}
		}
		if seen[id] {
			continue
		}
		seen[id] = true
		f := pages.SizeField{Name: sizePrefix + id, Label: row.Arm.Reviewer, Value: req.query.Get(sizePrefix + id)}
		if row.SizeFrom == runner.SizeOfModel {
			f.Hint = fmt.Sprintf("%.4g by its name", *row.Size)
		}
		view.Sizes = append(view.Sizes, f)
	}
	choices, err := h.store.ArmChoices(c.Request().Context(), viewer(c), 30)
	if err != nil {
		return err
	}
	here := map[string]bool{}
	for _, r := range results {
		here[r.Experiment.ID] = true
	}
	for _, x := range choices {
		if here[x.Experiment.ID] || x.Experiment.Kind == models.KindControl {
			continue
		}
		here[x.Experiment.ID] = true
		view.Add = append(view.Add, components.Choice{Value: x.Experiment.ID, Text: components.FirstLine(x.Experiment.Name, 60) + " (" + components.FirstLine(x.DatasetName, 40) + ")"})
	}
	return nil
}
