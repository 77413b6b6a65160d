package trace

import (
	"crypto/sha256"
	"encoding/binary"
	"encoding/hex"
	"hash"
	"math"
	"time"
)

// StepsHash hashes a trajectory step by step, so that one of any size is told from
// another without holding it. Equal steps in equal order give equal sums. Times
// count to the microsecond and durations to the millisecond, which is what is
// stored; the number that a source gave a step does not count, its place does.
type StepsHash struct {
	h   hash.Hash
	n   int
	buf []byte
}

// NewStepsHash starts a hash of no steps.
func NewStepsHash() *StepsHash { return &StepsHash{h: sha256.New()} }

// Len counts the steps added.
func (s *StepsHash) Len() int { return s.n }

// Sum is the hash in hex of the steps added so far; empty when there are none.
func (s *StepsHash) Sum() string {
	if s.n == 0 {
		return ""
	}
	return hex.EncodeToString(s.h.Sum(nil))
}

// Add takes the next step. Texts count as they are: a caller that stores them
// cleaned adds them cleaned.
func (s *StepsHash) Add(st *Step) {
	s.n++
	s.text(string(st.Kind))
	s.text(st.Tool)
	s.text(st.Thought)
	s.text(st.Action)
	s.text(st.Observation)
	s.buf = s.buf[:0]
	s.flag(st.Error)
	s.whole(st.ExitCode != nil, func() int64 { return int64(*st.ExitCode) })
	s.whole(!st.StartedAt.IsZero(), func() int64 { return st.StartedAt.UnixMicro() })
	s.whole(st.Duration != nil, func() int64 { return int64(*st.Duration / time.Millisecond) })
	s.whole(st.CostUSD != nil, func() int64 { return int64(math.Float64bits(*st.CostUSD)) })
	s.whole(st.InputTokens != nil, func() int64 { return *st.InputTokens })
	s.whole(st.OutputTokens != nil, func() int64 { return *st.OutputTokens })
	s.h.Write(s.buf)
}

// text writes a text behind its length, so that no two lists of texts look alike.
func (s *StepsHash) text(t string) {
	s.buf = binary.BigEndian.AppendUint64(s.buf[:0], uint64(len(t)))
	s.h.Write(s.buf)
	const piece = 64 << 10
	for len(t) > 0 {
		n := min(len(t), piece)
		s.buf = append(s.buf[:0], t[:n]...)
		s.h.Write(s.buf)
		t = t[n:]
	}
}

func (s *StepsHash) flag(on bool) {
	if on {
		s.buf = append(s.buf, 1)
	} else {
		s.buf = append(s.buf, 0)
	}
}

// whole writes a number, or that it is unknown.
func (s *StepsHash) whole(known bool, value func() int64) {
	s.flag(known)
	if known {
		s.buf = binary.BigEndian.AppendUint64(s.buf, uint64(value()))
	}
}
