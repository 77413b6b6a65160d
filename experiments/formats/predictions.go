package formats

import (
	"errors"
	"fmt"
	"strconv"
	"strings"

	"plumbline/experiments/formats/jsonpull"
	"plumbline/experiments/patch"
	"plumbline/experiments/trace"
)

// Predictions (submitted patches) come as JSON lines, an array, an object keyed
// by instance id, or a single object. The record is
//
//	instance_id, model_name_or_path, model_patch
//
// with any number of other keys. The patch may be text, null, missing, or an
// object that holds the real record; Multi-SWE-bench writes org, repo, number and
// fix_patch.

// isPrediction reports whether an object looks like the record.
func isPrediction(s *shape) bool {
	if s.any("model_patch", "fix_patch") {
		// A dataset row has a patch of its own and a base; it is not a submission.
		return !s.any("base_commit", "base", "problem_statement", "FAIL_TO_PASS", "test_patch")
	}
	return s.has("instance_id", "model_name_or_path") && !s.any("messages", "trajectory", "history")
}

func matchPredictionsJSONL(l *look) Confidence {
	if l.json.isObject() && isPrediction(l.json) && l.jsonl() {
		return Certain
	}
	return None
}

func matchPredictionIndented(l *look) Confidence {
	if l.json.isObject() && isPrediction(l.json) && l.namedLines() && !l.jsonl() {
		return Certain
	}
	return None
}

func matchPredictionSingle(l *look) Confidence {
	if l.json.isObject() && isPrediction(l.json) && !l.jsonl() {
		return Certain
	}
	return None
}

func matchPredictionsArray(l *look) Confidence {
	if l.json.isArray() && isPrediction(l.json.item()) {
		return Certain
	}
	return None
}

func matchPredictionsKeyed(l *look) Confidence {
	if !l.json.isObject() {
		return None
	}
	if _, s := l.json.first(); s.isObject() && isPrediction(s) && s.any("model_patch", "fix_patch") {
		return Certain
	}
	return None
}

func readPredictions(x *reading) error {
	if x.format == PredictionsJSONL {
		return x.lines(func(line int, v any) error {
			m, ok := v.(object)
			if !ok {
				return errNotObject
			}
			return x.prediction(x.at(line, ""), m, "")
		})
	}
	r := jsonpull.New(x.in)
	n := 0
	defer func() { x.count(n) }()
	one := func(key string, line int, keyed bool) error {
		v, err := r.Value()
		if err != nil {
			return err
		}
		m, ok := v.(object)
		if !ok {
			x.problem(line, key, errNotObject.Error())
			return nil
		}
		n++
		id := ""
		if keyed {
			id = key
		}
		if err := x.prediction(x.at(0, key), m, id); err != nil {
			if x.stop != nil {
				return x.stop
			}
			x.fault(line, key, err)
		}
		return nil
	}
	k, err := r.Kind()
	if err != nil {
		return err
	}
	switch {
	case k == jsonpull.Array:
		err = r.Array(func(i int) error { return one(strconv.Itoa(i), r.Line(), false) })
	case x.format == PredictionsKeyed:
		err = r.Object(func(key string) error { return one(key, r.Line(), true) })
	default:
		err = one("", r.Line(), false)
	}
	x.relaxed(r)
	return err
}

var (
	errNotObject = errors.New("not an object")
	errNoID      = &fieldError{"instance_id", "is missing"}
)

// prediction emits one record. key is the id given by the surrounding object.
func (x *reading) prediction(at Pos, m object, key string) error {
	p := &Prediction{Pos: at, Model: first(m, "model_name_or_path", "model_name"), Agent: str(m["agent"]), Status: str(m["exit_status"])}
	p.InstanceID = instanceID(m)
	if p.InstanceID == "" {
		p.InstanceID, p.Keyless = key, true
	} else if key != "" && key != p.InstanceID {
		return &fieldError{"instance_id", fmt.Sprintf("is %q, but the key is another; the record is not used", p.InstanceID)}
	}
	if p.InstanceID == "" {
		return errNoID
	}
	if n := integer(m["attempt"]); n != nil && *n > 0 && *n < 1<<20 {
		p.Attempt = int(*n)
	}
	p.setPatch(m)
	return x.put(p)
}

// setPatch finds the patch of a record and says what was there.
func (p *Prediction) setPatch(m object) {
	v, there := m["model_patch"]
	if !there {
		v, there = m["fix_patch"]
	}
	p.State, p.Patch = patchOf(v, there)
	if p.State == trace.PatchNull && str(m["patch_state"]) == string(trace.PatchNone) {
		p.State = trace.PatchNone // our own export: there was no patch, not even null
	}
	inner, ok := v.(object)
	if !ok {
		return
	}
	// A nested record: the inner one holds the patch.
	p.Note = string(p.State)
	iv, there := inner["model_patch"]
	p.State, p.Patch = patchOf(iv, there)
}

// patchOf says what a JSON value in the place of a patch is.
func patchOf(v any, there bool) (trace.PatchState, string) {
	switch t := v.(type) {
	case string:
		return patch.State(t), t
	case nil:
		if there {
			return trace.PatchNull, ""
		}
		return trace.PatchAbsent, ""
	case object:
		return "not_text:dict", ""
	case []any:
		return "not_text:list", ""
	case bool:
		return "not_text:bool", ""
	}
	return "not_text:number", ""
}

// instanceID reads the id of a record. Multi-SWE-bench has org, repo and number.
func instanceID(m object) string {
	if id := label(m["instance_id"]); id != "" {
		return id
	}
	if id := str(m["instanceId"]); id != "" {
		return id
	}
	org, repo, number := str(m["org"]), str(m["repo"]), label(m["number"])
	if org != "" && repo != "" && number != "" {
		return org + "__" + repo + "-" + number
	}
	return ""
}

// PlainID turns the id form org/repo:pr-7 into org__repo-7; others stay.
func PlainID(id string) string {
	head, number, ok := strings.Cut(id, ":pr-")
	if !ok || number == "" {
		return id
	}
	org, repo, ok := strings.Cut(head, "/")
	if !ok {
		return id
	}
	return org + "__" + repo + "-" + number
}
