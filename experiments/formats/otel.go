package formats

import (
	"sort"
	"strconv"
	"strings"
	"time"

	"plumbline/experiments/formats/jsonpull"
	"plumbline/experiments/trace"
)

// OpenTelemetry spans as OTLP/JSON, one export a line or one document, with the
// GenAI attributes (gen_ai.*), and the older names of OpenInference (llm.*,
// input.value) and OpenLLMetry. A trace id is an attempt: chat spans are words,
// tool spans are steps. The instance comes from an attribute instance_id (also
// swe_bench.instance_id, or gen_ai.conversation.id if it is an instance id).

func matchOTel(l *look) Confidence {
	if l.json.isObject() && l.json.at("resourceSpans").isArray() {
		return Certain
	}
	return None
}

type otelSpan struct {
	id, name   string
	start, end time.Time
	attr       object
	failed     bool
}

type otelTrace struct {
	id    string
	spans map[string]otelSpan // by span id: exports repeat spans
}

func readOTel(x *reading) error {
	traces := map[string]*otelTrace{}
	var order []string
	take := func(v any) {
		for _, rs := range list(obj(v)["resourceSpans"]) {
			shared := otelAttributes(obj(obj(rs)["resource"])["attributes"])
			for _, ss := range list(obj(rs)["scopeSpans"]) {
				for _, s := range list(obj(ss)["spans"]) {
					m := obj(s)
					id := str(m["traceId"])
					if traces[id] == nil {
						traces[id] = &otelTrace{id: id, spans: map[string]otelSpan{}}
						order = append(order, id)
					}
					sp := otelSpan{id: str(m["spanId"]), name: str(m["name"]), start: nanos(m["startTimeUnixNano"]), end: nanos(m["endTimeUnixNano"]), attr: otelAttributes(m["attributes"])}
					sp.failed = strings.HasSuffix(label(obj(m["status"])["code"]), "ERROR") || label(obj(m["status"])["code"]) == "2" || sp.attr["error.type"] != nil
					for k, v := range shared {
						if _, ok := sp.attr[k]; !ok {
							sp.attr[k] = v
						}
					}
					for _, e := range list(m["events"]) {
						for k, v := range otelAttributes(obj(e)["attributes"]) {
							if strings.HasPrefix(k, "gen_ai.") {
								sp.attr[k] = v
							}
						}
					}
					traces[id].spans[sp.id] = sp
				}
			}
		}
	}
	var err error
	if l := x.peekLook(); l.json != nil && l.indented() && !l.strictLines {
		var v any
		v, err = x.tree()
		take(v)
		x.count(1)
	} else {
		err = x.lines(func(_ int, v any) error { take(v); return nil })
	}
	if x.stop != nil {
		return x.stop
	}
	for _, id := range order {
		if perr := x.otelAttempt(traces[id]); perr != nil {
			return perr
		}
	}
	return err
}

func nanos(v any) time.Time {
	n, err := strconv.ParseInt(label(v), 10, 64)
	if err != nil || n <= 0 {
		return time.Time{}
	}
	return time.Unix(0, n).UTC()
}

// otelAttributes turns [{key, value: {stringValue}}] into an object.
func otelAttributes(v any) object {
	out := object{}
	for _, e := range list(v) {
		m := obj(e)
		out[str(m["key"])] = otelValue(obj(m["value"]))
	}
	return out
}

func otelValue(m object) any {
	for k, v := range m {
		switch k {
		case "stringValue", "boolValue", "doubleValue", "bytesValue":
			return v
		case "intValue":
			return jsonpull.Number(label(v))
		case "arrayValue":
			var out []any
			for _, e := range list(obj(v)["values"]) {
				out = append(out, otelValue(obj(e)))
			}
			return out
		case "kvlistValue":
			return otelAttributes(obj(v)["values"])
		}
	}
	return nil
}

// anyOf is the first attribute present among the names.
func anyOf(m object, names ...string) any {
	for _, n := range names {
		if v, ok := m[n]; ok && v != nil && v != "" {
			return v
		}
	}
	return nil
}

