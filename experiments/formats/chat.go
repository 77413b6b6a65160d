package formats

import "plumbline/experiments/formats/jsonpull"

// Bare lists of chat messages: {"role", "content"}. They show what was said and
// say nothing of the attempt, so they are counted; a reader of a folder that
// knows what its lists are (AutoCodeRover, mini-swe-agent) uses them.

func matchChat(l *look) Confidence {
	if e := l.json.item(); l.json.isArray() && e.isObject() && e.has("role") && e.any("content", "tool_calls") {
		return Certain
	}
	return None
}

func readChat(x *reading) error {
	r := jsonpull.New(x.in)
	n := 0
	err := r.Array(func(int) error { n++; return r.Skip() })
	x.count(n)
	return err
}
