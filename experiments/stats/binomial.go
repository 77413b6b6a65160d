package stats

import (
	"math"
	"math/bits"
	"math/rand/v2"
	"sync"
)

// source is a PCG with the two draws that are needed, free of interface calls.
type source struct{ *rand.PCG }

// float64 is uniform on [0,1).
func (s source) float64() float64 { return float64(s.Uint64()>>11) * 0x1p-53 }

// below is uniform on 0..n-1 (Lemire 2019), n > 0.
func (s source) below(n uint64) uint64 {
	hi, lo := bits.Mul64(s.Uint64(), n)
	if lo < n {
		for threshold := -n % n; lo < threshold; {
			hi, lo = bits.Mul64(s.Uint64(), n)
		}
	}
	return hi
}

// halves is Binomial(n, 1/2): the ones among n fair bits.
func (s source) halves(n int) int {
	k := 0
	for ; n >= 64; n -= 64 {
		k += bits.OnesCount64(s.Uint64())
	}
	if n > 0 {
		k += bits.OnesCount64(s.Uint64() >> (64 - n))
	}
	return k
}

// binomial draws from Binomial(n, p) with p fixed and n free. Small means use
// inversion, the rest the transformed rejection of Hörmann (1993, algorithm
// BTRS). Both are exact up to the rounding of float64.
type binomial struct {
	p, q    float64 // p ≤ 1/2
	flipped bool    // the caller's p was above 1/2
	logQ    float64
	odds    float64 // p/q
	logOdds float64
}

func newBinomial(p float64) binomial {
	b := binomial{p: min(max(p, 0), 1)}
	if b.p > 0.5 {
		b.p, b.flipped = 1-b.p, true
	}
	b.q = 1 - b.p
	b.logQ = math.Log1p(-b.p)
	b.odds = b.p / b.q
	b.logOdds = math.Log(b.odds)
	return b
}

func (b *binomial) draw(s source, n int) int {
	k := 0
	switch {
	case n <= 0 || b.p == 0:
	case float64(n)*b.p < 10:
		k = b.invert(s, n)
	default:
		k = b.reject(s, n)
	}
	if b.flipped {
		return max(n, 0) - k
	}
	return k
}

func (b *binomial) invert(s source, n int) int {
	a := float64(n+1) * b.odds
	start := math.Exp(float64(n) * b.logQ)
	for {
		r, u, k := start, s.float64(), 0
		for u > r && k <= n {
			u -= r
			k++
			r *= a/float64(k) - b.odds
		}
		// Rounding can leave a sliver of u beyond the last outcome: draw again.
		if k <= n {
			return k
		}
	}
}

func (b *binomial) reject(s source, n int) int {
	nf := float64(n)
	spread := math.Sqrt(nf * b.p * b.q)
	bb := 1.15 + 2.53*spread
	a := -0.0873 + 0.0248*bb + 0.01*b.p
	c := nf*b.p + 0.5
	vr := 0.92 - 4.2/bb
	var alpha, atMode, mode float64 // set up on the first full test only
	for {
		u := s.float64() - 0.5
		v := s.float64()
		us := 0.5 - math.Abs(u)
		kf := math.Floor((2*a/us+bb)*u + c)
		if us >= 0.07 && v <= vr {
			return int(kf)
		}
		if !(kf >= 0 && kf <= nf) {
			continue
		}
		if alpha == 0 {
			alpha = (2.83 + 5.1/bb) * spread
			mode = math.Floor((nf + 1) * b.p)
			atMode = logFactorial(int(mode)) + logFactorial(n-int(mode))
		}
		k := int(kf)
		v *= alpha / (a/(us*us) + bb)
		if math.Log(v) <= atMode-logFactorial(k)-logFactorial(n-k)+(kf-mode)*b.logOdds {
			return k
		}
	}
}

const logFactorials = 2048

var logFactorialTable = sync.OnceValue(func() *[logFactorials]float64 {
	var t [logFactorials]float64
	for i := range t {
		t[i], _ = math.Lgamma(float64(i) + 1)
	}
	return &t
})

// logFactorial is ln n! for n ≥ 0.
func logFactorial(n int) float64 {
	if n < logFactorials {
		return logFactorialTable()[n]
	}
	v, _ := math.Lgamma(float64(n) + 1)
	return v
}
