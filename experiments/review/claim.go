package review

import (
	"regexp"
	"strings"

	"plumbline/experiments/evidence"
	"plumbline/experiments/vote"
)

// mentions reports whether words speak of a result: of its suite, or of official
// execution when no suite is named.
func mentions(s string, o evidence.Outcome) bool {
	switch o.Source {
	case evidence.FromOfficial:
		f2p, p2p := failToPass.MatchString(s), passToPass.MatchString(s)
		switch {
		case o.Suite == "":
			return f2p || p2p || officialWords.MatchString(s)
		case f2p || p2p:
			return o.Suite == "FAIL_TO_PASS" && f2p || o.Suite == "PASS_TO_PASS" && p2p
		default:
			return officialWords.MatchString(s)
		}
	case evidence.FromGenerated:
		return generatedWords.MatchString(s)
	}
	return false
}

var (
	failToPass     = regexp.MustCompile(`(?i)\bfail[_ -]to[_ -]pass\b|\bf2p\b`)
	passToPass     = regexp.MustCompile(`(?i)\bpass[_ -]to[_ -]pass\b|\bp2p\b`)
	officialWords  = regexp.MustCompile(`(?i)\bofficial\b[^.;]{0,40}\b(execution|suites?|tests?|results?|evidence|checks?)\b`)
	generatedWords = regexp.MustCompile(`(?i)\bgenerated tests?\b`)
	notPassed      = regexp.MustCompile(`(?i)\b(?:not|never|n't|no longer|without)\s+(?:\w+\s+){0,2}(?:pass(?:es|ed|ing)?|succeed(?:s|ed)?|successful)\b|\b(?:did|does|do|has|have|is|are|was|were)n.t\s+(?:\w+\s+){0,1}(?:pass(?:es|ed|ing)?|succeed(?:s|ed)?)\b`)
	notFailed      = regexp.MustCompile(`(?i)\b(?:not|never|no|n't|without)\s+(?:\w+\s+){0,2}fail(?:s|ed|ing|ures?)?\b|\b(?:did|does|do|has|have|is|are|was|were)n.t\s+(?:\w+\s+){0,1}fail(?:s|ed|ing)?\b`)
	passWords      = regexp.MustCompile(`(?i)\b(pass(es|ed|ing)?|succeed(s|ed)?|success|successful(ly)?|green)\b`)
	failWords      = regexp.MustCompile(`(?i)\bfail(s|ed|ing|ures?)?\b`)
)

// says is the claim of a sentence about results: true for passed, false for failed,
// nil when it claims neither or both.
func says(s string) *bool {
	s = passToPass.ReplaceAllString(failToPass.ReplaceAllString(s, " "), " ")
	pass, fail := false, false
	if notPassed.MatchString(s) {
		fail = true
		s = notPassed.ReplaceAllString(s, " ")
	}
	if notFailed.MatchString(s) {
		pass = true
		s = notFailed.ReplaceAllString(s, " ")
	}
	pass = pass || passWords.MatchString(s)
	fail = fail || failWords.MatchString(s)
	if pass == fail {
		return nil
	}
	return &pass
}

var (
	clauseEnd  = regexp.MustCompile(`[.!?;\n]+(?:\s+|$)|,\s+(?:but|while|whereas|although|though|and)\s+|\s+(?:but|while|whereas|although|though|however)\s+`)
	saysAccept = regexp.MustCompile(`(?i)\b(?:should|must|can|will|would|i|we|recommend(?:ed|ing)?(?: to)?|decision is(?: to)?|verdict is(?: to)?)\s+(?:therefore\s+|safely\s+|be\s+)*accept(?:ed)?\b`)
	saysReject = regexp.MustCompile(`(?i)\b(?:should|must|will|would|i|we|recommend(?:ed|ing)?(?: to)?|decision is(?: to)?|verdict is(?: to)?)\s+(?:therefore\s+|be\s+)*reject(?:ed)?\b`)
)

// otherCase marks clauses about another state than that of the patched tree.
var otherCase = regexp.MustCompile(`(?i)\b(if|unless|would|could|might|before (the|this) (patch|change|fix)|pre-patch|on the base|on base|originally|the issue (says|describes|reports|states))\b`)

// sentences checks what the rationale claims about results and about the decision.
func (m *misreader) sentences() {
	for _, s := range clauseEnd.Split(m.reply.Rationale, -1) {
		s = strings.TrimSpace(s)
		if s == "" {
			continue
		}
		m.against(s)
		if m.reply.Vote == vote.Reject && saysAccept.MatchString(s) || m.reply.Vote == vote.Accept && saysReject.MatchString(s) {
			m.flag(DecisionAgainstReasons, s, 0, "")
		}
	}
}

// against compares one clause with the results it speaks of. A claim about official
// execution as a whole is held against all official results together.
func (m *misreader) against(s string) {
	if len(m.results) == 0 {
		return
	}
	claimed := says(s)
	if claimed == nil || otherCase.MatchString(s) {
		return
	}
	var about []evidence.Outcome
	for _, o := range m.results {
		if mentions(s, o) {
			about = append(about, o)
		}
	}
	passed, failed := split(about)
	named := failToPass.MatchString(s) || passToPass.MatchString(s)
	switch {
	case *claimed && len(failed) > 0 && (named || len(passed) == 0 || about[0].Source == evidence.FromOfficial):
		m.flag(SaysPassed, s, failed[0].Line, failed[0].Text)
	case !*claimed && len(passed) > 0 && (named || len(failed) == 0):
		m.flag(SaysFailed, s, passed[0].Line, passed[0].Text)
	}
}
