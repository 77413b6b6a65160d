package formats

import (
	"strings"
)

// Recorded votes and decisions, as CSV, JSON lines or Parquet with the same names:
//
//	votes      instance_id, agent, attempt, reviewer, evidence, index, verdict,
//	           confidence, rationale, raw, seed, cost_usd, input_tokens,
//	           output_tokens, error
//	decisions  instance_id, agent, attempt, reviewer, evidence, decision,
//	           accept, reject, uncertain, unparseable, state
//
// instance_id, reviewer and verdict (or decision) must be there, the other columns
// of the project's own export may. The paper names packet, grounded_clean and
// grounded_oracle are accepted as evidence. A vote with an error has no verdict; an
// item without a decision says in state why.

// evidenceNames are the papers' names for evidence forms.
var evidenceNames = map[string]string{"packet": "structured", "grounded_clean": "official", "grounded_oracle": "official-notes"}

func evidenceName(s string) string {
	if n, ok := evidenceNames[s]; ok {
		return n
	}
	return s
}

var (
	errNoVerdict  = &fieldError{"verdict", "is none of accept, reject, uncertain, unparseable"}
	errNoReviewer = &fieldError{"reviewer", "is missing"}
)

func matchVotesJSONL(l *look) Confidence {
	if s := l.json; s.isObject() && s.has("instance_id", "reviewer") && s.any("verdict", "error") && !s.has("decision") {
		return Certain
	}
	return None
}

func matchDecisionsJSONL(l *look) Confidence {
	if s := l.json; s.isObject() && s.has("instance_id", "reviewer", "decision") {
		return Certain
	}
	return None
}

func readVotesJSONL(x *reading) error {
	return x.lines(func(line int, v any) error {
		m, ok := v.(object)
		if !ok {
			return errNotObject
		}
		if x.format == DecisionsJSONL {
			return x.decision(x.at(line, ""), m)
		}
		return x.vote(x.at(line, ""), m)
	})
}

func (x *reading) vote(at Pos, m object) error {
	v := &Vote{Pos: at, InstanceID: label(m["instance_id"]), Agent: str(m["agent"]), Attempt: whole(m["attempt"]), Reviewer: str(m["reviewer"]),
		Evidence: evidenceName(str(m["evidence"])), Index: whole(m["index"]), Verdict: Verdict(m["verdict"]), Confidence: float(m["confidence"]),
		Rationale: str(m["rationale"]), Raw: str(m["raw"]), Seed: integer(m["seed"]), CostUSD: float(m["cost_usd"]),
		Input: integer(m["input_tokens"]), Output: integer(m["output_tokens"]), Error: str(m["error"]),
		Names: namesOf(m), Citations: jsonText(m["citations"]), Problem: str(m["problem"]), RequestAttempts: whole(m["request_attempts"]),
		LatencyMS: integer(m["latency_ms"]), CachedTokens: integer(m["cached_tokens"]), PriceVersion: str(m["price_version"]),
		Cached: yes(m["cached"]), EvidenceSHA256: str(m["evidence_sha256"]), RequestSHA256: str(m["request_sha256"]), VotedAt: moment(m["voted_at"]),
	}
	switch {
	case v.InstanceID == "":
		return errNoID
	case v.Reviewer == "":
		return errNoReviewer
	case v.Error != "":
		v.Verdict = ""
	case v.Verdict == "":
		return errNoVerdict
	}
	return x.put(v)
}

func namesOf(m object) Names {
	return Names{
		Experiment: str(m["experiment_id"]), Trace: str(m["trace_id"]), Item: str(m["item_id"]), Arm: str(m["arm_id"]),
		Model: str(m["model"]), ReviewerModel: str(m["reviewer_model"]), Label: str(m["label"]), Bucket: str(m["bucket"]),
		LabelSource: str(m["label_source"]), Simulated: yes(m["simulated"]), NotDeployable: yes(m["not_deployable"]),
	}
}

func yes(v any) bool { b := boolean(v); return b != nil && *b }

