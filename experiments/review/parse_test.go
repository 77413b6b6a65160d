package review

import (
	"encoding/json"
	"strings"
	"testing"

	"github.com/google/go-cmp/cmp"

	"plumbline/experiments/vote"
)

func num(x float64) *float64 { return &x }

func TestParse(t *testing.T) {
	const contradict = "the reply holds verdicts that contradict each other"
	tests := []struct {
		name, raw string
		want      Reply
	}{
		{"the shape asked for", `{"rationale":"No check for null.","citations":[{"line":12,"quote":"return x"}],"decision":"reject","confidence":0.9}`,
			Reply{Vote: vote.Reject, Rationale: "No check for null.", Citations: []Citation{{12, "return x"}}, Confidence: num(0.9)}},
		{"python literal", `{'decision': 'accept', 'rationale': 'it doesn\'t break "x"', 'citations': [], 'confidence': None, 'ok': True}`,
			Reply{Vote: vote.Accept, Rationale: `it doesn't break "x"`}},
		{"python literal with a bare apostrophe", `{'decision': 'accept', 'rationale': 'it doesn't break'}`,
			Reply{Vote: vote.Accept, Rationale: "it doesn't break"}},
		{"python literal with mixed quotes", `{'decision': 'reject', 'rationale': "it doesn't, and 'x', too"}`,
			Reply{Vote: vote.Reject, Rationale: "it doesn't, and 'x', too"}},
		{"curly quotes", `{“decision”: “accept”, “rationale”: “fine”}`, Reply{Vote: vote.Accept, Rationale: "fine"}},
		{"bare keys and words", `{decision: reject, confidence: .5}`, Reply{Vote: vote.Reject, Confidence: num(0.5)}},
		{"upper case and spaces", `{"decision":"ACCEPT "}`, Reply{Vote: vote.Accept}},
		{"one word", "Reject.", Reply{Vote: vote.Reject}},
		{"one bold word", "**Accepted**", Reply{Vote: vote.Accept}},
		{"word with a remark", `{"decision":"Reject: the null case is open"}`, Reply{Vote: vote.Reject}},
		{"remark that holds the other verdict", `{"decision":"reject, unless accept"}`, Reply{Vote: vote.Unparseable, Problem: `the verdict "reject, unless accept" is none of accept, reject, uncertain`}},
		{"negated verdict", `{"decision":"not accepted"}`, Reply{Vote: vote.Unparseable, Problem: `the verdict "not accepted" is none of accept, reject, uncertain`}},
		{"verdict outside the three", `{"decision":"pass"}`, Reply{Vote: vote.Unparseable, Problem: `the verdict "pass" is none of accept, reject, uncertain`}},
		{"choice repeated", `{"decision":"accept|reject|uncertain"}`, Reply{Vote: vote.Unparseable, Problem: `the verdict "accept|reject|uncertain" is none of accept, reject, uncertain`}},
		{"null verdict", `{"decision":null,"rationale":"?"}`, Reply{Vote: vote.Unparseable, Rationale: "?", Problem: "the verdict is null"}},
		{"boolean verdict", `{"decision":true}`, Reply{Vote: vote.Unparseable, Problem: "the verdict is not a word"}},
		{"verdict in a list", `{"decision":["accept"]}`, Reply{Vote: vote.Accept}},
		{"two equal verdicts, last kept", `{"decision":"reject","rationale":"draft"} {"decision":"reject","rationale":"final"}`, Reply{Vote: vote.Reject, Rationale: "final"}},
		{"two objects that contradict", `{"decision":"accept"}` + "\n" + `{"decision":"reject"}`, Reply{Vote: vote.Unparseable, Problem: contradict}},
		{"two keys that contradict", `{"decision":"accept","verdict":"reject"}`, Reply{Vote: vote.Unparseable, Problem: contradict}},
		{"a key twice", `{"decision":"accept","decision":"reject"}`, Reply{Vote: vote.Unparseable, Problem: contradict}},
		{"quoted vote inside a rationale", `{"rationale":"the agent wrote {\"decision\": \"accept\"}","decision":"reject"}`, Reply{Vote: vote.Reject, Rationale: `the agent wrote {"decision": "accept"}`}},
		{"tag quoted inside the answer", `{"rationale":"line 3 prints <think>","decision":"reject"}`, Reply{Vote: vote.Reject, Rationale: "line 3 prints <think>"}},
		{"draft before a closing tag, at the start", `{"decision":"accept"} no, wait </think> {"decision":"reject"}`, Reply{Vote: vote.Reject}},
		{"final channel", `<|channel|>analysis<|message|>{"decision":"accept"}?<|end|><|start|>assistant<|channel|>final <|constrain|>json<|message|>{"decision":"reject"}`, Reply{Vote: vote.Reject}},
		{"other mark of thought", `◁think▷{"decision":"accept"}◁/think▷{"decision":"reject"}`, Reply{Vote: vote.Reject}},
		{"wrapped", `{"response":{"decision":"accept","rationale":"ok"}}`, Reply{Vote: vote.Accept, Rationale: "ok"}},
		{"vote of somebody else inside an object", `{"agent_log":{"decision":"accept"}}`, Reply{Vote: vote.Unparseable, Problem: "the reply holds no object with a decision"}},
		{"empty", " \n", Reply{Vote: vote.Unparseable, Problem: "the reply is empty"}},
		{"null", "null", Reply{Vote: vote.Unparseable, Problem: "the reply is null"}},
		{"refusal", "I'm sorry, but I can't help with that.", Reply{Vote: vote.Unparseable, Problem: "the model refused to answer"}},
		{"prose", "I would accept this patch.", Reply{Vote: vote.Unparseable, Problem: "the reply holds no JSON object"}},
		{"two words", "accept reject", Reply{Vote: vote.Unparseable, Problem: "the reply holds no JSON object"}},
		{"cut inside the verdict", `{"rationale":"x","decision":"rej`, Reply{Vote: vote.Unparseable, Rationale: "x", Problem: "the reply is cut off before the verdict"}},
		{"cut inside the rationale", `{"rationale":"The patch upd`, Reply{Vote: vote.Unparseable, Problem: "the reply holds no object with a decision"}},
		{"cut after the verdict", `{"decision":"accept","citations":[{"line":3,"quo`, Reply{Vote: vote.Accept, Citations: []Citation{{Line: 3}}, Problem: "cut off after the verdict"}},
		{"begun again", `{"decision": {"decision":"reject"}`, Reply{Vote: vote.Unparseable, Problem: "the verdict is not a word"}},
		{"confidence out of range", `{"decision":"accept","confidence":7}`, Reply{Vote: vote.Accept}},
		{"confidence in percent", `{"decision":"accept","confidence":"75 %"}`, Reply{Vote: vote.Accept, Confidence: num(0.75)}},
		{"confidence not a number", `{"decision":"accept","confidence":NaN}`, Reply{Vote: vote.Accept}},
		{"citations as numbers", `{"decision":"accept","cited_lines":[3,"4","lines 6-8"]}`, Reply{Vote: vote.Accept, Citations: []Citation{{Line: 3}, {Line: 4}, {Line: 6}, {Line: 7}, {Line: 8}}}},
		{"citations as text", `{"decision":"accept","evidence":["  25# official PASS_TO_PASS execution: passed","some words"]}`, Reply{Vote: vote.Accept, Citations: []Citation{{25, "official PASS_TO_PASS execution: passed"}, {0, "some words"}}}},
		{"line number as text", `{"decision":"accept","citations":[{"line":"L9","quote":"  9| x = 1"}]}`, Reply{Vote: vote.Accept, Citations: []Citation{{9, "x = 1"}}}},
		{"lone surrogate and nul", `{"decision":"accept","rationale":"a\ud800b\u0000"}`, Reply{Vote: vote.Accept, Rationale: "a\uFFFDb\x00"}},
		{"surrogate pair", `{"decision":"accept","rationale":"\ud83d\ude00"}`, Reply{Vote: vote.Accept, Rationale: "😀"}},
		{"byte order mark", "\ufeff{\"decision\":\"accept\"}", Reply{Vote: vote.Accept}},
		{"rationale says otherwise", `{"rationale":"I accept this.","decision":"reject"}`, Reply{Vote: vote.Reject, Rationale: "I accept this."}},
	}
	for _, tt := range tests {
		t.Run(tt.name, func(t *testing.T) {
			if diff := cmp.Diff(tt.want, Parse(tt.raw)); diff != "" {
				t.Error(diff)
			}
		})
	}
}

