package main

import (
	"context"
	"fmt"
	"io"
	"os"
	"time"

	"github.com/vbauerster/mpb/v8"
	"github.com/vbauerster/mpb/v8/decor"
	"golang.org/x/term"

	"plumbline/models"
)

// waitFor follows an experiment to its end: a bar on a terminal, lines in a pipe.
func waitFor(ctx context.Context, s *models.Store, v models.Viewer, id string, std streams) error {
	show := lineProgress(std.err)
	if f, ok := std.err.(*os.File); ok && term.IsTerminal(int(f.Fd())) {
		bar, end := barProgress(std.err)
		defer end()
		show = bar
	}
	tick := time.NewTicker(200 * time.Millisecond)
	defer tick.Stop()
	for {
		p, err := s.Progress(ctx, v, id)
		if err != nil {
			return err
		}
		show(p)
		if p.State == models.StateDone || p.State == models.StateStopped {
			return nil
		}
		select {
		case <-ctx.Done():
			return ctx.Err()
		case <-tick.C:
		}
	}
}

func barProgress(w io.Writer) (func(models.Progress), func()) {
	p := mpb.New(mpb.WithOutput(w), mpb.WithWidth(60))
	var last models.Progress
	bar := p.AddBar(1,
		mpb.PrependDecorators(decor.Any(func(decor.Statistics) string {
			return fmt.Sprintf("%d/%d votes ", last.Votes, last.VotesAsked)
		})),
		mpb.AppendDecorators(decor.Any(func(decor.Statistics) string {
			return fmt.Sprintf(" %d done, %d in error, %d blocked", last.Done, last.Error, last.Blocked)
		})),
	)
	show := func(now models.Progress) {
		last = now
		bar.SetTotal(max(now.VotesAsked, 1), false)
		bar.SetCurrent(now.Votes)
	}
	return show, func() {
		bar.Abort(false)
		p.Wait()
	}
}

// lineProgress writes a line when another tenth is done, so that a log of a long
// run stays short.
func lineProgress(w io.Writer) func(models.Progress) {
	last := int64(-1)
	return func(p models.Progress) {
		tenth := int64(10)
		if p.VotesAsked > 0 {
			tenth = p.Votes * 10 / p.VotesAsked
		}
		if tenth == last && p.State == models.StateRunning {
			return
		}
		last = tenth
		fmt.Fprintf(w, "%s: %d/%d votes, %d items done, %d in error, %d blocked\n", p.State, p.Votes, p.VotesAsked, p.Done, p.Error, p.Blocked)
	}
}
