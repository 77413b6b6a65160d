package toolreview

import (
	"encoding/json"
	"regexp"
	"strings"

	"plumbline/experiments/review"
	"plumbline/experiments/vote"
)

// asked is what was read from a reply: calls, or a verdict, or neither.
type asked struct {
	calls   []Call
	verdict *review.Reply
	refused bool
	why     string // why there is neither
}

// read finds out what a reply asks for. Calls come before any verdict in the same
// reply: a model that decides before it saw what it asked for has not decided. A
// text is read as the plain protocol, whatever protocol was spoken.
func read(r Replied) asked {
	calls, prose := r.Calls, ""
	if len(calls) == 0 {
		calls = textCalls(r.Text)
		prose = r.Text
	}
	if len(calls) == 1 && calls[0].Tool == Decide {
		prose, calls = calls[0].Args, nil
	}
	if len(calls) > 0 {
		return asked{calls: calls}
	}
	if strings.TrimSpace(prose) == "" {
		return asked{why: "the reply is empty"}
	}
	v := review.Parse(prose)
	if v.Vote != vote.Unparseable {
		return asked{verdict: &v}
	}
	return asked{why: v.Problem, refused: strings.Contains(v.Problem, "refused")}
}

var reasoning = regexp.MustCompile(`(?is)<(think|thinking|reasoning)>.*?</(think|thinking|reasoning)>`)

// textCalls finds the first call of the plain protocol in a text: an object with a
// "tool". Objects after it are dropped: a text that goes on has made up the result
// itself. An object inside another, such as in a quotation of a verdict, is none.
func textCalls(text string) []Call {
	text = reasoning.ReplaceAllString(text, "")
	for at := 0; at < len(text); {
		next := strings.IndexByte(text[at:], '{')
		if next < 0 {
			return nil
		}
		at += next
		dec := json.NewDecoder(strings.NewReader(text[at:]))
		var o map[string]json.RawMessage
		if dec.Decode(&o) != nil {
			at++
			continue
		}
		at += int(dec.InputOffset())
		if c, ok := callOf(o); ok {
			return []Call{c}
		}
		if _, decides := o["decision"]; decides {
			return nil
		}
	}
	return nil
}

// callOf reads {"tool": name, "args": {…}}; the arguments may also stand beside the
// name.
func callOf(o map[string]json.RawMessage) (Call, bool) {
	var name string
	if json.Unmarshal(o["tool"], &name) != nil || strings.TrimSpace(name) == "" {
		return Call{}, false
	}
	c := Call{Tool: strings.TrimSpace(name)}
	for _, key := range []string{"args", "arguments", "parameters", "input"} {
		if raw, ok := o[key]; ok {
			c.Args = string(raw)
			var text string // some models write the object as a text
			if json.Unmarshal(raw, &text) == nil {
				c.Args = text
			}
			return c, true
		}
	}
	rest := map[string]json.RawMessage{}
	for k, v := range o {
		if k != "tool" {
			rest[k] = v
		}
	}
	raw, err := json.Marshal(rest)
	if err != nil {
		return Call{}, false // raw messages that were decoded encode again
	}
	c.Args = string(raw)
	return c, true
}
