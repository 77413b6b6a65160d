package reviewer

import (
	"html"
	"regexp"
	"strings"

	"plumbline/experiments/evidence"
)

// maxMessage bounds an error message, in runes.
const maxMessage = 300

var (
	invisible = regexp.MustCompile(`(?is)<(script|style|head)\b.*?</(script|style|head)\s*>|<!--.*?-->`)
	markup    = regexp.MustCompile(`(?s)<[a-zA-Z/!?][^<>]*>`)
	keyLike   = regexp.MustCompile(`(?i)\b(?:bearer\s+[^\s"']{6,}|(?:sk|pk|rk|key|gsk|xai|hf|AIza)[-_][A-Za-z0-9_\-*]{8,}|AIza[A-Za-z0-9_\-]{10,})`)
)

// sanitise makes text of a server fit for a page or a log: no markup, no key, no
// control characters, one line, at most maxMessage runes.
func sanitise(s string, key secret) string {
	if len(s) > 64<<10 {
		s = s[:64<<10]
	}
	s = invisible.ReplaceAllString(key.hide(s), " ")
	s = key.hide(html.UnescapeString(markup.ReplaceAllString(s, " ")))
	s = keyLike.ReplaceAllString(s, notShown)
	s = strings.Join(strings.Fields(evidence.Show(s)), " ")
	if runes := []rune(s); len(runes) > maxMessage {
		s = string(runes[:maxMessage]) + "…"
	}
	return s
}
