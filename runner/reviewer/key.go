package reviewer

import "regexp"

// KeyRef names where an API key is: env:NAME or file:/path. It is never the key
// itself. Should somebody paste one, every way of printing the value, JSON
// included, hides it.
type KeyRef string

const notShown = "(not shown)"

var keyReference = regexp.MustCompile(`^(env:[A-Za-z_][A-Za-z0-9_]*|file:/[^\x00-\x1f]+)$`)

// Valid reports whether k is a reference; the empty value is not.
func (k KeyRef) Valid() bool { return keyReference.MatchString(string(k)) }

// String is the reference, or "(not shown)" for anything that is none.
func (k KeyRef) String() string {
	if k == "" || k.Valid() {
		return string(k)
	}
	return notShown
}

// GoString hides what String hides.
func (k KeyRef) GoString() string { return k.String() }

// MarshalText hides what String hides, so that no JSON of a draft holds a key.
func (k KeyRef) MarshalText() ([]byte, error) { return []byte(k.String()), nil }