// jsonText is a JSON value as text, from a value or from a text that holds one;
// empty for null and for what is none.
func jsonText(v any) string {
	if s, ok := v.(string); ok {
		var err error
		if v, err = parseText(s); err != nil {
			return ""
		}
	}
	switch t := v.(type) {
	case []any:
		if len(t) == 0 {
			return "[]"
		}
		return compact(t)
	case object:
		return compact(t)
	}
	return ""
}

// undecided are the states of an item that has no decision.
var undecided = map[string]bool{"error": true, "blocked": true, "missing": true, "pending": true, "running": true}

func (x *reading) decision(at Pos, m object) error {
	d := &Decision{Pos: at, InstanceID: label(m["instance_id"]), Agent: str(m["agent"]), Attempt: whole(m["attempt"]), Reviewer: str(m["reviewer"]),
		Evidence: evidenceName(str(m["evidence"])), Decision: Verdict(m["decision"]), Accept: whole(m["accept"]), Reject: whole(m["reject"]),
		Uncertain: whole(m["uncertain"]), Unparseable: whole(m["unparseable"]),
		State: str(m["state"]), Error: str(m["error"]), CachedVotes: whole(m["cached_votes"]), CostUSD: float(m["cost_usd"]), Names: namesOf(m),
	}
	switch {
	case d.InstanceID == "":
		return errNoID
	case d.Reviewer == "":
		return errNoReviewer
	case d.Decision == "" && (str(m["decision"]) != "" || !undecided[d.State]):
		return &fieldError{"decision", errNoVerdict.msg}
	}
	return x.put(d)
}

// promptfoo results: {"results": {"results": [{provider, vars, response, cost,
// error, repeatIndex}]}}. The output is a verdict word, or an object with verdict.
func matchPromptfoo(l *look) Confidence {
	s := l.json
	if s.isObject() && s.any("evalId", "results") && s.at("results").at("results").isArray() && s.at("results").at("results").item().any("provider", "vars", "testIdx") {
		return Certain
	}
	return None
}

func readPromptfoo(x *reading) error {
	v, err := x.tree()
	if err != nil {
		return err
	}
	results := list(obj(obj(v)["results"])["results"])
	seen := map[string]int{}
	for i, e := range results {
		m := obj(e)
		vars := obj(m["vars"])
		p := &Vote{Pos: x.at(0, itoa(i)), InstanceID: first(vars, "instance_id", "trace_id", "id"), Agent: str(vars["agent"]), Evidence: evidenceName(first(vars, "evidence", "form"))}
		p.Reviewer = str(m["provider"])
		fill(&p.Reviewer, first(obj(m["provider"]), "label", "id"))
		if p.InstanceID == "" {
			x.fault(0, itoa(i), errNoID)
			continue
		}
		key := p.Reviewer + "\x00" + p.Evidence + "\x00" + p.InstanceID + "\x00" + p.Agent
		p.Index = seen[key]
		if n := integer(m["repeatIndex"]); n != nil {
			p.Index = int(*n)
		}
		seen[key]++
		response := obj(m["response"])
		use := obj(response["tokenUsage"])
		p.CostUSD, p.Input, p.Output = float(m["cost"]), integer(use["prompt"]), integer(use["completion"])
		output := response["output"]
		p.Raw = compact(output)
		p.Error = str(m["error"])
		if o := replyObject(output); o != nil {
			p.Verdict, p.Confidence, p.Rationale = Verdict(o["verdict"]), float(o["confidence"]), first(o, "rationale", "reason", "explanation")
		} else {
			p.Verdict = Verdict(output)
		}
		switch {
		case p.Error != "" && p.Raw == "":
			p.Verdict = ""
		case p.Verdict == "":
			p.Verdict, p.Error = "unparseable", ""
		default:
			p.Error = "" // an assertion that failed is no provider error
		}
		if err := x.put(p); err != nil {
			return err
		}
	}
	x.count(len(results))
	return nil
}

// replyObject is an output that is an object, or a text holding one.
func replyObject(v any) object {
	if m := obj(v); m != nil {
		return m
	}
	s := strings.TrimSpace(str(v))
	if i := strings.Index(s, "{"); i >= 0 {
		if t, err := parseText(s[i:]); err == nil {
			return obj(t)
		}
	}
	return nil
}
