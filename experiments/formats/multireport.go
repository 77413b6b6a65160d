package formats

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
