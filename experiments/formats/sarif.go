package formats

import (
	"net/url"
	"strings"

	"plumbline/experiments/formats/jsonpull"
)

// SARIF 2.1.0, and what older and newer files share with it. level may be absent
// (the rule's default, else warning), results may be null (the tool failed),
// artifact URIs are relative, absolute or percent-encoded, suppressed results are
// marked. A file that is not strict JSON or not a list where a list must be gives
// no number of records.

func matchSARIF(l *look) Confidence {
	s := l.json
	if !s.isObject() {
		return None
	}
	if strings.Contains(s.at("$schema").text, "sarif") {
		return Certain
	}
	if r := s.at("runs"); r.isArray() && (r.item().any("tool", "results", "invocations", "automationDetails") || s.has("version")) {
		return Likely
	}
	if strings.HasSuffix(l.lower(), ".sarif") {
		return Likely
	}
	// The report of a tool before it is turned into SARIF.
	if r := s.at("results").item(); len(s.keys) == 1 && r.has("rule_id") && r.any("location", "description") {
		return Weak
	}
	return None
}

func readSARIF(x *reading) error {
	r := jsonpull.New(x.in)
	n := 0
	err := r.Object(func(key string) error {
		if key != "runs" {
			return r.Skip()
		}
		if k, err := r.Kind(); err != nil || k != jsonpull.Array {
			return r.Skip()
		}
		return r.Array(func(int) error {
			v, err := r.Value()
			if err != nil {
				return err
			}
			got, err := x.sarifRun(obj(v))
			n += got
			return err
		})
	})
	if err != nil {
		return err
	}
	if r.Relaxed != nil {
		x.relaxed(r)
		return nil
	}
	if n >= 0 && !x.malformed {
		x.count(n)
	}
	return nil
}

// sarifRun emits the results of one run.
func (x *reading) sarifRun(run object) (int, error) {
	driver := obj(obj(run["tool"])["driver"])
	tool := first(driver, "name")
	fill(&tool, str(obj(run["tool"])["name"])) // before 2.1.0
	rules := list(driver["rules"])
	v, there := run["results"]
	results, ok := v.([]any)
	if there && v != nil && !ok {
		x.malformed = true
		x.problem(0, "runs[].results", "not a list")
		return 0, nil
	}
	for _, e := range results {
		if err := x.put(x.sarifResult(obj(e), tool, rules)); err != nil {
			return 0, err
		}
	}
	return len(results), nil
}

func (x *reading) sarifResult(m object, tool string, rules []any) *Finding {
	f := &Finding{Pos: x.at(0, ""), Tool: tool, Rule: str(m["ruleId"]), Level: strings.ToLower(str(m["level"])), Baseline: str(m["baselineState"])}
	rule := obj(nil)
	if i := integer(m["ruleIndex"]); i != nil && *i >= 0 && *i < int64(len(rules)) {
		rule = obj(rules[*i])
	} else {
		for _, r := range rules {
			if id := str(obj(r)["id"]); id != "" && id == f.Rule {
				rule = obj(r)
				break
			}
		}
	}
	fill(&f.Rule, str(rule["id"]))
	fill(&f.Level, str(obj(rule["defaultConfiguration"])["level"]))
	fill(&f.Level, "warning")
	f.Message = sarifMessage(m["message"], rule)
	if locs := list(m["locations"]); len(locs) > 0 {
		at := obj(obj(locs[0])["physicalLocation"])
		f.File = cleanURI(str(obj(at["artifactLocation"])["uri"]))
		region := obj(at["region"])
		f.Line, f.Column = whole(region["startLine"]), whole(region["startColumn"])
	}
	f.Suppressed = len(list(m["suppressions"])) > 0
	for _, k := range sortedKeys(obj(m["partialFingerprints"])) {
		f.Fingerprint = str(obj(m["partialFingerprints"])[k])
		break
	}
	return f
}

// sarifMessage fills the placeholders {0} of a message with its arguments.
func sarifMessage(v any, rule object) string {
	if s, ok := v.(string); ok {
		return s
	}
	m := obj(v)
	text := first(m, "text", "markdown")
	if id := str(m["id"]); text == "" && id != "" {
		text = first(obj(obj(rule["messageStrings"])[id]), "text", "markdown")
	}
	if !strings.Contains(text, "{") {
		return text
	}
	for i, a := range texts(m["arguments"]) {
		if i > 9 {
			break
		}
		text = strings.ReplaceAll(text, "{"+string(rune('0'+i))+"}", a)
	}
	return text
}

// cleanURI makes a path of an artifact URI.
func cleanURI(s string) string {
	s = strings.TrimPrefix(s, "file://")
	if p, err := url.PathUnescape(s); err == nil {
		s = p
	}
	return strings.ReplaceAll(s, `\`, "/")
}
