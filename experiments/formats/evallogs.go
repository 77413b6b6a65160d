package formats

import (
	"regexp"
	"strings"
)

// eval.log of 2024.
var instanceLine = regexp.MustCompile(`Instance ID: (\S+)`)

func matchEvalLog(l *look) Confidence {
	if strings.Contains(l.text, "Task Metadata:") && strings.Contains(l.text, "Instance ID: ") {
		return Certain
	}
	if strings.HasSuffix(l.lower(), ".eval.log") {
		return Likely
	}
	return None
}

func readEvalLog(x *reading) error {
	r := &Report{Pos: x.at(0, ""), Reason: ReasonError, Weak: true}
	err := x.eachTextLine(func(line string) {
		if m := instanceLine.FindStringSubmatch(line); m != nil && r.InstanceID == "" {
			r.InstanceID = m[1]
		}
		switch {
		case strings.Contains(line, ">>>>> Applied Patch"):
			r.Applied = ptr(true)
		case strings.Contains(line, ">>>>> Patch Apply Failed"):
			r.Applied, r.Reason = ptr(false), ReasonNotApplied
		case strings.Contains(line, ">>>>> Tests Timed Out"):
			r.Reason = ReasonTimeout
		}
	})
	x.count(1)
	if err != nil {
		return err
	}
	if r.InstanceID == "" {
		r.InstanceID = x.fileID()
	}
	if r.InstanceID == "" {
		return nil
	}
	return x.put(r)
}

// OpenHands: the log of one evaluation ends with "Result for <id>: resolved: True".
func matchOpenHandsEvalLog(l *look) Confidence {
	if l.json == nil && (strings.Contains(l.text, "APPLY_PATCH_PASS") || strings.Contains(l.text, "APPLY_PATCH_FAIL")) ||
		strings.Contains(l.path, "swebench_eval.logs/") && strings.HasPrefix(l.lower(), "instance_") {
		return Likely
	}
	return None
}

func readOpenHandsEvalLog(x *reading) error {
	r := &Report{Pos: x.at(0, ""), Reason: ReasonError, Weak: true, InstanceID: strings.TrimPrefix(trimExts(x.base(), ".log"), "instance_")}
	err := x.eachTextLine(func(line string) {
		switch {
		case strings.Contains(line, "APPLY_PATCH_PASS"):
			r.Applied = ptr(true)
		case strings.Contains(line, "APPLY_PATCH_FAIL"):
			r.Applied, r.Reason = ptr(false), ReasonNotApplied
		case strings.Contains(line, "git_patch is empty"), strings.Contains(line, "Skipping evaluation for instance") && strings.Contains(line, "empty"):
			r.Reason = ReasonEmptyPatch
		}
		if m := resultLine.FindStringSubmatch(line); m != nil {
			r.InstanceID, r.Resolved = m[1], ptr(strings.EqualFold(m[2], "true"))
			if *r.Resolved {
				r.Reason = ReasonResolved
			} else if r.Reason == ReasonError {
				r.Reason = ReasonUnresolved
			}
		}
	})
	x.count(1)
	if err != nil || r.InstanceID == "" {
		return err
	}
	return x.put(r)
}

// OpenHands: the Markdown report of a run.
func matchOpenHandsReport(l *look) Confidence {
	if strings.HasPrefix(l.text, "# SWE-bench Report") {
		return Certain
	}
	return None
}

var listedID = regexp.MustCompile(`^- \[?([^\]\s(]+)`)

func readOpenHandsReport(x *reading) error {
	lists := object{}
	section, submitted := "", 0
	err := x.eachTextLine(func(line string) {
		switch {
		case strings.HasPrefix(line, "## "):
			section = strings.TrimSpace(line[3:])
		case strings.HasPrefix(line, "- submitted instances:"):
			submitted = whole(jsonNumber(strings.TrimSpace(strings.TrimPrefix(line, "- submitted instances:"))))
		case section != "" && section != "Summary":
			if m := listedID.FindStringSubmatch(line); m != nil {
				lists[section] = append(list(lists[section]), m[1])
			}
		}
	})
	if err != nil {
		return err
	}
	o := outcomes{seen: map[string]bool{}}
	o.add(lists, "Resolved Instances", ptr(true), ReasonResolved)
	o.add(lists, "Error Instances", nil, ReasonError)
	o.add(lists, "Empty Patch Instances", ptr(false), ReasonEmptyPatch)
	o.add(lists, "Unresolved Instances", ptr(false), ReasonUnresolved)
	for i := range o.out {
		o.out[i].List = ""
	}
	x.count(submitted)
	return x.put(&RunReport{Pos: x.at(0, ""), Outcomes: o.out, Resolved: texts(lists["Resolved Instances"])})
}
