package formats

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
