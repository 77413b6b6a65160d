package pages

import (
	"fmt"
	"math"
	"time"

	"github.com/a-h/templ"

	"plumbline/experiments/stats"
	"plumbline/experiments/trace"
	"plumbline/experiments/vote"
	"plumbline/web/charts"
	"plumbline/web/components"
	"plumbline/web/layout"
)

// The samples stand for what handlers build: real statistics of made-up counts.

var sampleNow = time.Date(2026, 3, 4, 12, 0, 0, 0, time.UTC)

func sampleFrame(title string) layout.Frame {
	return layout.Frame{
		Title: title, Project: layout.Link{Text: "Local", Href: "/"}, Version: "v0.1.0",
		Nav:     []layout.NavItem{{Text: "Home", Href: "/", Current: title == "Home"}, {Text: "Reviewers", Href: "/reviewers"}, {Text: "Compare", Href: "/compare"}},
		Search:  layout.Search{Action: "/search", Hint: "Search traces"},
		Account: layout.Account{Name: "editor", Role: "admin of Local", SignOutURL: "/logout"},
	}
}

type sampleArm struct {
	reviewer, model, form  string
	d, a                   stats.Class
	errors, blocked, waits int
}

var sampleArms = []sampleArm{
	{"gpt-large", "gpt-large-2026-01", "summary", stats.Class{Accept: 41, Reject: 38, Uncertain: 10}, stats.Class{Accept: 24, Reject: 5, Uncertain: 3}, 0, 0, 0},
	{"gpt-large", "gpt-large-2026-01", "patch", stats.Class{Accept: 15, Reject: 68, Uncertain: 6}, stats.Class{Accept: 4, Reject: 21, Uncertain: 7}, 2, 0, 0},
	{"gpt-large", "gpt-large-2026-01", "structured", stats.Class{Accept: 12, Reject: 72, Uncertain: 4, Unparseable: 1}, stats.Class{Accept: 13, Reject: 15, Uncertain: 4}, 0, 0, 0},
	{"gpt-large", "gpt-large-2026-01", "official", stats.Class{Reject: 89}, stats.Class{Accept: 32}, 0, 0, 0},
	{"small-7b", "small-7b-instruct", "structured", stats.Class{Accept: 30, Reject: 44, Uncertain: 10, Unparseable: 5}, stats.Class{Accept: 12, Reject: 13, Uncertain: 6, Unparseable: 1}, 0, 3, 0},
	{"small-7b", "small-7b-instruct", "official", stats.Class{Accept: 6, Reject: 80, Uncertain: 3}, stats.Class{Accept: 27, Reject: 3, Uncertain: 2}, 0, 0, 4},
}

func wilson(k, n int) (lo, hi *float64) {
	iv, _ := stats.Wilson(k, n, 0)
	if iv == nil {
		return nil, nil
	}
	return &iv.Lo, &iv.Hi
}

func sampleRates(c stats.ReviewCounts, href string) map[string]components.Rate {
	out := map[string]components.Rate{}
	for _, d := range stats.Definitions() {
		r := c.Rate(d.Metric)
		lo, hi := wilson(r.K, r.N)
		out[string(d.Metric)] = components.Rate{Metric: string(d.Metric), K: r.K, N: r.N, Value: r.Value, Lo: lo, Hi: hi, Method: "Wilson", Why: r.Reason, Href: href + "&kind=" + string(d.Metric)}
	}
	return out
}

func sampleEstimate(r components.Rate) charts.Estimate {
	return charts.Estimate{K: r.K, N: r.N, Value: r.Value, Lo: r.Lo, Hi: r.Hi}
}

