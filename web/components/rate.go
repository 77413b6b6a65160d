package components

import (
	"math"
	"strconv"
	"strings"

	"plumbline/web/components/visible"
)

// Rate is a share with everything a reader needs to judge it.
type Rate struct {
	Metric   string   // key of a Definition: "catch", "risk" …
	K, N     int      // numerator and denominator, in traces
	Value    *float64 // nil: undefined
	Lo, Hi   *float64 // interval, nil when there is none
	Method   string   // how the interval was made, e.g. "Wilson" or "percentile bootstrap by trace, 10,000 resamples, seed 1"
	Why      string   // why Value is nil
	Href     string   // the traces of the numerator
	Warnings []string
}

func (r Rate) title() string {
	d, known := Define(r.Metric)
	name := r.Metric
	if known {
		name = d.Name
	}
	var b strings.Builder
	b.WriteString(strings.ToUpper(name[:min(1, len(name))]) + name[min(1, len(name)):])
	if r.Value == nil {
		b.WriteString(": undefined, " + r.why())
	} else {
		b.WriteString(" " + Count(r.K) + "/" + Count(r.N) + " = " + strconv.FormatFloat(*r.Value, 'f', 4, 64))
		if r.Lo != nil && r.Hi != nil {
			b.WriteString("; 95% interval " + Fraction(r.Lo) + " to " + Fraction(r.Hi))
			if r.Method != "" {
				b.WriteString(" (" + r.Method + ")")
			}
		}
	}
	if known {
		b.WriteString(". " + d.Formula)
	}
	for _, w := range r.Warnings {
		b.WriteString(". Note: " + w)
	}
	return visible.String(b.String())
}

func (r Rate) why() string {
	if r.Why != "" {
		return r.Why
	}
	return "nothing to count"
}

// pixel places a share on a rule of the given length with one pixel of margin.
// Values outside [0,1] are clamped, so that a drawing never leaves its box.
func pixel(v *float64, length int) string {
	x := 0.0
	if v != nil && !math.IsNaN(*v) {
		x = math.Max(0, math.Min(1, *v))
	}
	return strconv.FormatFloat(1+x*float64(length-2), 'f', 1, 64)
}

// width is the distance of two shares on the same rule, at least one pixel.
func width(lo, hi *float64, length int) string {
	if lo == nil || hi == nil {
		return "0"
	}
	a, b := math.Max(0, math.Min(1, *lo)), math.Max(0, math.Min(1, *hi))
	return strconv.FormatFloat(math.Max(1, (b-a)*float64(length-2)), 'f', 1, 64)
}
