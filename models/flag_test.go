package models_test

import (
	"context"
	"errors"
	"testing"
	"time"

	"github.com/google/go-cmp/cmp"

	"plumbline/experiments/review"
	"plumbline/models"
	"plumbline/models/modelstest"
)

func audited(in models.VoteInput, rules int, kinds ...review.FlagKind) models.VoteInput {
	in.Audit = &models.VoteAudit{Rules: rules}
	for i, k := range kinds {
		in.Audit.Flags = append(in.Audit.Flags, review.Flag{Kind: k, Said: "said\x00", Line: i + 1, Evidence: "line"})
	}
	return in
}

func TestFlagsAreCountedByArmAndDirection(t *testing.T) {
	t.Parallel()
	modelstest.Each(t, func(t *testing.T, s *models.Store) {
		ctx := context.Background()
		b := setup(t, s, 4)
		e, refs := launch(t, b, 2)
		var items []models.Item
		for _, ref := range refs {
			w, err := s.ClaimShard(ctx, ref, "w", s.Now().Add(time.Minute))
			if err != nil {
				t.Fatal(err)
			}
			items = append(items, w.Items...)
		}
		arm := items[0].ArmID
		if got, err := s.ArmAudits(ctx, admin, e.ID); err != nil || len(got) != 0 {
			t.Fatalf("%v %v", got, err)
		}
		_, err := s.CommitVotes(ctx, []models.VoteInput{
			audited(ballot(items[0], 0, "reject"), 1, review.RejectsCitingPassed, review.SaysFailed, review.NoSuchLine),
			audited(ballot(items[0], 1, "reject"), 1, review.RejectsCitingPassed),
			audited(ballot(items[1], 0, "accept"), 1, review.AcceptsDespiteFailed),
			audited(ballot(items[1], 1, "reject"), 1, review.QuoteNotFound),
			audited(ballot(items[2], 0, "accept"), 1, review.QuoteElsewhere),
			ballot(items[2], 1, "accept"),
			audited(ballot(items[3], 0, "accept"), 1),
			// The second answer to the same index is dropped, and its flags with it.
			audited(ballot(items[3], 0, "accept"), 1, review.SaysPassed),
		})
		if err != nil {
			t.Fatal(err)
		}
		want := []models.ArmAudit{{
			ArmID: arm, Unaudited: 1, Items: 2, Inexact: 1,
			ByVote: []models.MisreadCount{{arm, "accept", 1, 1}, {arm, "reject", 2, 1}},
			ByKind: []models.KindCount{
				{arm, "accept", string(review.AcceptsDespiteFailed), true, 1}, {arm, "accept", string(review.QuoteElsewhere), false, 1},
				{arm, "reject", string(review.NoSuchLine), false, 1}, {arm, "reject", string(review.QuoteNotFound), false, 1},
				{arm, "reject", string(review.RejectsCitingPassed), true, 2}, {arm, "reject", string(review.SaysFailed), true, 1},
			},
		}}
		got, err := s.ArmAudits(ctx, admin, e.ID)
		if err != nil {
			t.Fatal(err)
		}
		if diff := cmp.Diff(want, got); diff != "" {
			t.Error(diff)
		}
		flags, err := s.VoteFlags(ctx, admin, e.ID, []string{items[0].ID})
		if err != nil {
			t.Fatal(err)
		}
		if len(flags) != 4 || flags[0].Said != "said\ufffd" || flags[0].Line != 1 || !flags[0].Contradiction || flags[2].Contradiction {
			t.Errorf("flags %+v", flags)
		}
		if _, err := s.VoteFlags(ctx, models.Viewer{Name: "share link", Share: e.ID}, e.ID, []string{items[0].ID}); !errors.Is(err, models.ErrNotFound) {
			t.Errorf("a share link reads quotes of evidence: %v", err)
		}
		list := func(group string) (ids []string) {
			t.Helper()
			lines, _, err := s.SearchOutcomes(ctx, admin, models.OutcomeQuery{ExperimentID: e.ID, Flagged: group}, models.Page{})
			if err != nil {
				t.Fatal(err)
			}
			for _, l := range lines {
				ids = append(ids, l.ItemID)
			}
			return ids
		}
		groups := map[string][]string{}
		for _, g := range []string{models.MisreadContradiction, models.MisreadInexact, models.MisreadNone} {
			groups[g] = list(g)
		}
		if diff := cmp.Diff(map[string][]string{
			models.MisreadContradiction: {items[0].ID, items[1].ID}, models.MisreadInexact: {items[2].ID}, models.MisreadNone: {items[3].ID},
		}, groups); diff != "" {
			t.Error(diff)
		}
		misread := models.OutcomeQuery{ExperimentID: e.ID, Misread: true}
		if n, err := s.CountMisread(ctx, admin, misread); err != nil || n != 2 {
			t.Errorf("%d items are misread, %v", n, err)
		}
		lines, _, err := s.SearchOutcomes(ctx, admin, misread, models.Page{})
		if err != nil || len(lines) != 2 {
			t.Errorf("%d misread items in the list, %v", len(lines), err)
		}
		if by, err := s.GroupOutcomes(ctx, admin, misread, models.GroupAgent); err != nil || len(by) != 1 || by[0].N != 2 || by[0].Of != 3 {
			t.Errorf("misread by agent: %+v, %v", by, err)
		}
		counted, err := s.GroupOutcomes(ctx, admin, models.OutcomeQuery{ExperimentID: e.ID}, models.GroupMisread)
		if err != nil {
			t.Fatal(err)
		}
		n := map[string]int{}
		for _, g := range counted {
			n[g.Name] = g.N
		}
		if diff := cmp.Diff(map[string]int{models.MisreadContradiction: 2, models.MisreadInexact: 1, models.MisreadNone: 1}, n); diff != "" {
			t.Error(diff)
		}

		// An audit by newer rules takes the place of the older.
		err = s.SaveAudits(ctx, admin, e.ID, []models.AuditedVote{
			{ItemID: items[0].ID, Idx: 0, Audit: models.VoteAudit{Rules: 2}},
			{ItemID: items[2].ID, Idx: 1, Audit: models.VoteAudit{Rules: 2, Flags: []review.Flag{{Kind: review.SaysPassed, Said: "x", Line: 9, Evidence: "y"}}}},
		})
		if err != nil {
			t.Fatal(err)
		}
		if got, err = s.ArmAudits(ctx, admin, e.ID); err != nil {
			t.Fatal(err)
		}
		if got[0].Unaudited != 0 || got[0].Items != 3 {
			t.Errorf("after another audit: %+v", got[0])
		}
		screen, err := s.ScreenCounts(ctx, admin, reviewerID(t, b))
		if err != nil {
			t.Fatal(err)
		}
		wantScreen := []models.ScreenCount{{VersionID: screen[0].VersionID, Version: 1, Form: "patch", Votes: 7, Contradictions: 3, Traces: 4}}
		if diff := cmp.Diff(wantScreen, screen); diff != "" {
			t.Error(diff)
		}
		if err := s.SaveAudits(ctx, models.Viewer{}, e.ID, nil); !errors.Is(err, models.ErrNotFound) {
			t.Errorf("a stranger audits: %v", err)
		}
	})
}

