package review

import (
	"fmt"
	"regexp"
	"strings"

	"plumbline/experiments/vote"
)

// Parse reads the raw text of a reviewer. It looks for the object that fits the
// schema, wherever it stands: after prose, in a fence, in a list, behind a first
// object that only quotes something. Reasoning blocks are no part of the answer and
// are taken off before any brace is looked at. A verdict word may be in any case and
// tense. An object that is cut off counts when the verdict was complete before the
// cut. Anything else is unparseable, in particular prose without an object (a reply
// that is nothing but one verdict word is read), a placeholder, a word that is no
// verdict, and verdicts that contradict each other. There is no default.
func Parse(raw string) Reply {
	text := strings.TrimSpace(strings.TrimPrefix(raw, "\ufeff"))
	if text == "" {
		return unreadable("the reply is empty")
	}
	body := text
	if !wholeAnswer(text) {
		body = answerPart(text)
	}
	if body == "" {
		return unreadable("the reply holds reasoning alone")
	}
	found := candidates(body)
	if len(found) == 0 {
		return noObject(body)
	}
	return decide(found)
}

var fenced = regexp.MustCompile("(?s)\\A```[a-zA-Z0-9]*\\s*\\n(.*?)\\n?\\s*```\\z")

// wholeAnswer reports a text that is one fitting object and nothing else, so that a
// reasoning tag inside it can only be a quotation.
func wholeAnswer(text string) bool {
	if m := fenced.FindStringSubmatch(text); m != nil {
		text = strings.TrimSpace(m[1])
	}
	if !strings.HasPrefix(text, "{") {
		return false
	}
	work := workFor(text)
	v, n, cut, ok := readValue(text, &work)
	return ok && !cut && n == len(text) && len(fitting(v, cut)) == 1
}

// ParseStopped is Parse for a text whose end the provider explained: a refusal and
// a text cut off at the token limit are unparseable, whatever they hold. What could
// be read beside the vote is kept.
func ParseStopped(raw string, stop Stop) Reply {
	r := Parse(raw)
	switch stop {
	case StopRefusal:
		r.Problem = "the model refused to answer"
	case StopLength:
		r.Problem = "the reply was cut off at the token limit"
	default:
		return r
	}
	r.Vote = vote.Unparseable
	return r
}

func unreadable(format string, args ...any) Reply {
	return Reply{Vote: vote.Unparseable, Problem: fmt.Sprintf(format, args...)}
}

const reasoningTags = `(?:[a-z]+:)?(?:think|thinking|thought|thoughts|reasoning|reflection|scratchpad|analysis)`

var (
	closedBlock = regexp.MustCompile(`(?is)<` + reasoningTags + `(?:\s[^<>]*)?>.*?</` + reasoningTags + `\s*>|◁think▷.*?◁/think▷`)
	openBlock   = regexp.MustCompile(`(?is)(?:<` + reasoningTags + `(?:\s[^<>]*)?>|◁think▷).*\z`)
	closeOnly   = regexp.MustCompile(`(?is)\A.*(?:</` + reasoningTags + `\s*>|◁/think▷)`)
	finalMark   = regexp.MustCompile(`(?is)\A.*<\|channel\|>\s*final\s*(?:<\|[a-z]+\|>[^<{]*)?<\|message\|>`)
)

// answerPart takes off reasoning: closed blocks, everything up to a closing tag
// that was never opened, everything from a tag that is never closed, and the
// channels before the final one.
func answerPart(s string) string {
	s = finalMark.ReplaceAllString(s, "")
	s = closedBlock.ReplaceAllString(s, "\n")
	s = closeOnly.ReplaceAllString(s, "")
	s = openBlock.ReplaceAllString(s, "")
	return strings.TrimSpace(s)
}

// candidate is an object with a decision field.
type candidate struct {
	fields object
	cut    bool
}

// workFor bounds what is looked at in a reply, in characters with repeats, so that
// a tangle of open braces costs no more than a few readings of the whole.
func workFor(s string) int { return 1<<20 + 4*len(s) }

// candidates finds the objects that fit the schema, in order. An object that fits
// is not searched for further ones, so that a quoted vote inside a rationale is
// none.
func candidates(s string) []candidate {
	work := workFor(s)
	var out []candidate
	for at := 0; at < len(s) && work > 0; {
		next := strings.IndexByte(s[at:], '{')
		if next < 0 {
			break
		}
		at += next
		v, n, cut, ok := readValue(s[at:], &work)
		if !ok {
			at++
			continue
		}
		fits := fitting(v, cut)
		out = append(out, fits...)
		if len(fits) > 0 || !cut {
			at += n
		} else {
			at++
		}
	}
	return out
}

// wrappers are keys under which some models put the whole answer.
var wrappers = map[string]bool{"answer": true, "response": true, "output": true, "result": true, "review": true, "final": true, "finalanswer": true, "arguments": true, "parameters": true}

func fitting(v any, cut bool) []candidate {
	o, is := v.(object)
	if !is {
		return nil
	}
	for _, f := range o {
		if decisionKeys[plainKey(f.key)] {
			return []candidate{{o, cut}}
		}
	}
	var out []candidate
	for _, f := range o {
		if !wrappers[plainKey(f.key)] {
			continue
		}
		out = append(out, fitting(f.value, f.cut)...)
		if l, is := f.value.(list); is {
			for _, x := range l {
				out = append(out, fitting(x, f.cut)...)
			}
		}
	}
	return out
}

func plainKey(k string) string {
	return strings.Map(func(r rune) rune {
		if r >= 'a' && r <= 'z' {
			return r
		}
		return -1
	}, strings.ToLower(k))
}

// decide turns candidates into one reply. All must agree.
func decide(found []candidate) Reply {
	var votes []vote.Vote
	var last Reply
	for _, c := range found {
		r, whole := read(c)
		if r.Vote == vote.Unparseable && !whole && len(found) > 1 {
			continue // an answer begun again
		}
		votes = append(votes, r.Vote)
		last = r
	}
	for _, v := range votes {
		if v != last.Vote {
			return Reply{Vote: vote.Unparseable, Rationale: last.Rationale, Problem: "the reply holds verdicts that contradict each other"}
		}
	}
	if len(votes) == 0 {
		return unreadable("the reply is cut off before the verdict")
	}
	return last
}

// noObject reads a reply without a fitting object.
func noObject(body string) Reply {
	if v, ok := wordVote(body); ok && len(strings.Fields(body)) <= 2 {
		return Reply{Vote: v}
	}
	switch {
	case strings.EqualFold(body, "null") || strings.EqualFold(body, "none"):
		return unreadable("the reply is null")
	case refusal.MatchString(body):
		return unreadable("the model refused to answer")
	case strings.Contains(body, "{"):
		return unreadable("the reply holds no object with a decision")
	default:
		return unreadable("the reply holds no JSON object")
	}
}

var refusal = regexp.MustCompile(`(?i)\A\W*(i.?m (very |really )?sorry|i am sorry|sorry,|i (can ?not|can.?t|won.?t|am unable|.?m unable|am not able|must decline)|as an ai\b)`)
