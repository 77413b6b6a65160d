package formats

import (
	"encoding/binary"
	"errors"
	"fmt"
	"io"
)

var errDelta = errors.New("its differences are damaged")

const maxDeltaBlock = 1 << 16 // values

// deltaHead is the head of values kept as differences.
type deltaHead struct {
	perMini, minis int // values of a miniblock, miniblocks of a block
	first          int64
	left           int // values
}

func readDeltaHead(b []byte, n int32) (deltaHead, []byte, error) {
	var u [3]uint64 // block size, miniblocks, values
	for i := range u {
		v, k := binary.Uvarint(b)
		if k <= 0 {
			return deltaHead{}, nil, io.ErrUnexpectedEOF
		}
		u[i], b = v, b[k:]
	}
	first, k := binary.Varint(b)
	if k <= 0 {
		return deltaHead{}, nil, io.ErrUnexpectedEOF
	}
	if u[2] > uint64(n) {
		return deltaHead{}, nil, fmt.Errorf("it claims %d differences for %d values", u[2], n)
	}
	if u[0] == 0 || u[0] > maxDeltaBlock || u[1] == 0 || u[1] > u[0] || u[0]/u[1]%32 != 0 {
		return deltaHead{}, nil, errDelta
	}
	return deltaHead{perMini: int(u[0] / u[1]), minis: int(u[1]), first: first, left: int(u[2])}, b[k:], nil
}

// deltaLengths sums lengths that are kept as differences, and gives what follows
// them. No length may be negative.
func deltaLengths(b []byte, n int32) (sum int64, rest []byte, err error) {
	h, b, err := readDeltaHead(b, n)
	if err != nil || h.left == 0 {
		return 0, b, err
	}
	last := int32(h.first)
	add := func() bool {
		sum += int64(last)
		h.left--
		return last >= 0
	}
	if int64(last) != h.first || !add() {
		return 0, nil, errDelta
	}
	for h.left > 0 {
		least, k := binary.Varint(b)
		if k <= 0 || len(b)-k < h.minis {
			return 0, nil, io.ErrUnexpectedEOF
		}
		widths := b[k : k+h.minis]
		b = b[k+h.minis:]
		for _, w := range widths {
			if h.left == 0 {
				break
			}
			size := h.perMini * int(w) / 8
			if w > 32 || size > len(b) {
				return 0, nil, errDelta
			}
			for i := range min(h.perMini, h.left) {
				last += int32(least) + int32(packedAt(b[:size], i, int(w)))
				if !add() {
					return 0, nil, errDelta
				}
			}
			b = b[size:]
		}
	}
	return sum, b, nil
}

// packedAt is the i-th number of w bits, lowest bits first.
func packedAt(b []byte, i, w int) uint32 {
	if w == 0 {
		return 0
	}
	var u [8]byte
	copy(u[:], b[i*w/8:])
	return uint32(binary.LittleEndian.Uint64(u[:]) >> (i * w % 8) & (1<<w - 1))
}
