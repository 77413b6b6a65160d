package handlers

import (
	"math"
	"slices"
	"strconv"
	"strings"

	"plumbline/runner"
	"plumbline/web/components"
	"plumbline/web/pages"
)

// setupForm is the form of everything that can be chosen. Its fields are the
// parameters of the address. study is nil where the choice could not be read.
func setupForm(src beliefSource, r *beliefRequest, study *runner.Study) pages.BeliefSetup {
	s := pages.BeliefSetup{Action: r.path, View: r.view, Bad: r.bad["critic"], Open: len(r.bad) > 0}
	s.Critics = criticGroups(src, r)
	s.Fields = setupFields(src, r)
	check := func(name, label, hint string, on bool) {
		s.Checks = append(s.Checks, components.Input{Name: name, Label: label, Kind: "checkbox", Checked: on, Hint: hint})
	}
	check("joint", "one joint critic", "", r.choice.Joint)
	check("temper", "temper the evidence (scores only)", "", r.choice.Temper)
	check("pool", "shrink small classes", "", r.choice.Pool)
	check("continue", "go on after a failed verification", "", r.choice.Continue)
	costFields(&s, src, r, study)
	if study != nil && study.ProblemError != nil {
		s.Bad, s.Open = "There is no decision problem yet: "+study.ProblemError.Error()+".", true
	}
	return s
}

// criticGroups gathers the critics of an arm, its cuts included.
func criticGroups(src beliefSource, r *beliefRequest) []pages.CriticGroup {
	var out []pages.CriticGroup
	at := map[string]int{}
	for _, c := range src.recorded.Critics {
		group, kind := c.Name, kindWords(c)
		arm, of, ok := armOfKey(c.Key)
		if ok {
			group = "arm " + arm
			switch of {
			case "share":
				kind = "vote share, cut"
			case "confidence":
				kind = "confidence, cut"
			}
		}
		i, known := at[group]
		if !known {
			i = len(out)
			at[group] = i
			out = append(out, pages.CriticGroup{Name: c.Name, Badges: criticBadges(c)})
		}
		out[i].Choices = append(out[i].Choices, pages.CriticChoice{Key: c.Key, Kind: kind, Selected: chosen(r, c)})
	}
	return out
}

// armOfKey splits the key of something of an arm, such as "2-decision" or
// "cut-2-share".
func armOfKey(key string) (arm, of string, ok bool) {
	arm, of, ok = strings.Cut(strings.TrimPrefix(key, "cut-"), "-")
	if _, err := strconv.Atoi(arm); err != nil {
		return "", "", false
	}
	return arm, of, ok
}

func chosen(r *beliefRequest, c runner.RecordedCritic) bool {
	if r.choice.Critics == nil {
		return c.Usual
	}
	return slices.Contains(r.choice.Critics, c.Key)
}

func kindWords(c runner.RecordedCritic) string {
	switch c.Kind {
	case runner.CriticVote:
		return "one vote"
	case runner.CriticCount:
		return "count of votes"
	case runner.CriticDecision:
		return "decision"
	case runner.CriticCut:
		return "score, cut"
	case runner.CriticStatic:
		return "findings that the patch caused"
	case runner.CriticTest:
		return "fails on the base, run on the patch"
	case runner.CriticPublic:
		return "pass before the change, run on the patch"
	}
	return "column"
}

func criticBadges(c runner.RecordedCritic) []components.Badge {
	var out []components.Badge
	if c.Simulated {
		out = append(out, components.Simulated)
	}
	if c.UpperBound {
		out = append(out, components.NotDeployable)
	}
	return out
}

