package reviewer

import (
	"fmt"
	"os"
	"strings"
	"unicode"
)

// secret is a key in memory. Every way of printing it hides it.
type secret string

func (secret) String() string               { return notShown }
func (secret) GoString() string             { return notShown }
func (secret) MarshalText() ([]byte, error) { return []byte(notShown), nil }

// resolve reads the key that a reference names. No error quotes the key or a part
// of the file.
func (k KeyRef) resolve(env func(string) (string, bool), readFile func(string) ([]byte, error)) (secret, error) {
	if k == "" {
		return "", nil
	}
	if !k.Valid() {
		return "", fmt.Errorf("the key is not a reference of the form env:NAME or file:/path")
	}
	kind, name, _ := strings.Cut(string(k), ":")
	var raw string
	if kind == "env" {
		v, ok := env(name)
		if !ok || strings.TrimSpace(v) == "" {
			return "", fmt.Errorf("the environment variable %s with the key is not set", name)
		}
		raw = v
	} else {
		b, err := readFile(name)
		switch {
		case os.IsNotExist(err):
			return "", fmt.Errorf("the key file %s does not exist", name)
		case os.IsPermission(err):
			return "", fmt.Errorf("the key file %s may not be read", name)
		case err != nil:
			return "", fmt.Errorf("the key file %s cannot be read", name)
		}
		raw = string(b)
	}
	raw = strings.TrimSpace(raw)
	if raw == "" {
		return "", fmt.Errorf("%s holds no key", k)
	}
	if strings.ContainsFunc(raw, func(r rune) bool { return unicode.IsControl(r) || unicode.IsSpace(r) || r > unicode.MaxASCII }) {
		return "", fmt.Errorf("%s holds more than a key: spaces, line breaks or other characters that no header takes", k)
	}
	return secret(raw), nil
}
