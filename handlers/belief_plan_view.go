package handlers

import (
	"fmt"
	"math"
	"slices"
	"strconv"
	"strings"

	"plumbline/experiments/control"
	"plumbline/runner"
	"plumbline/web/charts"
	"plumbline/web/components"
	"plumbline/web/pages"
)

// Limits of the decision tree on a page.
const (
	treeNodes  = 120
	treeLikely = 0.002
)

// fillPlan is the view of the optimal policy.
func fillPlan(view *pages.Belief, r *beliefRequest, s *runner.Study) {
	if noProblem(view, s) {
		return
	}
	plan, err := s.Plan()
	if err != nil {
		view.Trouble = "The problem is too large to plan: " + err.Error() + ". Choose fewer critics or regenerations."
		return
	}
	p := &pages.PlanPane{
		Perfect: plan.Perfect, Reason: plan.Decision.Reason, Value: plan.Value, TreeCut: plan.TreeCut, Prices: priceRows(s), Reward: components.Decimal(&s.Reward, 2), Budget: budgetWords(s),
		Sliders: sliderForm(r, s),
	}
	for _, i := range plan.Information {
		p.Information = append(p.Information, pages.InformationRow{Name: i.Name, EVSI: i.EVSI, Cost: i.Cost, Net: i.Net})
	}
	p.Regions = regionChart(s, plan)
	p.Thresholds = thresholdRows(plan.Thresholds)
	p.Tree, p.Hidden, p.HiddenP = treeOf(plan.Tree)
	view.Plan = p
}

// regionChart draws the axes; states in which the same is best everywhere share one.
func regionChart(s *runner.Study, plan runner.PlanReport) charts.DecisionRegions {
	var d charts.DecisionRegions
	var states [][]runner.RegionAxis
	for _, a := range plan.Axes {
		var axis charts.BeliefAxis
		for _, x := range a.Regions {
			axis.Regions = append(axis.Regions, regionOf(s, x))
		}
		same := slices.IndexFunc(d.Axes, func(o charts.BeliefAxis) bool {
			return slices.EqualFunc(o.Regions, axis.Regions, func(x, y charts.BeliefRegion) bool {
				return x.Action == y.Action && math.Abs(x.From-y.From) < 1e-6 && math.Abs(x.To-y.To) < 1e-6
			})
		})
		if same < 0 {
			d.Axes, states = append(d.Axes, axis), append(states, nil)
			same = len(states) - 1
		}
		states[same] = append(states[same], a)
	}
	for i := range d.Axes {
		d.Axes[i].Title = stateWords(states[i])
	}
	d.Ticks = append(d.Ticks, charts.BeliefTick{At: s.Problem.Prior, Text: "prior " + components.Fraction(&s.Problem.Prior)})
	return d
}

// stateWords names the states that share an axis: how many regenerations are left
// before any critic is used, and which critic may be used already.
func stateWords(states []runner.RegionAxis) string {
	most, least, fresh := -1, -1, false
	var used []string
	start := false
	for _, a := range states {
		start = start || a.Current
		if len(a.Used) > 0 {
			used = append(used, a.Used...)
			continue
		}
		if !fresh {
			most, fresh = a.Regenerations, true
		}
		least = a.Regenerations
	}
	var parts []string
	switch {
	case fresh && most == least:
		parts = append(parts, components.Plural(most, "regeneration", "regenerations")+" left")
	case fresh:
		parts = append(parts, fmt.Sprintf("%d to %d regenerations left", most, least))
	}
	if fresh && start {
		parts[0] = "start: " + parts[0]
	}
	if len(used) > 0 {
		parts = append(parts, strings.Join(used, " or ")+" used at the start")
	}
	return strings.Join(parts, "; ")
}

func regionOf(s *runner.Study, x control.Region) charts.BeliefRegion {
	out := charts.BeliefRegion{From: x.From, To: x.To, Action: strings.TrimPrefix(x.Name, "critic:")}
	switch x.Action {
	case control.Verify:
		out.Kind = charts.ActionVerify
	case control.Stop:
		out.Kind = charts.ActionStop
		if s.Choice.ShipLoss != nil && s.Problem.Ships((x.From+x.To)/2) {
			out.Action = "ship"
		}
	case control.Regenerate:
		out.Kind = charts.ActionRegenerate
	default:
		out.Kind = charts.ActionCritic
		out.Critic, _ = x.Action.Critic()
	}
	return out
}

