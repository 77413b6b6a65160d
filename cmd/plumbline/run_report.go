package main

import (
	"context"
	"encoding/json"
	"fmt"
	"io"
	"text/tabwriter"

	"plumbline/experiments/stats"
	"plumbline/models"
	"plumbline/runner"
)

// runReport is what run --json prints: a documented interface, see docs/run.md.
type runReport struct {
	Experiment runExperiment `json:"experiment"`
	Arms       []runArmRow   `json:"arms"`
	Votes      []runVote     `json:"votes,omitempty"`
}

type runExperiment struct {
	ID        string `json:"id"`
	Name      string `json:"name"`
	State     string `json:"state"`
	VotesEach int    `json:"votes_each"`
	Seed      int64  `json:"seed"`
	Simulated bool   `json:"simulated"`
	Version   string `json:"code_version"`
	Items     struct {
		Total   int `json:"total"`
		Done    int `json:"done"`
		Error   int `json:"error"`
		Blocked int `json:"blocked"`
		Missing int `json:"missing"`
	} `json:"items"`
	Votes      int64 `json:"votes"`
	VotesAsked int64 `json:"votes_asked"`
}

type runArmRow struct {
	Reviewer   string             `json:"reviewer"`
	Model      string             `json:"model"`
	Form       string             `json:"form"`
	Simulated  bool               `json:"simulated"`
	Defective  runCounts          `json:"defective"`
	Acceptable runCounts          `json:"acceptable"`
	Unknown    runCounts          `json:"unknown"`
	Rates      map[string]runRate `json:"rates"`
	Items      map[string]int     `json:"items"`
	CostUSD    *float64           `json:"cost_usd"`
}

// runCounts are decisions on traces of one label.
type runCounts struct {
	Accept      int `json:"accept"`
	Reject      int `json:"reject"`
	Uncertain   int `json:"uncertain"`
	Unparseable int `json:"unparseable"`
}

type runRate struct {
	K         int          `json:"k"`
	N         int          `json:"n"`
	Value     *float64     `json:"value"`
	Reason    string       `json:"reason,omitempty"`
	Wilson    *runInterval `json:"wilson"`
	Bootstrap *runInterval `json:"bootstrap"`
}

type runInterval struct {
	Lo        float64  `json:"lo"`
	Hi        float64  `json:"hi"`
	Method    string   `json:"method"`
	Resamples int      `json:"resamples,omitempty"`
	Seed      uint64   `json:"seed,omitempty"`
	Warnings  []string `json:"warnings,omitempty"`
}

type runVote struct {
	TraceID        string          `json:"trace_id"`
	InstanceID     string          `json:"instance_id"`
	Reviewer       string          `json:"reviewer"`
	Form           string          `json:"form"`
	Index          int             `json:"index"`
	Vote           string          `json:"vote"`
	Label          string          `json:"label"`
	Rationale      string          `json:"rationale"`
	Citations      json.RawMessage `json:"citations"`
	Problem        string          `json:"problem,omitempty"`
	EvidenceSHA256 string          `json:"evidence_sha256"`
	Cached         bool            `json:"cached"`
}

func newRunReport(res runner.Results, p models.Progress) runReport {
	e := res.Experiment
	var out runReport
	out.Experiment = runExperiment{
		ID: e.ID, Name: e.Name, State: p.State, VotesEach: e.Votes, Seed: e.Seed, Simulated: e.Simulated,
		Version: e.CodeVersion, Votes: p.Votes, VotesAsked: p.VotesAsked,
	}
	it := &out.Experiment.Items
	it.Total, it.Done, it.Error, it.Blocked, it.Missing = p.Total, p.Done, p.Error, p.Blocked, p.Missing
	for _, a := range res.Arms {
		row := runArmRow{
			Reviewer: a.Arm.ReviewerName, Model: a.Arm.Model, Form: a.Arm.Form, Simulated: a.Arm.Simulated,
			Defective: runCounts(a.Counts.Defect), Acceptable: runCounts(a.Counts.Acceptable), Unknown: runCounts(a.Unknown),
			Rates: map[string]runRate{}, Items: a.Items,
		}
		if a.Cost.Votes > 0 && a.Cost.CostKnown == a.Cost.Votes {
			row.CostUSD = &a.Cost.CostUSD
		}
		for _, m := range a.Measures {
			row.Rates[string(m.Metric)] = runRate{K: m.K, N: m.N, Value: m.Value, Reason: m.Reason, Wilson: interval(m.Wilson), Bootstrap: interval(m.Bootstrap)}
		}
		out.Arms = append(out.Arms, row)
	}
	return out
}

