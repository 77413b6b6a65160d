package handlers

import (
	"fmt"
	"net/url"
	"slices"

	"plumbline/experiments/evidence"
	"plumbline/experiments/published"
	"plumbline/experiments/stats"
	"plumbline/models"
	"plumbline/runner"
	"plumbline/web/components"
	"plumbline/web/layout"
	"plumbline/web/pages"
)

// The intervals a reader can choose; the value of the "interval" parameter.
const (
	intervalWilson    = "wilson"
	intervalBootstrap = "bootstrap"
	intervalInstance  = "instance"
)

var intervalNames = map[string]string{
	intervalWilson:    "Wilson",
	intervalBootstrap: "percentile bootstrap by trace",
	intervalInstance:  "percentile bootstrap by instance",
}

// resultOptions is what the address of a result page says.
type resultOptions struct {
	path     string
	query    url.Values
	interval string
	arm      string
	public   bool
	// published are the keys of the published results laid over the charts.
	published []string
	// prefix asks what the first K votes decided instead of all subsets of K.
	prefix   bool
	prefixes [][][]stats.ExpectedRate // filled when prefix is set
}

func optionsOf(path string, query url.Values) resultOptions {
	o := resultOptions{path: path, query: query, interval: query.Get("interval"), arm: query.Get("arm")}
	if intervalNames[o.interval] == "" {
		o.interval = intervalWilson
	}
	for _, key := range query["published"] {
		if _, ok := published.OverlayByKey(key); ok && !slices.Contains(o.published, key) {
			o.published = append(o.published, key)
		}
	}
	o.prefix = query.Get("scaling") == "prefix"
	return o
}

// rateKinds says which list of traces is the numerator of a rate.
var rateKinds = map[stats.Metric]pages.OutcomeKind{
	stats.Catch: pages.KindCatches, stats.CatchDecided: pages.KindCatches, stats.RejectPrecision: pages.KindCatches,
	stats.Miss: pages.KindMisses, stats.MissDecided: pages.KindMisses,
	stats.OverRejection: pages.KindFalseRejections, stats.OverRejectionDecided: pages.KindFalseRejections,
	stats.CorrectAccept: pages.KindGoodAccepts, stats.AcceptPrecision: pages.KindGoodAccepts,
	stats.Coverage: pages.KindDecided, stats.Risk: pages.KindWrong, stats.ErrorOverAll: pages.KindWrong,
	stats.Accuracy: pages.KindCorrect, stats.CorrectOverAll: pages.KindCorrect,
	stats.AbstainDefect: pages.KindAbstentions, stats.AbstainAcceptable: pages.KindAbstentions, stats.ShareUncertain: pages.KindAbstentions,
	stats.ShareAccept: pages.KindAccepted, stats.ShareReject: pages.KindRejected, stats.ShareUnparseable: pages.KindUnparseable,
}

// outcomesURL is the address of a list of an experiment's traces.
func outcomesURL(experimentID string, kind pages.OutcomeKind, more ...string) string {
	q := url.Values{"kind": {string(kind)}}
	for i := 0; i+1 < len(more); i += 2 {
		if more[i+1] != "" {
			q.Set(more[i], more[i+1])
		}
	}
	return "/experiments/" + url.PathEscape(experimentID) + "/errors?" + q.Encode()
}

// resultView makes the view model of a result.
func resultView(m *measured, o resultOptions) pages.Result {
	e := m.Experiment
	r := pages.Result{Interval: intervalNames[o.interval], Sort: o.query.Get("sort"), Columns: o.query["col"]}
	if o.interval != intervalWilson {
		r.Interval += fmt.Sprintf(", %s resamples, seed %d", components.Count(stats.DefaultResamples), e.Seed)
	}
	r.SortURL = func(key string) string { return components.With(o.path, o.query, "sort", key) }
	for _, name := range []string{intervalWilson, intervalBootstrap, intervalInstance} {
		if name != o.interval && (name != intervalInstance || m.SharedInstances) {
			r.Switch = append(r.Switch, layout.Link{Text: intervalNames[name], Href: components.With(o.path, o.query, "interval", name)})
		}
	}
	r.Choose = components.Chooser{Action: o.path, Options: pages.ColumnChoices(o.query["col"])}
	for _, key := range []string{"sort", "interval", "arm", "published", "scaling"} {
		for _, v := range o.query[key] {
			r.Choose.Keep = append(r.Choose.Keep, components.Pair{Name: key, Value: v})
		}
	}
	if m.SharedInstances && o.interval != intervalInstance {
		r.Warnings = append(r.Warnings, "Several traces share an instance, and these intervals take them as independent; the bootstrap by instance does not.")
	}
	simulated := 0
	for _, a := range m.Arms {
		if a.Arm.Simulated {
			simulated++
		}
	}
	if simulated > 0 {
		r.Badges = append(r.Badges, components.Simulated)
	}
	unknown := 0
	for i, a := range m.Arms {
		row := armRow(e, i, a, o)
		if simulated == len(m.Arms) { // the page says it once
			row.Badges = slices.DeleteFunc(row.Badges, func(b components.Badge) bool { return b.Key == components.Simulated.Key })
		}
		r.Arms = append(r.Arms, row)
		unknown = max(unknown, a.Unknown.N())
	}
	if unknown > 0 {
		r.Warnings = append(r.Warnings, components.Plural(unknown, "trace has", "traces have")+" no known label and "+isAre(unknown)+" in no rate.")
	}
	r.Outcome = pages.Outcome(r.Arms, e.State == models.StateDone || e.State == models.StateStopped)
	m.figures(&r, o)
	r.Areas, r.Baselines, r.Overlays = m.areas(r.Arms), m.baselineNotes(), overlayLinks(o)
	return r
}