func (x *reading) otelAttempt(t *otelTrace) error {
	spans := make([]otelSpan, 0, len(t.spans))
	for _, s := range t.spans {
		spans = append(spans, s)
	}
	sort.Slice(spans, func(a, b int) bool {
		if !spans[a].start.Equal(spans[b].start) {
			return spans[a].start.Before(spans[b].start)
		}
		return spans[a].id < spans[b].id
	})
	s := newStepper(x)
	tj := &Trajectory{}
	tr := &tj.Trace
	var in, out tokens
	steps, messages := 0, 0
	for _, sp := range spans {
		a := sp.attr
		fill(&tr.InstanceID, str(anyOf(a, "instance_id", "swe_bench.instance_id", "swebench.instance_id")))
		if c := str(a["gen_ai.conversation.id"]); wholeID(c) {
			fill(&tr.InstanceID, c)
		}
		fill(&tr.Agent, str(anyOf(a, "gen_ai.agent.name", "service.name")))
		fill(&tr.Model, str(anyOf(a, "gen_ai.response.model", "gen_ai.request.model", "llm.model_name")))
		op := str(anyOf(a, "gen_ai.operation.name", "openinference.span.kind", "traceloop.span.kind"))
		switch {
		case op == "execute_tool" || strings.EqualFold(op, "tool") || a["gen_ai.tool.name"] != nil && op == "":
			steps++
			st := trace.Step{Tool: str(anyOf(a, "gen_ai.tool.name", "tool.name", "traceloop.entity.name")), StartedAt: sp.start, Error: sp.failed}
			fill(&st.Tool, sp.name)
			st.Action = compact(anyOf(a, "gen_ai.tool.call.arguments", "input.value", "tool.parameters", "traceloop.entity.input"))
			st.Observation = compact(anyOf(a, "gen_ai.tool.call.result", "output.value", "traceloop.entity.output"))
			if sp.end.After(sp.start) && !sp.start.IsZero() {
				st.Duration = ptr(sp.end.Sub(sp.start))
			}
			if err := s.act("", st); err != nil {
				return err
			}
		case op == "chat" || op == "text_completion" || op == "generate_content" || strings.EqualFold(op, "llm") || a["gen_ai.usage.input_tokens"] != nil:
			messages++
			in.add(integer(anyOf(a, "gen_ai.usage.input_tokens", "gen_ai.usage.prompt_tokens", "llm.token_count.prompt")))
			out.add(integer(anyOf(a, "gen_ai.usage.output_tokens", "gen_ai.usage.completion_tokens", "llm.token_count.completion")))
			if text := otelText(anyOf(a, "gen_ai.output.messages", "output.value", "gen_ai.completion.0.content")); text != "" {
				tr.Summary = text
				s.think(text)
			}
		}
	}
	if steps+messages == 0 {
		return nil // spans of something else
	}
	if err := s.end(); err != nil {
		return err
	}
	tj.Pos, tj.Steps, tj.Messages = x.at(0, "trace "+t.id), ptr(steps), messages
	tr.Usage.InputTokens, tr.Usage.OutputTokens = in.sum, out.sum
	fill(&tr.InstanceID, x.fileID())
	return x.put(tj)
}

// otelText finds the text of output messages, which may be a JSON text.
func otelText(v any) string {
	if s, ok := v.(string); ok {
		if !strings.HasPrefix(s, "[") {
			return s
		}
		parsed, err := jsonpull.New(strings.NewReader(s)).Value()
		if err != nil {
			return s
		}
		v = parsed
	}
	var parts []string
	for _, e := range list(v) {
		m := obj(e)
		if t := content(m["content"]); t != "" {
			parts = append(parts, t)
		}
		for _, p := range list(m["parts"]) {
			if t := str(obj(p)["content"]); t != "" && str(obj(p)["type"]) == "text" {
				parts = append(parts, t)
			}
		}
	}
	return strings.Join(parts, "\n")
}
