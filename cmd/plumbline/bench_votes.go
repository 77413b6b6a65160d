package main

import (
	"context"
	"encoding/json"
	"errors"
	"fmt"
	"strings"
	"time"

	"plumbline/experiments/evidence"
	"plumbline/experiments/formats"
	"plumbline/experiments/trace"
	"plumbline/models"
	"plumbline/runner"
	"plumbline/runner/reviewer"
)

type benchVotesCmd struct {
	Votes       int           `help:"Votes to ask for, five an item." default:"2000"`
	Latency     time.Duration `help:"Time that the endpoint takes for an answer." default:"20ms"`
	Concurrency int           `help:"Requests in flight." default:"20"`
	JSON        bool          `help:"Print the figures as JSON." name:"json"`
}

// votesFigures are what bench votes measures.
type votesFigures struct {
	machine
	Votes        int      `json:"votes"`
	Concurrency  int      `json:"concurrency"`
	LatencyMS    float64  `json:"latency_ms"`
	IdealS       float64  `json:"ideal_s"`
	TookS        float64  `json:"took_s"`
	PoolS        float64  `json:"pool_s"`
	OfIdeal      float64  `json:"of_ideal"`
	PoolOfIdeal  float64  `json:"pool_of_ideal"`
	OfPool       float64  `json:"of_pool"`
	PeakMiB      *float64 `json:"peak_resident_mib"` // of the whole process, endpoint included
	VotesPerItem int      `json:"votes_per_item"`
}

const benchVotesPerItem = 5

// Run measures launch to last stored vote, then the plain pool.
func (c *benchVotesCmd) Run(ctx context.Context, g *Globals, std streams) (err error) {
	if c.Votes < benchVotesPerItem || c.Concurrency < 1 {
		return fmt.Errorf("choose at least %d votes and a concurrency of 1", benchVotesPerItem)
	}
	endpoint, err := startBenchEndpoint(c.Latency)
	if err != nil {
		return err
	}
	defer func() { err = errors.Join(err, endpoint.close()) }()
	a, end, err := scratchApp(ctx, g, std)
	if err != nil {
		return err
	}
	defer func() { err = errors.Join(err, end()) }()
	out, err := c.measure(ctx, a, endpoint)
	if err != nil {
		return err
	}
	if c.JSON {
		return writeJSON(std.out, out)
	}
	fmt.Fprintf(std.out, "%s\n", out.machine)
	fmt.Fprintf(std.out, "%d votes at %v, %d at a time; ideal %.2f s\n", out.Votes, c.Latency, c.Concurrency, out.IdealS)
	fmt.Fprintf(std.out, "launch to last stored vote   %.2f s  %.2f × ideal  %.2f × the plain pool\n", out.TookS, out.OfIdeal, out.OfPool)
	fmt.Fprintf(std.out, "plain pool, answers in RAM   %.2f s  %.2f × ideal\n", out.PoolS, out.PoolOfIdeal)
	fmt.Fprintf(std.out, "peak resident memory         %s, the endpoint included, before the pool\n", mib(out.PeakMiB))
	return nil
}

func (c *benchVotesCmd) measure(ctx context.Context, a *app, endpoint *benchEndpoint) (out votesFigures, err error) {
	spec, err := benchExperiment(ctx, a, endpoint.url, c.Votes/benchVotesPerItem, c.Concurrency)
	if err != nil {
		return out, err
	}
	if err := a.work(ctx, 8, false); err != nil {
		return out, err
	}
	start := time.Now()
	e, err := a.runner.Launch(ctx, models.LocalAdmin(), spec)
	if err != nil {
		return out, err
	}
	if e, err = benchWait(ctx, a, e); err != nil {
		return out, err
	}
	took := time.Since(start)
	peak := peakMiB()
	p, err := a.store.Progress(ctx, models.LocalAdmin(), e.ID)
	if err != nil {
		return out, err
	}
	if p.Votes != p.VotesAsked || p.Done != p.Total {
		return out, fmt.Errorf("the experiment ended with %d of %d votes and %d of %d items", p.Votes, p.VotesAsked, p.Done, p.Total)
	}
	pool, err := plainPool(endpoint.url, *endpoint.first.Load(), int(p.Votes), c.Concurrency)
	if err != nil {
		return out, err
	}
	ideal := time.Duration(p.Votes) * c.Latency / time.Duration(c.Concurrency)
	out = votesFigures{
		Votes: int(p.Votes), Concurrency: c.Concurrency, LatencyMS: float64(c.Latency) / 1e6, IdealS: ideal.Seconds(), TookS: took.Seconds(),
		PoolS: pool.Seconds(), OfIdeal: float64(took) / float64(ideal), PoolOfIdeal: float64(pool) / float64(ideal),
		OfPool: float64(took) / float64(pool), PeakMiB: peak, VotesPerItem: benchVotesPerItem,
	}
	out.machine, err = a.machine(ctx)
	return out, err
}

