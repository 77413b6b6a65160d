package models

import "strings"

// Clean makes text storable on both engines: NUL and invalid UTF-8 become
// U+FFFD. PostgreSQL refuses both, and losing a record over one byte is worse.
func Clean(s string) string {
	if strings.IndexByte(s, 0) >= 0 {
		s = strings.ReplaceAll(s, "\x00", "\ufffd")
	}
	return strings.ToValidUTF8(s, "\ufffd")
}
