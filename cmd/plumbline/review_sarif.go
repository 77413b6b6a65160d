package main

import (
	"net/url"
	"strings"

	"plumbline/experiments/findings"
	"plumbline/experiments/patch"
	"plumbline/runner"
)

// The parts of SARIF 2.1.0 that a review is written in.
type (
	sarifLog struct {
		Schema  string     `json:"$schema"`
		Version string     `json:"version"`
		Runs    []sarifRun `json:"runs"`
	}
	sarifRun struct {
		Tool        sarifTool         `json:"tool"`
		Invocations []sarifInvocation `json:"invocations"`
		Results     []sarifResult     `json:"results"`
		Properties  map[string]any    `json:"properties,omitempty"`
	}
	sarifTool struct {
		Driver sarifDriver `json:"driver"`
	}
	sarifDriver struct {
		Name    string      `json:"name"`
		Version string      `json:"version"`
		Rules   []sarifRule `json:"rules"`
	}
	sarifRule struct {
		ID               string       `json:"id"`
		ShortDescription sarifMessage `json:"shortDescription"`
	}
	sarifMessage struct {
		Text string `json:"text"`
	}
	sarifInvocation struct {
		ExecutionSuccessful bool                `json:"executionSuccessful"`
		Notifications       []sarifNotification `json:"toolExecutionNotifications,omitempty"`
	}
	sarifNotification struct {
		Level   string       `json:"level"`
		Message sarifMessage `json:"message"`
	}
	sarifResult struct {
		RuleID     string          `json:"ruleId"`
		RuleIndex  int             `json:"ruleIndex"`
		Kind       string          `json:"kind"`
		Level      string          `json:"level"`
		Message    sarifMessage    `json:"message"`
		Locations  []sarifLocation `json:"locations,omitempty"`
		Properties map[string]any  `json:"properties,omitempty"`
	}
	sarifLocation struct {
		Physical sarifPhysical `json:"physicalLocation"`
	}
	sarifPhysical struct {
		Artifact sarifArtifact `json:"artifactLocation"`
		Region   *sarifRegion  `json:"region,omitempty"`
	}
	sarifArtifact struct {
		URI string `json:"uri"`
	}
	sarifRegion struct {
		StartLine int `json:"startLine"`
	}
)

// Rules of the log, by their index.
const (
	sarifVerdict = iota
	sarifDecisive
	sarifNoted
)

var sarifRules = []sarifRule{
	{"verdict", sarifMessage{"The verdict of the policy on the patch."}},
	{"decisive-finding", sarifMessage{"A finding that the patch caused and that rejects it."}},
	{"noted-finding", sarifMessage{"A finding that the patch caused and that decides nothing."}},
}

// reviewSARIF is the review as a SARIF 2.1.0 log: the verdict and each finding that
// the patch caused. A review without a verdict is an invocation that did not
// succeed, and has no result for it.
func reviewSARIF(doc runner.ReviewDocument, page string) (string, error) {
	run := sarifRun{
		Tool:        sarifTool{sarifDriver{"Plumbline", doc.Version, sarifRules}},
		Invocations: []sarifInvocation{{ExecutionSuccessful: doc.Verdict != "error"}},
		Results:     []sarifResult{},
		Properties: map[string]any{
			"verdict": doc.Verdict, "stage": doc.Stage, "policy": doc.Policy.Name, "policySha256": doc.Policy.SHA256, "base": doc.Base,
			"simulated": doc.Simulated, "unsandboxed": doc.Unsafe, "costUsd": doc.CostUSD, "review": doc.ID,
		},
	}
	if page != "" {
		run.Properties["page"] = page
	}
	says := textLine(reviewSays(doc), 1000)
	if doc.Verdict == "error" {
		run.Invocations[0].Notifications = []sarifNotification{{"error", sarifMessage{says}}}
	} else {
		run.Results = append(run.Results, verdictResult(doc, says))
	}
	if doc.Static != nil {
		for _, f := range doc.Static.Found {
			run.Results = append(run.Results, findingResult(f))
		}
	}
	return reviewLog(run)
}

func reviewLog(run sarifRun) (string, error) {
	var b strings.Builder
	err := writeJSON(&b, sarifLog{"https://json.schemastore.org/sarif-2.1.0.json", "2.1.0", []sarifRun{run}})
	return b.String(), err
}

func verdictResult(doc runner.ReviewDocument, says string) sarifResult {
	r := sarifResult{RuleID: sarifRules[sarifVerdict].ID, RuleIndex: sarifVerdict, Kind: "fail", Level: "error", Message: sarifMessage{says}, Locations: firstChange(doc.Patch)}
	switch doc.Verdict {
	case "accept":
		r.Kind, r.Level = "pass", "none"
	case "uncertain":
		r.Kind, r.Level = "review", "none"
	}
	return r
}

func findingResult(f findings.Finding) sarifResult {
	r := sarifResult{
		RuleID: sarifRules[sarifNoted].ID, RuleIndex: sarifNoted, Kind: "fail", Level: "note", Message: sarifMessage{textLine(findingText(f), 1000)},
		Locations: []sarifLocation{place(f.File, f.Line)}, Properties: map[string]any{"tool": f.Tool, "rule": f.Rule, "class": string(f.Class)},
	}
	if findings.Decides(f) {
		r.RuleID, r.RuleIndex, r.Level = sarifRules[sarifDecisive].ID, sarifDecisive, "error"
	}
	return r
}

// firstChange is where the patch first changes a file that is left; a verdict has no
// line of its own, and code hosts show no result without one.
func firstChange(diff string) []sarifLocation {
	d := patch.Parse(diff)
	for i := range d.Files {
		f := &d.Files[i]
		if f.New == "" {
			continue
		}
		line := 0
		if s := f.Touched(); len(s) > 0 {
			line = s[0].First
		}
		return []sarifLocation{place(f.New, line)}
	}
	return nil
}

// place is a line of a file of the repository; without a line the whole file.
func place(file string, line int) sarifLocation {
	p := sarifPhysical{Artifact: sarifArtifact{(&url.URL{Path: file}).EscapedPath()}}
	if line > 0 {
		p.Region = &sarifRegion{line}
	}
	return sarifLocation{p}
}
