package runner

import (
	"context"
	"encoding/json"
	"errors"
	"fmt"
	"strings"
	"unicode/utf8"

	"plumbline/experiments/evidence"
	"plumbline/experiments/trace"
	"plumbline/models"
	"plumbline/runner/reviewer"
)

// ask asks for one vote and commits it. A reviewer's failure is written to the
// record and returned first; a failure of the store second.
func (run *shardRun) ask(ctx context.Context, it models.Item, arm models.Arm, b built, prep prepared, idx int) (*reviewer.Error, error) {
	ans, err := run.answer(ctx, it, b, prep, reviewer.Request{
		TraceID: it.TraceID, Form: evidence.Form(arm.Form), VoteIndex: idx, Seed: run.work.Experiment.Seed,
		Messages: prep.messages, Truth: trace.Label(prep.label),
	})
	if err != nil {
		e := asReviewerError(err)
		errs := run.failures(it, idx, e.Failures)
		if e.Class != reviewer.ClassCanceled {
			errs = append(errs, run.callError(it, idx, e.Class, e.Status, e.Message, max(1, e.Attempts-len(e.Failures))))
		}
		return e, run.store.RecordCallErrors(ctx, errs)
	}
	in, err := run.voteInput(it, prep, idx, ans)
	if err != nil {
		return nil, err
	}
	kept, err := run.votes.commit(in)
	if err != nil {
		return nil, err
	}
	// What failed before the answer came, and an answer that came second because
	// a lease was lost, were paid for and stay on record.
	errs := run.failures(it, idx, ans.Failures)
	if !kept {
		errs = append(errs, run.callError(it, idx, "superseded", 0, "another worker's answer to the same vote was stored first", ans.Attempts))
	}
	return nil, run.store.RecordCallErrors(ctx, errs)
}

func (run *shardRun) failures(it models.Item, idx int, failed []reviewer.Failure) []models.CallError {
	var errs []models.CallError
	for _, f := range failed {
		errs = append(errs, run.callError(it, idx, f.Class, f.Status, f.Message, 1))
	}
	return errs
}

func (run *shardRun) callError(it models.Item, idx int, class reviewer.Class, status int, message string, attempts int) models.CallError {
	return models.CallError{
		ItemID: it.ID, ExperimentID: it.ExperimentID, ArmID: it.ArmID, VoteIdx: idx,
		Class: string(class), Status: status, Message: message, Attempts: attempts,
	}
}

func (run *shardRun) voteInput(it models.Item, prep prepared, idx int, a reviewer.Answer) (models.VoteInput, error) {
	citations, err := json.Marshal(a.Reply.Citations)
	if err != nil {
		return models.VoteInput{}, fmt.Errorf("write citations: %w", err)
	}
	return models.VoteInput{
		Row: models.VoteRow{
			ItemID: it.ID, Idx: idx, ExperimentID: it.ExperimentID, ArmID: it.ArmID,
			Vote: string(a.Reply.Vote), Confidence: a.Reply.Confidence, Headline: firstLine(a.Reply.Rationale, 160), Problem: a.Reply.Problem,
			EvidenceSHA256: prep.evidence.Hash, RequestSHA256: a.RequestHash, Seed: run.work.Experiment.Seed,
			Attempts: a.Attempts, LatencyMS: a.Latency.Milliseconds(),
			InputTokens: a.Usage.PromptTokens, OutputTokens: a.Usage.CompletionTokens, CachedTokens: a.Usage.CachedTokens,
			CostUSD: a.Billed(), PriceVersion: a.PriceVersion, Cached: a.Cached,
		},
		Rationale: a.Reply.Rationale, Citations: string(citations), Raw: a.Raw, Audit: audit(a.Reply, prep.evidence.Lines),
	}, nil
}

// firstLine is the first non-blank line of a text, cut to n characters.
func firstLine(text string, n int) string {
	for line := range strings.Lines(text) {
		if line = strings.TrimSpace(line); line == "" {
			continue
		}
		if utf8.RuneCountInString(line) > n {
			line = string([]rune(line)[:n-1]) + "…"
		}
		return line
	}
	return ""
}

// evidenceTrouble turns a form that cannot be rendered into the words an item
// keeps. Only the store's errors are returned as they are.
func evidenceTrouble(err error) (class string, ok bool) {
	switch {
	case errors.Is(err, evidence.ErrNoOutcome), errors.Is(err, evidence.ErrNoMissing):
		return "no_evidence", true
	case errors.Is(err, evidence.ErrBudget):
		return "budget", true
	}
	return "", false
}