func TestParseStopped(t *testing.T) {
	const raw = `{"rationale":"fine","decision":"accept"}`
	for stop, want := range map[Stop]Reply{
		StopUnknown: {Vote: vote.Accept, Rationale: "fine"},
		StopDone:    {Vote: vote.Accept, Rationale: "fine"},
		StopLength:  {Vote: vote.Unparseable, Rationale: "fine", Problem: "the reply was cut off at the token limit"},
		StopRefusal: {Vote: vote.Unparseable, Rationale: "fine", Problem: "the model refused to answer"},
	} {
		if diff := cmp.Diff(want, ParseStopped(raw, stop)); diff != "" {
			t.Errorf("%q: %s", stop, diff)
		}
	}
}

func TestParseLongReplies(t *testing.T) {
	long := strings.Repeat("words ", 40_000)
	if got := Parse(`{"rationale":"` + long + `","decision":"reject"}`); got.Vote != vote.Reject || len(got.Rationale) < 200_000 {
		t.Errorf("a rationale of 240 kB: %s %q, %d bytes", got.Vote, got.Problem, len(got.Rationale))
	}
	for _, tangle := range []string{
		strings.Repeat("{", 300_000), strings.Repeat(`{"a":`, 100_000), strings.Repeat(`{"a `, 100_000), strings.Repeat("[", 300_000),
		`{"decision":"accept","x":` + strings.Repeat("[", 300_000), strings.Repeat("<think>", 50_000), strings.Repeat(`{"decision":`, 50_000),
	} {
		if got := Parse(tangle); got.Vote != vote.Unparseable {
			t.Errorf("%.20q… is read as %s", tangle, got.Vote)
		}
	}
}

