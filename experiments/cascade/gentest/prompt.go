package gentest

import (
	"embed"
	"fmt"
	"strings"

	"plumbline/experiments/review"
)

// Current is the prompt version of new generators.
const Current = "v1"

//go:embed prompts/*.txt
var files embed.FS

// Framework is how a generated test is run.
type Framework string

// The frameworks.
const (
	Unittest Framework = "unittest"
	Pytest   Framework = "pytest"
	GoTest   Framework = "go test"
	NodeTest Framework = "node --test"
)

// frameworks lists what each language may use, the default first.
var frameworks = map[string][]Framework{
	"python": {Unittest, Pytest}, "go": {GoTest}, "javascript": {NodeTest},
}

// Frameworks are the frameworks of a language, the default first; nil for a
// language in which no test can be generated.
func Frameworks(language string) []Framework { return frameworks[language] }

// Input is all that a generator sees.
type Input struct {
	Language  string
	Framework Framework
	Issue     string
	Patch     string
	// Of a repair attempt: the last test and what the base said of it.
	Last     string
	Feedback string
}

// maxPatch and maxIssue bound what is sent, in bytes; the middle goes.
const (
	maxPatch = 60_000
	maxIssue = 30_000
)

// Prompt writes the messages of a version. Texts are put in as they are and never
// expanded.
func Prompt(in Input, version string) (review.Messages, error) {
	system, err := files.ReadFile("prompts/" + version + ".system.txt")
	if err != nil {
		return review.Messages{}, fmt.Errorf("write the generator's prompt: there is no version %q", version)
	}
	again := ""
	if in.Feedback != "" {
		again = fill(mustFile(version+".again.txt"), map[string]string{"test": in.Last, "feedback": in.Feedback})
	}
	user := fill(mustFile(version+".user.txt"), map[string]string{
		"language": in.Language, "framework": string(in.Framework), "issue": middleOut(in.Issue, maxIssue), "patch": middleOut(in.Patch, maxPatch), "again": again,
	})
	return review.Messages{System: strings.TrimSpace(string(system)), User: strings.TrimSpace(user)}, nil
}

// fill puts texts in place of their names in one pass, so that a text which holds a
// name is not filled in turn.
func fill(template string, with map[string]string) string {
	var pairs []string
	for name, text := range with {
		pairs = append(pairs, "{{"+name+"}}", text)
	}
	return strings.NewReplacer(pairs...).Replace(template)
}

// middleOut keeps the first two thirds and the last third of what fits.
func middleOut(s string, limit int) string {
	if len(s) <= limit {
		return s
	}
	head, tail := s[:limit*2/3], s[len(s)-limit/3:]
	return strings.ToValidUTF8(head, "") + "\n[… cut …]\n" + strings.ToValidUTF8(tail, "")
}

// mustFile reads an embedded file; a version without its files cannot be built.
func mustFile(name string) string {
	raw, err := files.ReadFile("prompts/" + name)
	if err != nil {
		panic("gentest: " + err.Error())
	}
	return string(raw)
}
