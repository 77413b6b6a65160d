package main

import (
	"fmt"
	"io"
	"os"

	"github.com/vbauerster/mpb/v8"
	"github.com/vbauerster/mpb/v8/decor"
	"golang.org/x/term"

	"plumbline/runner/ingest"
)

// importProgress shows how far each phase of an import has come: a bar on a
// terminal, a line each tenth in a pipe.
type importProgress struct {
	w     io.Writer
	all   *mpb.Progress // nil in a pipe
	bar   *mpb.Bar
	phase ingest.Phase
	tenth int64
}

func newImportProgress(w io.Writer) *importProgress {
	p := &importProgress{w: w}
	if f, ok := w.(*os.File); ok && term.IsTerminal(int(f.Fd())) {
		p.all = mpb.New(mpb.WithOutput(w), mpb.WithWidth(60))
	}
	return p
}

func (p *importProgress) show(now ingest.Progress) {
	if now.Phase != p.phase {
		p.phase, p.tenth = now.Phase, -1
		p.endBar()
		if p.all != nil {
			p.bar = p.all.AddBar(now.AllBytes, mpb.PrependDecorators(decor.Name(string(now.Phase)+" "), decor.CountersKibiByte("% .1f / % .1f ")))
		}
	}
	if p.bar != nil {
		p.bar.SetCurrent(now.Bytes)
		return
	}
	tenth := int64(10)
	if now.AllBytes > 0 {
		tenth = now.Bytes * 10 / now.AllBytes
	}
	if tenth != p.tenth {
		p.tenth = tenth
		fmt.Fprintf(p.w, "%s: %d%%, %d/%d files\n", now.Phase, tenth*10, now.Files, now.AllFiles)
	}
}

func (p *importProgress) endBar() {
	if p.bar != nil {
		p.bar.Abort(false)
		p.bar.Wait()
		p.bar = nil
	}
}

func (p *importProgress) end() {
	p.endBar()
	if p.all != nil {
		p.all.Wait()
	}
}
