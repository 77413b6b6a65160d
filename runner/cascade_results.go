package runner

import (
	"context"
	"fmt"
	"time"

	"plumbline/experiments/cascade"
	"plumbline/experiments/stats"
	"plumbline/experiments/trace"
	"plumbline/experiments/vote"
	"plumbline/models"
)

// CascadeResults are the policies of a cascade experiment, measured by replaying
// what was stored: the live decisions and these come from the same steps.
type CascadeResults struct {
	Experiment models.Experiment
	Config     CascadeConfig
	Arms       []CascadePolicy // as launched
	Baselines  []CascadePolicy // on the same traces, without further calls
	Variants   []CascadePolicy // what other policies would have decided
	// Differing are decisions in the store that a replay does not give, which is
	// never so unless a label or a vote was changed by hand.
	Differing int
	Traces    int
}

// CascadePolicy is one policy on the traces of the experiment.
type CascadePolicy struct {
	ArmID     string // empty for what was never an arm
	Name      string
	Short     string // of the policy alone, where no other arm has it
	Policy    cascade.Policy
	Simulated bool
	Explain   string
	Funnel    cascade.Funnel
	Measures  stats.Measures
	Audit     cascade.AuditTable
	Episodes  []cascade.Episode
	// Against compares with the first arm, on the traces both decided; nil for it.
	Against *stats.Comparison
}

// CascadeResults reads and measures a cascade experiment. The bootstrap's seed is
// the experiment's.
func (r *Runner) CascadeResults(ctx context.Context, v models.Viewer, experimentID string) (CascadeResults, error) {
	e, err := r.store.Experiment(ctx, v, experimentID)
	if err != nil {
		return CascadeResults{}, err
	}
	if e.Kind != KindCascade {
		return CascadeResults{}, fmt.Errorf("experiment %s is no cascade: %w", e.ID, models.ErrNotFound)
	}
	out := CascadeResults{Experiment: e}
	if out.Config, err = CascadeConfigOf(e); err != nil {
		return out, err
	}
	arms, err := r.store.Arms(ctx, v, experimentID)
	if err != nil {
		return out, err
	}
	data, err := r.cascadeData(ctx, v, experimentID)
	if err != nil {
		return out, err
	}
	out.Traces = len(data.order)
	named := map[string]int{}
	for _, a := range out.Config.Arms {
		named[a.Policy.Name]++
	}
	var main *CascadePolicy
	for _, a := range arms {
		if a.Idx >= len(out.Config.Arms) {
			return out, fmt.Errorf("the configuration of experiment %s has no arm %d", e.ID, a.Idx)
		}
		spec := out.Config.Arms[a.Idx]
		p := CascadePolicy{ArmID: a.ID, Name: a.ReviewerName + " · " + a.Form, Policy: spec.Policy, Simulated: a.Simulated}
		p.Short = p.Name
		if named[spec.Policy.Name] == 1 {
			p.Short = spec.Policy.Name
		}
		p.Policy.Residual.Arm = a.ID
		if err := data.replay(&p, spec.checked()); err != nil {
			return out, err
		}
		out.Differing += data.differing(p)
		if spec.checked() {
			out.Arms = append(out.Arms, p)
		} else {
			p.Explain = "The same reviewer on the same traces without any check."
			out.Baselines = append(out.Baselines, p)
		}
	}
	if len(out.Arms) > 0 {
		main = &out.Arms[0]
	}
	if err := out.replayed(data, main); err != nil {
		return out, err
	}
	return out, out.measure(main)
}

// replayed adds baselines and variants that need no arm of their own.
func (out *CascadeResults) replayed(data *cascadeData, main *CascadePolicy) error {
	rules, tests := cascade.RulesOnly(), cascade.TestsOnly()
	for _, x := range []struct {
		p       cascade.Policy
		explain string
	}{
		{rules, "Mechanical rules alone; what they leave open is uncertain."},
		{tests, "Generated tests alone, with the evaluated rule; what they leave open is uncertain. A trace that another stage decided has no test and is missing."},
	} {
		p := CascadePolicy{Name: x.p.Name, Short: x.p.Name, Policy: x.p, Explain: x.explain}
		if err := data.replay(&p, true); err != nil {
			return err
		}
		out.Baselines = append(out.Baselines, p)
	}
	if main == nil {
		return nil
	}
	for _, x := range variants(main.Policy) {
		p := CascadePolicy{Name: x.policy.Name, Short: x.policy.Name, Policy: x.policy, Explain: x.explain, Simulated: main.Simulated}
		if err := data.replay(&p, true); err != nil {
			return err
		}
		out.Variants = append(out.Variants, p)
	}
	return nil
}