// benchExperiment stores items' worth of traces and a reviewer at url.
func benchExperiment(ctx context.Context, a *app, url string, items, concurrency int) (runner.LaunchSpec, error) {
	v := models.LocalAdmin()
	fail := func(err error) (runner.LaunchSpec, error) {
		return runner.LaunchSpec{}, fmt.Errorf("prepare the measurement: %w", err)
	}
	p, err := a.store.EnsureProject(ctx, "default", "Default project")
	if err != nil {
		return fail(err)
	}
	d, err := a.store.EnsureDataset(ctx, v, p.ID, "Bench", "Made for a measurement.", false)
	if err != nil {
		return fail(err)
	}
	for i := 0; i < items; i += 100 {
		instances, traces := benchTraces(i, min(i+100, items))
		if _, err := a.store.ImportTraces(ctx, v, d.ID, instances, traces); err != nil {
			return fail(err)
		}
	}
	set := reviewer.Spec{Kind: reviewer.KindOpenAI, BaseURL: url, Model: "bench", Concurrency: concurrency}.Filled()
	raw, err := json.Marshal(set)
	if err != nil {
		return fail(err)
	}
	r, err := a.store.SaveReviewer(ctx, v, models.ReviewerDraft{ProjectID: p.ID, Name: "bench", Kind: string(set.Kind), Model: set.Model, Spec: string(raw)})
	if err != nil {
		return fail(err)
	}
	return runner.LaunchSpec{
		DatasetID: d.ID, Name: "bench", Votes: benchVotesPerItem, Seed: 1, Budget: 16000,
		Arms: []runner.ArmSpec{{ReviewerVersionID: r.ID, Form: evidence.Patch}},
	}, nil
}

// benchTraces are small cases with issues and patches of usual size.
func benchTraces(from, to int) ([]trace.Instance, []models.TraceInput) {
	var instances []trace.Instance
	var traces []models.TraceInput
	for i := from; i < to; i++ {
		id := fmt.Sprintf("bench__case-%d", i)
		instances = append(instances, trace.Instance{
			ID: id, Repo: "bench/case", Language: "python",
			Issue: fmt.Sprintf("Totals of ledger %d are wrong\n\n", i) + strings.Repeat("The sum of the entries leaves the last one out when the day ends on a holiday.\n", 12),
		})
		var diff strings.Builder
		diff.WriteString("diff --git a/ledger.py b/ledger.py\n--- a/ledger.py\n+++ b/ledger.py\n@@ -1,20 +1,40 @@\n")
		for line := range 20 {
			fmt.Fprintf(&diff, " def entry_%d(day): return day\n+total_%d = sum(entry_%d(day) for day in days_of(%d))\n", line, line, line, i)
		}
		facts := formats.Facts(trace.PatchText, diff.String())
		resolved := i%2 == 0
		label := map[bool]trace.Label{true: trace.Acceptable, false: trace.Defective}[resolved]
		traces = append(traces, models.TraceInput{
			Trace: trace.Trace{
				InstanceID: id, Agent: "bench", Model: "bench", Attempt: 1, PatchState: trace.PatchText, Patch: diff.String(),
				Outcome: trace.Outcome{Resolved: &resolved, Label: label, From: trace.Constructed},
			},
			Patch: models.PatchFacts{SHA256: facts.SHA256, Files: len(facts.Files), Added: facts.Added, Removed: facts.Removed},
		})
	}
	return instances, traces
}

func benchWait(ctx context.Context, a *app, e models.Experiment) (models.Experiment, error) {
	tick := time.NewTicker(5 * time.Millisecond)
	defer tick.Stop()
	for {
		now, err := a.store.Experiment(ctx, models.LocalAdmin(), e.ID)
		if err != nil || now.State == models.StateDone {
			return now, err
		}
		select {
		case <-ctx.Done():
			return now, ctx.Err()
		case <-tick.C:
		}
	}
}
