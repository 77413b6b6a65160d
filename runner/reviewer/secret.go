package reviewer

import (
	"fmt"
	"os"
	"strings"
	"unicode"
)

// secret is a key in memory. It sits behind a function, because fmt prints the
// unexported fields of a struct without asking their methods.
type secret struct{ reveal func() string }

func newSecret(key string) secret { return secret{func() string { return key }} }

func (s secret) empty() bool { return s.reveal == nil }

// hide replaces the key wherever it stands in a text.
func (s secret) hide(text string) string {
	if s.empty() {
		return text
	}
	return strings.ReplaceAll(text, s.reveal(), notShown)
}

// resolve reads the key that a reference names. No error quotes the key or a part
// of the file.
func (k KeyRef) resolve(env func(string) (string, bool), readFile func(string) ([]byte, error)) (secret, error) {
	if k == "" {
		return secret{}, nil
	}
	if !k.Valid() {
		return secret{}, fmt.Errorf("the key is not a reference of the form env:NAME or file:/path")
	}
	kind, name, _ := strings.Cut(string(k), ":")
	var raw string
	if kind == "env" {
		v, ok := env(name)
		if !ok || strings.TrimSpace(v) == "" {
			return secret{}, fmt.Errorf("the environment variable %s with the key is not set", name)
		}
		raw = v
	} else {
		b, err := readFile(name)
		switch {
		case os.IsNotExist(err):
			return secret{}, fmt.Errorf("the key file %s does not exist", name)
		case os.IsPermission(err):
			return secret{}, fmt.Errorf("the key file %s may not be read", name)
		case err != nil:
			return secret{}, fmt.Errorf("the key file %s cannot be read", name)
		}
		raw = string(b)
	}
	raw = strings.TrimSpace(raw)
	if raw == "" {
		return secret{}, fmt.Errorf("%s holds no key", k)
	}
	if strings.ContainsFunc(raw, func(r rune) bool { return unicode.IsControl(r) || unicode.IsSpace(r) || r > unicode.MaxASCII }) {
		return secret{}, fmt.Errorf("%s holds more than a key: spaces, line breaks or other characters that no header takes", k)
	}
	return newSecret(raw), nil
}
