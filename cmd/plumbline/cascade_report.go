package main

import (
	"fmt"
	"io"
	"maps"
	"slices"
	"strings"
	"text/tabwriter"

	"plumbline/experiments/cascade"
	"plumbline/experiments/stats"
	"plumbline/models"
	"plumbline/runner"
)

// cascadeReport is what cascade --json prints: a documented interface, see
// docs/checks.md.
type cascadeReport struct {
	Experiment struct {
		ID        string `json:"id"`
		Name      string `json:"name"`
		State     string `json:"state"`
		Simulated bool   `json:"simulated"`
		Recorded  bool   `json:"recorded"` // its tests were written beforehand
		Generator string `json:"generator"`
		Checks    string `json:"checks_sha256"`
		Seed      int64  `json:"seed"`
		Votes     int    `json:"votes_each"`
		Version   string `json:"code_version"`
	} `json:"experiment"`
	Traces    int                   `json:"traces"`
	Differing int                   `json:"differing"`
	Arms      []cascadeReportPolicy `json:"arms"`
	Baselines []cascadeReportPolicy `json:"baselines"`
	Variants  []cascadeReportPolicy `json:"variants"`
}

type cascadeReportPolicy struct {
	Name     string                  `json:"name"`
	Policy   cascade.Policy          `json:"policy"`
	Verdicts int                     `json:"verdicts"`
	Missing  int                     `json:"missing"`
	Troubles map[cascade.Trouble]int `json:"troubles"`
	Stages   []cascadeReportStage    `json:"stages"`
	Tests    cascadeReportTests      `json:"tests"`
	Audit    map[cascade.Finding]int `json:"audit,omitempty"`
	Asked    int                     `json:"votes_asked"`
	Saved    int                     `json:"votes_saved"`
	Rates    map[string]runRate      `json:"rates"`
	Against  string                  `json:"against_first,omitempty"`
}

type cascadeReportStage struct {
	Stage           string              `json:"stage"`
	Entered         int                 `json:"entered"`
	Decided         int                 `json:"decided"`
	Abstained       int                 `json:"abstained"`
	Stuck           int                 `json:"stuck"`
	FalseRejections int                 `json:"false_rejections"`
	Misses          int                 `json:"misses"`
	Why             map[cascade.Why]int `json:"why"`
	Calls           int                 `json:"calls"`
	Runs            int                 `json:"runs"`
	SandboxMS       int64               `json:"sandbox_ms"`
	CostUSD         *float64            `json:"cost_usd"`
}

type cascadeReportTests struct {
	Traces          int                     `json:"traces"`
	Attempts        int                     `json:"attempts"`
	Kept            int                     `json:"kept"`
	Discards        map[cascade.Discard]int `json:"discards"`
	Patched         map[cascade.Result]int  `json:"on_patch"`
	RejectPrecision runRate                 `json:"reject_precision"`
	AcceptPrecision runRate                 `json:"accept_precision"`
}

func newCascadeReport(res runner.CascadeResults, p models.Progress) cascadeReport {
	e, c := res.Experiment, res.Config
	out := cascadeReport{Traces: res.Traces, Differing: res.Differing}
	x := &out.Experiment
	x.ID, x.Name, x.State, x.Simulated, x.Seed, x.Votes, x.Version = e.ID, e.Name, p.State, e.Simulated, e.Seed, e.Votes, e.CodeVersion
	x.Recorded, x.Generator, x.Checks = c.Checks.Generator == runner.RecordedGenerator, c.GeneratorName, c.ChecksSHA256
	for from, to := range map[*[]runner.CascadePolicy]*[]cascadeReportPolicy{&res.Arms: &out.Arms, &res.Baselines: &out.Baselines, &res.Variants: &out.Variants} {
		*to = []cascadeReportPolicy{}
		for _, p := range *from {
			first := ""
			if len(res.Arms) > 0 {
				first = res.Arms[0].Short
			}
			*to = append(*to, cascadePolicyReport(p, first, c.Checks.Audit))
		}
	}
	return out
}

