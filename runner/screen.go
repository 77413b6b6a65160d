package runner

import (
	"context"
	"encoding/json"
	"fmt"
	"slices"
	"strconv"

	"plumbline/experiments/evidence"
	"plumbline/experiments/stats"
	"plumbline/models"
)

// DefaultScreenThreshold is the contradiction rate above which a reviewer should
// not be used, unless the setting says otherwise.
const DefaultScreenThreshold = 0.05

const screenSetting = "screen_threshold"

// ScreenVerdict compares a rate's interval with the threshold.
type ScreenVerdict string

// The verdicts. An interval that holds the threshold settles nothing.
const (
	ScreenNone  ScreenVerdict = "not screened" // no audited vote
	ScreenOpen  ScreenVerdict = "open"
	ScreenBelow ScreenVerdict = "below the threshold"
	ScreenAbove ScreenVerdict = "above the threshold"
)

// ScreenLine is the contradiction rate of a prompt version on one class of
// evidence. Grounded evidence shows results, which a vote can contradict; on other
// evidence a vote can contradict only its own rationale, so the two are not mixed.
type ScreenLine struct {
	Prompt    string
	Grounded  bool
	Versions  []int // of the reviewer, newest first
	Rate      stats.Rate
	Interval  *stats.Interval // Wilson; nil without votes
	Unaudited int
	Repeats   bool // several votes on one trace, which are not independent
	Simulated bool
	Verdict   ScreenVerdict
}

// Screening says whether a reviewer reads what it is shown.
type Screening struct {
	Threshold float64
	Lines     []ScreenLine
	// Prompt is the prompt version of the newest settings, and Verdict is that of
	// its lines: above if one is, below if all are.
	Prompt  string
	Verdict ScreenVerdict
}

// ScreenThreshold reads the setting.
func (r *Runner) ScreenThreshold(ctx context.Context) (float64, error) {
	raw, err := r.store.Setting(ctx, screenSetting)
	if err != nil || raw == "" {
		return DefaultScreenThreshold, err
	}
	x, err := strconv.ParseFloat(raw, 64)
	if err != nil {
		return 0, fmt.Errorf("read setting %s: %w", screenSetting, err)
	}
	return x, nil
}

// SetScreenThreshold changes the setting, which is the server's; it needs an admin.
func (r *Runner) SetScreenThreshold(ctx context.Context, v models.Viewer, x float64) error {
	if v.All != models.RoleAdmin || v.Share != "" {
		return models.ErrForbidden
	}
	if !(x > 0 && x < 1) {
		return models.Invalid("threshold", "choose a share between 0 and 1, such as 0.05")
	}
	return r.store.SetSetting(ctx, screenSetting, strconv.FormatFloat(x, 'g', -1, 64))
}

// Screen computes the contradiction rates of a reviewer from all its stored votes,
// by prompt version and class of evidence, the newest prompt version first.
func (r *Runner) Screen(ctx context.Context, v models.Viewer, reviewerID string) (Screening, error) {
	_, versions, err := r.store.Reviewer(ctx, v, reviewerID)
	if err != nil {
		return Screening{}, err
	}
	threshold, err := r.ScreenThreshold(ctx)
	if err != nil {
		return Screening{}, err
	}
	counts, err := r.store.ScreenCounts(ctx, v, reviewerID)
	if err != nil {
		return Screening{}, err
	}
	out := Screening{Threshold: threshold, Verdict: ScreenNone}
	prompts := map[string]string{}
	for i, x := range versions { // newest first
		var spec struct {
			Prompt string `json:"prompt_version"`
		}
		if err := json.Unmarshal([]byte(x.Spec), &spec); err != nil {
			return out, fmt.Errorf("read the settings of version %d: %w", x.Version, err)
		}
		prompts[x.ID] = spec.Prompt
		if i == 0 {
			out.Prompt = spec.Prompt
		}
	}
	out.Lines = screenLines(counts, prompts, threshold)
	out.Verdict = verdictOf(out.Lines, out.Prompt)
	return out, nil
}

func screenLines(counts []models.ScreenCount, prompts map[string]string, threshold float64) []ScreenLine {
	type key struct {
		prompt   string
		grounded bool
	}
	type sum struct{ votes, contradictions, traces int }
	var out []ScreenLine
	at, sums := map[key]int{}, []sum{}
	for _, c := range counts {
		k := key{prompts[c.VersionID], evidence.Form(c.Form).Class() == evidence.ClassGrounded}
		i, ok := at[k]
		if !ok {
			i = len(out)
			at[k] = i
			out, sums = append(out, ScreenLine{Prompt: k.prompt, Grounded: k.grounded}), append(sums, sum{})
		}
		l := &out[i]
		if !slices.Contains(l.Versions, c.Version) {
			l.Versions = append(l.Versions, c.Version)
		}
		l.Unaudited += c.Unaudited
		l.Simulated = l.Simulated || c.Simulated
		sums[i].votes += c.Votes
		sums[i].contradictions += c.Contradictions
		sums[i].traces += c.Traces
	}
	for i := range out {
		l, s := &out[i], sums[i]
		l.Rate = stats.RateOf(s.contradictions, s.votes, "no vote was audited")
		l.Interval, _ = stats.Wilson(s.contradictions, s.votes, stats.DefaultLevel)
		l.Repeats = s.votes+l.Unaudited > s.traces
		l.Verdict = compare(l.Interval, threshold)
	}
	return out
}

func compare(iv *stats.Interval, threshold float64) ScreenVerdict {
	switch {
	case iv == nil:
		return ScreenNone
	case iv.Lo > threshold:
		return ScreenAbove
	case iv.Hi < threshold:
		return ScreenBelow
	}
	return ScreenOpen
}

func verdictOf(lines []ScreenLine, prompt string) ScreenVerdict {
	out := ScreenNone
	for _, l := range lines {
		if l.Prompt != prompt {
			continue
		}
		switch {
		case l.Verdict == ScreenAbove:
			return ScreenAbove
		case l.Verdict == ScreenOpen, out == ScreenNone && l.Verdict == ScreenBelow:
			out = l.Verdict
		}
	}
	return out
}
