package formats_test

import (
	"os"
	"regexp"
	"testing"

	"plumbline/experiments/formats"
)

// docs/formats.md names every format, and none that is not.
func TestFormatsAreDocumented(t *testing.T) {
	t.Parallel()
	page, err := os.ReadFile("../../docs/formats.md")
	if err != nil {
		t.Fatal(err)
	}
	_, after, _ := regexpCut(page, `(?m)^## Names$`)
	section, _, _ := regexpCut(after, `(?m)^## `)
	named := map[string]bool{}
	for _, m := range regexp.MustCompile("`([a-z0-9.-]+)`").FindAllSubmatch(section, -1) {
		named[string(m[1])] = true
	}
	for _, f := range formats.Formats() {
		if !named[string(f)] {
			t.Errorf("docs/formats.md does not name %s", f)
		}
		delete(named, string(f))
	}
	for n := range named {
		t.Errorf("docs/formats.md names %s, which nothing reads", n)
	}
}

func regexpCut(b []byte, pattern string) (before, after []byte, found bool) {
	at := regexp.MustCompile(pattern).FindIndex(b)
	if at == nil {
		return b, nil, false
	}
	return b[:at[0]], b[at[1]:], true
}
