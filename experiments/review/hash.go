package review

import (
	"crypto/sha256"
	"encoding/binary"
	"encoding/hex"
)

// Key is everything that makes one request for a vote what it is. Settings is a
// canonical text of the sampling settings and the endpoint. Seed is the seed of
// this vote, see VoteSeed.
type Key struct {
	Model     string
	Settings  string
	Messages  Messages
	VoteIndex int
	Seed      int64
}

// Hash is the SHA-256 of a key, hex. Vote index and seed are in it, so that K votes
// on one text are K requests and never one answer K times.
func Hash(k Key) string {
	h := sha256.New()
	var n [8]byte
	for _, s := range []string{k.Model, k.Settings, k.Messages.System, k.Messages.User} {
		binary.BigEndian.PutUint64(n[:], uint64(len(s)))
		h.Write(n[:])
		h.Write([]byte(s))
	}
	for _, v := range []uint64{uint64(k.VoteIndex), uint64(k.Seed)} {
		binary.BigEndian.PutUint64(n[:], v)
		h.Write(n[:])
	}
	return hex.EncodeToString(h.Sum(nil))
}

// VoteSeed derives the seed of one vote from the seed of the experiment, the trace
// and the vote index, so that neither the order of the work nor a second trace with
// the same text changes or repeats it. It fits in 31 bits, which every server takes.
func VoteSeed(seed int64, traceID string, voteIndex int) int64 {
	h := sha256.New()
	var n [8]byte
	binary.BigEndian.PutUint64(n[:], uint64(seed))
	h.Write(n[:])
	binary.BigEndian.PutUint64(n[:], uint64(voteIndex))
	h.Write(n[:])
	h.Write([]byte(traceID))
	return int64(binary.BigEndian.Uint32(h.Sum(nil)) >> 1)
}
