package formats

import (
	"bufio"
	"bytes"
	"errors"
	"io"
	"regexp"
	"strings"

	"plumbline/experiments/formats/jsonpull"
)

// Files that belong to an import without saying anything about an attempt, and
// files that are not what their name says. They are named and counted, so that
// nothing disappears silently.

// maxText is the largest text file that is read whole.
const maxText = 256 << 20

func readNothing(x *reading) error {
	x.count(0)
	x.problem(1, "", "a Git LFS pointer, not the file itself; fetch the file with git lfs pull")
	return nil
}

func matchLFS(l *look) Confidence {
	if strings.HasPrefix(l.text, "version https://git-lfs.github.com/spec/") {
		return Certain
	}
	return None
}

func readUncounted(*reading) error { return nil }

// readCountLines counts JSON lines whose content is not used.
func readCountLines(x *reading) error {
	return x.eachLine(func(r *jsonpull.Reader, _ int) error { return r.Skip() })
}

// readJSONOther checks that the file is JSON. If it is not, the file is renamed
// in the report, and a trailing comma does not stop a report from being used.
func readJSONOther(x *reading) error {
	if l := x.peekLook(); l.json == nil && !strings.HasPrefix(strings.TrimSpace(l.text), "{") {
		x.count(1)
		return nil
	}
	r := jsonpull.New(x.in)
	if err := r.Skip(); err != nil {
		x.report.Format = JSONInvalid
		x.count(0)
		return err
	}
	x.count(1)
	x.relaxed(r)
	return nil
}

func matchPulls(l *look) Confidence {
	if s := l.json; s.isObject() && s.has("url", "number") && s.any("diff_url", "patch_url") {
		return Certain
	}
	return None
}

// idLine is an instance id alone on a line.
var idLine = regexp.MustCompile(`^[A-Za-z0-9_.-]+__[A-Za-z0-9_.-]+-[0-9]+\s*$`)

func matchIDList(l *look) Confidence {
	lines := strings.Split(strings.TrimSpace(l.text), "\n")
	if len(l.head) >= SniffLen && len(lines) > 1 {
		lines = lines[:len(lines)-1]
	}
	for _, s := range lines {
		if !idLine.MatchString(s) {
			return None
		}
	}
	return Likely
}

func readIDList(x *reading) error {
	n, err := x.countLines(func(b []byte) bool { return len(bytes.TrimSpace(b)) > 0 })
	x.count(n)
	return err
}

// countLines counts the lines that want accepts; lines may be of any length, of
// which want sees the beginning.
func (x *reading) countLines(want func(line []byte) bool) (int, error) {
	br := bufio.NewReaderSize(x.in, 64<<10)
	n, within := 0, false
	for {
		b, err := br.ReadSlice('\n')
		if len(b) > 0 && !within && want(b) {
			n++
		}
		within = errors.Is(err, bufio.ErrBufferFull)
		switch {
		case err == nil, within:
		case errors.Is(err, io.EOF):
			return n, nil
		default:
			return n, err
		}
	}
}

// peekLook looks at the start of the file from inside a reader.
func (x *reading) peekLook() *look {
	head, _ := io.ReadAll(io.LimitReader(x.in.r, SniffLen)) // an error shows again on the next read
	x.in.r = io.MultiReader(bytes.NewReader(head), x.in.r)
	return examine(x.src.Path, x.base(), head)
}