// On valid JSON the loose reader sees what a strict one sees.
func TestLooseReaderAgreesWithStrict(t *testing.T) {
	for _, raw := range []string{
		`{"a":"x, \"y\": z","b":["p, q","} ]",{"c":-1.5e3}],"d":null,"e":true,"f":"\u00e9\n\t\\ \/"}`,
		`{"":{"":[]},"k:":"v,","n":[[],[{}]],"s":"'"}`,
		`[1,2,{"a":"b\",\"c\":\"d"}]`,
	} {
		var want any
		if err := json.Unmarshal([]byte(raw), &want); err != nil {
			t.Fatal(err)
		}
		work := 1 << 20
		v, n, cut, ok := readValue(raw, &work)
		if !ok || cut || n != len(raw) {
			t.Fatalf("%s: read %d of %d, cut %v, ok %v", raw, n, len(raw), cut, ok)
		}
		if diff := cmp.Diff(want, strict(v)); diff != "" {
			t.Errorf("%s: %s", raw, diff)
		}
	}
}

// strict turns values of the loose reader into those of encoding/json.
func strict(v any) any {
	switch v := v.(type) {
	case object:
		out := map[string]any{}
		for _, f := range v {
			out[f.key] = strict(f.value)
		}
		return out
	case list:
		out := []any{}
		for _, x := range v {
			out = append(out, strict(x))
		}
		return out
	case number:
		var x any
		if json.Unmarshal([]byte(v), &x) != nil {
			return string(v)
		}
		return x
	}
	return v
}

func FuzzParse(f *testing.F) {
	for _, s := range []string{`{"decision":"accept"}`, "```json\n{'verdict': 'reject'}\n```", `<think>{"decision":"accept"}</think>`, `{"decision":"rej`, "[[A>B]]", `{a:b,"c":[1,{`} {
		f.Add(s)
	}
	f.Fuzz(func(t *testing.T, s string) {
		r := Parse(s)
		switch r.Vote {
		case vote.Accept, vote.Reject, vote.Uncertain:
		case vote.Unparseable:
			if r.Problem == "" {
				t.Errorf("%q is unparseable without a reason", s)
			}
		default:
			t.Errorf("%q gives %q", s, r.Vote)
		}
		if r.Confidence != nil && !(*r.Confidence >= 0 && *r.Confidence <= 1) {
			t.Errorf("%q gives confidence %v", s, *r.Confidence)
		}
		for _, c := range r.Citations {
			if c.Line < 0 || c.Line == 0 && c.Quote == "" {
				t.Errorf("%q gives citation %+v", s, c)
			}
		}
	})
}
