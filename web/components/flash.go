// Package components holds the parts that recur on pages: rate cells, vote
// strips, decision chips, badges, tables, forms. Each takes plain values and
// renders nothing but text the browser cannot mistake for markup; none reads a
// database, a clock or the request.
package components

// Flash is a message about what just happened, or what is wrong with the page.
type Flash struct {
	Tone   Tone
	Text   string // what happened, to what
	Detail string // what to do; may be empty
	Href   string // where to do it; may be empty
	Link   string // text of that link
}

// toneClass is the modifier class of a block for a tone: "badge-warn", or nothing.
func toneClass(block string, t Tone) string {
	if t == Plain {
		return ""
	}
	return block + "-" + string(t)
}
