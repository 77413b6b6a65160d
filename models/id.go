package models

import (
	"crypto/rand"
	"encoding/base32"
	"time"
)

var idAlphabet = base32.NewEncoding("0123456789abcdefghjkmnpqrstvwxyz").WithPadding(base32.NoPadding)

// newID makes a text id: a prefix that names the kind, the time in milliseconds
// and 64 random bits. Ids of one kind sort by the time they were made, which is
// what keyset pages rely on.
func newID(prefix string, now time.Time) string {
	var raw [15]byte
	ms := uint64(now.UnixMilli())
	for i := range 6 {
		raw[i] = byte(ms >> (8 * (5 - i)))
	}
	if _, err := rand.Read(raw[6:]); err != nil {
		panic("no system randomness: " + err.Error()) // nothing can be made safely without it
	}
	return prefix + "_" + idAlphabet.EncodeToString(raw[:])
}
