package formats

import (
	"regexp"
	"strconv"
	"strings"

	"plumbline/experiments/formats/jsonpull"
	"plumbline/experiments/trace"
)

// Trajectories of SWE-PolyBench submissions that are plain text. Outcome and
// patch come from other files; steps are what the text shows.

// Rovo Dev: blocks between lines of "=", headed AGENT:, USER PROMPT:,
// TOOL CALL (name), TOOL RETURN (name).
func matchRovo(l *look) Confidence {
	if strings.HasPrefix(l.text, "#####") && strings.Contains(l.text, "\nPHASE ") && strings.Contains(l.text, "\n=====") {
		return Certain
	}
	return None
}

var toolHead = regexp.MustCompile(`^TOOL (CALL|RETURN) \(([^)]*)\)`)

func readRovo(x *reading) error {
	s := newStepper(x)
	var head string
	var body []string
	lastText, issue, open, agents := "", "", 0, 0
	flush := func() error {
		text := strings.TrimSpace(strings.Join(body, "\n"))
		body = nil
		m := toolHead.FindStringSubmatch(head)
		switch {
		case head == "AGENT:":
			agents++
			lastText = text
			s.think(text)
		case head == "USER PROMPT:" && issue == "":
			issue = issueIn(text)
		case m != nil && m[1] == "CALL":
			open++
			return s.act(strconv.Itoa(open), trace.Step{Tool: m[2], Action: text})
		case m != nil:
			return s.see(strconv.Itoa(open), func(st *trace.Step) { st.Observation = text })
		}
		return nil
	}
	wantHead := false
	var failed error
	err := x.eachTextLine(func(line string) {
		switch {
		case failed != nil:
		case strings.HasPrefix(line, "=========="):
			failed = flush()
			head, wantHead = "", true
		case wantHead:
			head, wantHead = line, false
		default:
			body = append(body, line)
		}
	})
	if err == nil && failed == nil {
		failed = flush()
	}
	if err != nil || failed != nil {
		return err
	}
	if err := s.end(); err != nil {
		return err
	}
	x.count(1)
	t := &Trajectory{Pos: x.at(0, ""), Messages: agents}
	t.Trace = trace.Trace{InstanceID: x.fileID(), Agent: "rovo-dev", Summary: lastText}
	if open > 0 {
		t.Steps = ptr(open)
	}
	if err := x.put(t); err != nil {
		return err
	}
	return x.task(t.Trace.InstanceID, "", "", issue)
}

// iSWE: YAML with localization and editing sections.
func matchISWE(l *look) Confidence {
	if strings.HasPrefix(l.text, "localization:") && strings.Contains(l.text, "instance_id:") {
		return Certain
	}
	return None
}

func readISWE(x *reading) error {
	t := &Trajectory{Pos: x.at(0, "")}
	t.Trace = trace.Trace{Agent: "iswe"}
	var in, out tokens
	section, subject := "", ""
	err := x.eachTextLine(func(line string) {
		if line != "" && line[0] != ' ' && strings.HasSuffix(line, ":") {
			section = strings.TrimSuffix(line, ":")
		}
		key, value, ok := strings.Cut(strings.TrimSpace(line), ":")
		value = strings.Trim(strings.TrimSpace(value), `"'`)
		if !ok || section == "" {
			return
		}
		if value == "" {
			subject = key
		}
		switch key {
		case "instance_id":
			fill(&t.Trace.InstanceID, value)
		case "name":
			if subject == "model" {
				fill(&t.Trace.Model, value)
			}
		case "total_tokens_sent":
			in.add(integer(jsonNumber(value)))
		case "total_tokens_received":
			out.add(integer(jsonNumber(value)))
		}
	})
	if err != nil {
		return err
	}
	x.count(1)
	fill(&t.Trace.InstanceID, x.fileID())
	t.Trace.Usage.InputTokens, t.Trace.Usage.OutputTokens = in.sum, out.sum
	return x.put(t)
}

// Migbot: Markdown with a header, the operational log and the submitted patch. The
// header states an outcome of its own, which is a claim.
func matchMigbot(l *look) Confidence {
	if strings.HasPrefix(l.text, "# Instance: ") && strings.Contains(l.text, "# Final resolved:") {
		return Certain
	}
	return None
}

var usageFields = regexp.MustCompile(`prompt=(\d+) completion=(\d+).*cost_usd=([0-9.]+)`)

func readMigbot(x *reading) error {
	s := newStepper(x)
	t := &Trajectory{}
	var in, out tokens
	var cost total
	steps := 0
	var failed error
	act := func(st trace.Step) {
		if failed == nil {
			failed = s.act("", st)
		}
	}
	var current *trace.Step
	next := func() {
		if current != nil {
			act(*current)
			current = nil
		}
	}
	err := x.eachTextLine(func(line string) {
		switch {
		case strings.HasPrefix(line, "# Instance: "):
			t.Trace.InstanceID = strings.TrimSpace(line[len("# Instance: "):])
		case strings.HasPrefix(line, "# Final resolved: "):
			t.Claimed = ptr(strings.EqualFold(strings.TrimSpace(line[len("# Final resolved: "):]), "true"))
		case strings.Contains(line, "[LLM-USAGE]"):
			if m := usageFields.FindStringSubmatch(line); m != nil {
				in.add(integer(jsonNumber(m[1])))
				out.add(integer(jsonNumber(m[2])))
				cost.add(float(jsonNumber(m[3])))
			}
		case strings.Contains(line, "[INFO]   Tool: "):
			next()
			steps++
			_, tool, _ := strings.Cut(line, "[INFO]   Tool: ")
			current = &trace.Step{Tool: strings.TrimSpace(tool)}
		case current != nil && strings.Contains(line, "[INFO]   Edit "):
			_, rest, _ := strings.Cut(line, "[INFO]   Edit ")
			if strings.HasPrefix(rest, "result: ") {
				current.Observation = strings.TrimPrefix(rest, "result: ")
			} else {
				current.Action = strings.TrimPrefix(current.Action+"\n"+rest, "\n")
			}
		}
	})
	next()
	if err != nil || failed != nil {
		return err
	}
	if err := s.end(); err != nil {
		return err
	}
	x.count(1)
	t.Pos = x.at(0, "")
	fill(&t.Trace.InstanceID, x.fileID())
	t.Trace.Agent = "migbot"
	t.Trace.Usage = trace.Usage{CostUSD: cost.sum, InputTokens: in.sum, OutputTokens: out.sum}
	t.Steps = ptr(steps)
	return x.put(t)
}

func jsonNumber(s string) any { return jsonpull.Number(s) }