// sampleResult builds a result of n arms, repeating the six with new names.
func sampleResult(n int, done bool) Result {
	r := Result{Interval: "Wilson", Switch: []layout.Link{{Text: "use the bootstrap", Href: "?interval=bootstrap"}},
		SortURL: func(key string) string { return "?sort=" + key },
		Choose:  components.Chooser{Action: "/experiments/ex_1", Options: ColumnChoices(nil)}}
	var curves []charts.Curve
	var trades []charts.Trade
	var mixes []charts.Mix
	var splits []charts.VoteSplits
	var scales []charts.Scale
	for i := range n {
		s := sampleArms[i%len(sampleArms)]
		if i >= len(sampleArms) {
			s.reviewer = fmt.Sprintf("%s-%d", s.reviewer, i/len(sampleArms)+1)
		}
		counts := stats.ReviewCounts{Defect: s.d, Acceptable: s.a}
		if !done {
			counts = stats.ReviewCounts{}
			s.errors, s.blocked, s.waits = 0, 0, 121
		}
		href := fmt.Sprintf("/experiments/ex_1/errors?arm=arm_%d", i)
		row := ArmRow{ID: fmt.Sprintf("arm_%d", i), Index: i, Reviewer: s.reviewer, Model: s.model, Form: s.form,
			Rates: sampleRates(counts, href), Fleiss: Quantity{Value: new(0.71 - 0.03*float64(i%7)), Lo: new(0.5), Hi: new(0.8)}, Alpha: Quantity{Value: new(0.7)}, Voted: counts.N(), Votes: components.Rate{K: 5 * counts.N(), N: 605},
			Errors: ArmCount{N: s.errors, Href: href + "&kind=errors", Of: 121}, Missing: ArmCount{N: s.waits, Href: href + "&kind=missing", Of: 121}, Blocked: ArmCount{N: s.blocked, Href: href + "&kind=blocked"},
			Cost: new(0.42 + float64(i)), CostWhy: "no price is known for " + s.model, Ties: components.Rate{Metric: "tie", K: 3, N: 121, Value: new(3.0 / 121)}}
		if s.form == "official" {
			row.Badges, row.UpperBound = append(row.Badges, components.NotDeployable), true
		}
		if s.reviewer == "small-7b" {
			row.Cost = nil
		}
		if !done {
			row.Fleiss, row.Ties, row.Cost, row.CostWhy = Quantity{Why: "no trace has two votes yet"}, components.Rate{Why: "no trace has votes"}, nil, "no vote yet"
		}
		r.Arms = append(r.Arms, row)
		arm := row.arm()
		curve := charts.Curve{Arm: arm, Coverage: sampleEstimate(row.Rates["coverage"]), Risk: sampleEstimate(row.Rates["risk"])}
		scale := charts.Scale{Arm: arm}
		if done {
			for k := 1; k <= 3; k++ {
				cov := *curve.Coverage.Value * float64(k) / 3
				risk := *curve.Risk.Value * math.Sqrt(float64(k)/3)
				curve.Points = append(curve.Points, charts.CurvePoint{Coverage: &cov, Risk: &risk, Lo: new(risk * 0.8), Hi: new(math.Min(1, risk*1.2+0.01)), Confidence: new(1 - 0.2*float64(k-1)), Wrong: k, Decided: 10 * k})
			}
			for k := 1; k <= 5; k++ {
				v := *row.Rates["catch"].Value * (0.8 + 0.04*float64(k))
				scale.Points = append(scale.Points, charts.ScalePoint{K: k, N: 121, Value: &v, Lo: new(v * 0.93), Hi: new(math.Min(1, v*1.05))})
			}
		}
		curves = append(curves, curve)
		scales = append(scales, scale)
		trade := charts.Trade{Arm: arm, Catch: sampleEstimate(row.Rates["catch"]), Over: sampleEstimate(row.Rates["over_rejection"])}
		if s.form == "official" {
			trade.From = fmt.Sprintf("arm_%d", i-1)
		}
		trades = append(trades, trade)
		for label, c := range map[trace.Label]stats.Class{trace.Acceptable: counts.Acceptable, trace.Defective: counts.Defect} {
			mixes = append(mixes, charts.Mix{Arm: arm, Label: label, Parts: []charts.Part{
				{Mark: components.Accept, Count: c.Accept, Href: href}, {Mark: components.Reject, Count: c.Reject, Href: href}, {Mark: components.Uncertain, Count: c.Uncertain},
				{Mark: components.Unparseable, Count: c.Unparseable}, {Mark: components.Errored, Count: s.errors}, {Mark: components.Missing, Count: s.waits / 2},
			}})
		}
		if done {
			splits = append(splits, charts.VoteSplits{Arm: arm, Splits: []charts.Split{{Text: "5", Right: 60 - i, Wrong: 11}, {Text: "4–1", Right: 20, Wrong: 7}, {Text: "3–2", Right: 9 + i, Wrong: 9}, {Text: "2–2–1", Undone: 5}}})
		} else {
			splits = append(splits, charts.VoteSplits{Arm: arm})
		}
	}
	for _, a := range r.Arms {
		if done {
			q := Quantity{Value: new(0.123), Lo: new(0.1), Hi: new(0.2)}
			r.Areas = append(r.Areas, AreaRow{Name: a.Name(), Index: a.Index, N: 121, Decided: 100 + a.Index, AURC: Quantity{Why: "the arm abstains"}, EAURC: Quantity{Why: "the arm abstains"}, AUGRC: Quantity{Why: "the arm abstains"},
				AURCPartial: q, AUGRCPartial: q, AURCDecided: q})
		}
	}
	r.Baselines = []string{"Rules alone are not drawn: no check of these traces is stored."}
	r.Overlays = []OverlayLink{{Text: "paper G, Table 3", Title: "Frozen cascade", Href: "?published=g-table-3", On: true}, {Text: "paper G, Table 2", Href: "?published=g-table-2"}}
	r.ScalingSays = "Over all subsets of K recorded votes."
	r.ScalingSwitch = layout.Link{Text: "Show the first K votes instead", Href: "?scaling=prefix"}
	r.RiskCoverage, r.Tradeoff = charts.RiskCoverage(curves), charts.Tradeoff(trades)
	r.Composition, r.Agreement = charts.Composition(mixes), charts.Agreement(splits)
	r.Scaling = []charts.Figure{charts.Scaling("catch", scales), charts.Reliability(nil)}
	if done {
		r.ErrorsBy = []charts.Figure{charts.Errors("repository", []charts.Group{
			{Name: "django/django", Misses: 8, Rejections: 11, Traces: 50, MissHref: "/x", RejectedHref: "/y"}, {Name: "sympy/sympy", Misses: 4, Rejections: 6, Traces: 30}, {Name: "pytest-dev/pytest", Misses: 3, Rejections: 1, Traces: 12},
		})}
	}
	r.Outcome = Outcome(r.Arms, done)
	return r
}

