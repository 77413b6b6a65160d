package handlers

import (
	"encoding/json"
	"fmt"
	"maps"
	"slices"
	"strconv"
	"strings"

	"github.com/labstack/echo/v4"

	"plumbline/experiments/evidence"
	"plumbline/experiments/trace"
	"plumbline/models"
	"plumbline/runner"
	"plumbline/runner/reviewer"
	"plumbline/web/components"
	"plumbline/web/pages"
)

// setting is one thing in which arms can differ. warn is what a difference in it is
// called in a warning; without it arms are meant to differ in it.
type setting struct {
	name, warn string
	of         func(armSettings) string
}

// armSettings is an arm with the configuration it ran under.
type armSettings struct {
	comparedArm
	snap           runner.Snapshot
	spec           map[string]string // settings of the reviewer beside those named here
	dataset, split string
	traces         int
}

var settings = []setting{
	{"experiment", "", func(a armSettings) string { return a.experiment.Name }},
	{"dataset", "dataset", func(a armSettings) string { return a.dataset }},
	{"split", "split", func(a armSettings) string { return a.split }},
	{"traces with a decision", "", func(a armSettings) string { return components.Count(a.traces) }},
	{"kind", "kind of experiment", func(a armSettings) string { return a.experiment.Kind }},
	{"reviewer", "", func(a armSettings) string { return a.arm.ReviewerName }},
	{"reviewer version", "", func(a armSettings) string {
		if v := a.snap.Reviewers[a.arm.ReviewerVersionID].Version; v > 0 {
			return strconv.Itoa(v)
		}
		return ""
	}},
	{"model", "", func(a armSettings) string { return a.arm.Model }},
	{"prompt", "prompt", func(a armSettings) string { return a.spec["prompt_version"] }},
	{"evidence form", "", func(a armSettings) string { return a.arm.Form }},
	{"votes K", "number of votes K", func(a armSettings) string { return components.Count(a.experiment.Votes) }},
	{"evidence budget", "evidence budget", func(a armSettings) string {
		if a.snap.Budget == 0 {
			return "no limit"
		}
		return components.Count(a.snap.Budget) + " tokens"
	}},
	{"tally", "tally", func(a armSettings) string { return string(a.snap.Rule) }},
	{"on a leak", "handling of leaks", func(a armSettings) string { return string(a.snap.OnLeak) }},
	{"cache", "", func(a armSettings) string { return strconv.FormatBool(a.snap.Cache) }},
	{"seed", "", func(a armSettings) string { return strconv.FormatInt(a.experiment.Seed, 10) }},
	{"program version", "program version", func(a armSettings) string { return a.experiment.CodeVersion }},
}

// compareSettings fills the table of settings and the warnings of what differs
// although it should not.
func (h *Handlers) compareSettings(c echo.Context, s compareState, view *pages.Compare) error {
	arms := make([]armSettings, len(s.arms))
	keys := map[string]bool{}
	datasets, splits := map[string]string{}, map[string]string{}
	for i, a := range s.arms {
		x := armSettings{comparedArm: a, traces: view.Arms[i].Traces, split: "all traces"}
		if err := json.Unmarshal([]byte(a.experiment.Config), &x.snap); err != nil {
			return fmt.Errorf("read the configuration of experiment %s: %w", a.experiment.ID, err)
		}
		var err error
		if x.spec, err = flatSpec(x.snap.Reviewers[a.arm.ReviewerVersionID].Spec); err != nil {
			return err
		}
		for k := range x.spec {
			keys[k] = true
		}
		if err := h.placeNames(c, a.experiment, datasets, splits); err != nil {
			return err
		}
		x.dataset = datasets[a.experiment.DatasetID]
		if a.experiment.SplitID != nil {
			x.split = splits[*a.experiment.SplitID]
		}
		arms[i] = x
	}
	rows := slices.Clone(settings)
	for _, k := range slices.Sorted(maps.Keys(keys)) {
		if k != "prompt_version" && k != "model" {
			rows = append(rows, setting{name: strings.ReplaceAll(k, "_", " "), of: func(a armSettings) string { return a.spec[k] }})
		}
	}
	for _, r := range rows {
		line := pages.SettingRow{Name: r.name, Warn: r.warn != ""}
		for _, a := range arms {
			line.Values = append(line.Values, r.of(a))
		}
		first := line.Values[0]
		line.Differs = slices.ContainsFunc(line.Values, func(v string) bool { return v != first })
		if line.Differs && line.Warn {
			view.Warnings = append(view.Warnings, "The arms differ in "+r.warn+" ("+strings.Join(distinct(line.Values), "; ")+"); part of a difference may come from that.")
		}
		view.Settings = append(view.Settings, line)
	}
	view.Warnings = append(view.Warnings, stateWarnings(s.arms)...)
	return nil
}

// placeNames looks the names of dataset and splits of an experiment up once.
func (h *Handlers) placeNames(c echo.Context, e models.Experiment, datasets, splits map[string]string) error {
	if datasets[e.DatasetID] != "" {
		return nil
	}
	d, err := h.store.Dataset(c.Request().Context(), viewer(c), e.DatasetID)
	if err != nil {
		return err
	}
	datasets[e.DatasetID] = d.Name
	all, err := h.store.Splits(c.Request().Context(), viewer(c), e.DatasetID)
	for _, x := range all {
		splits[x.ID] = x.Name
	}
	return err
}

// distinct keeps the first of equal values, an empty one as a dash.
func distinct(values []string) (out []string) {
	for _, v := range values {
		if v == "" {
			v = components.Unknown
		}
		if v = components.FirstLine(v, 60); !slices.Contains(out, v) {
			out = append(out, v)
		}
	}
	return out
}

// flatSpec lists the settings of a reviewer as texts. What is nested deeper than
// one level is left to the page of the reviewer.
func flatSpec(raw json.RawMessage) (map[string]string, error) {
	out := map[string]string{}
	if len(raw) == 0 {
		return out, nil
	}
	var spec reviewer.Spec
	if err := json.Unmarshal(raw, &spec); err != nil {
		return out, fmt.Errorf("read the settings of a reviewer: %w", err)
	}
	safe, err := json.Marshal(spec.Redacted())
	if err != nil {
		return out, err
	}
	var fields map[string]any
	if err := json.Unmarshal(safe, &fields); err != nil {
		return out, err
	}
	delete(fields, "key")
	scalar := func(name string, v any) {
		switch v := v.(type) {
		case string:
			out[name] = v
		case bool:
			out[name] = strconv.FormatBool(v)
		case float64:
			out[name] = strconv.FormatFloat(v, 'g', -1, 64)
		}
	}
	for name, v := range fields {
		scalar(name, v)
		if inner, ok := v.(map[string]any); ok {
			for k, v := range inner {
				scalar(name+" "+k, v)
			}
		}
	}
	return out, nil
}

// stateWarnings say what else hinders a comparison of these arms.
func stateWarnings(arms []comparedArm) (out []string) {
	said := map[string]bool{}
	bounds := 0
	for _, a := range arms {
		if e := a.experiment; e.State != models.StateDone && !said[e.ID] {
			said[e.ID] = true
			out = append(out, e.Name+" is not finished; its missing traces are left out.")
		}
		if !evidence.Form(a.arm.Form).Deployable() {
			bounds++
		}
	}
	if bounds > 0 && bounds < len(arms) {
		out = append(out, "Some arms see outcomes of the official tests, which nobody has at review time; they are upper bounds, not rivals.")
	}
	return out
}

// traceTruth reports whether a trace of known label is defective.
func traceTruth(label string) bool { return label == string(trace.Defective) }
