package toolreview

import (
	"embed"
	"fmt"
	"strings"

	"plumbline/experiments/review"
)

// Current is the version of the words that a new review uses. A version never
// changes once a vote has used it.
const Current = "v1"

//go:embed prompts/*.txt
var files embed.FS

// Prompt writes the first messages around a rendered evidence text, which is put in
// as it is. Plain is the system message for servers that offer no tools of their
// own: it teaches the protocol of texts.
func Prompt(evidence string, p Policy) (native, plain review.Messages) {
	p = p.Filled()
	system := strings.NewReplacer("{{turns}}", fmt.Sprint(p.Turns), "{{seconds}}", fmt.Sprintf("%g", p.CommandS)).Replace(file("system"))
	user := strings.Replace(file("user"), "{{evidence}}", evidence, 1)
	native = review.Messages{System: system + "\n\n" + file("native"), User: user}
	plain = review.Messages{System: system + "\n\n" + file("plain"), User: user}
	return native, plain
}

func file(name string) string {
	raw, err := files.ReadFile("prompts/" + Current + "." + name + ".txt")
	if err != nil {
		panic("toolreview: " + err.Error()) // a version without its files cannot be built
	}
	return strings.TrimSpace(string(raw))
}

// Reminder is what stands under the results of a turn: how many are left, and after
// the last one with tools that the verdict is due.
func Reminder(p Policy, done int, plain bool) string {
	how := "by the tool decide, alone"
	if plain {
		how = "as one JSON object with a decision"
	}
	switch left := p.Filled().Turns - done; {
	case left <= 1:
		return "This is the last turn: no tool is performed any more. Give your verdict now " + how + "."
	default:
		return fmt.Sprintf("Turns left: %d. Give your verdict %s as soon as you can.", left, how)
	}
}
