package review

import (
	"fmt"
	"math"
	"regexp"
	"strconv"
	"strings"
	"unicode"

	"plumbline/experiments/vote"
)

// Keys by meaning, compared without case and anything but letters.
var (
	decisionKeys   = keySet("decision verdict vote judgment judgement recommendation finaldecision finalverdict reviewdecision")
	rationaleKeys  = keySet("rationale reason reasons reasoning explanation why justification review comment comments analysis thoughts")
	citationKeys   = keySet("citations citation cited citedlines citedevidence evidence evidencelines lines references quotes")
	confidenceKeys = keySet("confidence probability certainty confidencescore")
	lineKeys       = keySet("line lineno linenumber n number")
	quoteKeys      = keySet("quote text snippet content quotation evidence words")
)

func keySet(s string) map[string]bool {
	out := map[string]bool{}
	for _, k := range strings.Fields(s) {
		out[k] = true
	}
	return out
}

// read reads the fields of a fitting object. whole is false when the decision was
// cut off or never came.
func read(c candidate) (r Reply, whole bool) {
	r.Vote = vote.Unparseable
	decisions := 0
	for _, f := range c.fields {
		switch k := plainKey(f.key); {
		case decisionKeys[k]:
			if f.cut {
				continue
			}
			v, problem := fieldVote(f.value)
			if decisions++; decisions > 1 && v != r.Vote {
				return Reply{Vote: vote.Unparseable, Rationale: r.Rationale, Problem: "the reply holds verdicts that contradict each other"}, true
			}
			r.Vote, r.Problem = v, problem
		case rationaleKeys[k] && r.Rationale == "":
			r.Rationale = prose(f.value)
		case citationKeys[k]:
			r.Citations = append(r.Citations, citations(f.value)...)
		case confidenceKeys[k] && r.Confidence == nil && !f.cut:
			r.Confidence = confidence(f.value)
		}
	}
	if len(r.Citations) > maxCitations {
		r.Citations = r.Citations[:maxCitations]
	}
	switch {
	case decisions == 0:
		r.Problem = "the reply is cut off before the verdict"
	case r.Vote != vote.Unparseable && c.cut:
		r.Problem = "cut off after the verdict"
	}
	return r, decisions > 0
}

// maxCitations bounds what is kept of a reply that cites every line.
const maxCitations = 100

func fieldVote(v any) (vote.Vote, string) {
	switch v := v.(type) {
	case string:
		if got, ok := wordVote(v); ok {
			return got, ""
		}
		return vote.Unparseable, fmt.Sprintf("the verdict %q is none of accept, reject, uncertain", short(v))
	case nil:
		return vote.Unparseable, "the verdict is null"
	case list:
		if len(v) == 1 {
			return fieldVote(v[0])
		}
	}
	return vote.Unparseable, "the verdict is not a word"
}

func short(s string) string {
	if runes := []rune(s); len(runes) > 60 {
		return string(runes[:60]) + "…"
	}
	return s
}

// words of the three votes, in every tense that models use.
var verdictWords = map[string]vote.Vote{
	"accept": vote.Accept, "accepts": vote.Accept, "accepted": vote.Accept, "accepting": vote.Accept, "acceptable": vote.Accept,
	"approve": vote.Accept, "approves": vote.Accept, "approved": vote.Accept, "approving": vote.Accept,
	"reject": vote.Reject, "rejects": vote.Reject, "rejected": vote.Reject, "rejecting": vote.Reject, "rejection": vote.Reject,
	"request changes": vote.Reject, "requests changes": vote.Reject, "changes requested": vote.Reject, "requested changes": vote.Reject,
	"uncertain": vote.Uncertain, "unsure": vote.Uncertain, "undecided": vote.Uncertain, "inconclusive": vote.Uncertain,
	"abstain": vote.Uncertain, "abstains": vote.Uncertain, "abstained": vote.Uncertain, "not sure": vote.Uncertain,
}

var verdictStart = regexp.MustCompile(`^([a-z]+(?: [a-z]+)?)\s*(?:[.:;,!(\[–—-]|$)`)

