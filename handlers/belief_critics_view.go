package handlers

import (
	"fmt"
	"math"
	"slices"
	"strconv"

	"plumbline/experiments/belief"
	"plumbline/experiments/stats"
	"plumbline/runner"
	"plumbline/web/components"
	"plumbline/web/pages"
)

// fillCritics is the view of what the chosen critics are estimated to be.
func fillCritics(view *pages.Belief, s *runner.Study) {
	e := s.Intervals()
	o := belief.Resampling(stats.Options{Seed: s.Recorded.Seed})
	p := &pages.CriticsPane{Warnings: s.Warnings, Seed: o.Seed, Resamples: o.Resamples, Pairs: e.Kernel.Pairs()}
	if iv := e.Prior.ByTask; iv != nil {
		p.Resamples = iv.Resamples
	}
	for i, c := range e.Critics {
		p.Critics = append(p.Critics, criticRow(s.Critics[i], c, s))
		for _, f := range c.Findings {
			p.Findings = append(p.Findings, f.Text)
		}
	}
	const none = "no candidate of this kind"
	p.Prior = rateOf("prior", e.Prior, "no candidate has a known label")
	p.PriorBasis = "counted on all labelled candidates"
	if s.Choice.FirstOnly {
		p.PriorBasis = "counted on the first candidates of tasks"
	}
	p.Fix, p.Break = rateOf("kernel", e.Kernel.FixRate, none+" is followed by a labelled one"), rateOf("kernel", e.Kernel.BreakRate, none+" is followed by a labelled one")
	p.Kernel, p.FixedPoint = kernelWords(s, e)
	p.Dependence, p.Joint = dependence(s)
	p.Remedies = remedies(s, p.Dependence)
	for _, c := range s.Cuts {
		p.Cuts = append(p.Cuts, fmt.Sprintf("The threshold of %s shown here, %s, is chosen on all tasks; what is judged uses one chosen on training tasks.", c.Score, strconv.FormatFloat(c.Threshold, 'g', 4, 64)))
	}
	view.Critics = p
	view.Sentence = criticsSentence(s, e)
}

func criticsSentence(s *runner.Study, e belief.Estimate) string {
	correct, defective := s.Recorded.Labelled()
	text := fmt.Sprintf("%s of %s with a known label, %d of them correct: before anybody looks, a patch is believed correct with %s.",
		components.Plural(correct+defective, "candidate", "candidates"), components.Plural(len(s.Table.Tasks), "task", "tasks"), correct, components.Fraction(&e.Prior.Value))
	best, gap := -1, 0.0
	for i, c := range e.Critics {
		if g := math.Abs(c.Gap()); c.IsBinary() && g > gap {
			best, gap = i, g
		}
	}
	if best < 0 {
		return text
	}
	c := e.Critics[best]
	return text + fmt.Sprintf(" The sharpest critic is %s: it passes %s of correct and %s of defective patches.",
		c.Name, components.Fraction(&c.PassCorrect.Value), components.Fraction(&c.PassDefect.Value))
}

func rateOf(metric string, r belief.Rate, why string) components.Rate {
	out := components.Rate{Metric: metric, K: r.K, N: r.N, Why: why}
	if r.N == 0 {
		return out
	}
	out.Value = &r.Value
	iv := r.ByTask
	if iv == nil {
		iv = r.Wilson
	}
	if iv != nil {
		out.Lo, out.Hi, out.Method, out.Warnings = &iv.Lo, &iv.Hi, iv.Method, iv.Warnings
		if iv.Resamples > 0 {
			out.Method += fmt.Sprintf(", %s resamples, seed %d", components.Count(iv.Resamples), iv.Seed)
		}
	}
	if w := r.Wilson; w != nil && iv != w {
		out.Method += fmt.Sprintf("; Wilson %s to %s", components.Fraction(&w.Lo), components.Fraction(&w.Hi))
	}
	return out
}

