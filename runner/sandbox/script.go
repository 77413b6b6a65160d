package sandbox

import (
	"bytes"
	"crypto/rand"
	"encoding/hex"
	"fmt"
	"os"
	"path"
	"strconv"
	"strings"
)

// Backends that run a foreign set-up program let a shell script do what is left
// to do inside: fill copies, go to the folder, make sure that the program is
// there, start it. When it cannot, it says so after a mark that the program under
// test has no way to guess before it runs.

// setup is one copy or folder of links to make inside.
type setup struct {
	from, to string
	links    bool
	file     bool
	over     string
	remove   []string
}

// stageDir is where sources of copies are seen inside.
const stageDir = "/run/sandbox"

// staged tells where the sources of a copy are mounted and what the script does.
func staged(i int, m Mount, to string) (s setup, binds [][2]string) {
	from := path.Join(stageDir, strconv.Itoa(i))
	s = setup{from: from, to: to, links: m.Mode == Links, remove: m.Remove}
	if info, err := os.Stat(m.Source); err == nil && !info.IsDir() {
		s.file = true
	}
	binds = [][2]string{{m.Source, from}}
	if m.Over != "" {
		s.over = from + "-over"
		binds = append(binds, [2]string{m.Over, s.over})
	}
	return s, binds
}

// shellScript returns the shell text and the mark of its refusals. The program and its
// arguments are the script's own arguments.
//
// In a container the shell is the first process, which the kernel shields from
// most signals, so that there it stays and starts the program as its child.
func shellScript(dir string, todo []setup, stay bool) (text, mark string) {
	mark = newMark()
	var b strings.Builder
	if stay {
		// An engine that fails by itself has exit codes that programs have too.
		fmt.Fprintf(&b, "echo '%s' >&2\nmkdir -p %s\n", mark, path.Join(boxDir, "home"))
	}
	fmt.Fprintf(&b, "no() { echo \"%s$1\" >&2; exit 126; }\n", mark)
	for _, s := range todo {
		from, to := quote(s.from), quote(s.to)
		if s.file {
			fmt.Fprintf(&b, "cp %s %s || no 'a file cannot be copied'\n", from, to)
			continue
		}
		how := "-RP"
		if s.links {
			how = "-RPs"
		}
		fmt.Fprintf(&b, "mkdir -p %s && cp %s %s/. %s/ || no 'a folder cannot be copied'\n", to, how, from, to)
		for _, r := range s.remove {
			fmt.Fprintf(&b, "rm -rf -- %s\n", quote(s.to+"/"+r))
		}
		if s.over != "" {
			fmt.Fprintf(&b, "cp -RP %s/. %s/ || no 'a folder cannot be copied'\n", quote(s.over), to)
		}
	}
	fmt.Fprintf(&b, "cd %s 2>/dev/null || no 'the folder to start in is not there'\n", quote(dir))
	b.WriteString("case $1 in\n*/*) [ -f \"$1\" ] && [ -x \"$1\" ] ;;\n*) command -v \"$1\" >/dev/null 2>&1 ;;\nesac || no 'the program is not there or cannot be run'\n")
	if stay {
		b.WriteString("\"$@\"\nexit=$?\n")
		// The engine tells of the first process alone.
		for _, e := range []struct{ word, pattern, files string }{
			{string(Memory), "^oom_kill [1-9]", "/sys/fs/cgroup/memory.events /sys/fs/cgroup/memory/memory.oom_control"},
			{string(Processes), "^max [1-9]", "/sys/fs/cgroup/pids.events /sys/fs/cgroup/pids/pids.events"},
		} {
			fmt.Fprintf(&b, "grep -qs '%s' %s && echo '%s%s' >&2\n", e.pattern, e.files, mark, e.word)
		}
		b.WriteString("exit $exit\n")
	} else {
		b.WriteString("exec \"$@\"\n")
	}
	return b.String(), mark
}

func newMark() string {
	var raw [12]byte
	if _, err := rand.Read(raw[:]); err != nil {
		panic("no system randomness: " + err.Error())
	}
	return "refused-" + hex.EncodeToString(raw[:]) + ": "
}

// refusal finds what the script said before it gave up, and takes it out of the
// program's own output.
func refusal(exit int, stderr []byte, mark string) (reason string, rest []byte, ok bool) {
	if exit != 126 {
		return "", stderr, false
	}
	text := string(stderr)
	i := strings.LastIndex(text, mark)
	if i < 0 {
		return "", stderr, false
	}
	return strings.TrimSpace(text[i+len(mark):]), []byte(text[:i]), true
}

// quote makes a word of the shell.
func quote(s string) string { return "'" + strings.ReplaceAll(s, "'", `'\''`) + "'" }

// begun takes out what the script of a container says first. Without it the
// engine did not come as far as the script.
func begun(stderr []byte, mark string) (rest []byte, ok bool) {
	return bytes.CutPrefix(stderr, []byte(mark+"\n"))
}

// capHit takes out what the script of a container says last, if the program ran
// into a cap of all processes together.
func capHit(stderr []byte, mark string, l Limits) (h *limitHit, rest []byte) {
	rest = stderr
	for _, h2 := range []*limitHit{
		{Processes, fmt.Sprintf("it tried to have more than %d processes and threads", l.Processes)},
		{Memory, fmt.Sprintf("all processes together used more than %d MiB", l.Memory>>20)},
	} {
		if cut, ok := bytes.CutSuffix(rest, []byte(mark+string(h2.cause)+"\n")); ok {
			h, rest = h2, cut
		}
	}
	return h, rest
}
