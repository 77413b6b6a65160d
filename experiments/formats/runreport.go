package formats

import (
	"sort"

	"plumbline/experiments/formats/jsonpull"
)

// Reports of a run over many instances. An instance can be in several lists
// (infrastructure failures stay inside the unresolved or error list), so the
// lists are looked at in an order and each instance gets one outcome.

// Harness 2.x, 5.x, sb-cli and Multi-SWE-bench: *_ids lists beside *_instances
// counts, which are never trusted.
func matchRunReport(l *look) Confidence {
	if l.json.isObject() && l.json.any("resolved_ids", "completed_ids", "submitted_ids") && l.json.any("total_instances", "submitted_instances", "completed_instances") && !l.json.has("baseline") {
		return Certain
	}
	return None
}

func readRunReport(x *reading) error {
	v, err := x.tree()
	if err != nil {
		return err
	}
	m := obj(v)
	rep := &RunReport{Pos: x.at(0, ""), Counts: map[string]int{}}
	for k, v := range m {
		if n := integer(v); n != nil && k != "schema_version" {
			rep.Counts[k] = int(*n)
		}
	}
	no, yes := ptr(false), ptr(true)
	o := outcomes{seen: map[string]bool{}}
	o.add(m, "infra_failure_ids", nil, ReasonInfra)
	o.add(m, "ambiguous_failure_ids", nil, ReasonAmbiguous)
	o.add(m, "error_ids", nil, ReasonError)
	o.add(m, "failed_ids", nil, ReasonError)
	o.add(m, "resolved_ids", yes, ReasonResolved)
	o.add(m, "unresolved_ids", no, ReasonUnresolved)
	o.add(m, "empty_patch_ids", no, ReasonEmptyPatch)
	o.add(m, "pending_ids", nil, ReasonPending)
	// Without an unresolved list, a completed instance that is in no other list
	// was judged and failed.
	if _, ok := m["unresolved_ids"]; !ok {
		o.add(m, "completed_ids", no, ReasonUnresolved)
	}
	o.add(m, "incomplete_ids", nil, ReasonNotSubmitted)
	rep.Outcomes = o.out
	rep.Resolved = plainIDs(texts(m["resolved_ids"]))
	n := rep.Counts["total_instances"]
	if _, ok := m["total_instances"]; !ok {
		n = len(o.out)
	}
	x.count(n)
	return x.put(rep)
}

// outcomes gives each instance the outcome of the first list it is in.
type outcomes struct {
	out  []Outcome
	seen map[string]bool
}

func (o *outcomes) add(m object, key string, resolved *bool, reason string) {
	for _, id := range plainIDs(texts(m[key])) {
		if !o.seen[id] {
			o.seen[id] = true
			o.out = append(o.out, Outcome{InstanceID: id, Resolved: resolved, Reason: reason, List: key})
		}
	}
}

func plainIDs(ids []string) []string {
	for i, id := range ids {
		ids[i] = PlainID(id)
	}
	return ids
}

// The 2024 form: bare lists. Some files have only resolved, no_generation and
// no_logs; then an instance outside them is not resolved if it was submitted.
func matchRunReport2024(l *look) Confidence {
	if !l.json.isObject() || !l.json.at("resolved").isArray() {
		return None
	}
	if l.json.any("no_generation", "no_logs", "no_apply", "with_logs", "generated", "install_fail") {
		return Certain
	}
	return None
}

func readRunReport2024(x *reading) error {
	r := jsonpull.New(x.in)
	v, err := r.Value()
	x.relaxed(r)
	if err != nil {
		return err
	}
	rep := report2024(x.at(0, ""), obj(v))
	x.count(len(rep.Resolved))
	return x.put(rep)
}

func report2024(at Pos, m object) *RunReport {
	rep := &RunReport{Pos: at, Counts: map[string]int{}}
	for k, v := range m {
		if a, ok := v.([]any); ok {
			rep.Counts[k] = len(a)
		}
	}
	no, yes := ptr(false), ptr(true)
	o := outcomes{seen: map[string]bool{}}
	o.add(m, "resolved", yes, ReasonResolved)
	o.add(m, "no_generation", no, ReasonEmptyPatch)
	o.add(m, "install_fail", no, ReasonError)
	o.add(m, "reset_failed", no, ReasonError)
	o.add(m, "test_errored", no, ReasonError)
	o.add(m, "test_timeout", no, ReasonTimeout)
	o.add(m, "no_apply", no, ReasonNotApplied)
	o.add(m, "no_logs", no, ReasonNoLogs)
	rep.Rest = ReasonUnresolved
	if _, complete := m["generated"]; complete {
		rep.Rest = ReasonNotSubmitted
	}
	o.add(m, "applied", no, ReasonUnresolved)
	o.add(m, "with_logs", no, ReasonUnresolved)
	o.add(m, "generated", no, ReasonNoLogs)
	rep.Outcomes = o.out
	rep.Resolved = texts(m["resolved"])
	return rep
}

// A summary with one entry an instance.
func matchResultsSummary(l *look) Confidence {
	if e := l.json.at("instances"); l.json.isObject() && e.isArray() && e.item().has("instance_id", "resolved") {
		return Certain
	}
	return None
}

func readResultsSummary(x *reading) error {
	v, err := x.tree()
	if err != nil {
		return err
	}
	m := obj(v)
	rep := &RunReport{Pos: x.at(0, ""), Counts: map[string]int{}}
	for _, k := range []string{"total", "passed", "failed"} {
		if n := integer(m[k]); n != nil {
			rep.Counts[k] = int(*n)
		}
	}
	for _, e := range list(m["instances"]) {
		o := obj(e)
		id, resolved := str(o["instance_id"]), boolean(o["resolved"])
		if id == "" {
			continue
		}
		out := Outcome{InstanceID: id, Resolved: resolved, Reason: ReasonUnresolved, List: "instances"}
		switch applied := boolean(o["patch_applied"]); {
		case resolved == nil:
			out.Reason = ReasonError
		case *resolved:
			out.Reason = ReasonResolved
			rep.Resolved = append(rep.Resolved, id)
		case applied != nil && !*applied:
			out.Reason = ReasonNotApplied
		}
		rep.Outcomes = append(rep.Outcomes, out)
	}
	x.count(len(rep.Outcomes))
	return x.put(rep)
}

// SWT-bench publishes only what was resolved.
func matchResolvedOnly(l *look) Confidence {
	if l.json.isObject() && len(l.json.keys) == 1 && l.json.at("resolved").isArray() {
		return Likely
	}
	return None
}

func readResolvedOnly(x *reading) error {
	v, err := x.tree()
	if err != nil {
		return err
	}
	rep := &RunReport{Pos: x.at(0, ""), Resolved: texts(obj(v)["resolved"])}
	for _, id := range rep.Resolved {
		rep.Outcomes = append(rep.Outcomes, Outcome{InstanceID: id, Resolved: ptr(true), Reason: ReasonResolved, List: "resolved"})
	}
	return x.put(rep)
}

func sortedKeys(m object) []string {
	keys := make([]string, 0, len(m))
	for k := range m {
		keys = append(keys, k)
	}
	sort.Strings(keys)
	return keys
}
