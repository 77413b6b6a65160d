package models

import (
	"crypto/rand"
	"encoding/base32"
	"sync"
)

var idAlphabet = base32.NewEncoding("0123456789abcdefghjkmnpqrstvwxyz").WithPadding(base32.NoPadding)

// idSource makes ids of one store ascend even within a millisecond and when the
// clock is set back, so that rows made in one go list in the order they were made.
type idSource struct {
	mu  sync.Mutex
	ms  uint64
	raw [15]byte
}

// newID makes a text id: a prefix that names the kind, the time in milliseconds
// and 72 random bits, counted up within a millisecond. Ids of one kind sort by
// the time they were made, which is what keyset pages rely on. Nothing secret
// may depend on an id.
func (s *Store) newID(prefix string) string {
	g := &s.ids
	g.mu.Lock()
	defer g.mu.Unlock()
	if ms := uint64(s.now().UnixMilli()); ms > g.ms {
		g.ms = ms
		for i := range 6 {
			g.raw[i] = byte(ms >> (8 * (5 - i)))
		}
		if _, err := rand.Read(g.raw[6:]); err != nil {
			panic("no system randomness: " + err.Error()) // nothing can be made safely without it
		}
	} else {
		for i := len(g.raw) - 1; i >= 0; i-- {
			if g.raw[i]++; g.raw[i] != 0 {
				break
			}
		}
	}
	return prefix + "_" + idAlphabet.EncodeToString(g.raw[:])
}
