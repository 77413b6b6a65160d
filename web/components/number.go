package components

import (
	"math"
	"strconv"
	"strings"
	"time"
)

// Unknown is what stands where a number is not known or not defined. It is never
// zero; the reason is in the title.
const Unknown = "–"

// Fraction writes a share of [0,1] with two decimals. A third is added where two
// would claim 0 or 1 for a value that is neither; beyond that, "<0.001" and
// ">0.999". Nil and NaN give Unknown.
func Fraction(v *float64) string {
	if v == nil || math.IsNaN(*v) || math.IsInf(*v, 0) {
		return Unknown
	}
	x := *v
	short := strconv.FormatFloat(x, 'f', 2, 64)
	if (short != "0.00" && short != "1.00" && short != "-0.00") || x == 0 || x == 1 {
		return minus(short)
	}
	switch {
	case x > 0 && x < 0.0005:
		return "<0.001"
	case x < 1 && x > 0.9995:
		return ">0.999"
	}
	return minus(strconv.FormatFloat(x, 'f', 3, 64))
}

// Signed writes a difference of shares with its sign: "+0.12", "−0.05", "0.00".
func Signed(v *float64) string {
	s := Fraction(v)
	if v != nil && *v > 0 && s[0] != '<' && s[0] != '>' && s != Unknown {
		return "+" + s
	}
	return s
}

// PValue writes a probability of a test with three decimals and never as zero.
func PValue(v *float64) string {
	switch {
	case v == nil || math.IsNaN(*v):
		return Unknown
	case *v < 0.001:
		return "<0.001"
	}
	return strconv.FormatFloat(*v, 'f', 3, 64)
}

// Decimal writes v with the given number of decimals; nil and NaN give Unknown.
func Decimal(v *float64, decimals int) string {
	if v == nil || math.IsNaN(*v) || math.IsInf(*v, 0) {
		return Unknown
	}
	return minus(strconv.FormatFloat(*v, 'f', decimals, 64))
}

// minus replaces the hyphen by the minus sign, which is as wide as a digit, and
// drops it before zero.
func minus(s string) string {
	if !strings.HasPrefix(s, "-") {
		return s
	}
	if strings.Trim(s, "-0.") == "" {
		return s[1:]
	}
	return "−" + s[1:]
}

// Count writes n with a comma between groups of three digits.
func Count[T ~int | ~int64](n T) string {
	s := strconv.FormatInt(int64(n), 10)
	sign := ""
	if s[0] == '-' {
		sign, s = "−", s[1:]
	}
	for i := len(s) - 3; i > 0; i -= 3 {
		s = s[:i] + "," + s[i:]
	}
	return sign + s
}

// Amount writes a count that may be unknown.
func Amount(n *int64) string {
	if n == nil {
		return Unknown
	}
	return Count(*n)
}

// Money writes US dollars: cents from a dollar on, else up to four decimals, and
// "<$0.0001" for less. Nil is unknown, not free.
func Money(v *float64) string {
	switch {
	case v == nil || math.IsNaN(*v) || math.IsInf(*v, 0):
		return Unknown
	case *v == 0:
		return "$0"
	case *v < 0:
		pos := -*v
		return "−" + Money(&pos)
	case *v < 0.0001:
		return "<$0.0001"
	case *v < 1:
		return "$" + strings.TrimSuffix(strconv.FormatFloat(*v, 'f', 4, 64), "00")
	}
	whole, cents, _ := strings.Cut(strconv.FormatFloat(*v, 'f', 2, 64), ".")
	n, err := strconv.ParseInt(whole, 10, 64)
	if err != nil { // beyond the integers: plain digits
		return "$" + whole
	}
	return "$" + Count(n) + "." + cents
}

// Span writes a duration in at most two units: "850 ms", "12 s", "3 min 5 s", "2 h 10 min", "3 d 4 h".
func Span(d time.Duration) string {
	if d < 0 {
		d = 0
	}
	two := func(big int64, unit string, small int64, sub string) string {
		s := strconv.FormatInt(big, 10) + " " + unit
		if small > 0 {
			s += " " + strconv.FormatInt(small, 10) + " " + sub
		}
		return s
	}
	switch sec := int64(d / time.Second); {
	case d < time.Second:
		return strconv.FormatInt(d.Milliseconds(), 10) + " ms"
	case sec < 60:
		return strconv.FormatInt(sec, 10) + " s"
	case sec < 3600:
		return two(sec/60, "min", sec%60, "s")
	case sec < 86400:
		return two(sec/3600, "h", sec%3600/60, "min")
	default:
		return two(sec/86400, "d", sec%86400/3600, "h")
	}
}

// Ago writes how long before now t was, or "in …" when it lies ahead.
func Ago(t, now time.Time) string {
	d := now.Sub(t)
	switch {
	case d < 0 && d > -5*time.Second:
		return "just now" // clocks of two machines differ
	case d < 0:
		return "in " + rough(-d)
	case d < 5*time.Second:
		return "just now"
	}
	return rough(d) + " ago"
}

func rough(d time.Duration) string {
	unit := func(n int64, s string) string { return strconv.FormatInt(n, 10) + " " + s }
	switch {
	case d < time.Minute:
		return unit(int64(d/time.Second), "s")
	case d < time.Hour:
		return unit(int64(d/time.Minute), "min")
	case d < 48*time.Hour:
		return unit(int64(d/time.Hour), "h")
	case d < 60*24*time.Hour:
		return unit(int64(d/(24*time.Hour)), "d")
	case d < 730*24*time.Hour:
		return unit(int64(d/(30*24*time.Hour)), "months")
	}
	return unit(int64(d/(365*24*time.Hour)), "years")
}

// Plural joins a count and its noun: "1 trace", "3 traces".
func Plural[T ~int | ~int64](n T, one, many string) string {
	if n == 1 {
		return "1 " + one
	}
	return Count(n) + " " + many
}
