package main

import (
	"context"
	"encoding/json"
	"fmt"
	"io"
	"maps"
	"slices"
	"text/tabwriter"

	"plumbline/models"
)

// labelReport is what plumbline label prints, a documented interface, see
// docs/sandbox.md.
type labelReport struct {
	Run         string                `json:"run"`
	State       string                `json:"state"`
	Backend     string                `json:"backend"`
	Unsandboxed bool                  `json:"unsandboxed"`
	Rounds      int                   `json:"rounds"`
	Traces      int                   `json:"traces"`
	Checked     int                   `json:"checked"`
	Changed     int                   `json:"changed"`
	Confirmed   int                   `json:"confirmed"`
	Outcomes    map[string]int        `json:"outcomes"`
	Labels      map[string]int        `json:"labels"`
	Instances   []labelReportInstance `json:"instances"`
	Results     []labelReportTrace    `json:"results"`
	Errors      []string              `json:"errors"`
}

type labelReportInstance struct {
	InstanceID string          `json:"instance_id"`
	State      string          `json:"state"`
	Reason     string          `json:"reason"`
	Notes      json.RawMessage `json:"notes"` // a list of sentences
	Runner     string          `json:"runner"`
}

type labelReportTrace struct {
	InstanceID string `json:"instance_id"`
	Agent      string `json:"agent"`
	Model      string `json:"model"`
	Attempt    int    `json:"attempt"`
	Outcome    string `json:"outcome"`
	Reason     string `json:"reason"`
	Label      string `json:"label"`
	Bucket     string `json:"bucket"`
	OldLabel   string `json:"old_label"`
	Kept       string `json:"kept"` // why the label was left as it was
	F2POK      *int   `json:"f2p_ok"`
	F2PAll     *int   `json:"f2p_all"`
	P2POK      *int   `json:"p2p_ok"`
	P2PAll     *int   `json:"p2p_all"`
}

func newLabelReport(ctx context.Context, s *models.Store, v models.Viewer, runID string, p models.LabelProgress) (labelReport, error) {
	run, err := s.LabelRun(ctx, v, runID)
	if err != nil {
		return labelReport{}, err
	}
	out := labelReport{
		Run: run.ID, State: p.State, Backend: run.Backend, Unsandboxed: run.Unsandboxed, Rounds: run.Rounds, Traces: p.Traces, Checked: p.Checked,
		Changed: p.Changed, Confirmed: p.Confirmed, Outcomes: p.Outcomes, Labels: p.Labels, Instances: []labelReportInstance{}, Results: []labelReportTrace{}, Errors: p.Errors,
	}
	instances, err := s.LabelInstances(ctx, v, runID)
	if err != nil {
		return out, err
	}
	for _, x := range instances {
		out.Instances = append(out.Instances, labelReportInstance{x.InstanceID, x.State, x.Reason, listOf(x.Notes), x.Runner})
	}
	for after := ""; ; {
		rows, err := s.LabelResults(ctx, v, runID, "", after, 500)
		if err != nil {
			return out, err
		}
		for _, r := range rows {
			out.Results = append(out.Results, labelReportTrace{
				InstanceID: r.InstanceID, Agent: r.Agent, Model: r.Model, Attempt: r.Attempt, Outcome: r.Outcome, Reason: r.Reason,
				Label: r.Label, Bucket: r.Bucket, OldLabel: r.OldLabel, Kept: r.Kept, F2POK: r.F2POK, F2PAll: r.F2PAll, P2POK: r.P2POK, P2PAll: r.P2PAll,
			})
			after = r.TraceID
		}
		if len(rows) < 500 {
			return out, nil
		}
	}
}

// listOf is a stored JSON list; a stored null, or nothing, is an empty one.
func listOf(stored string) json.RawMessage {
	if stored == "" || stored == "null" {
		return json.RawMessage("[]")
	}
	return json.RawMessage(stored)
}

func writeLabels(w io.Writer, r labelReport) {
	t := tabwriter.NewWriter(w, 0, 0, 2, ' ', 0)
	fmt.Fprintln(t, "OUTCOME\tTRACES")
	for _, k := range slices.Sorted(maps.Keys(r.Outcomes)) {
		fmt.Fprintf(t, "%s\t%d\n", k, r.Outcomes[k])
	}
	t.Flush()
	fmt.Fprintf(w, "\n%d of %d traces checked: %d acceptable, %d defective. %d labels changed, %d confirmed.\n",
		r.Checked, r.Traces, r.Labels["acceptable"], r.Labels["defective"], r.Changed, r.Confirmed)
	head := false
	for _, x := range r.Instances {
		if x.State == "usable" {
			continue
		}
		if !head {
			fmt.Fprintln(t, "\nINSTANCE\tSTATE\tWHY")
			head = true
		}
		fmt.Fprintf(t, "%s\t%s\t%s\n", printable(x.InstanceID), x.State, printable(x.Reason))
	}
	head = false
	for _, x := range r.Results {
		if x.Label != "unknown" || x.Outcome == "unusable" {
			continue
		}
		if !head {
			fmt.Fprintln(t, "\nTRACE WITHOUT A LABEL\tOUTCOME\tWHY")
			head = true
		}
		fmt.Fprintf(t, "%s %s\t%s\t%s\n", printable(x.InstanceID), printable(x.Agent), x.Outcome, printable(x.Reason))
	}
	t.Flush()
	for _, e := range r.Errors {
		fmt.Fprintln(w, "not ended:", printable(e))
	}
	if r.Unsandboxed {
		fmt.Fprintln(w, "Unsandboxed: nothing protected this host.")
	}
}
