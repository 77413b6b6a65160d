package handlers

import (
	"errors"
	"fmt"
	"net/url"
	"slices"
	"strconv"
	"strings"

	"github.com/labstack/echo/v4"

	"plumbline/experiments/stats"
	"plumbline/experiments/trace"
	"plumbline/models"
	"plumbline/runner"
	"plumbline/web/components"
	"plumbline/web/pages"
)

// powerForm is what the form says is believed of two arms, as texts.
type powerForm struct {
	First, Second powerRow
	Votes, Arms   string
}

// powerRow is one arm: one of the past, or the rates of one vote.
type powerRow struct {
	Arm                    string
	Catch, Over, Uncertain string
}

// What is assumed until somebody says otherwise: a reviewer that catches much and
// rejects much good work, and one that rejects less of it. Votes and arms that are
// neither independent nor the same.
var (
	assumedFirst  = powerRow{Catch: "0.75", Over: "0.45", Uncertain: "0.1"}
	assumedSecond = powerRow{Catch: "0.75", Over: "0.25", Uncertain: "0.1"}
)

const assumedAlike = "0.5"

// mostPast bounds the experiments whose arms are offered.
const mostPast = 30

func powerFormOf(q url.Values) powerForm {
	or := func(name, other string) string {
		if s := strings.TrimSpace(q.Get(name)); s != "" {
			return s
		}
		return other
	}
	row := func(prefix string, assumed powerRow) powerRow {
		return powerRow{
			Arm: strings.TrimSpace(q.Get(prefix)), Catch: or(prefix+"_catch", assumed.Catch), Over: or(prefix+"_over", assumed.Over),
			Uncertain: or(prefix+"_uncertain", assumed.Uncertain),
		}
	}
	return powerForm{First: row("first", assumedFirst), Second: row("second", assumedSecond), Votes: or("votes_alike", assumedAlike), Arms: or("arms_alike", assumedAlike)}
}

// spec reads the form; the error is a sentence.
func (p powerForm) spec() (s runner.PowerSpec, err error) {
	number := func(text, name string) (x float64) {
		if err != nil {
			return 0
		}
		x, parse := strconv.ParseFloat(strings.Replace(text, ",", ".", 1), 64)
		if parse != nil {
			err = fmt.Errorf("%s must be a number between 0 and 1", name)
		}
		return x
	}
	row := func(r powerRow, which string) runner.PowerArm {
		if r.Arm != "" {
			return runner.PowerArm{ArmID: r.Arm}
		}
		return runner.PowerArm{
			Catch: number(r.Catch, "catch of the "+which+" arm"), OverRejection: number(r.Over, "over-rejection of the "+which+" arm"),
			Uncertain: number(r.Uncertain, "uncertain of the "+which+" arm"),
		}
	}
	s.First, s.Second = row(p.First, "first"), row(p.Second, "second")
	s.VotesAlike, s.ArmsAlike = number(p.Votes, "the likeness of votes"), number(p.Arms, "the likeness of the arms")
	return s, err
}

