package formats

import (
	"strings"

	"plumbline/experiments/formats/jsonpull"
)

// Published answers of model judges. They use verdicts of their own, so they are
// named and counted, and no vote is made of them.

func matchJudgeReply(l *look) Confidence {
	s := l.json
	if !s.isObject() || s.any("instance_id", "messages") {
		return None
	}
	switch {
	case s.has("verdict") && s.any("why", "rows", "case", "slug", "attack"), s.has("klass"),
		s.has("consistent") && s.any("precedents"), s.has("determined") && s.any("design_A", "selecting_clause"),
		len(s.keys) == 1 && (s.at("rows").isArray() || s.at("gaps").isArray()):
		return Weak
	}
	return None
}

func matchJudgeJSON(l *look) Confidence {
	s := l.json
	switch {
	case s.isObject() && s.has("name", "query") && s.at("requirements").isArray():
		return Likely
	case s.isArray() && s.item().any("test_passed", "over_narrow_test") && s.item().has("instance_id"):
		return Likely
	case s.isArray() && s.item().has("id", "instruction", "response"):
		return Weak
	}
	return None
}

func matchJudgeJSONL(l *look) Confidence {
	s := l.json
	if s.isObject() && l.jsonl() && (s.has("judge_name", "judgments") || s.has("diffs", "eval_outcomes")) {
		return Likely
	}
	return None
}

func matchAlpaca(l *look) Confidence {
	if l.json.isObject() && l.json.has("annotator", "preference") && l.json.any("raw_completion") {
		return Likely
	}
	return None
}

func matchVoteShapes(l *look) Confidence {
	if s := l.json; s.isObject() && s.at("cases").isArray() && s.at("cases").item().any("shape", "sample") {
		return Likely
	}
	return None
}

// readCountDoc counts the elements of an array, or 1 for an object.
func readCountDoc(x *reading) error {
	r := jsonpull.New(x.in)
	k, err := r.Kind()
	if err != nil {
		return err
	}
	n := 1
	if k == jsonpull.Array {
		n = 0
		err = r.Array(func(int) error { n++; return r.Skip() })
	} else {
		err = r.Skip()
	}
	x.count(n)
	x.relaxed(r)
	return err
}

// readCountKey counts the entries of the value under one of the keys.
func readCountKey(keys ...string) func(*reading) error {
	return func(x *reading) error {
		r := jsonpull.New(x.in)
		n := 0
		err := r.Object(func(key string) error {
			k, err := r.Kind()
			if err != nil {
				return err
			}
			for _, want := range keys {
				if key != want {
					continue
				}
				switch k {
				case jsonpull.Array:
					return r.Array(func(int) error { n++; return r.Skip() })
				case jsonpull.Object:
					return r.Object(func(string) error { n++; return r.Skip() })
				}
			}
			return r.Skip()
		})
		x.count(n)
		return err
	}
}

// Function-level sets: tasks, generated samples, results and test cases.

func matchFunctionLevel(l *look) Confidence {
	s := l.json
	if !s.isObject() || !l.jsonl() && !strings.HasSuffix(l.lower(), ".gz") {
		return None
	}
	switch {
	case s.has("prompt") && s.any("canonical_solution", "entry_point") && s.any("task_id", "test"),
		s.has("prompt") && s.at("samples").isArray(),
		s.has("buggy_program", "solution"):
		if strings.HasSuffix(l.lower(), ".gz") {
			return None
		}
		return Likely
	}
	return None
}

// matchHumanEvalGz is the same of a file whose name still says that it was
// compressed; the caller has undone that.
func matchHumanEvalGz(l *look) Confidence {
	if s := l.json; s.isObject() && strings.HasSuffix(l.lower(), ".gz") && s.has("task_id", "prompt", "canonical_solution") {
		return Likely
	}
	return None
}

func matchEvalPlus(l *look) Confidence {
	if s := l.json; s.isObject() && s.at("eval").isObject() {
		if _, v := s.at("eval").first(); v.isArray() && v.item().any("base_status", "plus_status") {
			return Likely
		}
	}
	return None
}

func matchBigCodeBench(l *look) Confidence {
	if s := l.json; s.isObject() && s.at("eval").isObject() {
		if _, v := s.at("eval").first(); v.isArray() && v.item().any("status", "details") {
			return Likely
		}
	}
	return None
}

func matchQuixBugs(l *look) Confidence {
	if l.json.isArray() && l.json.elems == 2 && l.strictLines && l.json.item().kind == jsonpull.Array {
		return Weak
	}
	return None
}

func matchCrossExecution(l *look) Confidence {
	if s := l.json; s.isObject() && s.has("rules") && s.any("tasks") {
		return Weak
	}
	return None
}

// Candidates of one instance, with which of them passed.
func matchCandidates(l *look) Confidence {
	if s := l.json; s.isObject() && s.has("instance_id") && s.any("patches", "success_id") && s.any("issue", "regressions", "success_id") {
		return Likely
	}
	return None
}

// Lists of objects with instance_id, repo and base_commit: they tell where an
// instance starts.
func matchApplyStatus(l *look) Confidence {
	if e := l.json.item(); l.json.isArray() && e.has("instance_id", "git_apply") {
		return Likely
	}
	return None
}

func matchPairsIndex(l *look) Confidence {
	if e := l.json.item(); l.json.isArray() && e.has("instance_id", "changed_files", "dir") {
		return Likely
	}
	return None
}

func readInstanceList(x *reading) error {
	return x.eachElement(func(m object) error {
		r := rowOf(m)
		r.Pos, r.Embedded = x.at(0, ""), true
		if r.Instance.ID == "" {
			return nil
		}
		return x.put(r)
	})
}
