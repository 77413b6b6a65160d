package formats

import (
	"plumbline/experiments/formats/jsonpull"
	"plumbline/experiments/trace"
)

// A bare list of events, as kept for tests and sharing.
func matchOpenHandsEvents(l *look) Confidence {
	e := l.json.item()
	if l.json.isArray() && (e.any("action", "observation") && e.any("source", "args", "content", "timestamp")) {
		return Certain
	}
	return None
}

func readOpenHandsEvents(x *reading) error {
	r := jsonpull.New(x.in)
	h := &handsRun{s: newStepper(x)}
	n := 0
	err := r.Array(func(int) error {
		v, err := r.Value()
		if err != nil {
			return err
		}
		n++
		return h.event(obj(v))
	})
	x.count(n)
	if x.stop != nil {
		return x.stop
	}
	if serr := h.s.end(); serr != nil {
		return serr
	}
	t := &Trajectory{Pos: x.at(0, ""), Steps: ptr(h.steps), Messages: h.events}
	t.Trace = trace.Trace{InstanceID: x.fileID(), Agent: "OpenHands", Summary: h.summary}
	if perr := x.put(t); perr != nil {
		return perr
	}
	return err
}