// powerView is the form of what is believed, with the arms of the past to choose
// from: those measured on a design split first.
func (h *Handlers) powerView(c echo.Context, in powerForm) (pages.PowerForm, error) {
	ctx, v := c.Request().Context(), viewer(c)
	choices, err := h.store.ArmChoices(ctx, v, mostPast)
	if err != nil {
		return pages.PowerForm{}, err
	}
	design := map[string]bool{}
	var past []pages.PowerSource
	for _, x := range choices {
		e := x.Experiment
		if e.State == models.StateRunning || e.Kind == models.KindControl {
			continue
		}
		if _, known := design[e.ID]; !known {
			if design[e.ID], err = h.store.UsesSplit(ctx, v, e.ID, trace.SplitDesign); err != nil {
				return pages.PowerForm{}, err
			}
		}
		group := e.Name + " (" + x.DatasetName + ")"
		if design[e.ID] {
			group += ", design split"
		}
		past = append(past, pages.PowerSource{Value: x.Arm.ID, Text: x.Arm.ReviewerName + " · " + x.Arm.Form, Group: group})
	}
	onDesign := func(s pages.PowerSource) int {
		if strings.HasSuffix(s.Group, ", design split") {
			return 0
		}
		return 1
	}
	slices.SortStableFunc(past, func(a, b pages.PowerSource) int { return onDesign(a) - onDesign(b) })
	row := func(name, field string, r powerRow) pages.PowerRow {
		out := pages.PowerRow{Name: name, Field: field, Sources: []pages.PowerSource{{Text: "assumed"}}}
		for _, s := range past {
			s.Selected = s.Value == r.Arm
			out.Sources = append(out.Sources, s)
		}
		for _, x := range []struct{ label, name, value string }{{"Catch", "catch", r.Catch}, {"Over-rejection", "over", r.Over}, {"Uncertain", "uncertain", r.Uncertain}} {
			out.Rates = append(out.Rates, components.Input{Label: x.label, Name: field + "_" + x.name, Value: x.value})
		}
		return out
	}
	alike := func(name, label, hint, value string) components.Input {
		return components.Input{Name: name, Label: label, Kind: "number", Min: "0", Max: "1", Step: "any", Value: value, Hint: hint}
	}
	return pages.PowerForm{
		First: row("first arm", "first", in.First), Second: row("second arm", "second", in.Second),
		Votes: alike("votes_alike", "Votes alike", "of an assumed arm; 0: independent, 1: always the same", in.Votes),
		Arms:  alike("arms_alike", "Arms alike", "0: independent, 1: differ only where they must", in.Arms),
	}, nil
}

// powerPlan is what the chosen split and K could show, and the same in one line.
func (h *Handlers) powerPlan(c echo.Context, in experimentForm, launch runner.LaunchSpec, e runner.Estimate) (pages.PowerPlan, string, error) {
	spec, err := in.Power.spec()
	if err != nil {
		return pages.PowerPlan{Error: sentence(err.Error())}, "", nil
	}
	if e.Acceptable+e.Defective == 0 {
		return pages.PowerPlan{Empty: "No trace of this split has a known label, so nothing can be measured on it."}, "", nil
	}
	spec.Defective, spec.Acceptable, spec.Votes, spec.Seed = e.Defective, e.Acceptable, launch.Votes, launch.Seed
	p, err := h.runner.Power(c.Request().Context(), viewer(c), spec)
	var invalid *models.InvalidError
	switch {
	case errors.As(err, &invalid):
		return pages.PowerPlan{Error: sentence(invalid.Fields["power"])}, "", nil
	case errors.Is(err, models.ErrNotFound):
		return pages.PowerPlan{Error: "The chosen arm of the past is not there any more; choose it again."}, "", nil
	case err != nil:
		return pages.PowerPlan{}, "", err
	}
	return planView(p, e), powerLine(p), nil
}

// sentence turns the text of an error into one.
func sentence(s string) string {
	if s == "" {
		return s
	}
	return strings.ToUpper(s[:1]) + s[1:] + "."
}

// plannedMetrics are the rates of the plan, in the order of the arm table.
var plannedMetrics = []stats.Metric{stats.Catch, stats.Miss, stats.OverRejection, stats.Coverage, stats.Risk, stats.CorrectOverAll}

