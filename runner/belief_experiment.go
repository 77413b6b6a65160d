package runner

import (
	"cmp"
	"context"
	"fmt"
	"hash/fnv"
	"math"
	"slices"
	"strconv"

	"plumbline/experiments/belief"
	"plumbline/experiments/control"
	"plumbline/experiments/evidence"
	"plumbline/experiments/trace"
	"plumbline/experiments/vote"
	"plumbline/models"
)

// RecordedOf makes critics and scores of everything an experiment's arms said. A
// task is an instance; with byGenerator it is an instance as one agent and model
// attempted it.
func (r *Runner) RecordedOf(ctx context.Context, v models.Viewer, experimentID string, byGenerator bool) (Recorded, error) {
	e, err := r.store.Experiment(ctx, v, experimentID)
	if err != nil {
		return Recorded{}, err
	}
	arms, err := r.store.Arms(ctx, v, experimentID)
	if err != nil {
		return Recorded{}, err
	}
	traces, items, err := r.store.CriticRecords(ctx, v, experimentID)
	if err != nil {
		return Recorded{}, err
	}
	costs, err := r.store.ArmCosts(ctx, v, experimentID)
	if err != nil {
		return Recorded{}, err
	}
	checked, err := r.store.CriticChecks(ctx, v, experimentID)
	if err != nil {
		return Recorded{}, err
	}
	suite, n, err := r.store.SuiteTime(ctx, v, experimentID)
	if err != nil {
		return Recorded{}, err
	}
	return recordedArms(e, arms, traces, items, costs, checksOf(checked, traces, suite, n), byGenerator), nil
}

func recordedArms(e models.Experiment, arms []models.Arm, traces []models.CriticTrace, items []models.CriticItem, costs []models.ArmCost, ran ranChecks, byGenerator bool) Recorded {
	out := Recorded{Title: e.Name, Votes: e.Votes, Seed: uint64(e.Seed), Regenerate: generation(traces), Verify: ran.suite}
	out.armCritics(e, arms, costs)
	out.checkCritics(ran)
	said := make(map[[2]string]models.CriticItem, len(items))
	for _, it := range items {
		said[[2]string{it.ArmID, it.TraceID}] = it
	}
	order := inOrder(traces, byGenerator)
	unlabelled := 0
	generators := map[string]bool{}
	for i, t := range order {
		generators[t.Agent+"\x00"+t.Model] = true
		if t.Label != string(trace.Acceptable) && t.Label != string(trace.Defective) {
			unlabelled++
		}
		if i == 0 || taskOf(order[i-1], byGenerator) != taskOf(t, byGenerator) {
			k := taskOf(t, byGenerator)
			out.Table.Tasks = append(out.Table.Tasks, belief.Task{ID: k.id, Group: k.group})
			out.Splits = append(out.Splits, t.Split)
		}
		last := len(out.Table.Tasks) - 1
		if out.Splits[last] != t.Split {
			out.Splits[last] = ""
		}
		task := &out.Table.Tasks[last]
		task.Candidates = append(task.Candidates, out.candidate(t, arms, said, ran))
	}
	out.Generators = len(generators)
	out.countScores()
	if out.Generators > 1 && !byGenerator {
		out.Notes = append(out.Notes, fmt.Sprintf("The candidates of a task come from %d generators: by number of attempt, and among equal numbers in an order drawn from their names, so that no generator is always first.", out.Generators))
	}
	if unlabelled > 0 {
		out.Notes = append(out.Notes, fmt.Sprintf("%d candidates have no known label: they are in no estimate, and a policy that verifies one cannot be replayed.", unlabelled))
	}
	return out
}

// armCritics declares the critics and scores of every arm.
func (r *Recorded) armCritics(e models.Experiment, arms []models.Arm, costs []models.ArmCost) {
	spent := map[string]models.ArmCost{}
	for _, c := range costs {
		spent[c.ArmID] = c
	}
	names := map[string]bool{}
	usual := 0
	for i, a := range arms {
		name := a.ReviewerName + " · " + a.Form
		if names[name] {
			name += " #" + strconv.Itoa(i+1)
		}
		names[name] = true
		bound := !evidence.Form(a.Form).Deployable()
		add := func(kind CriticKind, label string, outcomes, votes int) {
			c := RecordedCritic{
				Key: armKey(i, string(kind)), Name: label, Kind: kind, Arm: i, ArmID: a.ID,
				UpperBound: bound, Simulated: a.Simulated, Spent: callCost(spent[a.ID], votes),
			}
			if kind == CriticDecision && !bound && usual < usualCritics {
				c.Usual = true
				usual++
			}
			r.Critics = append(r.Critics, c)
			r.Table.Critics = append(r.Table.Critics, belief.Column{Name: label, Outcomes: outcomes})
		}
		if e.Votes == 1 {
			add(CriticDecision, name, 2, 1)
		} else {
			add(CriticDecision, name, 2, e.Votes)
			add(CriticCount, fmt.Sprintf("%s, count of %d", name, e.Votes), e.Votes+1, e.Votes)
			add(CriticVote, name+", first vote", 2, 1)
		}
		r.addScore(armKey(i, "share"), "vote share of "+name, ScoreShare)
		r.addScore(armKey(i, "confidence"), "confidence of "+name, ScoreConfidence)
	}
	r.addScore("tools", "tool success", ScoreTools)
}

