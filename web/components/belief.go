package components

import (
	"strconv"
	"strings"
)

// Belief is P(correct | evidence) of a trace with what it is compared to.
type Belief struct {
	Value  *float64 // nil: unknown
	Prior  *float64 // where it started
	Reject *float64 // at or below: reject
	Accept *float64 // at or above: accept
	Why    string   // why Value is nil
}

func (b Belief) title() string {
	parts := []string{"belief that the patch is correct: " + Fraction(b.Value)}
	if b.Value == nil && b.Why != "" {
		parts[0] += " (" + b.Why + ")"
	}
	for _, p := range []struct {
		name string
		v    *float64
	}{{"prior", b.Prior}, {"reject at or below", b.Reject}, {"accept at or above", b.Accept}} {
		if p.v != nil {
			parts = append(parts, p.name+" "+Fraction(p.v))
		}
	}
	return strings.Join(parts, ", ")
}

// Stage is one step of the cascade on a trace.
type Stage struct {
	Name string
	Says string // what it found
}

// stageTitle names the stage that decided; decided < 0 means none did.
func stageTitle(stages []Stage, decided int) string {
	if decided < 0 || decided >= len(stages) {
		return "no stage decided"
	}
	s := stages[decided]
	text := "decided at stage " + strconv.Itoa(decided) + ", " + s.Name
	if s.Says != "" {
		text += ": " + firstLine(s.Says, 160)
	}
	return text
}

// ptrZero is the left end of a bar.
func ptrZero() *float64 { return new(float64) }