func interval(iv *stats.Interval) *runInterval {
	if iv == nil {
		return nil
	}
	return &runInterval{iv.Lo, iv.Hi, iv.Method, iv.Resamples, iv.Seed, iv.Warnings}
}

func runVotes(ctx context.Context, s *models.Store, v models.Viewer, id string) ([]runVote, error) {
	arms, err := s.Arms(ctx, v, id)
	if err != nil {
		return nil, err
	}
	byID := map[string]models.Arm{}
	for _, a := range arms {
		byID[a.ID] = a
	}
	items := map[string]models.OutcomeRow{}
	for after := ""; ; {
		rows, next, err := s.Outcomes(ctx, v, models.OutcomeFilter{ExperimentID: id}, after, 5000)
		if err != nil {
			return nil, err
		}
		for _, r := range rows {
			items[r.ItemID] = r
		}
		if after = next; after == "" {
			break
		}
	}
	var out []runVote
	err = s.EachVote(ctx, v, id, func(d models.VoteDetail) error {
		it, arm := items[d.ItemID], byID[d.ArmID]
		out = append(out, runVote{
			TraceID: it.TraceID, InstanceID: it.InstanceID, Reviewer: arm.ReviewerName, Form: arm.Form, Index: d.Idx, Vote: d.Vote,
			Label: it.Label, Rationale: d.Rationale, Citations: json.RawMessage(d.Citations), Problem: d.Problem,
			EvidenceSHA256: d.EvidenceSHA256, Cached: d.Cached,
		})
		return nil
	})
	return out, err
}

var tableMetrics = []stats.Metric{stats.Catch, stats.Miss, stats.OverRejection, stats.Coverage, stats.Risk}

// writeArmTable prints every rate as k/n with its Wilson interval.
func writeArmTable(w io.Writer, res runner.Results, p models.Progress) {
	fmt.Fprintf(w, "%s (%s): %d of %d items done, %d in error, %d blocked, %d missing; %d of %d votes.\n",
		res.Experiment.Name, p.State, p.Done, p.Total, p.Error, p.Blocked, p.Missing, p.Votes, p.VotesAsked)
	if res.Experiment.Simulated {
		fmt.Fprintln(w, "Simulated reviewers took part: their rates were set, not measured.")
	}
	t := tabwriter.NewWriter(w, 0, 0, 2, ' ', 0)
	fmt.Fprint(t, "reviewer\tform")
	for _, m := range tableMetrics {
		fmt.Fprintf(t, "\t%s", m)
	}
	fmt.Fprintln(t)
	for _, a := range res.Arms {
		fmt.Fprintf(t, "%s\t%s", a.Arm.ReviewerName, a.Arm.Form)
		for _, m := range tableMetrics {
			fmt.Fprintf(t, "\t%s", rateText(a.Measures.Of(m)))
		}
		fmt.Fprintln(t)
	}
	t.Flush()
	fmt.Fprintln(w, "In brackets: 95% Wilson interval.")
	for _, a := range res.Arms {
		c := a.Counts
		if n := c.Defect.Unparseable + c.Acceptable.Unparseable; n > 0 {
			fmt.Fprintf(w, "%s %s: %d of %d decisions could not be read from the replies; they count as decided and wrong.\n",
				a.Arm.ReviewerName, a.Arm.Form, n, c.Defect.N()+c.Acceptable.N())
		}
	}
}

func rateText(m stats.Measured) string {
	if m.Value == nil {
		return "– (" + m.Reason + ")"
	}
	text := fmt.Sprintf("%.2f %d/%d", *m.Value, m.K, m.N)
	if m.Wilson != nil {
		text += fmt.Sprintf(" [%.2f, %.2f]", m.Wilson.Lo, m.Wilson.Hi)
	}
	return text
}
