package simulate

import (
	"bytes"
	"encoding/json"
	"fmt"
	"strconv"
	"strings"
	"unicode"

	"plumbline/experiments/trace"
	"plumbline/experiments/vote"
)

// maxCitations and maxQuote bound a reply: citations in it, runes of a quote.
const (
	maxCitations = 3
	maxQuote     = 120
)

// Citation points at a line of the evidence text, counted from 1, with the text
// of that line: trimmed, cut to 120 runes.
type Citation struct {
	Line  int    `json:"line"`
	Quote string `json:"quote"`
}

// reply has the fields that the review prompt asks of every reviewer.
type reply struct {
	Decision  vote.Vote  `json:"decision"`
	Rationale string     `json:"rationale"`
	Citations []Citation `json:"citations"`
}

// Reply returns the vote of Vote together with the text a model would have sent:
// a JSON object with decision, rationale and up to three cited lines of the
// evidence. The wording says that it is simulated and never names the label. An
// unparseable vote gives a text without a readable decision. Empty evidence
// gives no citations.
func (r Reviewer) Reply(seed uint64, traceID string, voteIndex int, label trace.Label, form, evidence string) (vote.Vote, string) {
	v := r.Vote(seed, traceID, voteIndex, label, form)
	d := newDraw(seed, "reply", r.Name, form, traceID, strconv.Itoa(voteIndex))
	if v == vote.Unparseable {
		return v, unreadable[d.below(0, len(unreadable))]
	}
	cited := cite(d, evidence)
	return v, encode(reply{Decision: v, Rationale: rationale(d, v, form, cited), Citations: cited})
}

// unreadable are the shapes of broken replies: prose that decides nothing, an
// object of another schema, and an object cut off before its decision.
var unreadable = []string{
	"Simulated reply: the answer stops here, before any verdict was given.",
	`{"simulated": true, "note": "this object lacks the field that was asked for"}`,
	`{"rationale": "Simulated reply that is cut off in the middle of a sent`,
}

// phrases are the reasons by vote; each is completed by the place of the cited
// evidence. They speak of nothing else, since a simulated reviewer has
// understood nothing else.
var phrases = map[vote.Vote][]string{
	vote.Accept: {
		"%s speaks for the requested behaviour and nothing shown contradicts it.",
		"%s covers what the issue asks for.",
	},
	vote.Reject: {
		"%s leaves a requirement of the issue open.",
		"%s does not show all of the requested behaviour.",
	},
	vote.Uncertain: {
		"%s does not settle whether the issue is solved.",
		"%s can be read either way.",
	},
}

func rationale(d draw, v vote.Vote, form string, cited []Citation) string {
	options := phrases[v]
	reason := fmt.Sprintf(options[d.below(0, len(options))], place(cited))
	return fmt.Sprintf("Simulated reviewer, drawn from a confusion matrix for %s evidence: %s", form, reason)
}

// place names the cited lines in words: "the evidence at lines 4 and 9".
func place(cited []Citation) string {
	numbers := make([]string, len(cited))
	for i, c := range cited {
		numbers[i] = strconv.Itoa(c.Line)
	}
	switch n := len(numbers); n {
	case 0:
		return "the evidence"
	case 1:
		return "the evidence at line " + numbers[0]
	default:
		return "the evidence at lines " + strings.Join(numbers[:n-1], ", ") + " and " + numbers[n-1]
	}
}

// cite picks up to maxCitations different lines in ascending order. Lines that
// carry evidence are preferred; any line with a letter or digit will do.
func cite(d draw, evidence string) []Citation {
	lines := strings.Split(evidence, "\n")
	var telling, readable []int
	for i, line := range lines {
		if strings.IndexFunc(line, isWordRune) < 0 {
			continue
		}
		readable = append(readable, i)
		if isTelling(line) {
			telling = append(telling, i)
		}
	}
	if len(telling) > 0 {
		readable = telling
	}
	cited := []Citation{}
	want := min(1+d.below(1, maxCitations), len(readable))
	for k := range want {
		// One line from each of want equal blocks keeps them distinct and sorted.
		from, to := k*len(readable)/want, (k+1)*len(readable)/want
		i := readable[from+d.below(2, to-from)]
		cited = append(cited, Citation{Line: i + 1, Quote: quote(lines[i])})
	}
	return cited
}

// isTelling reports a changed line of a diff or a line about an outcome.
func isTelling(line string) bool {
	if strings.HasPrefix(line, "+++") || strings.HasPrefix(line, "---") {
		return false
	}
	if strings.HasPrefix(line, "+") || strings.HasPrefix(line, "-") {
		return true
	}
	lower := strings.ToLower(line)
	for _, word := range []string{"fail", "pass", "missing", "error"} {
		if strings.Contains(lower, word) {
			return true
		}
	}
	return false
}

func isWordRune(r rune) bool { return unicode.IsLetter(r) || unicode.IsDigit(r) }

// quote is the trimmed line in valid UTF-8, cut to maxQuote runes.
func quote(line string) string {
	runes := []rune(strings.TrimSpace(strings.ToValidUTF8(line, "\uFFFD")))
	if len(runes) > maxQuote {
		runes = runes[:maxQuote]
	}
	return strings.TrimSpace(string(runes))
}

// encode writes JSON without HTML escapes, as models do. Strings and integers
// always encode, so an error is impossible.
func encode(r reply) string {
	var buf bytes.Buffer
	enc := json.NewEncoder(&buf)
	enc.SetEscapeHTML(false)
	if err := enc.Encode(r); err != nil {
		panic("simulate: encode a reply: " + err.Error())
	}
	return strings.TrimSuffix(buf.String(), "\n")
}
