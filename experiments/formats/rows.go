package formats

import (
	"strconv"
	"strings"
	"time"

	"plumbline/experiments/formats/jsonpull"
	"plumbline/experiments/trace"
)

// Dataset rows (SWE-bench Lite, Verified, Multilingual, Multimodal, Live,
// SWE-smith, Multi-SWE-bench) as JSON, JSON lines, CSV or Parquet. FAIL_TO_PASS
// and PASS_TO_PASS are a list, a JSON text of a list, an empty text, or (Multi-
// SWE-bench) objects keyed by test name. In SWE-smith the patch column brings
// the bug in; the fix is its reverse, so it is no gold patch.

func isRow(s *shape) bool {
	if s.any("instance_id", "task_id") && s.any("problem_statement", "FAIL_TO_PASS", "test_patch") && s.any("base_commit", "patch") {
		return true
	}
	if s.has("repo", "base_commit") && s.any("problem_statement", "FAIL_TO_PASS") {
		return true
	}
	return s.has("org", "repo", "number") && s.any("fixed_tests", "f2p_tests", "resolved_issues", "base") && s.any("fix_patch", "test_patch", "base")
}

func matchRows(l *look) Confidence {
	if l.json.isObject() && isRow(l.json) && !l.json.any("model_patch", "trajectory", "history") ||
		l.json.isArray() && isRow(l.json.item()) {
		return Certain
	}
	return None
}

func readRows(x *reading) error {
	if l := x.peekLook(); l.json.isObject() && (l.jsonl() || !l.indented()) {
		return x.lines(func(line int, v any) error {
			m, ok := v.(object)
			if !ok {
				return errNotObject
			}
			return x.row(x.at(line, ""), m)
		})
	}
	r := jsonpull.New(x.in)
	n := 0
	defer func() { x.count(n) }()
	one := func(key string, line int) error {
		v, err := r.Value()
		if err != nil {
			return err
		}
		m, ok := v.(object)
		if !ok {
			x.problem(line, key, errNotObject.Error())
			return nil
		}
		if err := x.row(x.at(0, key), m); err != nil {
			if x.stop != nil {
				return x.stop
			}
			x.fault(line, key, err)
			return nil
		}
		n++
		return nil
	}
	k, err := r.Kind()
	if err != nil {
		return err
	}
	if k == jsonpull.Array {
		err = r.Array(func(i int) error { return one(strconv.Itoa(i), r.Line()) })
	} else {
		err = one("", r.Line())
	}
	x.relaxed(r)
	return err
}

// row emits one row.
func (x *reading) row(at Pos, m object) error {
	r := rowOf(m)
	r.Pos = at
	if r.Instance.ID == "" {
		return errNoID
	}
	return x.put(r)
}

func rowOf(m object) *Row {
	if _, multi := m["base"].(object); multi || str(m["org"]) != "" && m["number"] != nil {
		return multiRow(m)
	}
	r := &Row{}
	in := &r.Instance
	in.ID = instanceID(m)
	in.Repo, in.BaseCommit = str(m["repo"]), str(m["base_commit"])
	in.Version = label(m["version"])
	in.Issue, in.Hints = str(m["problem_statement"]), first(m, "hints_text", "hints")
	in.Language = strings.ToLower(first(m, "language", "repo_language"))
	in.CreatedAt = when(m["created_at"])
	in.Oracle = trace.Oracle{GoldPatch: str(m["patch"]), TestPatch: str(m["test_patch"])}
	if smith(m) {
		in.Oracle.GoldPatch = ""
	}
	in.Oracle.FailToPass, r.ListEncoding = testNames(m["FAIL_TO_PASS"])
	in.Oracle.PassToPass, _ = testNames(m["PASS_TO_PASS"])
	_, r.HasTestPatch = m["test_patch"].(string)
	return r
}

// smith reports whether a row is of SWE-smith, where the patch brings the bug in.
func smith(m object) bool {
	if _, ok := m["test_patch"]; ok {
		return false
	}
	return strings.Contains(str(m["image_name"]), "swesmith") || strings.Contains(str(m["repo"]), "swesmith")
}

// multiRow reads a row of Multi-SWE-bench.
func multiRow(m object) *Row {
	r := &Row{ListEncoding: "object"}
	in := &r.Instance
	in.ID = instanceID(m)
	in.Repo = str(m["org"]) + "/" + str(m["repo"])
	base := obj(m["base"])
	in.BaseCommit = str(base["sha"])
	in.Issue = multiIssue(m)
	in.Hints = first(m, "hints", "hints_text")
	in.Language = strings.ToLower(first(m, "lang", "language"))
	in.CreatedAt = when(m["created_at"])
	in.Oracle = trace.Oracle{GoldPatch: str(m["fix_patch"]), TestPatch: str(m["test_patch"])}
	in.Oracle.FailToPass, _ = testNames(m["f2p_tests"])
	in.Oracle.PassToPass, _ = testNames(m["p2p_tests"])
	r.FixedTests = len(obj(m["fixed_tests"]))
	_, r.HasTestPatch = m["test_patch"].(string)
	return r
}

// multiIssue is the text of the resolved issues; of the pull request if there is
// none. The pull request describes the fix, so it is second choice.
func multiIssue(m object) string {
	var parts []string
	for _, v := range list(m["resolved_issues"]) {
		o := obj(v)
		if t := strings.TrimSpace(str(o["title"]) + "\n" + str(o["body"])); t != "" {
			parts = append(parts, t)
		}
	}
	if len(parts) == 0 {
		return strings.TrimSpace(str(m["title"]) + "\n" + str(m["body"]))
	}
	return strings.Join(parts, "\n\n")
}

// testNames reads a test list in any of its forms and says which it was.
func testNames(v any) ([]string, string) {
	switch t := v.(type) {
	case []any:
		return texts(v), "list"
	case object:
		return sortedKeys(t), "object"
	case string:
		s := strings.TrimSpace(t)
		if s == "" {
			return nil, "text"
		}
		inner, err := jsonpull.New(strings.NewReader(s)).Value()
		if a, ok := inner.([]any); ok && err == nil {
			return texts(a), "json string"
		}
		// Names may hold commas and spaces: a text that is no list is one name.
		return []string{t}, "text"
	}
	return nil, ""
}

// when reads a time in the layouts of the datasets, zero when it is none.
func when(v any) time.Time {
	s := str(v)
	for _, layout := range []string{time.RFC3339Nano, "2006-01-02T15:04:05", "2006-01-02 15:04:05", "2006-01-02 15:04:05-07:00", "2006-01-02"} {
		if t, err := time.Parse(layout, s); err == nil {
			return t.UTC()
		}
	}
	return time.Time{}
}
