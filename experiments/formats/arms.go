package formats

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