func criticRow(c runner.RecordedCritic, e belief.CriticEstimate, s *runner.Study) pages.CriticRow {
	row := pages.CriticRow{Name: c.Name, Kind: kindWords(c), Badges: criticBadges(c), Missing: e.Missing, Unrecorded: e.Unrecorded, Cost: components.Unknown}
	for _, l := range s.Prices {
		if l.Name == c.Name && !math.IsNaN(l.Cost) {
			row.Cost = components.Decimal(&l.Cost, 2)
		}
	}
	if seen(e) {
		gap := e.Gap()
		row.Gap = &gap
	}
	if e.PassCorrect != nil {
		row.PassCorrect = rateOf("pass_correct", *e.PassCorrect, "no correct candidate with an outcome")
		row.PassDefect = rateOf("pass_defect", *e.PassDefect, "no defective candidate with an outcome")
		pass, fail := e.LLR(belief.Pass), e.LLR(belief.Fail)
		row.LLRPass, row.LLRFail = &pass, &fail
		if iv := e.GapByTask; iv != nil {
			row.GapLo, row.GapHi = &iv.Lo, &iv.Hi
		}
		return row
	}
	why := "more than two outcomes: see its table"
	row.PassCorrect, row.PassDefect = components.Rate{Why: why}, components.Rate{Why: why}
	for z := range e.Correct {
		row.Outcomes = append(row.Outcomes, pages.OutcomeRow{
			Outcome: e.Label(belief.Outcome(z)), NCorrect: e.CountCorrect[z], NDefect: e.CountDefect[z], Correct: e.Correct[z], Defect: e.Defect[z],
			LLR: e.LLR(belief.Outcome(z)), TotalCorrect: outcomesSeen(e.CountCorrect), TotalDefe: outcomesSeen(e.CountDefect),
		})
	}
	return row
}

func seen(e belief.CriticEstimate) bool {
	return outcomesSeen(e.CountCorrect)+outcomesSeen(e.CountDefect) > 0
}

func outcomesSeen(counts []int) int {
	n := 0
	for _, k := range counts {
		n += k
	}
	return n
}

func kernelWords(s *runner.Study, e belief.Estimate) (string, *float64) {
	if s.ProblemError != nil {
		return "none: " + s.ProblemError.Error(), nil
	}
	k := s.Problem.Kernel
	text := fmt.Sprintf("fix %s, break %s", components.Fraction(&k.Fix), components.Fraction(&k.Break))
	switch {
	case s.KernelFallsBack():
		text += ": a fresh draw from the prior, since no task has two labelled candidates in a row"
	case s.Choice.Kernel == runner.FreshKernel:
		text += ": a fresh draw from the prior, as chosen"
	case s.Choice.Kernel == runner.GivenKernel:
		text += ", as given"
	default:
		text += ", measured on " + components.Plural(e.Kernel.Pairs(), "pair", "pairs")
	}
	return text, k.FixedPoint()
}

func dependence(s *runner.Study) ([]pages.DependenceRow, []pages.JointRow) {
	pairs, joint := s.Dependence()
	var out []pages.DependenceRow
	for _, d := range pairs {
		row := pages.DependenceRow{A: d.A, B: d.B, Class: d.Class, N: d.N, DF: d.DF, Chi2: d.Chi2, P: d.P, V: d.V, Why: d.Why, Warning: d.Warning, Counts: d.Table}
		row.Rows, row.Cols = s.OutcomeNames(d.A), s.OutcomeNames(d.B)
		out = append(out, row)
	}
	var all []pages.JointRow
	for _, j := range joint {
		row := pages.JointRow{Class: j.Class, N: j.N, DF: j.DF, Chi2: j.Chi2, P: j.P}
		for z, n := range j.Counts {
			if n == 0 {
				continue
			}
			verdicts := ""
			for i := range j.Critics {
				if z>>(len(j.Critics)-1-i)&1 == 1 {
					verdicts += "✓"
				} else {
					verdicts += "✗"
				}
			}
			row.Counts = append(row.Counts, pages.JointCount{Verdicts: verdicts, N: n})
		}
		slices.SortStableFunc(row.Counts, func(a, b pages.JointCount) int { return b.N - a.N })
		all = append(all, row)
	}
	return out, all
}

// remedies say in plain words whether the critics may be multiplied, and what to do
// where not.
func remedies(s *runner.Study, rows []pages.DependenceRow) []string {
	if len(s.Critics) < 2 {
		if s.Choice.Joint {
			return []string{"The critics are one joint critic: its table needs no independence, and many candidates."}
		}
		return []string{"One critic needs no independence from others."}
	}
	var out []string
	tested, strong := 0, 0
	for _, d := range rows {
		if d.P == nil {
			continue
		}
		tested++
		if *d.P < 0.05/float64(max(1, len(rows))) && *d.V >= 0.2 {
			strong++
			out = append(out, fmt.Sprintf("%s and %s agree more than independent critics would on %s patches (V = %s, p %s): multiplied, they count the same evidence twice.",
				d.A, d.B, d.Class, components.Decimal(d.V, 2), pWords(d.P)))
		}
	}
	switch {
	case strong > 0:
		out = append(out, "Remedies: one joint critic, the count of votes as one critic, or tempering. All three are choices above.")
	case tested == 0:
		out = append(out, "Nothing can be tested: within each class at most one critic varies.")
	default:
		out = append(out, fmt.Sprintf("No pair of critics is shown to be dependent (%d tests, the level divided among them). With few candidates that is weak comfort: read n and V.", tested))
	}
	return out
}

func pWords(p *float64) string {
	text := components.PValue(p)
	if text[0] == '<' {
		return text
	}
	return "= " + text
}
