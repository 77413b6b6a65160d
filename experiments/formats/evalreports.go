package formats

import (
	"regexp"
	"strings"

	"plumbline/experiments/formats/jsonpull"
)

// Reports of the other harnesses.

// SWE-smith: {"resolved": n, "unresolved": n, "total": n, "ids_resolved": [], "ids_unresolved": []}.
func matchSmithReport(l *look) Confidence {
	if l.json.isObject() && l.json.any("ids_resolved", "ids_unresolved") {
		return Certain
	}
	return None
}

func readSmithReport(x *reading) error {
	v, err := x.tree()
	if err != nil {
		return err
	}
	m := obj(v)
	o := outcomes{seen: map[string]bool{}}
	o.add(m, "ids_resolved", ptr(true), ReasonResolved)
	o.add(m, "ids_unresolved", ptr(false), ReasonUnresolved)
	rep := &RunReport{Pos: x.at(0, ""), Outcomes: o.out, Resolved: texts(m["ids_resolved"]), Counts: map[string]int{}}
	for _, k := range []string{"resolved", "unresolved", "total"} {
		rep.Counts[k] = whole(m[k])
	}
	x.count(len(o.out))
	return x.put(rep)
}

// SWE-bench-Live: run level with success_ids, failure_ids, error_ids.
func matchLiveRun(l *look) Confidence {
	if l.json.isObject() && l.json.any("success_ids", "failure_ids") && l.json.any("submitted", "submitted_ids", "success") {
		return Certain
	}
	return None
}

func readLiveRun(x *reading) error {
	v, err := x.tree()
	if err != nil {
		return err
	}
	m := obj(v)
	o := outcomes{seen: map[string]bool{}}
	o.add(m, "success_ids", ptr(true), ReasonResolved)
	o.add(m, "empty_patch_ids", ptr(false), ReasonEmptyPatch)
	o.add(m, "error_ids", nil, ReasonError)
	o.add(m, "failure_ids", ptr(false), ReasonUnresolved)
	rep := &RunReport{Pos: x.at(0, ""), Outcomes: o.out, Resolved: texts(m["success_ids"])}
	if n := integer(m["submitted"]); n != nil {
		x.count(int(*n))
	} else {
		x.count(len(o.out))
	}
	return x.put(rep)
}

// SWE-bench-Live: one instance.
func matchLiveReport(l *look) Confidence {
	if s := l.json; s.isObject() && s.has("instance_id", "resolved") && s.at("PASS_TO_PASS").any("success", "failure") {
		return Certain
	}
	return None
}

func readLiveReport(x *reading) error {
	v, err := x.tree()
	if err != nil {
		return err
	}
	m := obj(v)
	r := &Report{Pos: x.at(0, ""), InstanceID: str(m["instance_id"]), Resolved: boolean(m["resolved"]), Lists: map[string]Tests{}}
	for name, t := range testLists(m) {
		r.Lists[name] = t
	}
	r.Reason = r.reason(object{})
	x.count(1)
	return x.put(r)
}

// SWE-PolyBench: <id>_result.json.
func matchPolyResult(l *look) Confidence {
	if s := l.json; s.isObject() && s.any("all_f2p_passed", "no_p2p_failed") && s.has("instance_id") {
		return Certain
	}
	return None
}

func readPolyResult(x *reading) error {
	v, err := x.tree()
	if err != nil {
		return err
	}
	m := obj(v)
	r := &Report{Pos: x.at(0, ""), InstanceID: str(m["instance_id"]), Resolved: boolean(m["resolved"]), Applied: boolean(m["patch_applied"]), Broke: not(boolean(m["no_p2p_failed"]))}
	no := func(k string) bool { b := boolean(m[k]); return b != nil && !*b }
	switch {
	case r.Resolved == nil:
		r.Reason = ReasonError
	case *r.Resolved:
		r.Reason = ReasonResolved
	case no("generation"):
		r.Reason, r.Broke = ReasonEmptyPatch, nil
	case no("patch_applied"):
		r.Reason, r.Broke = ReasonNotApplied, nil
	case no("with_logs"):
		r.Reason, r.Broke = ReasonNoLogs, nil
	default:
		r.Reason = ReasonUnresolved
	}
	x.count(1)
	return x.put(r)
}

func not(b *bool) *bool {
	if b == nil {
		return nil
	}
	return ptr(!*b)
}

// SWE-PolyBench: <id>_metrics.json, retrieval figures that are not used.
func matchPolyMetrics(l *look) Confidence {
	if l.json.isObject() && l.json.has("instance_id") && l.json.any("file_retrieval_metrics", "node_retrieval_metrics") {
		return Certain
	}
	return None
}

