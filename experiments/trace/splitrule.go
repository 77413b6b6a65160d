package trace

import (
	"crypto/sha256"
	"encoding/binary"
	"errors"
	"fmt"
	"strconv"
	"strings"
	"unicode"
)

// SplitRule says which split a trace goes into. The zero rule names none.
//
// A rule is written as the name of one split, or as shares,
//
//	hash:design=30,held-out=70
//
// which send every instance, with all its traces, to one of the splits by a hash
// of its id: the same id always goes the same way, in any import and on any
// machine, so that no instance stands on both sides of a comparison.
type SplitRule struct {
	names  []string
	limits []float64 // upper limits of the shares, ascending to 1
}

// maxSplitName bounds the length of a name in bytes.
const maxSplitName = 100

// ParseSplitRule reads a rule. An empty text is the zero rule. The error is a
// sentence for the person who wrote the rule.
func ParseSplitRule(text string) (SplitRule, error) {
	text = strings.TrimSpace(text)
	if text == "" {
		return SplitRule{}, nil
	}
	shares, ok := strings.CutPrefix(text, "hash:")
	if !ok {
		if err := splitName(text); err != nil {
			return SplitRule{}, err
		}
		return SplitRule{names: []string{text}, limits: []float64{1}}, nil
	}
	var r SplitRule
	sum, seen := 0.0, map[string]bool{}
	for _, part := range strings.Split(shares, ",") {
		name, share, ok := strings.Cut(part, "=")
		if name = strings.TrimSpace(name); !ok {
			return SplitRule{}, fmt.Errorf("write shares as hash:design=30,held-out=70; %q has no =", part)
		}
		if err := splitName(name); err != nil {
			return SplitRule{}, err
		}
		if seen[name] {
			return SplitRule{}, fmt.Errorf("split %q has two shares", name)
		}
		seen[name] = true
		n, err := strconv.ParseFloat(strings.TrimSuffix(strings.TrimSpace(share), "%"), 64)
		if err != nil || !(n > 0) || n > 1e9 {
			return SplitRule{}, fmt.Errorf("the share of split %q must be a number above 0, not %q", name, strings.TrimSpace(share))
		}
		sum += n
		r.names, r.limits = append(r.names, name), append(r.limits, sum)
	}
	for i := range r.limits {
		r.limits[i] /= sum
	}
	return r, nil
}

// CheckSplitName says in a sentence why a text cannot name a split; nil if it can.
func CheckSplitName(name string) error { return splitName(name) }

func splitName(name string) error {
	switch {
	case name == "":
		return errors.New("a split needs a name")
	case len(name) > maxSplitName:
		return fmt.Errorf("a split's name has at most %d bytes", maxSplitName)
	case strings.ContainsAny(name, "=,:") || strings.ContainsFunc(name, func(r rune) bool { return unicode.IsControl(r) }):
		return fmt.Errorf("a split's name holds no = , : and no control character; %q does (shares are written hash:design=30,held-out=70)", name)
	}
	return nil
}

// Names lists the splits of the rule in the order they were written.
func (r SplitRule) Names() []string { return append([]string(nil), r.names...) }

// Of is the split of an instance, empty under the zero rule.
func (r SplitRule) Of(instanceID string) string {
	if len(r.names) == 0 {
		return ""
	}
	sum := sha256.Sum256([]byte(instanceID))
	at := float64(binary.BigEndian.Uint64(sum[:8])>>11) / (1 << 53) // [0, 1)
	for i, limit := range r.limits {
		if at < limit {
			return r.names[i]
		}
	}
	return r.names[len(r.names)-1] // rounding of the last limit
}