func sampleExperiment(n int, status components.Status) Experiment {
	e := Experiment{Frame: sampleFrame("Evidence forms, held-out"), Now: sampleNow, Result: sampleResult(n, status != components.Queued)}
	e.Frame.Crumbs = []layout.Link{{Text: "Home", Href: "/"}, {Text: "swe-traces", Href: "/datasets/ds_1"}}
	e.Frame.Badges = []components.Badge{components.Simulated, components.EvaluatedTimes(1)}
	e.Frame.Actions = []layout.Action{{Text: "Wrong decisions", Href: "/experiments/ex_1/errors", Key: "e"}, {Text: "Compare", Href: "/compare?arm=arm_0"}, {Text: "Share", Href: "#share", Primary: true}}
	total := 121 * n
	e.State = ExperimentState{Status: status, Now: sampleNow, Started: sampleNow.Add(-9 * time.Minute), Progress: components.Progress{Total: total, Done: total - 9, Errors: 2, Blocked: 3}}
	switch status {
	case components.Running:
		e.State.Progress = components.Progress{Total: total, Done: total / 2, Running: 20, Errors: 2, Rate: new(3.2), Left: new(95 * time.Second)}
		e.State.EventsURL, e.State.ReloadURL = "/experiments/ex_1/events", "/experiments/ex_1/results"
		e.State.Actions = []layout.Action{{Text: "Stop", Href: "/experiments/ex_1/stop", Post: true}}
	case components.Queued:
		e.State.Progress = components.Progress{Total: total}
		e.State.Started = time.Time{}
	case components.Done:
		e.State.Finished = sampleNow.Add(-2 * time.Minute)
	}
	e.Facts = []Fact{{Name: "dataset", Value: "swe-traces", Href: "/datasets/ds_1"}, {Name: "split", Value: "held-out (121 traces)"}, {Name: "votes K", Value: "5"}, {Name: "seed", Value: "20260304"},
		{Name: "prompt version", Value: "review-3", Mono: true}, {Name: "code", Value: "v0.1.0 (1f2e3d4)", Mono: true}, {Name: "evidence", Value: "726 texts, sha256:9f3a12bb…", Mono: true}, {Name: "manifest", Value: ""}}
	e.Result.Problems = []Problem{{Arm: "gpt-large · patch", Class: "rate limit", Status: 429, Count: 18, Example: "429 Too Many Requests: slow down, retry after 2 s", Href: "/experiments/ex_1/errors?kind=errors"}}
	e.Share = &SharePanel{CreateURL: "/experiments/ex_1/share", Links: []ShareLink{
		{By: "editor", Made: sampleNow.Add(-26 * time.Hour), Expires: sampleNow.Add(29 * 24 * time.Hour), RevokeURL: "/shares/sl_1/revoke"},
		{By: "editor", Made: sampleNow.Add(-30 * 24 * time.Hour), Revoked: true},
	}}
	return e
}