type variant struct {
	policy  cascade.Policy
	explain string
}

// variants are policies that differ from p in one thing.
func variants(p cascade.Policy) []variant {
	var out []variant
	add := func(name, explain string, change func(*cascade.Policy)) {
		q := p
		change(&q)
		q.Name = name
		if q.Static == p.Static && q.Tests == p.Tests && q.NoChange == p.NoChange {
			return
		}
		out = append(out, variant{q, explain})
	}
	add("a pass accepts", "A generated test that passes on the patch accepts, as in the evaluated rule.", func(q *cascade.Policy) { q.Tests.OnPass = cascade.ThenAccept })
	add("a pass goes on", "A generated test that passes on the patch is evidence and no acceptance.", func(q *cascade.Policy) { q.Tests.OnPass = cascade.GoOn })
	add("a failure goes on", "A failing test is shown to the reviewer and rejects nothing by itself.", func(q *cascade.Policy) { q.Tests.OnFail, q.Tests.OnBroken = cascade.GoOn, cascade.GoOn })
	add("without tests", "No test is generated.", func(q *cascade.Policy) { q.Tests = cascade.TestRule{} })
	add("without static checks", "Static findings reject nothing.", func(q *cascade.Policy) { q.Static = cascade.StaticOff })
	add("every caused finding rejects", "Also an unused import that the patch brings rejects.", func(q *cascade.Policy) { q.Static = cascade.AnyCaused })
	add("old errors reject too", "Decisive findings reject although the base has them too.", func(q *cascade.Policy) { q.Static = cascade.Unfiltered })
	return out
}

// measure computes rates with intervals, and comparisons with the first arm.
func (out *CascadeResults) measure(main *CascadePolicy) error {
	var all []*CascadePolicy
	for _, list := range [][]CascadePolicy{out.Arms, out.Baselines, out.Variants} {
		for i := range list {
			all = append(all, &list[i])
		}
	}
	arms := make([]stats.Arm, len(all))
	for i, p := range all {
		arms[i] = stats.Arm{Label: p.Name, Counts: p.Funnel.Counts}
	}
	o := stats.Options{Seed: uint64(out.Experiment.Seed)}
	for i, m := range stats.MeasureAll(arms, o) {
		all[i].Measures = m
	}
	if main == nil {
		return nil
	}
	var pairs []stats.LabelledPair
	var at []int
	for i, p := range all {
		if p == main {
			continue
		}
		pairs, at = append(pairs, stats.LabelledPair{Label: p.Name, Pair: cascade.Pair(main.Episodes, p.Episodes)}), append(at, i)
	}
	for k, c := range stats.CompareAll(pairs, o) {
		all[at[k]].Against = &c
	}
	return nil
}

// cascadeData is everything stored of a cascade experiment, by trace.
type cascadeData struct {
	order     []string // trace ids
	records   map[string]*cascade.Record
	decisions map[string]map[string]string // arm → trace → decision
	begun     map[string]map[string]bool   // arm → trace: the cascade came to it
}

func (r *Runner) cascadeData(ctx context.Context, v models.Viewer, experimentID string) (*cascadeData, error) {
	rows, err := r.store.CascadeRows(ctx, v, experimentID)
	if err != nil {
		return nil, err
	}
	tests, err := r.store.CascadeTests(ctx, v, experimentID)
	if err != nil {
		return nil, err
	}
	costs, err := r.store.CascadeStaticCosts(ctx, v, experimentID)
	if err != nil {
		return nil, err
	}
	votes, err := r.store.CascadeVotes(ctx, v, experimentID)
	if err != nil {
		return nil, err
	}
	bySet := map[string][]models.GeneratedTest{}
	for _, g := range tests {
		bySet[g.SetID] = append(bySet[g.SetID], g)
	}
	spent := map[string]models.SetStaticCost{}
	for _, c := range costs {
		spent[c.SetID] = c
	}
	d := &cascadeData{records: map[string]*cascade.Record{}, decisions: map[string]map[string]string{}, begun: map[string]map[string]bool{}}
	for _, row := range rows {
		d.add(row, bySet[row.SetID], spent[row.SetID])
	}
	for _, x := range votes {
		d.vote(x)
	}
	return d, nil
}

