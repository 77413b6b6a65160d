package ingest

import "io"

// Phase is what an import is doing.
type Phase string

// Phases in their order; each goes through the files once, or through those it
// needs.
const (
	PhaseCompare Phase = "comparing with earlier imports"
	PhaseRead    Phase = "reading"
	PhaseStore   Phase = "storing"
)

// Progress is how far a phase has come. Bytes are those of the files on disk.
type Progress struct {
	Phase           Phase
	Files, AllFiles int
	Bytes, AllBytes int64
}

// meter tells of progress after each file, and within one after each few megabytes.
type meter struct {
	tell func(Progress)
	now  Progress
	base int64 // bytes of the files that are done
	told int64
}

const tellEvery = 4 << 20

func newMeter(tell func(Progress), phase Phase, files []diskFile) *meter {
	m := &meter{tell: tell, now: Progress{Phase: phase, AllFiles: len(files)}}
	for _, f := range files {
		m.now.AllBytes += f.size
	}
	return m
}

// read notes n bytes of the current file.
func (m *meter) read(n int) {
	m.now.Bytes = min(m.now.Bytes+int64(n), m.now.AllBytes)
	if m.tell != nil && m.now.Bytes-m.told >= tellEvery {
		m.told = m.now.Bytes
		m.tell(m.now)
	}
}

// file notes that a file is done, whatever part of it was read.
func (m *meter) file(f diskFile) {
	m.base += f.size
	m.now.Bytes, m.told = m.base, m.base
	m.now.Files++
	if m.tell != nil {
		m.tell(m.now)
	}
}

// ticking tells of the bytes read.
type ticking struct {
	r    io.Reader
	tick func(n int)
}

func (t *ticking) Read(p []byte) (int, error) {
	n, err := t.r.Read(p)
	t.tick(n)
	return n, err
}
