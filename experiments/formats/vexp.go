package formats

import (
	"time"

	"plumbline/experiments/trace"
)

// Result lines of vexp-swe-bench: camel case keys, with the patch, the outcome
// and the usage of the attempt, without steps.

func matchVexp(l *look) Confidence {
	if l.json.isObject() && l.json.has("instanceId", "modelPatch") {
		return Certain
	}
	return None
}

func readVexp(x *reading) error {
	return x.lines(func(line int, v any) error {
		m, ok := v.(object)
		if !ok {
			return errNotObject
		}
		p := &Prediction{
			Pos: x.at(line, ""), InstanceID: str(m["instanceId"]), Model: str(m["model"]), Agent: str(m["agent"]),
			Repo: str(m["repo"]), Base: str(m["commitHash"]), Resolved: boolean(m["resolved"]),
		}
		if p.InstanceID == "" {
			return errNoID
		}
		patchValue, there := m["modelPatch"]
		p.State, p.Patch = patchOf(patchValue, there)
		p.Usage = trace.Usage{CostUSD: float(m["costUsd"]), InputTokens: integer(m["inputTokens"]), OutputTokens: integer(m["outputTokens"])}
		if ms := float(m["durationMs"]); ms != nil {
			p.Usage.Duration = ptr(time.Duration(*ms * float64(time.Millisecond)))
		}
		return x.put(p)
	})
}
