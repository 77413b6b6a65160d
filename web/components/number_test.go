package components

import (
	"math"
	"testing"
	"time"
)

func ptr[T any](v T) *T { return &v }

func TestFraction(t *testing.T) {
	t.Parallel()
	for _, tt := range []struct {
		in   *float64
		want string
	}{
		{nil, "–"}, {ptr(math.NaN()), "–"}, {ptr(math.Inf(1)), "–"},
		{ptr(0.0), "0.00"}, {ptr(1.0), "1.00"}, {ptr(68.0 / 89), "0.76"},
		{ptr(410.0 / 411), "0.998"}, {ptr(1.0 / 411), "0.002"},
		{ptr(0.0001), "<0.001"}, {ptr(0.9999), ">0.999"}, {ptr(-0.25), "−0.25"}, {ptr(-0.001), "−0.001"},
	} {
		if got := Fraction(tt.in); got != tt.want {
			t.Errorf("Fraction(%v) = %q, want %q", tt.in, got, tt.want)
		}
	}
}

func TestSigned(t *testing.T) {
	t.Parallel()
	for in, want := range map[float64]string{0.125: "+0.12", -0.125: "−0.12", 0: "0.00", 0.0001: "<0.001"} {
		if got := Signed(&in); got != want {
			t.Errorf("Signed(%v) = %q, want %q", in, got, want)
		}
	}
	if got := Signed(nil); got != "–" {
		t.Errorf("Signed(nil) = %q", got)
	}
}

func TestMoney(t *testing.T) {
	t.Parallel()
	for _, tt := range []struct {
		in   *float64
		want string
	}{
		{nil, "–"}, {ptr(0.0), "$0"}, {ptr(0.00001), "<$0.0001"}, {ptr(0.0123), "$0.0123"},
		{ptr(0.5), "$0.50"}, {ptr(1234.5), "$1,234.50"}, {ptr(-2.0), "−$2.00"}, {ptr(0.99999), "$1.00"},
	} {
		if got := Money(tt.in); got != tt.want {
			t.Errorf("Money(%v) = %q, want %q", tt.in, got, tt.want)
		}
	}
}

func TestCount(t *testing.T) {
	t.Parallel()
	for in, want := range map[int]string{0: "0", 999: "999", 1000: "1,000", 200000: "200,000", 1234567: "1,234,567", -1000: "−1,000"} {
		if got := Count(in); got != want {
			t.Errorf("Count(%d) = %q, want %q", in, got, want)
		}
	}
}

func TestSpanAndAgo(t *testing.T) {
	t.Parallel()
	for in, want := range map[time.Duration]string{
		-time.Second: "0 ms", 850 * time.Millisecond: "850 ms", 59 * time.Second: "59 s", 3 * time.Minute: "3 min",
		185 * time.Second: "3 min 5 s", 130 * time.Minute: "2 h 10 min", 76 * time.Hour: "3 d 4 h",
	} {
		if got := Span(in); got != want {
			t.Errorf("Span(%v) = %q, want %q", in, got, want)
		}
	}
	now := time.Date(2026, 1, 2, 3, 4, 5, 0, time.UTC)
	for in, want := range map[time.Duration]string{
		0: "just now", -3 * time.Second: "just now", -time.Hour: "in 1 h", 42 * time.Second: "42 s ago",
		90 * time.Minute: "1 h ago", 72 * time.Hour: "3 d ago", 100 * 24 * time.Hour: "3 months ago", 900 * 24 * time.Hour: "2 years ago",
	} {
		if got := Ago(now.Add(-in), now); got != want {
			t.Errorf("Ago(%v) = %q, want %q", in, got, want)
		}
	}
}

func TestPValue(t *testing.T) {
	t.Parallel()
	for in, want := range map[float64]string{0: "<0.001", 0.0004: "<0.001", 0.0312: "0.031", 1: "1.000"} {
		if got := PValue(&in); got != want {
			t.Errorf("PValue(%v) = %q, want %q", in, got, want)
		}
	}
}