func planView(p runner.PowerPlan, e runner.Estimate) pages.PowerPlan {
	out := pages.PowerPlan{First: plannedArm(p.First), Second: plannedArm(p.Second), Notes: p.Notes, Seed: strconv.FormatUint(p.Seed, 10), Runs: p.Experiments}
	labelled := e.Acceptable + e.Defective
	out.Sentences = []string{fmt.Sprintf("Of %s about %.0f would be decided by both arms, about %.0f of these rightly by one of them alone.",
		components.Plural(labelled, "labelled trace", "labelled traces"), p.Pair.Decided, p.Pair.Discordant)}
	how := "as entered"
	switch {
	case p.ArmsMeasured:
		how = "measured on their common traces"
	case p.ArmsWhy != "":
		how = "as entered, since their common traces do not tell: " + p.ArmsWhy
	}
	power := "–"
	if r := p.Simulated; r.Interval != nil {
		power = fmt.Sprintf("%s (%s/%s experiments, 95%% interval %s to %s)", components.Fraction(r.Power.Value), components.Count(r.Power.K), components.Count(r.Power.N),
			components.Fraction(&r.Interval.Lo), components.Fraction(&r.Interval.Hi))
	}
	value := func(n stats.Number, show func(*float64) string) string {
		if n.Value == nil {
			return "undefined: " + n.Reason
		}
		return show(n.Value)
	}
	accuracy := value(p.Pair.Difference, components.Signed)
	if p.Pair.Difference.Value != nil {
		accuracy += fmt.Sprintf(" (%s to %s of the decided)", components.Fraction(p.Pair.FirstAccuracy.Value), components.Fraction(p.Pair.SecondAccuracy.Value))
	}
	out.Facts = []pages.Fact{
		{Name: "difference to be found", Value: accuracy, Href: components.DefinitionURL("accuracy")},
		{Name: "detectable difference", Value: value(p.Pair.Detectable, components.Fraction), Href: components.DefinitionURL("planned_detectable")},
		{Name: "power", Value: power, Href: components.DefinitionURL("power")},
		{Name: "arms alike", Value: components.Decimal(&p.ArmsAlike, 2) + ", " + how},
	}
	if says := verdict(p); says != "" {
		out.Sentences = append(out.Sentences, says)
	}
	return out
}

// verdict says in words whether the experiment is big enough for its difference.
func verdict(p runner.PowerPlan) string {
	r := p.Simulated
	if p.Pair.Difference.Value == nil || r.Interval == nil {
		return ""
	}
	d := *p.Pair.Difference.Value
	says := " the difference of " + components.Signed(&d) + " in accuracy"
	switch {
	case d > -1e-9 && d < 1e-9:
		return "The arms are equally accurate here: what is found is found by chance."
	case r.Interval.Lo >= 0.8:
		return "An experiment of this size would show" + says + " in four of five repetitions or more."
	case r.Interval.Hi < 0.5:
		return "An experiment of this size would miss" + says + " more often than not: it needs more traces, or a larger difference."
	}
	return "An experiment of this size could well miss" + says + "."
}

// powerLine is the plan in one line, for the column of the estimate.
func powerLine(p runner.PowerPlan) string {
	if p.Pair.Difference.Value == nil || p.Simulated.Power.Value == nil {
		return ""
	}
	return fmt.Sprintf("Power %s for a difference of %s in accuracy.", components.Fraction(p.Simulated.Power.Value), components.Signed(p.Pair.Difference.Value))
}

func plannedArm(a runner.PlannedArm) pages.PlannedArm {
	out := pages.PlannedArm{}
	if a.Name != "" {
		out.Name, out.Href = a.Name+", "+a.Experiment.Name, experimentURL(a.Experiment.ID)
	}
	for i, r := range a.Rates {
		if !slices.Contains(plannedMetrics, r.Metric) {
			continue
		}
		rate := pages.PlannedRate{Rate: components.Rate{Metric: string(r.Metric), N: int(r.N + 0.5), Value: r.Value, Why: r.Reason}}
		if r.Value != nil {
			lo, hi, width := r.Lo, r.Hi, r.Hi-r.Lo
			rate.Rate.K, rate.Rate.Lo, rate.Rate.Hi, rate.Rate.Method, rate.Width = int(*r.Value*r.N+0.5), &lo, &hi, "Wilson at the expected counts", &width
		}
		s := a.Simulated[i]
		rate.Lo, rate.Hi, rate.Why = s.Lo.Value, s.Hi.Value, s.Lo.Reason
		out.Rates = append(out.Rates, rate)
	}
	return out
}
