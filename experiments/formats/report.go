package formats

import (
	"strings"
)

// Reports of one instance, by the SWE-bench harness:
//
//	{"<id>": {"patch_is_None", "patch_exists", "patch_successfully_applied", "resolved",
//	          "infra_failure"?, "infra_failure_reason"?, "tests_status"?: {"FAIL_TO_PASS": {"success": [], "failure": []}, …}}}
//
// or the inner object alone, when the id is the name of the folder.

func isReport(s *shape) bool {
	return s.isObject() && s.has("resolved") && s.any("patch_is_None", "patch_exists", "patch_successfully_applied", "tests_status")
}

func matchInstanceReport(l *look) Confidence {
	if l.json.isObject() {
		if _, s := l.json.first(); isReport(s) || s.isObject() && s.any("patch_is_None") && s.any("patch_exists") {
			return Certain
		}
	}
	return None
}

func matchInstanceReportFlat(l *look) Confidence {
	if isReport(l.json) {
		return Certain
	}
	return None
}

func readInstanceReport(x *reading) error {
	v, err := x.tree()
	if err != nil {
		return err
	}
	m := obj(v)
	if _, flat := m["resolved"]; flat {
		x.count(1)
		return x.put(x.report1(x.at(0, ""), x.folderID(), m))
	}
	n := 0
	for _, id := range sortedKeys(m) {
		inner, ok := m[id].(object)
		if !ok {
			x.problem(0, id, errNotObject.Error())
			continue
		}
		n++
		if err := x.put(x.report1(x.at(0, id), id, inner)); err != nil {
			return err
		}
	}
	x.count(n)
	if n == 0 {
		x.problem(0, "", "the report is empty")
	}
	return nil
}

// folderID is the instance id a report without one takes: the name of its folder.
func (x *reading) folderID() string { return x.dir() }

func (x *reading) report1(at Pos, id string, m object) *Report {
	r := &Report{
		Pos: at, InstanceID: id, Resolved: boolean(m["resolved"]),
		PatchNone: boolean(m["patch_is_None"]), PatchThere: boolean(m["patch_exists"]), Applied: boolean(m["patch_successfully_applied"]),
		Lists: testLists(obj(m["tests_status"])),
	}
	r.Reason = r.reason(m)
	return r
}

// reason says why an instance is not resolved, in the words of the harness.
func (r *Report) reason(m object) string {
	infra := boolean(m["infra_failure"])
	switch {
	case r.Resolved != nil && *r.Resolved:
		return ReasonResolved
	case infra != nil && *infra:
		why := str(m["infra_failure_reason"])
		for _, ambiguous := range []string{"missing_module", "no_tests_collected", "tests_timed_out"} {
			if strings.HasPrefix(why, ambiguous) {
				return ReasonAmbiguous
			}
		}
		return ReasonInfra
	case r.PatchNone != nil && *r.PatchNone, r.PatchThere != nil && !*r.PatchThere:
		return ReasonEmptyPatch
	case r.Applied != nil && !*r.Applied && !r.ran():
		return ReasonNotApplied
	case r.Resolved == nil:
		return ReasonError
	}
	return ReasonUnresolved
}

// ran reports whether the report holds test outcomes, whatever its flags say:
// SWE-smith writes "not applied" beside passing tests.
func (r *Report) ran() bool {
	for _, t := range r.Lists {
		if t.OK+t.Failed > 0 {
			return true
		}
	}
	return false
}

// testLists counts {"NAME": {"success": [], "failure": []}}.
func testLists(m object) map[string]Tests {
	if m == nil {
		return nil
	}
	out := make(map[string]Tests, len(m))
	for name, v := range m {
		if o, ok := v.(object); ok {
			out[name] = Tests{OK: len(list(o["success"])), Failed: len(list(o["failure"]))}
		}
	}
	return out
}
