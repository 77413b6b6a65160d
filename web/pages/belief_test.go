package pages

import (
	"strings"
	"testing"
	"time"

	"github.com/a-h/templ"

	"plumbline/web/charts"
	"plumbline/web/components"
	"plumbline/web/layout"
)

// beliefPages renders every page of beliefs, critics, control and episodes with
// every text set to s.
func beliefPages(s string) map[string]templ.Component {
	out := map[string]templ.Component{
		"path":     BeliefPathPage(filled(s, func(v *BeliefPath) *layout.Frame { v.Trouble = ""; return &v.Frame })),
		"no path":  BeliefPathPage(filled(s, func(v *BeliefPath) *layout.Frame { return &v.Frame })),
		"control":  ControlPage(filled(s, func(v *Control) *layout.Frame { v.Figure = oneUtility(s); return &v.Frame })),
		"episode":  EpisodePage(filled(s, func(v *Episode) *layout.Frame { return &v.Frame })),
		"critics":  CriticTablesPage(filled(s, func(v *CriticTables) *layout.Frame { return &v.Frame })),
		"importer": CriticImportPage(filled(s, func(v *CriticImport) *layout.Frame { return &v.Frame })),
		"errors":   CriticErrorsPage(filled(s, func(v *CriticErrors) *layout.Frame { return &v.Frame })),
	}
	for name, keep := range beliefPanes {
		b := filled(s, func(v *Belief) *layout.Frame { return &v.Frame })
		whole := b
		b.Critics, b.Scores, b.Policies, b.Plan, b.Regimes, b.Robust, b.Tasks, b.Published = nil, nil, nil, nil, nil, nil, nil, nil
		keep(&b, &whole, oneUtility(s))
		out["belief/"+name] = BeliefPage(b)
	}
	return out
}

func oneUtility(s string) charts.Figure {
	return charts.Utilities([]charts.Utility{{Arm: charts.Arm{ID: s, Name: s}, Replay: new(0.5), Tasks: 3}})
}

// beliefPanes take one view over; charts are drawn by their own package, from names
// alone.
var beliefPanes = map[string]func(b, from *Belief, f charts.Figure){
	"critics": func(b, from *Belief, _ charts.Figure) { b.Critics = from.Critics },
	"scores": func(b, from *Belief, f charts.Figure) {
		b.Scores = from.Scores
		b.Scores.Reliability, b.Scores.Recal, b.Scores.Risk = f, f, f
	},
	"policies": func(b, from *Belief, f charts.Figure) { b.Policies = from.Policies; b.Policies.Figure = f },
	"plan":     func(b, from *Belief, _ charts.Figure) { b.Plan = from.Plan },
	"regimes":  func(b, from *Belief, f charts.Figure) { b.Regimes = from.Regimes; b.Regimes.Figure = f },
	"robust": func(b, from *Belief, f charts.Figure) {
		b.Robust = from.Robust
		b.Robust.Verify, b.Robust.Reward = f, f
	},
	"tasks":     func(b, from *Belief, _ charts.Figure) { b.Tasks = from.Tasks },
	"published": func(b, from *Belief, _ charts.Figure) { b.Published = from.Published },
	"trouble":   func(*Belief, *Belief, charts.Figure) {},
}

func TestHostileBeliefsNeverBecomeMarkup(t *testing.T) {
	t.Parallel()
	for _, s := range []string{evil, strings.Repeat("<b>"+evil, 6), ""} {
		for name, c := range beliefPages(s) {
			t.Run(name, func(t *testing.T) {
				page := renderPage(t, c)
				safe(t, page)
				if s != "" && !strings.Contains(page, "&lt;script&gt;") {
					t.Error("the text is not on the page: the test shows nothing")
				}
			})
		}
	}
}

