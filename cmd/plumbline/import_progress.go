package main

import (
	"fmt"
	"io"
	"os"

	"github.com/vbauerster/mpb/v8"
	"github.com/vbauerster/mpb/v8/decor"
	"golang.org/x/term"
)

// fileProgress shows how many files were read: a bar on a terminal, a line each
// tenth in a pipe.
type fileProgress struct {
	w     io.Writer
	all   *mpb.Progress // nil in a pipe
	bar   *mpb.Bar
	tenth int
}

func newFileProgress(w io.Writer) *fileProgress {
	p := &fileProgress{w: w, tenth: -1}
	if f, ok := w.(*os.File); ok && term.IsTerminal(int(f.Fd())) {
		p.all = mpb.New(mpb.WithOutput(w), mpb.WithWidth(60))
		p.bar = p.all.AddBar(0, mpb.PrependDecorators(decor.CountersNoUnit("%d/%d files ")))
	}
	return p
}

func (p *fileProgress) show(done, total int) {
	if p.bar != nil {
		p.bar.SetTotal(int64(total), false)
		p.bar.SetCurrent(int64(done))
		return
	}
	tenth := 10
	if total > 0 {
		tenth = done * 10 / total
	}
	if tenth != p.tenth {
		p.tenth = tenth
		fmt.Fprintf(p.w, "%d/%d files read\n", done, total)
	}
}

func (p *fileProgress) end() {
	if p.bar != nil {
		p.bar.Abort(false)
		p.all.Wait()
	}
}
