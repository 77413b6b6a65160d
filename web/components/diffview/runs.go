package diffview

import "plumbline/web/components/visible"

// runs merges the colours and the changed words of one line. Both cover ranges of
// the same text; the result concatenates to it.
func runs(text string, colours []piece, changes []span) []visible.Run {
	if len(colours) == 0 {
		colours = []piece{{len(text), ""}}
	}
	var out []visible.Run
	pos, c := 0, 0
	for _, p := range colours {
		for pos < p.end {
			for c < len(changes) && changes[c].to <= pos {
				c++
			}
			end, class := p.end, p.class
			if c < len(changes) {
				switch ch := changes[c]; {
				case ch.from <= pos:
					end = min(end, ch.to)
					class = join(class, "w")
				case ch.from < end:
					end = ch.from
				}
			}
			out = visible.Append(out, class, text[pos:end])
			pos = end
		}
	}
	return out
}

func join(a, b string) string {
	if a == "" {
		return b
	}
	return a + " " + b
}
