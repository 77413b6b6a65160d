package evidence

import (
	"strings"

	"plumbline/experiments/trace"
)

// steps renders what the agent thought, did and saw. System and user messages are
// left out and counted as prompts.
func (d *document) steps() {
	s := d.add(partSteps, "steps", "Agent's steps and logs (the agent's own record)")
	prompts := Cut{What: "prompts", Why: CutPrompts}
	quarters := 0
	for i, x := range d.in.Steps {
		if x.Kind == trace.StepSystem || x.Kind == trace.StepUser {
			prompts.Steps++
			for _, t := range []string{x.Thought, x.Action, x.Observation} {
				quarters += weigh(t)
			}
			continue
		}
		s.steps = append(s.steps, d.step(i+1, x))
	}
	if prompts.Steps > 0 {
		prompts.Tokens = toTokens(quarters)
		d.cuts = append(d.cuts, prompts)
	}
	if len(s.steps) == 0 {
		s.own("no steps are recorded")
	}
}

func (d *document) step(number int, x trace.Step) step {
	var head section
	title := []string{string(x.Kind)}
	if x.Tool != "" {
		title = append(title, x.Tool)
	}
	switch {
	case x.ExitCode != nil:
		head.own("step %d: %s, exit code %d", number, strings.Join(title, " "), *x.ExitCode)
	case x.Error:
		head.own("step %d: %s, marked as an error", number, strings.Join(title, " "))
	default:
		head.own("step %d: %s", number, strings.Join(title, " "))
	}
	out := step{number: number, lines: head.lines}
	for _, p := range []struct{ name, text string }{{"thought", x.Thought}, {"action", x.Action}, {"log", x.Observation}} {
		if strings.TrimSpace(p.text) == "" {
			continue
		}
		out.lines = append(out.lines, Line{Own: true, Text: p.name + ":"})
		out.lines = append(out.lines, d.quote("steps", strings.Trim(p.text, "\r\n"))...)
	}
	return out
}