// armKey names something of an arm in an address.
func armKey(arm int, what string) string { return strconv.Itoa(arm+1) + "-" + what }

// usualCritics is how many arms are chosen when the reader chooses none: more make
// plans that nobody can read.
const usualCritics = 4

func (r *Recorded) addScore(key, name string, kind ScoreKind) {
	r.Scores = append(r.Scores, RecordedScore{Key: key, Name: name, Kind: kind})
	r.Table.Scores = append(r.Table.Scores, name)
}

// callCost is what one use of a critic takes: all its votes in money, and the time
// of one, since they are asked side by side.
func callCost(c models.ArmCost, votes int) control.Spent {
	var out control.Spent
	if c.Votes == 0 {
		return out
	}
	if c.CostKnown == c.Votes && c.Cached == 0 {
		money := c.CostUSD / float64(c.Votes) * float64(votes)
		out.Money = &money
	}
	if c.Cached == 0 {
		seconds := float64(c.LatencyMS) / float64(c.Votes) / 1000
		out.Seconds = &seconds
	}
	return out
}

// generation is the mean of what candidates took; unknown if it is for any.
func generation(traces []models.CriticTrace) control.Spent {
	var out control.Spent
	var money, seconds float64
	for _, t := range traces {
		if t.CostUSD == nil || money != money {
			money = math.NaN()
		} else {
			money += *t.CostUSD
		}
		if t.DurationMS == nil || seconds != seconds {
			seconds = math.NaN()
		} else {
			seconds += float64(*t.DurationMS) / 1000
		}
	}
	if n := float64(len(traces)); n > 0 {
		if money /= n; money == money {
			out.Money = &money
		}
		if seconds /= n; seconds == seconds {
			out.Seconds = &seconds
		}
	}
	return out
}

type taskName struct{ group, id string }

func taskOf(t models.CriticTrace, byGenerator bool) taskName {
	if byGenerator {
		return taskName{t.Agent + " · " + t.Model, t.InstanceID}
	}
	return taskName{"", t.InstanceID}
}

// inOrder sorts traces by task, then by attempt, then by a hash of the generator
// within the instance: attempts of different agents have no order of their own, and
// by name one agent would be first everywhere.
func inOrder(traces []models.CriticTrace, byGenerator bool) []models.CriticTrace {
	draw := func(t models.CriticTrace) uint64 {
		h := fnv.New64a()
		h.Write([]byte(t.InstanceID + "\x00" + t.Agent + "\x00" + t.Model))
		return h.Sum64()
	}
	out := slices.Clone(traces)
	slices.SortStableFunc(out, func(a, b models.CriticTrace) int {
		x, y := taskOf(a, byGenerator), taskOf(b, byGenerator)
		return cmp.Or(cmp.Compare(x.group, y.group), cmp.Compare(x.id, y.id), cmp.Compare(a.Attempt, b.Attempt),
			cmp.Compare(draw(a), draw(b)), cmp.Compare(a.ID, b.ID))
	})
	return out
}

func (r *Recorded) candidate(t models.CriticTrace, arms []models.Arm, said map[[2]string]models.CriticItem, ran ranChecks) belief.Candidate {
	c := belief.Candidate{ID: t.ID, Y: labelOf(t.Label)}
	for i, a := range arms {
		it, asked := said[[2]string{a.ID, t.ID}]
		for _, k := range r.Critics {
			if k.Arm == i {
				c.Outcomes = append(c.Outcomes, outcomeFrom(it, asked, k.Kind))
			}
		}
		share, confidence := math.NaN(), math.NaN()
		if it.Decision != "" {
			share = float64(it.NAccept) / float64(it.NAccept+it.NReject+it.NUncertain+it.NUnparseable)
		}
		if it.Confidence != nil {
			confidence = *it.Confidence
		}
		c.Scores = append(c.Scores, share, confidence)
	}
	for _, k := range r.Critics {
		if k.Kind.check() {
			c.Outcomes = append(c.Outcomes, ran.outcome(k, t))
		}
	}
	tools := math.NaN()
	if t.ToolSteps > 0 {
		tools = 1 - float64(t.ToolFailures)/float64(t.ToolSteps)
	}
	c.Scores = append(c.Scores, tools)
	return c
}

func labelOf(label string) belief.Label {
	switch trace.Label(label) {
	case trace.Acceptable:
		return belief.Correct
	case trace.Defective:
		return belief.Defective
	}
	return belief.Unknown
}

// outcomeFrom reads what an arm said as a critic of a kind. An item that was never
// asked, or was blocked before it was, is unrecorded; one whose asking failed is
// missing.
func outcomeFrom(it models.CriticItem, asked bool, kind CriticKind) belief.Outcome {
	if !asked {
		return belief.Unrecorded
	}
	if kind == CriticVote && it.FirstVote != "" {
		return verdict(it.FirstVote)
	}
	if it.Decision == "" {
		if it.State == models.ItemError {
			return belief.Missing
		}
		return belief.Unrecorded
	}
	if kind == CriticCount {
		return belief.Outcome(it.NAccept)
	}
	return verdict(it.Decision)
}

// verdict reads a vote or a decision, which share their words.
func verdict(word string) belief.Outcome {
	switch vote.Decision(word) {
	case vote.Accept:
		return belief.Pass
	case vote.Reject:
		return belief.Fail
	}
	return belief.Missing
}