func sampleHome() Home {
	line := func(name string, status components.Status, p components.Progress, badges ...components.Badge) ExperimentLine {
		return ExperimentLine{ID: name, Name: name, Href: "/experiments/ex_1", Kind: "review", Dataset: "swe-traces", DatasetHref: "/datasets/ds_1", Split: "held-out", Status: status,
			Progress: p, Arms: 6, Votes: 5, ErrorsHref: "/experiments/ex_1/errors?kind=errors", Badges: badges, Started: sampleNow.Add(-3 * time.Hour)}
	}
	f := sampleFrame("Home")
	f.Actions = []layout.Action{{Text: "Import traces", Href: "/import"}, {Text: "New experiment", Href: "/experiments/new", Primary: true}}
	return Home{Frame: f, Now: sampleNow, NewURL: "/experiments/new", ImportURL: "/import", MoreURL: "/experiments", SortURL: func(k string) string { return "?sort=" + k },
		Datasets: []DatasetLine{
			{Name: "bundled", Href: "/datasets/ds_0", Bundled: true, Instances: 12, Traces: 66, Acceptable: 28, Defective: 38, Added: sampleNow.Add(-50 * time.Hour), Note: "The project's own cases with executed labels."},
			{Name: "swe-traces", Href: "/datasets/ds_1", Instances: 500, Traces: 200_411, Acceptable: 88_120, Defective: 112_000, Unknown: 291, Added: sampleNow.Add(-time.Hour)},
		},
		Experiments: []ExperimentLine{
			line("First look, simulated", components.Running, components.Progress{Total: 726, Done: 300, Running: 16, Errors: 4}, components.Simulated),
			line("Evidence forms, held-out", components.Done, components.Progress{Total: 726, Done: 726}, components.EvaluatedTimes(2)),
			line("Transfer", components.Stopped, components.Progress{Total: 354, Done: 120, Errors: 12}),
			line("Waiting", components.Queued, components.Progress{Total: 354}),
		}}
}

