package toolreview

import (
	"encoding/json"
	"fmt"
	"path"
	"strconv"
	"strings"
)

// Call is a use of a tool as the model wrote it. Args is meant to be a JSON object
// and may be anything.
type Call struct {
	ID   string `json:"id,omitempty"`
	Tool string `json:"tool"`
	Args string `json:"args,omitempty"`
}

// Command is a program to run at the root of the patched tree.
type Command struct {
	Argv []string `json:"argv"`
	// Reads says that the command only looks, so that a tree which it cannot write
	// will do.
	Reads bool `json:"reads,omitempty"`
}

// readLines are shown of a file when no end is asked for.
const readLines = 200

// Command turns a call into a program. The problem is for the model: why the call
// cannot be performed. Decide is no command.
func (c Call) Command() (cmd Command, problem string) {
	var a struct {
		Path    string          `json:"path"`
		From    json.RawMessage `json:"from"`
		To      json.RawMessage `json:"to"`
		Pattern string          `json:"pattern"`
		Command string          `json:"command"`
	}
	if strings.TrimSpace(c.Args) != "" {
		if err := json.Unmarshal([]byte(c.Args), &a); err != nil {
			return Command{}, fmt.Sprintf("the arguments of %s are not the JSON object that was asked for", c.Tool)
		}
	}
	for _, s := range []string{a.Path, a.Pattern, a.Command} {
		if strings.ContainsRune(s, 0) {
			return Command{}, "an argument holds a NUL character"
		}
	}
	switch c.Tool {
	case ReadFile:
		if a.Path == "" {
			return Command{}, "read_file needs a path"
		}
		from := max(1, number(a.From, 1))
		to := max(from, number(a.To, from+readLines-1))
		return Command{Argv: []string{"sh", "-c", readScript, "read", relative(a.Path), strconv.Itoa(from), strconv.Itoa(to)}, Reads: true}, ""
	case Search:
		if a.Pattern == "" {
			return Command{}, "search needs a pattern"
		}
		return Command{Argv: []string{"sh", "-c", searchScript, "search", a.Pattern, relative(a.Path)}, Reads: true}, ""
	case RunTool:
		if strings.TrimSpace(a.Command) == "" {
			return Command{}, "run needs a command"
		}
		return Command{Argv: []string{"sh", "-c", a.Command}}, ""
	}
	return Command{}, fmt.Sprintf("there is no tool %q; there are read_file, search, run and decide", clip(c.Tool, 80))
}

// What the tools that look are made of. A path begins with "./" or "/", so that it
// is never an option or an assignment.
const (
	readScript = `if [ -d "$1" ]; then exec ls -1Ap "$1"; fi
exec awk -v from="$2" -v to="$3" 'NR > to { exit } NR >= from { printf "%6d  %s\n", NR, $0 } END { if (NR < from) print "the file has " NR " lines" }' "$1"`
	searchScript = `grep -rnIE --exclude-dir=.git -e "$1" "$2" | head -n 100`
)

// relative is a path from the root of the tree; an absolute one stays, and shows
// what a sandbox shows.
func relative(p string) string {
	if p = strings.TrimSpace(p); path.IsAbs(p) {
		return path.Clean(p)
	}
	if p = path.Clean("./" + p); p == "." {
		return p
	}
	return "./" + p
}

// number reads a JSON number, or one that was written as a text.
func number(raw json.RawMessage, or int) int {
	var n float64
	if json.Unmarshal(raw, &n) == nil {
		return int(max(-1, min(n, 1e9)))
	}
	var s string
	if json.Unmarshal(raw, &s) == nil {
		if v, err := strconv.Atoi(strings.TrimSpace(s)); err == nil {
			return max(-1, min(v, 1e9))
		}
	}
	return or
}

func clip(s string, n int) string {
	if len(s) <= n {
		return s
	}
	return strings.ToValidUTF8(s[:n], "") + "…"
}