func thresholdRows(t control.Thresholds) []pages.ThresholdRow {
	var out []pages.ThresholdRow
	add := func(choice, from string, at *float64, prefix string) {
		row := pages.ThresholdRow{Choice: choice, Why: from, At: components.Unknown}
		if at != nil {
			row.At = prefix + components.Decimal(at, 3)
			switch {
			case *at > 1:
				row.At += " (never)"
			case *at < 0:
				row.At += " (always)"
			}
		}
		out = append(out, row)
	}
	add("verify rather than stop", "C_ver ÷ R", t.VerifyOverStop, "≥ ")
	if t.RegenerateOverVerify != nil {
		row := pages.ThresholdRow{Choice: "regenerate and verify rather than verify now", Why: "(fix − C_gen ÷ R) ÷ (fix + break)", At: "< " + components.Decimal(t.RegenerateOverVerify, 3)}
		if *t.RegenerateOverVerify <= 0 {
			row.At += " (never)"
		}
		out = append(out, row)
	}
	add("regenerate and verify rather than stop", "((C_gen + C_ver) ÷ R − fix) ÷ (1 − fix − break)", t.RegenerateOverStop, "> ")
	add("ship rather than discard", "L ÷ (R + L)", t.ShipOverDiscard, "> ")
	add("verify rather than ship", "1 − C_ver ÷ L", t.VerifyOverShip, "< ")
	rows := out[:0]
	for _, x := range out {
		if x.At != components.Unknown {
			rows = append(rows, x)
		}
	}
	for _, c := range t.Critics {
		row := pages.ThresholdRow{Choice: "ask " + c.Name + " once before ending", At: "nowhere", Why: "its outcome never changes the better end by more than its cost"}
		if c.Interval != nil {
			row.At = components.Decimal(&c.Interval[0], 3) + " to " + components.Decimal(&c.Interval[1], 3)
			row.Why = "where its value of information exceeds its cost"
		}
		rows = append(rows, row)
	}
	return rows
}

// treeOf nests the decisions, the likely ones first come; rare ones are counted.
func treeOf(nodes []control.TreeNode) (root []pages.TreeNode, hidden int, p float64) {
	if len(nodes) == 0 {
		return nil, 0, 0
	}
	children := make([][]int, len(nodes))
	shown := make([]bool, len(nodes))
	count := 0
	for i, n := range nodes {
		if n.Parent >= 0 {
			children[n.Parent] = append(children[n.Parent], i)
		}
		// Parents come first, so that a node is shown only under one that is.
		shown[i] = (n.Parent < 0 || shown[n.Parent]) && n.Probability >= treeLikely && count < treeNodes
		if shown[i] {
			count++
			continue
		}
		hidden++
		if n.Parent < 0 || shown[n.Parent] {
			p += n.Probability
		}
	}
	var build func(i int) pages.TreeNode
	build = func(i int) pages.TreeNode {
		n := nodes[i]
		out := pages.TreeNode{Probability: n.Probability, Belief: n.Belief, Action: actionWords(n.Action), Value: n.Value, Reason: n.Reason}
		if len(n.Path) > 0 {
			out.Event = eventWords(n.Path[len(n.Path)-1])
		}
		for _, c := range children[i] {
			if shown[c] {
				out.Children = append(out.Children, build(c))
			}
		}
		return out
	}
	return []pages.TreeNode{build(0)}, hidden, p
}

func actionWords(name string) string {
	if critic, ok := strings.CutPrefix(name, "critic:"); ok {
		return "ask " + critic
	}
	return strings.ReplaceAll(name, "_", " the ")
}

func eventWords(event string) string {
	return strings.Replace(strings.TrimPrefix(event, "critic:"), "=", ": ", 1)
}

// sliderForm moves the costs of the problem; it sets costs of the reader's own.
func sliderForm(r *beliefRequest, s *runner.Study) pages.SliderForm {
	f := pages.SliderForm{Action: r.path}
	f.Keep = r.keep(func(name string) bool {
		return name == "costs" || name == "r" || strings.HasPrefix(name, "c_") || strings.HasPrefix(name, "m_") || strings.HasPrefix(name, "s_") || name == "worth" || name == "second"
	})
	f.Keep = append(f.Keep, components.Pair{Name: "costs", Value: string(runner.OwnCosts)}, components.Pair{Name: "r", Value: plainNumber(s.Reward)})
	for _, l := range s.Prices {
		top := s.Reward
		if l.Key != runner.VerifyCost {
			top = s.Reward * 0.3
		}
		top = max(top, l.Cost*1.5, 1e-6)
		f.Sliders = append(f.Sliders, pages.Slider{
			Name: "c_" + costParam(l.Key), Label: fmt.Sprintf("cost of %s, 0 to %s", l.Name, plainNumber(top)), Value: plainNumber(l.Cost), Min: "0", Max: plainNumber(top), Step: plainNumber(top / 200),
		})
	}
	return f
}

func plainNumber(x float64) string { return strconv.FormatFloat(x, 'g', 5, 64) }