func sampleErrors() Errors {
	f := sampleFrame("False rejections")
	f.Crumbs = []layout.Link{{Text: "Home", Href: "/"}, {Text: "Evidence forms, held-out", Href: "/experiments/ex_1"}}
	e := Errors{Frame: f, Now: sampleNow, Kind: KindFalseRejections, Total: 21, CSVURL: "/experiments/ex_1/errors.csv", AllURL: "/experiments/ex_1/errors",
		Pager: components.Pager{Shown: "1–8 of 21 traces", Next: "?after=x"}, Group: "repository",
		GroupBy: []layout.Link{{Text: "repository"}, {Text: "agent", Href: "?group=agent"}, {Text: "bucket", Href: "?group=bucket"}, {Text: "vote split", Href: "?group=split"}, {Text: "patch size", Href: "?group=size"}},
		Groups:  []OutcomeGroup{{"django/django", 11, 50, "?repo=django"}, {"sympy/sympy", 6, 30, "?repo=sympy"}, {"pytest-dev/pytest", 4, 0, "?repo=pytest"}},
		SortURL: func(k string) string { return "?sort=" + k },
		Filters: []components.Filter{
			{Name: "arm", Clear: "?", Options: []components.FilterOption{{Text: "gpt-large · patch", Selected: true, Href: "?arm=1"}, {Text: "small-7b · structured", Href: "?arm=2", Count: new(14)}}},
			{Name: "repository", Options: []components.FilterOption{{Text: "django/django", Href: "?repo=django", Count: new(11)}}}, {Name: "agent"}, {Name: "bucket"},
		}}
	for i, k := range OutcomeKinds {
		if !k.Mistake {
			continue
		}
		tab := KindTab{Kind: k.Kind, Count: new(21 - 3*i), Href: "?kind=" + string(k.Kind), Current: k.Kind == e.Kind}
		if k.Kind == KindMisread {
			tab.Count, tab.Why = nil, "not audited"
		}
		e.Tabs = append(e.Tabs, tab)
	}
	marks := []components.Mark{components.Reject, components.Reject, components.Accept, components.Reject, components.Uncertain}
	for i := range 8 {
		var votes []components.Square
		for j := range 5 {
			votes = append(votes, components.Square{Mark: marks[(i+j)%5], Says: "The guard for the empty list is missing.\nSecond line", Href: "/traces/tr_1", Cached: j == 3})
		}
		o := OutcomeLine{Instance: fmt.Sprintf("django__django-1%04d", 371*i), Href: "/traces/tr_1", Repo: "django/django", Agent: "mini-agent 1.2", Truth: components.Truth{Label: trace.Acceptable, From: trace.Imported},
			Decision: components.MarkOf(vote.Reject), Votes: votes, Arm: "gpt-large · patch", ArmIndex: 1, Added: new(12 * i), Removed: new(3)}
		if i%3 == 1 {
			o.Truth, o.Decision = components.Truth{Label: trace.Defective, Bucket: trace.NoChange}, components.Unparseable
		}
		if i%3 == 2 {
			o.Truth, o.Decision, o.Votes = components.Truth{Label: trace.Defective, Bucket: trace.Omission}, components.Errored, []components.Square{{Mark: components.Errored}, {Mark: components.Missing}, {Mark: components.Blocked}}
		}
		e.Rows = append(e.Rows, o)
	}
	return e
}

