package freeze

import (
	"bytes"
	"crypto/sha256"
	"encoding/hex"
	"encoding/json"
	"errors"
	"fmt"
	"time"

	"plumbline/experiments/evidence"
	"plumbline/experiments/stats"
)

// Format is the version of the manifest's shape.
const Format = 1

// Manifest is everything a held-out evaluation is made from, and the fingerprints
// by which a later change is noticed. It holds no text of any trace.
type Manifest struct {
	Format      int       `json:"format"`
	Experiment  string    `json:"experiment"` // id of the design experiment
	Name        string    `json:"name"`
	Dataset     string    `json:"dataset"` // id
	DatasetName string    `json:"dataset_name"`
	Author      string    `json:"author"`
	FrozenAt    time.Time `json:"frozen_at"`
	CodeVersion string    `json:"code_version"`

	Config    Config     `json:"configuration"`
	Rule      Rule       `json:"rule"`
	Choices   []Decision `json:"choices"`
	Arms      []Frozen   `json:"arms"` // what a held-out run asks
	Reviewers []Reviewer `json:"reviewers"`
	Prompts   []Prompt   `json:"prompts"`

	Design     Split   `json:"design"`     // what the choice was made on
	Evaluation []Split `json:"evaluation"` // what may be evaluated
}

// Config are the settings of the experiment that a run repeats.
type Config struct {
	Votes  int    `json:"votes"`
	Seed   int64  `json:"seed"`
	Budget int    `json:"budget_tokens"`
	OnLeak string `json:"on_leak"`
	Cache  bool   `json:"cache"`
	Tally  string `json:"tally"`
}

// Rule is the rule that was applied, in words, and what it might choose from.
type Rule struct {
	Text       string     `json:"text"`
	Candidates Candidates `json:"candidates"`
}

// Decision is a Choice as a manifest keeps it.
type Decision struct {
	Reviewer          string   `json:"reviewer"`
	Version           int      `json:"version"`
	ReviewerVersionID string   `json:"reviewer_version_id"`
	Form              string   `json:"form,omitempty"` // empty: none was a candidate
	Why               string   `json:"why"`
	Measured          []Counts `json:"measured"`
}

// Counts are the decisions of one arm on the design split, by truth.
type Counts struct {
	Form       string `json:"form"`
	Out        string `json:"not_a_candidate,omitempty"`
	Defective  Cells  `json:"defective"`
	Acceptable Cells  `json:"acceptable"`
	Undecided  int    `json:"undecided"`
}

// Cells counts decisions.
type Cells struct {
	Accept      int `json:"accept"`
	Reject      int `json:"reject"`
	Uncertain   int `json:"uncertain"`
	Unparseable int `json:"unparseable"`
}

// Frozen is an arm of a held-out run.
type Frozen struct {
	ReviewerVersionID string        `json:"reviewer_version_id"`
	Reviewer          string        `json:"reviewer"`
	Form              evidence.Form `json:"form"`
}

// Reviewer is a reviewer version with the hash of its settings.
type Reviewer struct {
	VersionID  string `json:"reviewer_version_id"`
	Name       string `json:"name"`
	Version    int    `json:"version"`
	Model      string `json:"model"`
	SpecSHA256 string `json:"spec_sha256"`
	Prompt     string `json:"prompt_version"`
}

// Prompt is a prompt version with the hash of its texts.
type Prompt struct {
	Version string `json:"version"`
	SHA256  string `json:"sha256"`
}

// Split is a named set of traces. ID is empty for all traces of the dataset and
// for a design split that is no split of its own.
type Split struct {
	ID     string  `json:"id,omitempty"`
	Name   string  `json:"name"`
	Traces []Trace `json:"traces"`
}

// Trace is a trace with the fingerprints of what a reviewer may be shown.
type Trace struct {
	ID       string `json:"id"`
	Instance string `json:"instance"`
	Content  string `json:"content_sha256"` // patch, summary, steps
	Issue    string `json:"issue_sha256"`
	Outcome  string `json:"outcome"` // label and test counts; see Outcome
}

