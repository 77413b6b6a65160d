package models

import (
	"crypto/rand"
	"encoding/base32"
	"sync"
	"time"
)

var idAlphabet = base32.NewEncoding("0123456789abcdefghjkmnpqrstvwxyz").WithPadding(base32.NoPadding)

// lastID makes ids of one process ascend even within a millisecond, so that rows
// made in one go list in the order they were made.
var lastID struct {
	sync.Mutex
	ms  uint64
	raw [15]byte
}

// newID makes a text id: a prefix that names the kind, the time in milliseconds
// and 72 random bits, counted up within a millisecond. Ids of one kind sort by
// the time they were made, which is what keyset pages rely on. Nothing secret
// may depend on an id.
func newID(prefix string, now time.Time) string {
	lastID.Lock()
	defer lastID.Unlock()
	ms := uint64(now.UnixMilli())
	if ms == lastID.ms {
		for i := len(lastID.raw) - 1; i >= 6; i-- {
			if lastID.raw[i]++; lastID.raw[i] != 0 {
				break
			}
		}
	} else {
		lastID.ms = ms
		for i := range 6 {
			lastID.raw[i] = byte(ms >> (8 * (5 - i)))
		}
		if _, err := rand.Read(lastID.raw[6:]); err != nil {
			panic("no system randomness: " + err.Error()) // nothing can be made safely without it
		}
	}
	return prefix + "_" + idAlphabet.EncodeToString(lastID.raw[:])
}