func sampleCompare() Compare {
	r := sampleResult(3, true)
	f := sampleFrame("Compare")
	c := Compare{
		Frame: f, Warnings: []string{"The arms differ in number of votes K (5; 3); part of a difference may come from that."}, Shared: 118, RowsURL: "?rows=all",
		Modes:    []TabLink{{Text: "With the baseline (2)", Href: "?", Current: true}, {Text: "All pairs (3)", Href: "?pairs=all"}},
		Settings: []SettingRow{{Name: "votes K", Values: []string{"5", "5", "3"}, Differs: true, Warn: true}, {Name: "evidence form", Values: []string{"summary", "patch", ""}, Differs: true}, {Name: "seed", Values: []string{"1", "1", "1"}}},
	}
	for _, m := range []string{"catch", "over_rejection", "risk"} {
		row := DeltaRow{Metric: m, Differs: true}
		for i := range 2 {
			d := Delta{Difference: components.Rate{Value: new(0.155), Lo: new(0.06), Hi: new(0.25), Method: "paired percentile bootstrap by trace"}, Base: r.Arms[0].Rates[m], Other: r.Arms[i+1].Rates[m]}
			if i == 1 && m == "risk" {
				d = Delta{Difference: components.Rate{Why: "nothing was decided"}}
			}
			row.Deltas = append(row.Deltas, d)
		}
		c.Differences = append(c.Differences, row)
	}
	for i, a := range r.Arms {
		arm := CompareArm{ID: a.ID, Name: a.Name(), Href: "/experiments/ex_1", Experiment: "Evidence forms, held-out", Traces: 121, Rates: a.Rates, Badges: a.Badges, RemoveURL: "?", FirstURL: "?"}
		if i == 0 {
			arm.FirstURL = ""
		}
		c.Arms = append(c.Arms, arm)
		c.Picker.Options = append(c.Picker.Options, PickOption{ID: a.ID, Name: a.Name(), Experiment: "ex_1", Group: "Evidence forms, held-out", Selected: true})
	}
	c.Picker.Action = "/compare"
	for i, a := range c.Arms[1:] {
		p := Pair{Base: c.Arms[0], Other: a, Opened: true, OpenURL: "?pair=a~b#pair", Method: "paired percentile bootstrap by trace, 10,000 resamples, seed 7", Shared: 121,
			AccuracyBase: components.Rate{K: 54, N: 97}, AccuracyOther: components.Rate{K: 69, N: 97}, CoverBase: components.Rate{K: 108, N: 121}, CoverOther: components.Rate{K: 106, N: 121}, Both: 97, OnlyBase: 11, OnlyOther: 9, Neither: 4, RightRight: FlipCount{50, "/x"}, RightWrong: FlipCount{4 + i, "/x"}, WrongRight: FlipCount{19, "/x"}, WrongWrong: FlipCount{24, "/x"},
			Difference: components.Rate{Value: new(0.155), Lo: new(0.06), Hi: new(0.25)}, McNemar: new(0.0026), MidP: new(0.0013), Permuted: new(0.0026), PermutedBy: "exact", Q: new(0.0052),
			Coverage: components.Rate{Value: new(-0.02), Lo: new(-0.07), Hi: new(0.04)}, Detectable: new(0.136), Sentence: "On the 97 traces both decided, going from gpt-large · summary to gpt-large · patch mends 19 and breaks 4: +15.5 points of accuracy (95% interval +6.0 to +25.0). gpt-large · patch is the more accurate of the two (exact McNemar p = 0.0026).", Kappa: new(0.48)}
		if i == 1 {
			p.McNemar, p.Q = new(0.21), new(0.21)
			p.Warnings = []string{"This arm saw 3 traces that the baseline did not; they are left out."}
		}
		for j := range 4 {
			p.Flips = append(p.Flips, Flip{Instance: fmt.Sprintf("sympy__sympy-%d", 13000+j), Href: "/traces/tr_1", Truth: components.Truth{Label: trace.Defective, Bucket: trace.Omission}, Base: components.Reject, Other: components.Accept, ToWrong: j < 2})
			if j >= 2 {
				p.Flips[j].Base, p.Flips[j].Other = components.Accept, components.Reject
			}
		}
		p.More = 15
		c.Pairs = append(c.Pairs, p)
	}
	return c
}

func sampleShare() Share {
	e := sampleExperiment(6, components.Done)
	return Share{Title: "Evidence forms, held-out", Badges: e.Frame.Badges, State: e.State, Result: e.Result, Facts: e.Facts, Expires: "The link ends on 3 April 2026.", Version: "v0.1.0"}
}

func samplePages() map[string]templ.Component {
	state := State{Frame: sampleFrame("Not found"), Code: 404, What: "There is no experiment ex_404, or you may not see it.", Todo: "Check the address, or go back to the list.", Request: "req_1", Links: []layout.Link{{Text: "Home", Href: "/"}}}
	emptyHome := Home{Frame: sampleFrame("Home"), Now: sampleNow, ImportURL: "/import", NewURL: "/experiments/new"}
	return map[string]templ.Component{
		"home": HomePage(sampleHome()), "home-empty": HomePage(emptyHome),
		"experiment": ExperimentPage(sampleExperiment(6, components.Done)), "experiment-1": ExperimentPage(sampleExperiment(1, components.Done)),
		"experiment-18": ExperimentPage(sampleExperiment(18, components.Done)), "experiment-0": ExperimentPage(sampleExperiment(3, components.Queued)),
		"experiment-running": ExperimentPage(sampleExperiment(4, components.Running)),
		"errors":             ErrorsPage(sampleErrors()), "errors-empty": ErrorsPage(Errors{Frame: sampleFrame("Misses"), Kind: KindMisses}),
		"share": SharePage(sampleShare()), "compare": ComparePage(sampleCompare()), "compare-empty": ComparePage(Compare{Frame: sampleFrame("Compare")}),
		"definitions": DefinitionsPage(DefinitionsView{Frame: sampleFrame("Definitions")}), "state": StatePage(state),
	}
}
