package formats

import (
	"strings"

	"plumbline/experiments/formats/jsonpull"
)

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
