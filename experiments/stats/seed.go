package stats

import (
	"crypto/sha256"
	"encoding/binary"
	"math/rand/v2"
)

// SubSeed derives an independent seed from an experiment's seed, a label such as
// the name of an arm, and an index. Work that is split into pieces draws from
// the sub-seed of the piece, so that neither the number of cores nor the order
// of the pieces can change a result.
func SubSeed(seed uint64, label string, index int) uint64 {
	first, _ := subSeeds(seed, label, index)
	return first
}

// Rand is a generator of its own for (seed, label, index).
func Rand(seed uint64, label string, index int) *rand.Rand {
	return rand.New(pcg(seed, label, index))
}

func pcg(seed uint64, label string, index int) *rand.PCG {
	return rand.NewPCG(subSeeds(seed, label, index))
}

// subSeeds hashes, because sums or products of seeds and indices collide.
func subSeeds(seed uint64, label string, index int) (uint64, uint64) {
	buf := make([]byte, 0, 64)
	buf = binary.LittleEndian.AppendUint64(buf, seed)
	buf = binary.LittleEndian.AppendUint64(buf, uint64(index))
	buf = append(buf, label...)
	sum := sha256.Sum256(buf)
	return binary.LittleEndian.Uint64(sum[:8]), binary.LittleEndian.Uint64(sum[8:16])
}
