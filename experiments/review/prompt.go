package review

import (
	"embed"
	"fmt"
	"strings"

	"plumbline/experiments/evidence"
)

// Current is the prompt version that a new reviewer gets.
const Current = "v1"

// versions of the prompt, oldest first. A version never changes once a vote has
// used it: a better wording is a new version with files of its own.
var versions = []string{"v1"}

//go:embed prompts/*.txt
var files embed.FS

// Versions lists the prompt versions, oldest first.
func Versions() []string { return append([]string(nil), versions...) }

// KnownVersion reports whether v is in Versions.
func KnownVersion(v string) bool {
	for _, x := range versions {
		if x == v {
			return true
		}
	}
	return false
}

// Prompt writes the messages of a prompt version around a rendered evidence text;
// Form and Text of ev are read.
// The text is put in as it is and never expanded, whatever it holds. The form is
// checked but not named to the reviewer: the text shows all that it should know.
func Prompt(ev evidence.Evidence, version string) (Messages, error) {
	if !KnownVersion(version) {
		return Messages{}, fmt.Errorf("write prompt: unknown version %q, one of %s", version, strings.Join(versions, ", "))
	}
	if !ev.Form.Valid() {
		return Messages{}, fmt.Errorf("write prompt: unknown evidence form %q", ev.Form)
	}
	system, user := mustFile(version+".system.txt"), mustFile(version+".user.txt")
	return Messages{System: strings.TrimSpace(system), User: strings.Replace(strings.TrimSpace(user), "{{evidence}}", ev.Text, 1)}, nil
}

// mustFile reads an embedded file; a version without its files cannot be built.
func mustFile(name string) string {
	raw, err := files.ReadFile("prompts/" + name)
	if err != nil {
		panic("review: " + err.Error())
	}
	return string(raw)
}
