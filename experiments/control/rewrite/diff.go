package rewrite

import (
	"fmt"
	"strings"
)

// context is how many lines stand around a change.
const context = 3

// added is the diff of a new file; empty for one without content.
func added(f File) string {
	if f.Text == "" {
		return ""
	}
	lines := strings.SplitAfter(f.Text, "\n")
	if lines[len(lines)-1] == "" {
		lines = lines[:len(lines)-1]
	}
	var b strings.Builder
	fmt.Fprintf(&b, "diff --git a/%s b/%s\nnew file mode 100644\n--- /dev/null\n+++ b/%s\n@@ -0,0 +1,%d @@\n", f.Path, f.Path, f.Path, len(lines))
	for _, l := range lines {
		put(&b, '+', l)
	}
	return b.String()
}

// changed is the unified diff from one text of a file to another; empty for equal
// texts.
func changed(from, to File) string {
	if from.Text == to.Text {
		return ""
	}
	a, z := strings.SplitAfter(from.Text, "\n"), strings.SplitAfter(to.Text, "\n")
	a, z = withoutEnd(a), withoutEnd(z)
	edits := script(a, z)
	var b strings.Builder
	fmt.Fprintf(&b, "diff --git a/%s b/%s\n--- a/%s\n+++ b/%s\n", from.Path, from.Path, from.Path, from.Path)
	for i := 0; i < len(edits); {
		if edits[i].op == ' ' {
			i++
			continue
		}
		first := max(0, i-context)
		last, quiet := i, 0
		for j := i; j < len(edits) && quiet <= 2*context; j++ {
			if edits[j].op == ' ' {
				quiet++
				continue
			}
			last, quiet = j, 0
		}
		end := min(len(edits), last+1+context)
		hunk(&b, edits[first:end])
		i = end
	}
	return b.String()
}

func withoutEnd(lines []string) []string {
	if n := len(lines); n > 0 && lines[n-1] == "" {
		return lines[:n-1]
	}
	return lines
}

// edit is one line of a script: kept, removed or added, with its place in both
// texts, from 0.
type edit struct {
	op       byte
	text     string
	old, now int
}

func hunk(b *strings.Builder, part []edit) {
	olds, news := 0, 0
	for _, e := range part {
		if e.op != '+' {
			olds++
		}
		if e.op != '-' {
			news++
		}
	}
	start := func(at, n int) int { // an empty side names the line before it
		if n == 0 {
			return at
		}
		return at + 1
	}
	fmt.Fprintf(b, "@@ -%d,%d +%d,%d @@\n", start(part[0].old, olds), olds, start(part[0].now, news), news)
	for _, e := range part {
		put(b, e.op, e.text)
	}
}

func put(b *strings.Builder, op byte, line string) {
	b.WriteByte(op)
	b.WriteString(line)
	if !strings.HasSuffix(line, "\n") {
		b.WriteString("\n\\ No newline at end of file\n")
	}
}

// maxCells bounds the table of script; larger differences are one block.
const maxCells = 4_000_000

// script turns one list of lines into another by a longest common subsequence
// between what both begin and end with.
func script(a, z []string) []edit {
	head := 0
	for head < len(a) && head < len(z) && a[head] == z[head] {
		head++
	}
	tail := 0
	for tail < len(a)-head && tail < len(z)-head && a[len(a)-1-tail] == z[len(z)-1-tail] {
		tail++
	}
	var out []edit
	i, j := 0, 0
	keep := func() { out, i, j = append(out, edit{' ', a[i], i, j}), i+1, j+1 }
	drop := func() { out, i = append(out, edit{'-', a[i], i, j}), i+1 }
	add := func() { out, j = append(out, edit{'+', z[j], i, j}), j+1 }
	for i < head {
		keep()
	}
	endA, endZ := len(a)-tail, len(z)-tail
	if n, m := endA-head, endZ-head; n*m <= maxCells {
		longest := lengths(a[head:endA], z[head:endZ])
		for i < endA && j < endZ {
			switch here := (i-head)*(m+1) + j - head; {
			case a[i] == z[j]:
				keep()
			case longest[here+m+1] >= longest[here+1]:
				drop()
			default:
				add()
			}
		}
	}
	for i < endA {
		drop()
	}
	for j < endZ {
		add()
	}
	for i < len(a) {
		keep()
	}
	return out
}

// lengths[i*(len(z)+1)+j] is the length of a longest common subsequence of a from i
// and z from j.
func lengths(a, z []string) []int32 {
	w := len(z) + 1
	out := make([]int32, (len(a)+1)*w)
	for i := len(a) - 1; i >= 0; i-- {
		for j := len(z) - 1; j >= 0; j-- {
			if a[i] == z[j] {
				out[i*w+j] = out[(i+1)*w+j+1] + 1
			} else {
				out[i*w+j] = max(out[(i+1)*w+j], out[i*w+j+1])
			}
		}
	}
	return out
}
