package control

import "math/bits"

// pcg64 is the generator behind numpy.random.default_rng: PCG XSL-RR 128/64
// (O'Neill 2014) seeded through numpy's SeedSequence. It exists to reproduce
// published bootstrap intervals to the last digit; everything else draws from
// the experiment's own seeds.
type pcg64 struct {
	hi, lo       uint64 // state
	incHi, incLo uint64
	spare        uint32
	hasSpare     bool
}

func newPCG64(seed uint32) *pcg64 {
	words := seedSequence(seed)
	g := &pcg64{}
	g.incHi = words[2]<<1 | words[3]>>63
	g.incLo = words[3]<<1 | 1
	g.step()
	var carry uint64
	g.lo, carry = bits.Add64(g.lo, words[1], 0)
	g.hi, _ = bits.Add64(g.hi, words[0], carry)
	g.step()
	return g
}

// seedSequence spreads a seed over four 64-bit words.
func seedSequence(seed uint32) (out [4]uint64) {
	hash := uint32(0x43b0d7e5)
	mixIn := func(v uint32) uint32 {
		v ^= hash
		hash *= 0x931e8875
		v *= hash
		return v ^ v>>16
	}
	var pool [4]uint32
	for i := range pool {
		var v uint32
		if i == 0 {
			v = seed
		}
		pool[i] = mixIn(v)
	}
	for from := range pool {
		for to := range pool {
			if from != to {
				v := 0xca01f9dd*pool[to] - 0x4973f715*mixIn(pool[from])
				pool[to] = v ^ v>>16
			}
		}
	}
	hash = 0x8b51f9dd
	for i := range 8 {
		v := pool[i%4] ^ hash
		hash *= 0x58f38ded
		v *= hash
		out[i/2] |= uint64(v^v>>16) << (32 * (i % 2))
	}
	return out
}

func (g *pcg64) step() {
	const mulHi, mulLo = 2549297995355413924, 4865540595714422341
	hi, lo := bits.Mul64(g.lo, mulLo)
	hi += g.hi*mulLo + g.lo*mulHi
	var carry uint64
	g.lo, carry = bits.Add64(lo, g.incLo, 0)
	g.hi, _ = bits.Add64(hi, g.incHi, carry)
}

func (g *pcg64) uint64() uint64 {
	g.step()
	return bits.RotateLeft64(g.hi^g.lo, -int(g.hi>>58))
}

func (g *pcg64) uint32() uint32 {
	if g.hasSpare {
		g.hasSpare = false
		return g.spare
	}
	v := g.uint64()
	g.spare, g.hasSpare = uint32(v>>32), true
	return uint32(v)
}

// below is an integer in [0,n) as Generator.integers draws it (Lemire 2019).
func (g *pcg64) below(n uint32) uint32 {
	if n <= 1 {
		return 0
	}
	m := uint64(g.uint32()) * uint64(n)
	if uint32(m) < n {
		for threshold := -n % n; uint32(m) < threshold; {
			m = uint64(g.uint32()) * uint64(n)
		}
	}
	return uint32(m >> 32)
}
