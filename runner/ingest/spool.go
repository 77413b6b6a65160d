package ingest

import (
	"bufio"
	"encoding/json"
	"errors"
	"fmt"
	"io"
	"os"

	"plumbline/experiments/trace"
)

// spool is the temporary file that takes the texts of attempts whose parts lie far
// apart, so that what waits in memory stays bounded.
type spool struct {
	dir string
	f   *os.File // nil until something is put
	end int64
	w   *bufio.Writer
}

// piece is a part of the file.
type piece struct{ at, n int64 }

func (s *spool) put(write func(w io.Writer) error) (piece, error) {
	if s.f == nil {
		f, err := tempFile(s.dir)
		if err != nil {
			return piece{}, err
		}
		s.f, s.w = f, bufio.NewWriterSize(f, 64<<10)
	}
	count := &counting{w: s.w}
	err := write(count)
	if err == nil {
		err = s.w.Flush()
	}
	if err != nil {
		return piece{}, fmt.Errorf("write a temporary file: %w", err)
	}
	p := piece{s.end, count.n}
	s.end += count.n
	return p, nil
}

func (s *spool) open(p piece) io.Reader { return io.NewSectionReader(s.f, p.at, p.n) }

func (s *spool) close() error {
	if s.f == nil {
		return nil
	}
	return s.f.Close()
}

type counting struct {
	w io.Writer
	n int64
}

func (c *counting) Write(p []byte) (int, error) {
	n, err := c.w.Write(p)
	c.n += int64(n)
	return n, err
}

// heldText is a text in memory or in the spool.
type heldText struct {
	text string
	away piece
}

func (t *heldText) spill(s *spool) (err error) {
	if t.text == "" {
		return nil
	}
	t.away, err = s.put(func(w io.Writer) error {
		_, err := io.WriteString(w, t.text)
		return err
	})
	t.text = ""
	return err
}

func (t *heldText) load(s *spool) (string, error) {
	if t.away.n == 0 {
		return t.text, nil
	}
	b := make([]byte, t.away.n)
	if _, err := io.ReadFull(s.open(t.away), b); err != nil {
		return "", fmt.Errorf("read a temporary file: %w", err)
	}
	return string(b), nil
}

// heldSteps are steps in memory behind those in the spool.
type heldSteps struct {
	away []piece
	tail []trace.Step
}

func (h *heldSteps) spill(s *spool) error {
	if len(h.tail) == 0 {
		return nil
	}
	p, err := s.put(func(w io.Writer) error {
		enc := json.NewEncoder(w)
		for i := range h.tail {
			if err := enc.Encode(&h.tail[i]); err != nil {
				return err
			}
		}
		return nil
	})
	if err != nil {
		return err
	}
	h.away, h.tail = append(h.away, p), nil
	return nil
}

// each calls f for every step in order.
func (h *heldSteps) each(s *spool, f func(trace.Step) error) error {
	for _, p := range h.away {
		dec := json.NewDecoder(s.open(p))
		for {
			var st trace.Step
			err := dec.Decode(&st)
			if errors.Is(err, io.EOF) {
				break
			}
			if err != nil {
				return fmt.Errorf("read a temporary file: %w", err)
			}
			if err := f(st); err != nil {
				return err
			}
		}
	}
	for _, st := range h.tail {
		if err := f(st); err != nil {
			return err
		}
	}
	return nil
}

// stepBytes is about what a step holds in memory.
func stepBytes(st *trace.Step) int64 {
	return int64(len(st.Thought)+len(st.Action)+len(st.Observation)+len(st.Tool)) + 200
}