func cascadePolicyReport(p runner.CascadePolicy, first string, audit bool) cascadeReportPolicy {
	f := p.Funnel
	out := cascadeReportPolicy{
		Name: p.Name, Policy: p.Policy, Verdicts: f.Verdicts, Missing: f.Missing, Troubles: f.Troubles, Asked: f.Asked, Saved: f.Saved, Rates: map[string]runRate{},
		Tests: cascadeReportTests{
			Traces: f.Tests.Traces, Attempts: f.Tests.Attempts, Kept: f.Tests.Kept, Discards: f.Tests.Discards, Patched: f.Tests.Patched,
			RejectPrecision: wilsonRow(f.Tests.RejectPrecision), AcceptPrecision: wilsonRow(f.Tests.AcceptPrecision),
		},
	}
	for _, s := range f.Stages {
		cost, _ := s.Spent.CostUSD()
		out.Stages = append(out.Stages, cascadeReportStage{
			Stage: s.Stage.Key(), Entered: s.Entered, Decided: s.Decided, Abstained: s.Abstained, Stuck: s.Stuck, FalseRejections: s.FalseRejections(), Misses: s.Misses(),
			Why: s.Why, Calls: s.Spent.Calls, Runs: s.Spent.Runs, SandboxMS: s.Spent.Sandbox.Milliseconds(), CostUSD: cost,
		})
	}
	for _, m := range p.Measures {
		out.Rates[string(m.Metric)] = runRate{K: m.K, N: m.N, Value: m.Value, Reason: m.Reason, Wilson: interval(m.Wilson), Bootstrap: interval(m.Bootstrap)}
	}
	if audit {
		out.Audit = map[cascade.Finding]int{}
		for _, x := range []cascade.Finding{cascade.SoundReject, cascade.SoundPass, cascade.UnderSpecified, cascade.OverSpecified, cascade.PatchRestating, cascade.ReferenceBound} {
			out.Audit[x] = p.Audit.Of(x)
		}
	}
	if p.Against != nil {
		out.Against = p.Against.Sentence(first, p.Short)
	}
	return out
}

func wilsonRow(r stats.Rate) runRate {
	out := runRate{K: r.K, N: r.N, Value: r.Value, Reason: r.Reason}
	if r.Value != nil {
		iv, _ := stats.Wilson(r.K, r.N, 0)
		out.Wilson = interval(iv)
	}
	return out
}

// writeCascade prints the funnel of every arm and the rates of every policy.
func writeCascade(w io.Writer, r cascadeReport) {
	fmt.Fprintf(w, "%s (%s): %d traces.\n", r.Experiment.Name, r.Experiment.State, r.Traces)
	if r.Experiment.Simulated {
		fmt.Fprintln(w, "Simulated reviewers took part: their rates were set, not measured.")
	}
	if r.Experiment.Recorded {
		fmt.Fprintln(w, "The tests are recorded replies: no model was asked for them.")
	}
	for _, p := range r.Arms {
		fmt.Fprintf(w, "\n%s: %d verdicts, %d missing", p.Name, p.Verdicts, p.Missing)
		for _, trouble := range slices.Sorted(maps.Keys(p.Troubles)) {
			fmt.Fprintf(w, ", %d × %s", p.Troubles[trouble], trouble)
		}
		fmt.Fprintf(w, "; %d votes asked, %d saved\n", p.Asked, p.Saved)
		t := tabwriter.NewWriter(w, 0, 0, 2, ' ', 0)
		fmt.Fprintln(t, "stage\tcame\tdecided\tabstained\tno verdict\tfalse rejections\tmisses\tcalls\tprograms")
		for _, s := range p.Stages {
			fmt.Fprintf(t, "%s\t%d\t%d\t%d\t%d\t%d\t%d\t%d\t%d\n", strings.ReplaceAll(s.Stage, "_", " "), s.Entered, s.Decided, s.Abstained, s.Stuck, s.FalseRejections, s.Misses, s.Calls, s.Runs)
		}
		t.Flush()
		fmt.Fprintf(w, "tests: %d attempts, %d kept; a failing one is right %d/%d, a passing one %d/%d\n",
			p.Tests.Attempts, p.Tests.Kept, p.Tests.RejectPrecision.K, p.Tests.RejectPrecision.N, p.Tests.AcceptPrecision.K, p.Tests.AcceptPrecision.N)
	}
	fmt.Fprintln(w)
	t := tabwriter.NewWriter(w, 0, 0, 2, ' ', 0)
	fmt.Fprintln(t, "policy\tcatch\tover-rejection\tcoverage\trisk")
	for _, list := range [][]cascadeReportPolicy{r.Arms, r.Baselines, r.Variants} {
		for _, p := range list {
			fmt.Fprint(t, p.Name)
			for _, m := range []stats.Metric{stats.Catch, stats.OverRejection, stats.Coverage, stats.Risk} {
				x := p.Rates[string(m)]
				if x.Value == nil {
					fmt.Fprint(t, "\t–")
					continue
				}
				fmt.Fprintf(t, "\t%.2f %d/%d", *x.Value, x.K, x.N)
				if x.Wilson != nil {
					fmt.Fprintf(t, " [%.2f, %.2f]", x.Wilson.Lo, x.Wilson.Hi)
				}
			}
			fmt.Fprintln(t)
		}
	}
	t.Flush()
	fmt.Fprintln(w, "In brackets: 95% Wilson interval.")
}