// Multi-SWE-bench: {"org", "repo", "number", "valid", "error_msg", "fixed_tests", …}.
func matchMultiReport(l *look) Confidence {
	if l.json.isObject() && l.json.has("org", "repo", "number", "valid") {
		return Certain
	}
	return None
}

func readMultiReport(x *reading) error {
	v, err := x.tree()
	if err != nil {
		return err
	}
	m := obj(v)
	r := &Report{Pos: x.at(0, ""), InstanceID: instanceID(m), Resolved: boolean(m["valid"]), Lists: map[string]Tests{}}
	r.Reason = ReasonResolved
	if r.Resolved != nil && !*r.Resolved {
		r.Reason = ReasonUnresolved
		if fix := obj(m["fix_patch_result"]); whole(fix["passed_count"])+whole(fix["failed_count"])+whole(fix["skipped_count"]) == 0 {
			r.Reason = ReasonError // the patched run produced no test result
		}
	}
	for key, name := range map[string]string{"f2p_tests": "FAIL_TO_PASS", "p2p_tests": "PASS_TO_PASS"} {
		if tests := obj(m[key]); len(tests) > 0 {
			t := Tests{}
			for _, e := range tests {
				if str(obj(e)["fix"]) == "PASS" {
					t.OK++
				} else {
					t.Failed++
				}
			}
			r.Lists[name] = t
		}
	}
	x.count(1)
	return x.put(r)
}

// SWE-bench Pro: {"<id>": true}.
func matchResolvedMap(l *look) Confidence {
	s := l.json
	if !s.isObject() || len(s.keys) == 0 {
		return None
	}
	for _, k := range s.keys {
		if v := s.at(k); v.kind != jsonpull.Bool && v.kind != jsonpull.End {
			return None
		}
	}
	if !strings.Contains(s.keys[0], "__") && !strings.Contains(s.keys[0], "/") {
		return None
	}
	return Likely
}

func readResolvedMap(x *reading) error {
	r := jsonpull.New(x.in)
	rep := &RunReport{Pos: x.at(0, ""), Counts: map[string]int{}}
	err := r.Object(func(id string) error {
		line := r.Line()
		v, err := r.Value()
		if err != nil {
			return err
		}
		b := boolean(v)
		if b == nil {
			x.problem(line, id, "neither true nor false")
			return nil
		}
		o := Outcome{InstanceID: id, Resolved: b, Reason: ReasonUnresolved}
		if *b {
			o.Reason = ReasonResolved
			rep.Resolved = append(rep.Resolved, id)
		}
		rep.Outcomes = append(rep.Outcomes, o)
		return nil
	})
	x.count(len(rep.Outcomes))
	if len(rep.Outcomes) == 0 {
		return err
	}
	if perr := x.put(rep); perr != nil {
		return perr
	}
	return err
}

// A results file with several arms, one a choice between the others: only
// resolved ids; the choice is a claim, because nobody evaluated it.
func matchArms(l *look) Confidence {
	if l.json.isObject() && l.json.has("total_instances", "baseline") && l.json.at("baseline").any("resolved_ids") {
		return Certain
	}
	return None
}

func readArms(x *reading) error {
	v, err := x.tree()
	if err != nil {
		return err
	}
	m := obj(v)
	x.count(whole(m["total_instances"]))
	for _, arm := range sortedKeys(m) {
		o := obj(m[arm])
		ids, ok := o["resolved_ids"].([]any)
		if !ok {
			continue
		}
		_, choice := o["both"]
		rep := &RunReport{Pos: x.at(0, arm), Run: arm + ".resolved_ids", Arm: arm, Model: str(m["model"]), Resolved: texts(ids), Claimed: choice}
		for _, id := range rep.Resolved {
			rep.Outcomes = append(rep.Outcomes, Outcome{InstanceID: id, Resolved: ptr(true), Reason: ReasonResolved})
		}
		rep.Rest = ReasonUnresolved
		if rep.Claimed {
			rep.Rest = ReasonClaimed
			for i := range rep.Outcomes {
				rep.Outcomes[i].Reason = ReasonClaimed
			}
		}
		if err := x.put(rep); err != nil {
			return err
		}
	}
	return nil
}

// Figures of one run of an agent, without patch and outcome.
func matchRunMetrics(l *look) Confidence {
	if l.json.isObject() && l.json.has("instance_id", "metrics", "patch_generated") {
		return Certain
	}
	return None
}

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