// wordVote reads a verdict word, alone or followed by a remark behind punctuation
// ("Reject: no check for null"). A remark that holds a word of another verdict
// makes it unreadable.
func wordVote(s string) (vote.Vote, bool) {
	s = strings.Join(strings.FieldsFunc(strings.ToLower(s), func(r rune) bool {
		return unicode.IsSpace(r) || strings.ContainsRune("*_`\"'“”", r)
	}), " ")
	if v, ok := verdictWords[strings.Trim(s, ".!:;,()[] -")]; ok {
		return v, true
	}
	m := verdictStart.FindStringSubmatch(s)
	if m == nil {
		return "", false
	}
	v, ok := verdictWords[m[1]]
	if !ok {
		return "", false
	}
	for _, w := range strings.FieldsFunc(s[len(m[1]):], func(r rune) bool { return !unicode.IsLetter(r) }) {
		if other, is := verdictWords[w]; is && other != v {
			return "", false
		}
	}
	return v, true
}

func prose(v any) string {
	switch v := v.(type) {
	case string:
		return strings.TrimSpace(v)
	case list:
		var parts []string
		for _, x := range v {
			if s := prose(x); s != "" {
				parts = append(parts, s)
			}
		}
		return strings.Join(parts, "\n")
	}
	return ""
}

// confidence reads a number, a number in a string, or a percentage with its sign.
func confidence(v any) *float64 {
	var s string
	switch v := v.(type) {
	case number:
		s = string(v)
	case string:
		s = strings.TrimSpace(v)
	default:
		return nil
	}
	scale := 1.0
	if rest, is := strings.CutSuffix(s, "%"); is {
		s, scale = strings.TrimSpace(rest), 100
	}
	x, err := strconv.ParseFloat(s, 64)
	if err != nil || math.IsNaN(x) || x/scale < 0 || x/scale > 1 {
		return nil
	}
	x /= scale
	return &x
}

var (
	numberedLine = regexp.MustCompile(`^\s*(?:[Ll]ines?\s*|L)?#?(\d{1,6})(?:\s*[-–]\s*(?:L)?(\d{1,6}))?\s*(?:[#|:.)\]]\s?(.*))?$`)
	copiedMark   = regexp.MustCompile(`^\s*(\d{1,6})[#|] (.*)$`)
)

// citations reads a list, one object, one string or one number.
func citations(v any) []Citation {
	switch v := v.(type) {
	case list:
		var out []Citation
		for _, x := range v {
			out = append(out, citations(x)...)
		}
		return out
	case object:
		return objectCitation(v)
	case number:
		if n, err := strconv.Atoi(string(v)); err == nil && n > 0 {
			return []Citation{{Line: n}}
		}
	case string:
		return textCitation(v)
	}
	return nil
}

func objectCitation(o object) []Citation {
	var c Citation
	for _, f := range o {
		switch k := plainKey(f.key); {
		case lineKeys[k]:
			if got := citations(f.value); len(got) > 0 && c.Line == 0 {
				c.Line = got[0].Line
			}
		case quoteKeys[k] && c.Quote == "":
			c.Quote = prose(f.value)
		}
	}
	if m := copiedMark.FindStringSubmatch(c.Quote); m != nil {
		c.Quote = m[2]
		if c.Line == 0 {
			c.Line, _ = strconv.Atoi(m[1])
		}
	}
	if c == (Citation{}) {
		return nil
	}
	return []Citation{c}
}

// textCitation reads "12", "line 12", "L12-14", "12| the words" and plain words.
func textCitation(s string) []Citation {
	s = strings.TrimSpace(s)
	if s == "" {
		return nil
	}
	m := numberedLine.FindStringSubmatch(s)
	if m == nil {
		return []Citation{{Quote: s}}
	}
	from, _ := strconv.Atoi(m[1])
	out := []Citation{{Line: from, Quote: strings.TrimSpace(m[3])}}
	if to, err := strconv.Atoi(m[2]); err == nil && to > from && to-from <= 20 && m[3] == "" {
		for n := from + 1; n <= to; n++ {
			out = append(out, Citation{Line: n})
		}
	}
	return out
}