func isAre(n int) string {
	if n == 1 {
		return "is"
	}
	return "are"
}

func armRow(e models.Experiment, i int, a runner.ArmResult, o resultOptions) pages.ArmRow {
	form := evidence.Form(a.Arm.Form)
	row := pages.ArmRow{
		ID: a.Arm.ID, Index: i, Reviewer: a.Arm.ReviewerName, Model: a.Arm.Model, Form: a.Arm.Form, UpperBound: form.UpperBound(),
		Rates: map[string]components.Rate{}, Voted: a.Fleiss.Items,
		Fleiss: quantity(stats.Number{Value: a.Fleiss.Value, Reason: a.Fleiss.Reason}, a.Agree.Fleiss), Alpha: quantity(stats.Number{Value: a.Alpha.Value, Reason: a.Alpha.Reason}, a.Agree.Alpha),
		Selected: o.arm == a.Arm.ID,
	}
	if a.Arm.Simulated {
		row.Badges = append(row.Badges, components.Simulated)
	}
	if !form.Deployable() {
		row.Badges = append(row.Badges, components.NotDeployable)
	}
	if a.Cost.Cached > 0 {
		row.Badges = append(row.Badges, components.Cached)
	}
	for _, d := range stats.Definitions() {
		row.Rates[string(d.Metric)] = rateView(e, a, d.Metric, o)
	}
	items := 0
	for _, n := range a.Items {
		items += n
	}
	count := func(kind pages.OutcomeKind, n int) pages.ArmCount {
		c := pages.ArmCount{N: n, Href: outcomesURL(e.ID, kind, "arm", a.Arm.ID), Of: items}
		if iv, _ := stats.Wilson(n, items, 0); iv != nil {
			c.Lo, c.Hi = &iv.Lo, &iv.Hi
		}
		return c
	}
	row.Ties = votedRate("tie", a.Ties, a.Voted, outcomesURL(e.ID, pages.KindTies, "arm", a.Arm.ID), o)
	row.Unanimous = votedRate("unanimous", a.Unanimous, a.Voted, outcomesURL(e.ID, pages.KindAll, "arm", a.Arm.ID, "share", "1"), o)
	row.Votes = components.Rate{K: a.Cost.Votes, N: items * e.Votes}
	row.Errors = count(pages.KindErrors, a.Items[models.ItemError])
	row.Missing = count(pages.KindMissing, a.Items[models.ItemPending]+a.Items[models.ItemRunning])
	row.Blocked = count(pages.KindBlocked, a.Items[models.ItemBlocked])
	costs(&row, a.Cost)
	return row
}

// votedRate is a share of the traces with votes.
func votedRate(metric string, k, n int, href string, o resultOptions) components.Rate {
	r := wilsonRate(stats.RateOf(k, n, "no trace has votes"))
	r.Metric = metric
	if !o.public {
		r.Href = href
	}
	return r
}

// rateView is one rate with the interval the reader chose.
func rateView(e models.Experiment, a runner.ArmResult, metric stats.Metric, o resultOptions) components.Rate {
	m := a.Measures.Of(metric)
	iv := m.Wilson
	switch {
	case o.interval == intervalBootstrap:
		iv = m.Bootstrap
	case o.interval == intervalInstance && a.ByInstance != nil:
		iv = a.ByInstance.Of(metric).Bootstrap
	}
	r := components.Rate{Metric: string(metric), K: m.K, N: m.N, Value: m.Value, Why: m.Reason}
	if iv != nil {
		r.Lo, r.Hi, r.Method, r.Warnings = &iv.Lo, &iv.Hi, iv.Method, iv.Warnings
		if iv.Resamples > 0 {
			r.Method += fmt.Sprintf(", %s resamples, seed %d", components.Count(iv.Resamples), iv.Seed)
		}
	}
	if kind, ok := rateKinds[metric]; ok && !o.public {
		r.Href = outcomesURL(e.ID, kind, "arm", a.Arm.ID)
	}
	return r
}

// costs fills what an arm cost. A sum over votes of which one is unknown is
// unknown: it is never shown as the smaller sum.
func costs(row *pages.ArmRow, c models.ArmCost) {
	simulated := len(row.Badges) > 0 && row.Badges[0].Key == components.Simulated.Key
	switch {
	case c.Votes == 0:
		row.CostWhy = "no vote has arrived yet"
	case c.CostKnown == c.Votes:
		row.Cost = &c.CostUSD
	case simulated:
		row.CostWhy = "a simulated reviewer has no price"
	default:
		row.CostWhy = fmt.Sprintf("%d of %d votes have no known price", c.Votes-c.CostKnown, c.Votes)
		row.Badges = append(row.Badges, components.UnknownPrice)
	}
	if tokens := c.InputTokens + c.OutputTokens; c.Votes > 0 && c.TokensKnown == c.Votes {
		row.Tokens = &tokens
	}
	if asked := c.Votes - c.Cached; asked > 0 && c.Cached == 0 {
		mean := float64(c.LatencyMS) / float64(asked) / 1000
		row.Latency = &mean
	}
}
