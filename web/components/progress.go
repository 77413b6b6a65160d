package components

import (
	"strconv"
	"strings"
	"time"
)

// Progress is the state of an experiment's items. The four counts are disjoint;
// what they leave of Total is missing, i.e. not finished and not being worked on.
type Progress struct {
	Total, Done, Running, Errors, Blocked int
	Rate                                  *float64       // per second, lately; nil: unknown
	RateUnit                              string         // what Rate counts; Unit when empty
	Left                                  *time.Duration // estimated; nil: unknown
	Unit                                  string         // "items" when empty
}

// Missing is what has neither a result nor a worker.
func (p Progress) Missing() int {
	return max(0, p.Total-p.Done-p.Running-p.Errors-p.Blocked)
}

// Finished reports whether nothing is left to do.
func (p Progress) Finished() bool { return p.Total > 0 && p.Done+p.Errors+p.Blocked >= p.Total }

type progressPart struct {
	Kind  string // class suffix and word
	Count int
	from  int
}

func (p Progress) parts() []progressPart {
	all := []progressPart{
		{Kind: "done", Count: p.Done}, {Kind: "running", Count: p.Running}, {Kind: "error", Count: p.Errors},
		{Kind: "blocked", Count: p.Blocked}, {Kind: "missing", Count: p.Missing()},
	}
	at := 0
	for i := range all {
		all[i].from = at
		at += all[i].Count
	}
	return all
}

// percent is a length of the line in per cent of the total.
func (p Progress) percent(n int) string {
	if p.Total <= 0 {
		return "0%"
	}
	return strconv.FormatFloat(100*float64(min(n, p.Total))/float64(p.Total), 'f', 3, 64) + "%"
}

func (p Progress) unit() string {
	if p.Unit != "" {
		return p.Unit
	}
	return "items"
}

func (p Progress) label() string {
	words := []string{Count(p.Done) + " of " + Count(p.Total) + " " + p.unit() + " done"}
	for _, part := range p.parts()[1:] {
		if part.Count > 0 {
			words = append(words, Count(part.Count)+" "+part.Kind)
		}
	}
	return strings.Join(words, ", ")
}

// pace is the rate and the time left in words, or nothing when finished.
func (p Progress) pace() string {
	if p.Finished() || p.Total == 0 {
		return ""
	}
	var words []string
	unit := p.RateUnit
	if unit == "" {
		unit = p.unit()
	}
	if p.Rate != nil && *p.Rate > 0 {
		if *p.Rate >= 1 {
			words = append(words, Decimal(p.Rate, 1)+" "+unit+"/s")
		} else {
			perMinute := *p.Rate * 60
			words = append(words, Decimal(&perMinute, 1)+" "+unit+"/min")
		}
	}
	if p.Left != nil {
		words = append(words, "about "+Span(*p.Left)+" left")
	}
	return strings.Join(words, ", ")
}