// Outcome writes a label and the counts of the official tests in one word, since
// the official evidence forms show them.
func Outcome(label, bucket string, known, applied bool, f2pOK, f2pAll, p2pOK, p2pAll int) string {
	s := label
	if bucket != "" {
		s += "/" + bucket
	}
	switch {
	case known && !applied:
		s += " patch not applied"
	case known:
		s += fmt.Sprintf(" %d/%d %d/%d", f2pOK, f2pAll, p2pOK, p2pAll)
	}
	return s
}

// Decisions turns choices into what a manifest keeps, and into the arms of a run.
func Decisions(choices []Choice) (out []Decision, arms []Frozen) {
	for _, c := range choices {
		d := Decision{Reviewer: c.Reviewer, Version: c.Version, ReviewerVersionID: c.VersionID, Why: c.Why}
		for _, e := range c.Entries {
			d.Measured = append(d.Measured, Counts{
				Form: string(e.Form), Out: e.Out, Defective: cells(e.Counts.Defect), Acceptable: cells(e.Counts.Acceptable), Undecided: e.Undecided,
			})
		}
		if c.Chosen >= 0 {
			form := c.Entries[c.Chosen].Form
			d.Form = string(form)
			arms = append(arms, Frozen{ReviewerVersionID: c.VersionID, Reviewer: c.Reviewer, Form: form})
		}
		out = append(out, d)
	}
	return out, arms
}

func cells(c stats.Class) Cells {
	return Cells{Accept: c.Accept, Reject: c.Reject, Uncertain: c.Uncertain, Unparseable: c.Unparseable}
}

// envelope is a manifest as a file: the hash is of the manifest's compact JSON.
type envelope struct {
	Manifest json.RawMessage `json:"manifest"`
	SHA256   string          `json:"sha256"`
}

// Seal writes a manifest as an indented JSON document with its own hash beside it:
// sha256 is the SHA-256, in hex, of the compact JSON of the member "manifest",
// without escapes of <, > and &.
func Seal(m Manifest) (document []byte, sha string, err error) {
	raw, err := encode(m)
	if err != nil {
		return nil, "", fmt.Errorf("write the manifest: %w", err)
	}
	sha = hash(raw)
	whole, err := encode(envelope{raw, sha})
	if err != nil {
		return nil, "", fmt.Errorf("write the manifest: %w", err)
	}
	var out bytes.Buffer
	if err := json.Indent(&out, whole, "", "  "); err != nil {
		return nil, "", fmt.Errorf("write the manifest: %w", err)
	}
	out.WriteByte('\n')
	return out.Bytes(), sha, nil
}

// ErrBroken is answered for a document whose content does not match its hash.
var ErrBroken = errors.New("the manifest does not match its own hash: it was changed after it was written")

// Open reads a document of Seal and checks its hash.
func Open(document []byte) (m Manifest, sha string, err error) {
	var e envelope
	if err := json.Unmarshal(document, &e); err != nil {
		return m, "", fmt.Errorf("read the manifest: %w", err)
	}
	var compact bytes.Buffer
	if err := json.Compact(&compact, e.Manifest); err != nil {
		return m, "", fmt.Errorf("read the manifest: %w", err)
	}
	if hash(compact.Bytes()) != e.SHA256 {
		return m, "", ErrBroken
	}
	if err := json.Unmarshal(e.Manifest, &m); err != nil {
		return m, "", fmt.Errorf("read the manifest: %w", err)
	}
	if m.Format != Format {
		return m, "", fmt.Errorf("read the manifest: its format is %d, and this program reads %d", m.Format, Format)
	}
	return m, e.SHA256, nil
}

// encode writes compact JSON without escapes for HTML, so that other programs
// arrive at the same bytes.
func encode(v any) ([]byte, error) {
	var buf bytes.Buffer
	enc := json.NewEncoder(&buf)
	enc.SetEscapeHTML(false)
	if err := enc.Encode(v); err != nil {
		return nil, err
	}
	return bytes.TrimSuffix(buf.Bytes(), []byte("\n")), nil
}

func hash(raw []byte) string {
	sum := sha256.Sum256(raw)
	return hex.EncodeToString(sum[:])
}