// strangeBeliefs puts a stranger's text wherever a page shows one: names of critics
// and of policies made of them, which an import bounds, and s for tasks, groups,
// reasons, notes and cells of files.
func strangeBeliefs(name, s string) map[string]templ.Component {
	step := PathStep{Number: 1, Candidate: 1, Reason: s, Action: name, Outcome: name, Used: []string{name}, Values: []NamedValue{{Name: name}}}
	one := 0.5
	setup := BeliefSetup{Critics: []CriticGroup{{Name: name, Choices: []CriticChoice{{Key: "1", Kind: "decision"}}}}, Costs: []CostField{{Name: name}}}
	return map[string]templ.Component{
		"path":    BeliefPathPage(BeliefPath{Steps: []PathStep{step}, All: []ObservedStep{{Critic: name, Outcome: name}}, Why: s, Sentence: s, Notes: []string{s}}),
		"episode": EpisodePage(Episode{Steps: []LogStep{{PathStep: step, Note: s}}, Why: s, Sentence: s}),
		"control": ControlPage(Control{Sentence: s, Disagree: []string{s}, Rows: []PlayedRow{{Name: name, Does: name}}, Episodes: []EpisodeRow{{Task: s, Policy: name, Path: s, Why: s, Status: "stopped"}}, Figure: oneUtility(name)}),
		"tables":  CriticTablesPage(CriticTables{Rows: []CriticTableLine{{Name: s, Origin: s, Critics: s}}}),
		"errors":  CriticErrorsPage(CriticErrors{Rows: []CriticError{{Field: s, Value: s, Why: s}}}),
		"critics view": BeliefPage(Belief{Setup: setup, Sentence: s, Notes: []string{s}, Critics: &CriticsPane{Findings: []string{s}, Critics: []CriticRow{{Name: name, Outcomes: []OutcomeRow{{Outcome: "3"}}}},
			Dependence: []DependenceRow{{A: name, B: name, Class: "correct", Rows: []string{"0"}, Cols: []string{"0"}, Counts: [][]int{{1}}}}, Remedies: []string{s}, Warnings: []string{s}, Cuts: []string{s}}}),
		"policies": BeliefPage(Belief{Policies: &PoliciesPane{Rows: []PolicyRow{{Name: name, Does: name, ReplayWhy: name}}, Figure: oneUtility(name), Prices: []PriceRow{{Name: name}},
			Live: &LiveForm{Policies: []components.Choice{{Value: name, Text: name}}}}}),
		"plan": BeliefPage(Belief{Plan: &PlanPane{Reason: s, Tree: []TreeNode{{Event: name, Action: name, Reason: s, Children: []TreeNode{{Event: name, Action: name}}}},
			Thresholds: []ThresholdRow{{}}, Information: []InformationRow{{}}}}),
		"tasks": BeliefPage(Belief{Trouble: s, Tasks: &TasksPane{Critics: []string{name}, Rows: []TaskRow{{Task: s, Group: s, Outcomes: []string{name}, Belief: components.Belief{Value: &one}}}}}),
	}
}

func TestStrangersTextsInBeliefsAreShownExactly(t *testing.T) {
	t.Parallel()
	stranger := "cute\u202ename\x00" + strings.Repeat("long ", 60)
	for name, c := range strangeBeliefs(stranger, stranger) {
		t.Run(name, func(t *testing.T) {
			page := renderPage(t, c)
			safe(t, page)
			exact(t, page)
			if !strings.Contains(page, "U+202E") {
				t.Error("the text is not on the page: the test shows nothing")
			}
		})
	}
}

// Empty states say what is missing and what to do, and never fail.
func TestEmptyBeliefPagesSay(t *testing.T) {
	t.Parallel()
	for name, x := range map[string]struct {
		page templ.Component
		says string
	}{
		"belief":       {BeliefPage(Belief{}), ""},
		"critics view": {BeliefPage(Belief{Critics: &CriticsPane{}}), "No critic is chosen"},
		"scores":       {BeliefPage(Belief{Scores: &ScoresPane{}}), ""},
		"policies":     {BeliefPage(Belief{Policies: &PoliciesPane{Live: &LiveForm{Why: "Choose at least one critic."}}}), "Choose at least one critic."},
		"plan":         {BeliefPage(Belief{Plan: &PlanPane{}}), "First decision"},
		"regimes":      {BeliefPage(Belief{Regimes: &RegimesPane{}}), ""},
		"robust":       {BeliefPage(Belief{Robust: &RobustPane{}}), "If the likelihoods are wrong"},
		"tasks":        {BeliefPage(Belief{Tasks: &TasksPane{}}), ""},
		"published":    {BeliefPage(Belief{Published: &PublishedPane{}}), ""},
		"path":         {BeliefPathPage(BeliefPath{}), "With every recorded outcome"},
		"control":      {ControlPage(Control{}), "Episodes"},
		"episode":      {EpisodePage(Episode{}), "The episode has taken no step yet."},
		"tables":       {CriticTablesPage(CriticTables{}), "No table of recorded critics has been imported"},
		"import":       {CriticImportPage(CriticImport{}), "The first line names the columns"},
		"errors":       {CriticErrorsPage(CriticErrors{}), "Every row could be read."},
	} {
		page := renderPage(t, x.page)
		safe(t, page)
		if !strings.Contains(page, x.says) {
			t.Errorf("%s does not say %q", name, x.says)
		}
	}
}

