package formats

import "strings"

// exit_statuses_<time>.yaml of mini-swe-agent: statuses with lists of ids.

func matchExitStatuses(l *look) Confidence {
	if strings.HasPrefix(l.text, "instances_by_exit_status:") {
		return Certain
	}
	return None
}

func readExitStatuses(x *reading) error {
	n := 0
	err := x.eachTextLine(func(line string) {
		if strings.HasPrefix(strings.TrimSpace(line), "- ") {
			n++
		}
	})
	x.count(n)
	return err
}
