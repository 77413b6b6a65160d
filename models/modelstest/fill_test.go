package modelstest_test

import (
	"context"
	"testing"

	"github.com/google/go-cmp/cmp"

	"plumbline/models"
	"plumbline/models/modelstest"
)

// The same size and seed give the same counts on both engines, and the counts
// are those asked for.
func TestFill(t *testing.T) {
	t.Parallel()
	var first []models.ResultCell
	modelstest.Each(t, func(t *testing.T, s *models.Store) {
		ctx, v := context.Background(), models.LocalAdmin()
		e, err := modelstest.Fill(ctx, s, modelstest.Size{Traces: 300, Arms: 9, Votes: 5, Attempts: 3}, 1)
		if err != nil {
			t.Fatal(err)
		}
		p, err := s.Progress(ctx, v, e.ID)
		if err != nil {
			t.Fatal(err)
		}
		if p.Total != 2700 || p.Done != 2700 || p.Votes != 13500 || p.VotesAsked != 13500 || p.State != models.StateDone {
			t.Errorf("progress %+v", p)
		}
		cells, err := s.ResultCells(ctx, v, e.ID)
		if err != nil {
			t.Fatal(err)
		}
		n := 0
		for _, c := range cells {
			n += c.N
			if got := c.NAccept + c.NReject + c.NUncertain + c.NUnparseable; got != 5 {
				t.Errorf("a decision of %d votes", got)
			}
		}
		if n != 2700 {
			t.Errorf("%d decisions", n)
		}
		if first == nil {
			first = cells
		} else if d := cmp.Diff(first, cells); d != "" {
			t.Error("the engines differ:", d)
		}
	})
}