// Texts of a megabyte in every place that shows a stranger's leave the pages small.
func TestHugeBeliefTextsAreCut(t *testing.T) {
	t.Parallel()
	for name, c := range strangeBeliefs(strings.Repeat("n", 120), strings.Repeat("x", 1<<20)) {
		if text := renderPage(t, c); len(text) > 256<<10 {
			t.Errorf("%s: page of %d bytes", name, len(text))
		}
	}
}

// A control experiment shows what was asked, what is marked, and how to go on.
func TestControlPageSays(t *testing.T) {
	t.Parallel()
	c := Control{
		Frame: layout.Frame{Title: "Control"}, PollURL: "/experiments/1/control", Sentence: "Of 2 episodes ended, dp earns most: 9.00 a task.", Sources: "Outcomes: 1 asked live.",
		Marks: []components.Badge{LiveOutcome, SimulatedOutcome, RecordedOutcome}, Agrees: "Replaying the log gives the same.",
		Rows:     []PlayedRow{{Name: "dp", Mean: Quantity{Value: new(9.0), Lo: new(-1.0), Hi: new(12.0)}, Delta: Quantity{Why: "always_verify is not played"}, N: 2, Total: 4, Errors: 1, Open: 1, Censored: 1, Unplayable: 1, Solved: 1}},
		Episodes: []EpisodeRow{{Href: "/episodes/1", Task: "t", Policy: "dp", Status: "verified", Path: "tests ✓ · verify ✓", Belief: components.Belief{Value: new(1.0)}, Utility: new(9.0), Solved: true}},
		More:     7, Resume: &ResumeForm{Action: "/experiments/1/control/resume", Why: "It stopped because the limit of 3 calls is reached: raise it to go on."},
	}
	page := renderPage(t, ControlPage(c))
	safe(t, page)
	for _, says := range []string{"hx-get=\"/experiments/1/control\"", "Of 2 episodes ended", "live", "simulated", "recorded", "1 in error", "1 censored", "1 left out", "1 open", "1/2", "7 more episodes", "raise it to go on", "−1.00 – 12.00", "name=\"csrf\""} {
		if !strings.Contains(page, says) {
			t.Errorf("the page does not hold %q", says)
		}
	}
	e := Episode{Status: "verified", Cost: 36, Reward: 100, Now: time.Unix(100, 0), Steps: []LogStep{{
		PathStep: PathStep{Number: 1, Candidate: 2, Action: "tests", Outcome: "pass", Reason: "tests: net value of information 7.3, verify: 4.1 → run tests", Cost: 2, Used: []string{"llm"},
			Values: []NamedValue{{Name: "verify", Value: 4.1}, {Name: "tests", Value: 11.4, Best: true}}},
		Mark: LiveOutcome, Item: "/items/1", Note: "asked before in this experiment", When: time.Unix(40, 0),
	}}}
	page = renderPage(t, EpisodePage(e))
	for _, says := range []string{"net value of information 7.3", "candidate 2", "used on this candidate", "asked before in this experiment", "/items/1", "earned 100.00, paid 36.00", "verify 4.10"} {
		if !strings.Contains(page, says) {
			t.Errorf("the log does not hold %q", says)
		}
	}
}
