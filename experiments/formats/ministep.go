package formats

import (
	"strings"

	"plumbline/experiments/formats/jsonpull"
)

// miniAction finds the commands of an assistant message.
func miniAction(o, extra object, text string) (tool, action string) {
	var commands []string
	for _, a := range list(extra["actions"]) {
		if c := str(obj(a)["command"]); c != "" {
			commands = append(commands, c)
		}
	}
	if len(commands) == 0 {
		for _, c := range list(o["tool_calls"]) {
			fn := obj(obj(c)["function"])
			commands = append(commands, str(fn["arguments"]))
		}
	}
	if len(commands) == 0 {
		if c, ok := codeBlock(text); ok {
			commands = append(commands, c)
		}
	}
	if len(commands) == 0 {
		return "", ""
	}
	return "bash", strings.Join(commands, "\n")
}

// codeBlock is the content of the last bash block of a text.
func codeBlock(text string) (string, bool) {
	i := strings.LastIndex(text, "```bash\n")
	if i < 0 {
		return "", false
	}
	body := text[i+len("```bash\n"):]
	if j := strings.Index(body, "\n```"); j >= 0 {
		body = body[:j]
	}
	return body, true
}

// withoutBlock is a text without the last bash block, which is the action.
func withoutBlock(text string) string {
	i := strings.LastIndex(text, "```bash\n")
	if i < 0 {
		return text
	}
	rest := text[i+len("```bash\n"):]
	if j := strings.Index(rest, "\n```"); j >= 0 {
		rest = rest[j+len("\n```"):]
	} else {
		rest = ""
	}
	return strings.TrimSpace(text[:i] + rest)
}

// returnCode reads the tag of version 1.
func returnCode(text string) *int64 {
	rest, ok := strings.CutPrefix(text, "<returncode>")
	if !ok {
		return nil
	}
	code, _, _ := strings.Cut(rest, "<")
	return integer(jsonpull.Number(strings.TrimSpace(code)))
}
