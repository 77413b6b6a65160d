package formats

import (
	"bufio"
	"errors"
	"io"
	"regexp"
	"strings"
)

// Logs of evaluations. An outcome in a log is weaker than a report: it is used
// where no report says anything.

func matchRunLog(l *look) Confidence {
	if l.lower() == "run_instance.log" {
		return Likely
	}
	if l.json == nil && (strings.Contains(l.text, "Result for ") && strings.Contains(l.text, ": resolved: ") || strings.Contains(l.text, "- INFO - Creating container for ") || strings.Contains(l.text, "Intermediate patch for ")) {
		return Likely
	}
	return None
}

func matchTestOutput(l *look) Confidence {
	if l.lower() == "test_output.txt" {
		return Likely
	}
	return None
}

var resultLine = regexp.MustCompile(`Result for (\S+): resolved: (True|False|true|false)`)

// readRunLog finds the markers of run_instance.log of the harness.
func readRunLog(x *reading) error {
	rep := &Report{Pos: x.at(0, ""), InstanceID: x.fileID(), Reason: ReasonError, Weak: true}
	err := x.eachTextLine(func(line string) {
		switch {
		case strings.Contains(line, ">>>>> Applied Patch"):
			rep.Applied = ptr(true)
		case strings.Contains(line, ">>>>> Patch Apply Failed"):
			rep.Applied, rep.Reason = ptr(false), ReasonNotApplied
		case strings.Contains(line, ">>>>> Tests Timed Out"), strings.Contains(line, "Test timed out after"):
			rep.Reason = ReasonTimeout
		}
		if m := resultLine.FindStringSubmatch(line); m != nil {
			rep.InstanceID, rep.Resolved = m[1], ptr(strings.EqualFold(m[2], "true"))
			rep.Reason = ReasonUnresolved
			if *rep.Resolved {
				rep.Reason = ReasonResolved
			}
		}
	})
	if err != nil || rep.InstanceID == "" {
		return err
	}
	return x.put(rep)
}

// maxLine is the part of a log line that is looked at.
const maxLine = 16 << 10

// eachTextLine calls fn with the beginning of each line.
func (x *reading) eachTextLine(fn func(string)) error {
	br := bufio.NewReaderSize(x.in, maxLine)
	if b, err := br.Peek(3); err == nil && string(b) == "\ufeff" {
		_, _ = br.Discard(3) // peeked
	}
	for within := false; ; {
		b, err := br.ReadSlice('\n')
		if len(b) > 0 && !within {
			fn(strings.TrimRight(string(b), "\r\n"))
		}
		within = errors.Is(err, bufio.ErrBufferFull)
		switch {
		case err == nil, within:
		case errors.Is(err, io.EOF):
			return nil
		default:
			return err
		}
	}
}
