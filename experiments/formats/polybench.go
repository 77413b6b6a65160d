package formats

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