func setupFields(src beliefSource, r *beliefRequest) []components.Input {
	selectField := func(name, label, value, hint string, options ...components.Choice) components.Input {
		return components.Input{Name: name, Label: label, Kind: "select", Value: value, Hint: hint, Options: options, Error: r.bad[name]}
	}
	q := r.q
	folds := []components.Choice{{Value: "", Text: "as fits the data"}, {Value: "folds", Text: "five folds by task"}, {Value: "loo", Text: "leave one task out"}, {Value: "split", Text: "fit on design, judge on held-out"}}
	out := []components.Input{
		selectField("fold", "Parameters from", q.Get("fold"), "", folds...),
		selectField("scope", "Counted on", q.Get("scope"), "", components.Choice{Value: "", Text: "all candidates"}, components.Choice{Value: "first", Text: "first candidates"}),
	}
	if src.experiment != nil {
		out = append(out, selectField("by", "A task is", q.Get("by"), "", components.Choice{Value: "", Text: "an instance"}, components.Choice{Value: "generator", Text: "an instance of one generator"}))
	}
	if groups := src.recorded.Table.Groups(); src.table != nil && len(groups) > 1 {
		options := []components.Choice{{Value: "", Text: "all"}}
		for _, g := range groups {
			options = append(options, components.Choice{Value: g, Text: components.FirstLine(g, 60)})
		}
		out = append(out, selectField("group", "Group", q.Get("group"), "", options...))
	}
	out = append(out, selectField("kernel", "Regenerating is", q.Get("kernel"), "",
		components.Choice{Value: "", Text: "as measured"}, components.Choice{Value: "iid", Text: "a fresh draw"}, components.Choice{Value: "given", Text: "as I say"}))
	number := func(name, label, hint string) components.Input {
		return components.Input{Name: name, Label: label, Value: q.Get(name), Hint: hint, Error: r.bad[name], MaxLength: 30}
	}
	if r.choice.Kernel == runner.GivenKernel {
		out = append(out, number("p01", "Fix", ""), number("p10", "Break", ""))
	}
	return append(out, number("g", "Regenerations", "empty: as recorded"), number("h", "Actions at most", "empty: no limit"), number("ship", "Loss of shipping a defect", "empty: never ship"),
		selectField("costs", "Costs", string(r.choice.Costs.Rule), "",
			components.Choice{Value: "slow", Text: "paper B, slow oracle"}, components.Choice{Value: "fast", Text: "paper B, fast oracle"}, components.Choice{Value: "draft", Text: "paper B, drafts"},
			components.Choice{Value: "own", Text: "my own, in units"}, components.Choice{Value: "money", Text: "my own, in money and time"}))
}

// costFields are the fields of a cost vector of the reader's own, filled with what
// holds now.
func costFields(s *pages.BeliefSetup, src beliefSource, r *beliefRequest, study *runner.Study) {
	rule := r.choice.Costs.Rule
	if rule != runner.OwnCosts && rule != runner.MoneyCosts {
		return
	}
	field := func(name, label string, value *float64, unit string) *components.Input {
		text := r.q.Get(name)
		if text == "" && value != nil && !math.IsNaN(*value) {
			text = strconv.FormatFloat(*value, 'g', 6, 64)
		}
		return &components.Input{Name: name, Label: label, Value: text, Error: r.bad[name], MaxLength: 30, Unit: unit}
	}
	reward := 100.0
	if study != nil {
		reward = study.Reward
	}
	s.Money = append(s.Money, *field("r", "Utility of a solved task", &reward, "units"))
	if rule == runner.MoneyCosts {
		s.Money = append(s.Money, *field("worth", "A solved task is worth", nil, "$"), *field("second", "A second of waiting costs", nil, "$"))
	}
	var lines []runner.PricedAction
	if study != nil {
		lines = study.Prices
	} else {
		lines = append(lines, runner.PricedAction{Key: runner.VerifyCost, Name: "verify", Cost: math.NaN()}, runner.PricedAction{Key: runner.RegenerateCost, Name: "regenerate", Cost: math.NaN()})
		for _, c := range src.recorded.Critics {
			if chosen(r, c) {
				lines = append(lines, runner.PricedAction{Key: c.Key, Name: c.Name, Cost: math.NaN()})
			}
		}
	}
	for _, l := range lines {
		f := pages.CostField{Name: l.Name}
		if rule == runner.OwnCosts {
			f.Units = field("c_"+costParam(l.Key), "Cost", &l.Cost, "units")
		} else {
			f.Money = field("m_"+costParam(l.Key), "Money", l.Spent.Money, "$")
			f.Seconds = field("s_"+costParam(l.Key), "Time", l.Spent.Seconds, "s")
			if !math.IsNaN(l.Cost) {
				f.Is = components.Decimal(&l.Cost, 3) + " units"
			}
		}
		s.Costs = append(s.Costs, f)
	}
}