func (d *cascadeData) add(row models.CascadeRow, tests []models.GeneratedTest, cost models.SetStaticCost) {
	put := func(m map[string]map[string]string, value string) {
		if m[row.ArmID] == nil {
			m[row.ArmID] = map[string]string{}
		}
		m[row.ArmID][row.TraceID] = value
	}
	put(d.decisions, row.Decision)
	if d.begun[row.ArmID] == nil {
		d.begun[row.ArmID] = map[string]bool{}
	}
	d.begun[row.ArmID][row.TraceID] = true
	r := d.records[row.TraceID]
	if r == nil {
		set := models.SetChecks{Set: models.CheckSet{
			TraceID: row.TraceID, PatchNone: row.PatchNone, PatchWhy: row.PatchWhy, StaticRan: row.StaticRan, StaticWhy: row.StaticWhy,
			StaticDecisive: row.StaticDecisive, StaticCaused: row.StaticCaused, StaticStanding: row.StaticStanding,
		}, Tests: tests}
		rec := recordOf(set)
		rec.Instance, rec.Label = row.InstanceID, trace.Label(row.Label)
		rec.Votes, rec.VoteSpent, rec.GoldResults = map[string][]vote.Vote{}, map[string]cascade.Spend{}, map[int]cascade.Result{}
		rec.Spent[cascade.StageStatic] = cascade.Spend{Runs: cost.Runs, Sandbox: time.Duration(cost.WallMS) * time.Millisecond}
		for i, g := range tests {
			rec.Spent[cascade.StageTest] = rec.Spent[cascade.StageTest].Plus(testSpend(g))
			if g.GoldResult != "" {
				rec.GoldResults[i] = cascade.Result(g.GoldResult)
			}
		}
		r = &rec
		d.records[row.TraceID] = r
		d.order = append(d.order, row.TraceID)
	}
	if row.Trouble != "" && row.State == models.ItemError {
		f := cascade.Failed{Trouble: cascade.Trouble(row.Trouble), Detail: row.Detail}
		r.Troubles = map[cascade.Kind]cascade.Failed{
			cascade.LookAtPatch: f, cascade.RunStatic: f, cascade.Generate: f, cascade.RunOnBase: f, cascade.RunOnPatch: f,
		}
	}
}

func testSpend(g models.GeneratedTest) cascade.Spend {
	s := cascade.Spend{Runs: g.Runs, Sandbox: time.Duration(g.WallMS) * time.Millisecond}
	if g.Recorded || g.Generator == "" {
		return s
	}
	s.Calls = 1
	return s.Plus(callSpend(g.InputTokens, g.OutputTokens, g.CostUSD))
}

// callSpend is the cost of one call without the call itself.
func callSpend(in, out *int64, usd *float64) (s cascade.Spend) {
	if in == nil || out == nil {
		s.Uncounted = 1
	} else {
		s.InputTokens, s.OutputTokens = *in, *out
	}
	if usd == nil {
		s.Unpriced = 1
	} else {
		s.USD = *usd
	}
	return s
}

func (d *cascadeData) vote(x models.CascadeVote) {
	r := d.records[x.TraceID]
	if r == nil {
		return // a plain arm is ahead of the cascade on this trace
	}
	list := r.Votes[x.ArmID]
	for len(list) <= x.Idx {
		list = append(list, "")
	}
	list[x.Idx] = vote.Vote(x.Vote)
	r.Votes[x.ArmID] = list
	s := callSpend(x.InputTokens, x.OutputTokens, x.CostUSD)
	s.Calls = 1
	r.VoteSpent[x.ArmID] = r.VoteSpent[x.ArmID].Plus(s)
}

// replay fills a result. An arm is measured on the traces it came to, everything
// else on all.
func (d *cascadeData) replay(p *CascadePolicy, checked bool) error {
	var records []cascade.Record
	for _, id := range d.order {
		if p.ArmID == "" || !checked || d.begun[p.ArmID][id] {
			records = append(records, *d.records[id])
		}
	}
	var err error
	if p.Episodes, err = cascade.ReplayAll(p.Policy, records); err != nil {
		return err
	}
	p.Funnel = cascade.Measure(p.Policy, p.Episodes)
	p.Audit = cascade.Tabulate(p.Episodes, records)
	return nil
}

// differing counts stored decisions that the replay does not give.
func (d *cascadeData) differing(p CascadePolicy) int {
	n := 0
	for _, e := range p.Episodes {
		stored := d.decisions[p.ArmID][e.Trace]
		if got, ok := e.Decision(); stored != "" && (!ok || string(got) != stored) {
			n++
		}
	}
	return n
}
