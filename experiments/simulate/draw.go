package simulate

import (
	"crypto/sha256"
	"encoding/binary"
)

// draw is a fixed source of random numbers: the digest of a seed and a path of
// names. Two different paths give independent numbers.
type draw [sha256.Size]byte

// newDraw hashes the seed and the path. Every part is written with its length,
// so that ("ab","c") and ("a","bc") differ.
func newDraw(seed uint64, path ...string) draw {
	buf := binary.BigEndian.AppendUint64(nil, seed)
	for _, part := range path {
		buf = binary.BigEndian.AppendUint64(buf, uint64(len(part)))
		buf = append(buf, part...)
	}
	return sha256.Sum256(buf)
}

// uniform returns the i-th of four numbers in [0,1), 0 ≤ i < 4, with 53 bits.
func (d draw) uniform(i int) float64 {
	return float64(binary.BigEndian.Uint64(d[8*i:])>>11) / (1 << 53)
}

// below returns an integer in [0,n) from the i-th number; 0 when n < 2.
func (d draw) below(i, n int) int {
	return min(int(d.uniform(i)*float64(n)), max(n-1, 0))
}