// reviewerID is the id of the only reviewer.
func reviewerID(t *testing.T, b bundle) string {
	t.Helper()
	rs, err := b.s.Reviewers(context.Background(), admin, b.project.ID)
	if err != nil || len(rs) != 1 {
		t.Fatalf("%d reviewers, %v", len(rs), err)
	}
	return rs[0].Reviewer.ID
}

func TestScreeningLeavesOutRepeatsAndWhatSaysNothing(t *testing.T) {
	t.Parallel()
	modelstest.Each(t, func(t *testing.T, s *models.Store) {
		ctx := context.Background()
		b := setup(t, s, 2)
		_, refs := launch(t, b, 3)
		w, err := s.ClaimShard(ctx, refs[0], "w", s.Now().Add(time.Minute))
		if err != nil {
			t.Fatal(err)
		}
		cached := audited(ballot(w.Items[0], 1, "reject"), 1, review.SaysFailed)
		cached.Row.Cached = true
		_, err = s.CommitVotes(ctx, []models.VoteInput{
			audited(ballot(w.Items[0], 0, "reject"), 1, review.SaysFailed), cached, audited(ballot(w.Items[0], 2, "unparseable"), 1), ballot(w.Items[1], 0, "accept"),
		})
		if err != nil {
			t.Fatal(err)
		}
		got, err := s.ScreenCounts(ctx, admin, reviewerID(t, b))
		if err != nil {
			t.Fatal(err)
		}
		want := []models.ScreenCount{{VersionID: got[0].VersionID, Version: 1, Form: "patch", Votes: 1, Contradictions: 1, Unaudited: 1, Traces: 2}}
		if diff := cmp.Diff(want, got); diff != "" {
			t.Error(diff)
		}
	})
}
