package models_test

import (
	"context"
	"testing"
	"time"

	"github.com/google/go-cmp/cmp"

	"plumbline/models"
	"plumbline/models/modelstest"
)

// priced gives a ballot a cost and tokens; nil stays unknown.
func priced(in models.VoteInput, usd *float64, tokens *int64, cached bool) models.VoteInput {
	in.Row.CostUSD, in.Row.InputTokens, in.Row.OutputTokens, in.Row.Cached, in.Row.LatencyMS = usd, tokens, tokens, cached, 10
	return in
}

// Costs cover decided items and votes of items that are still open, bill no
// cached vote, and count apart what is unknown.
func TestArmCosts(t *testing.T) {
	t.Parallel()
	modelstest.Each(t, func(t *testing.T, s *models.Store) {
		ctx := context.Background()
		b := setup(t, s, 2)
		e, refs := launch(t, b, 3)
		w, err := s.ClaimShard(ctx, refs[0], "w1", s.Now().Add(time.Minute))
		if err != nil {
			t.Fatal(err)
		}
		usd, tokens := 0.25, int64(100)
		one, two := w.Items[0], w.Items[1]
		if _, err := s.CommitVotes(ctx, []models.VoteInput{
			priced(ballot(two, 0, "accept"), &usd, &tokens, false),
			priced(ballot(one, 0, "accept"), &usd, &tokens, false),
			priced(ballot(one, 1, "accept"), &usd, &tokens, true),
			priced(ballot(one, 2, "reject"), nil, nil, false),
		}); err != nil {
			t.Fatal(err)
		}
		got, err := s.ArmCosts(ctx, admin, e.ID)
		if err != nil {
			t.Fatal(err)
		}
		want := []models.ArmCost{{
			ArmID: one.ArmID, Votes: 4, Cached: 1, CostUSD: 0.5, CostKnown: 3, InputTokens: 200, OutputTokens: 200, TokensKnown: 3, LatencyMS: 40,
		}}
		if d := cmp.Diff(want, got); d != "" {
			t.Error(d)
		}
	})
}

// One call may bring the last votes of several items.
func TestVotesOfSeveralItemsAtOnce(t *testing.T) {
	t.Parallel()
	modelstest.Each(t, func(t *testing.T, s *models.Store) {
		ctx := context.Background()
		b := setup(t, s, 2)
		e, refs := launch(t, b, 1)
		w, err := s.ClaimShard(ctx, refs[0], "w1", s.Now().Add(time.Minute))
		if err != nil {
			t.Fatal(err)
		}
		kept, err := s.CommitVotes(ctx, []models.VoteInput{ballot(w.Items[1], 0, "reject"), ballot(w.Items[0], 0, "accept"), ballot(w.Items[1], 0, "accept")})
		if err != nil {
			t.Fatal(err)
		}
		if d := cmp.Diff([]bool{true, true, false}, kept); d != "" {
			t.Error(d)
		}
		p, err := s.Progress(ctx, admin, e.ID)
		if err != nil {
			t.Fatal(err)
		}
		if p.Done != 2 || p.Votes != 2 {
			t.Errorf("progress %+v", p)
		}
		if _, err := s.CommitVotes(ctx, []models.VoteInput{ballot(models.Item{ID: "it_none", ArmID: w.Items[0].ArmID}, 0, "accept")}); err == nil {
			t.Error("a vote of no item was stored")
		}
	})
}
