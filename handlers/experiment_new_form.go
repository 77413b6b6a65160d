package handlers

import (
	"net/url"
	"strconv"
	"strings"

	"plumbline/experiments/evidence"
	"plumbline/runner"
)

// experimentForm is the form of a new experiment as texts.
type experimentForm struct {
	Name    string
	Dataset string
	Split   string
	Arms    []string // reviewer version id, colon, evidence form
	Votes   string
	Seed    string
	Budget  string
	Power   powerForm
}

// The defaults of the form: five votes as in paper G §3, and a budget that fits
// small models.
const (
	defaultVotes  = "5"
	defaultSeed   = "1"
	defaultBudget = "16000"
)

func experimentFormOf(q url.Values) experimentForm {
	or := func(s, other string) string {
		if strings.TrimSpace(s) == "" {
			return other
		}
		return strings.TrimSpace(s)
	}
	return experimentForm{
		Name: q.Get("name"), Dataset: q.Get("dataset"), Split: q.Get("split"), Arms: q["arm"],
		Votes: or(q.Get("votes"), defaultVotes), Seed: or(q.Get("seed"), defaultSeed), Budget: or(q.Get("budget"), defaultBudget),
		Power: powerFormOf(q),
	}
}

func armValue(versionID string, form evidence.Form) string { return versionID + ":" + string(form) }

// allTraces is the value of the split field that takes the whole dataset.
const allTraces = "all"

// spec reads the form; what is wrong is in the fields by the names of the form.
func (in experimentForm) spec() (runner.LaunchSpec, fields) {
	bad := fields{}
	s := runner.LaunchSpec{DatasetID: in.Dataset, Name: strings.TrimSpace(in.Name), Votes: bad.small("votes", in.Votes), Budget: bad.small("budget", in.Budget)}
	if in.Split != allTraces {
		s.SplitID = in.Split
	}
	if seed := bad.int("seed", in.Seed); seed != nil {
		s.Seed = *seed
	}
	if _, wrong := bad["votes"]; !wrong && (s.Votes < 1 || s.Votes > 99) {
		bad["votes"] = "choose 1 to 99 votes"
	}
	for _, a := range in.Arms {
		id, form, ok := strings.Cut(a, ":")
		if !ok || !evidence.Form(form).Valid() {
			bad["arms"] = "an arm could not be read; choose it again"
			continue
		}
		s.Arms = append(s.Arms, runner.ArmSpec{ReviewerVersionID: id, Form: evidence.Form(form)})
	}
	return s, bad
}

// has reports whether an arm is chosen.
func (in experimentForm) has(value string) bool {
	for _, a := range in.Arms {
		if a == value {
			return true
		}
	}
	return false
}

// suggestion names an experiment after its choice when nobody did.
func (in experimentForm) suggestion(n int) string {
	if in.Name != "" {
		return in.Name
	}
	return "Review " + strconv.Itoa(n)
}
