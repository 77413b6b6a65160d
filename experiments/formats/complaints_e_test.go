package formats_test

import (
	"bytes"
	"encoding/json"
	"fmt"
	"math"
	"reflect"
	"regexp"
	"strings"
	"testing"

	"plumbline/experiments/belief"
	"plumbline/experiments/export"
	"plumbline/experiments/formats"
	"plumbline/experiments/stats"
	"plumbline/experiments/vote"
)

// finite walks a value and reports numbers that are none.
func finite(v reflect.Value, at string, bad *[]string) {
	switch v.Kind() {
	case reflect.Float64:
		if f := v.Float(); math.IsNaN(f) || math.IsInf(f, 0) {
			*bad = append(*bad, fmt.Sprintf("%s is %v", at, f))
		}
	case reflect.Pointer, reflect.Interface:
		if !v.IsNil() {
			finite(v.Elem(), at, bad)
		}
	case reflect.Struct:
		for i := range v.NumField() {
			if v.Type().Field(i).IsExported() {
				finite(v.Field(i), at+"."+v.Type().Field(i).Name, bad)
			}
		}
	case reflect.Slice:
		for i := range v.Len() {
			finite(v.Index(i), at, bad)
		}
	case reflect.Map:
		for _, k := range v.MapKeys() {
			finite(v.MapIndex(k), at+"."+fmt.Sprint(k), bad)
		}
	}
}

var number = regexp.MustCompile(`(:\s*)-?\d+(\.\d+)?([eE][+-]?\d+)?(\s*[,}\]\n])`)

// NaN and the infinities stand bare in real logs. Put in the place of every number
// of every small JSON file they break no reader, and no record holds one.
func TestComplaintsENumbers(t *testing.T) {
	t.Parallel()
	n := 0
	for _, s := range seeds(t) {
		if b := bytes.TrimLeft(s.bytes, " \n"); len(b) == 0 || b[0] != '{' && b[0] != '[' || s.format == formats.JSONInvalid || !number.Match(s.bytes) {
			continue
		}
		n++
		clean, _ := readSeed(t, s.format, s)
		for _, word := range []string{"NaN", "Infinity", "-Infinity", "1e999", "-1e999", "1e-320", "null"} {
			in := s
			in.bytes = number.ReplaceAll(s.bytes, []byte("${1}"+word+"${4}"))
			rep, recs := readSeed(t, s.format, in)
			if got, want := syntaxFaults(rep), syntaxFaults(clean); got != want {
				t.Errorf("%s/%s with %s: %d faults of syntax, %d without: %v", s.format, s.path, word, got, want, rep.Problems)
			}
			for _, r := range recs {
				var bad []string
				finite(reflect.ValueOf(r), "", &bad)
				if len(bad) > 0 {
					t.Errorf("%s/%s with %s: %v", s.format, s.path, word, bad)
				}
				if _, err := json.Marshal(r); err != nil {
					t.Errorf("%s/%s with %s: %v", s.format, s.path, word, err)
				}
			}
		}
	}
	if n < 40 {
		t.Errorf("only %d files have numbers", n)
	}
}

func syntaxFaults(r formats.FileReport) int {
	n := 0
	for _, p := range r.Problems {
		if strings.Contains(p.Message, "not valid JSON") || strings.Contains(p.Message, "expected") {
			n++
		}
	}
	return n
}

// What people complain about where a number is none: each row is one complaint
// about other tools, and what happens here. Charts with gaps are tested where
// charts are.
func TestComplaintsE(t *testing.T) {
	t.Parallel()
	votes := func(t *testing.T, text string) (out []*formats.Vote) {
		_, recs := readSeed(t, formats.VotesJSONL, seed{path: "votes.jsonl", bytes: []byte(text)})
		for _, r := range recs {
			v, ok := r.(*formats.Vote)
			if !ok {
				t.Fatalf("%+v", r)
			}
			out = append(out, v)
		}
		return out
	}
	tests := []struct {
		name  string
		check func(t *testing.T)
	}{
		{"a metric that is NaN breaks the page of the run", func(t *testing.T) {
			log := `{"version": 2, "status": "success", "eval": {"task": "t", "model": "m"}, "results": {"scores": [{"name": "s", "metrics": {"mean": {"name": "mean", "value": NaN}}}]},
				"samples": [{"id": "acme__shop-7", "epoch": 1, "total_time": Infinity, "scores": {"s": {"value": "accept", "metadata": {"confidence": NaN}}}, "messages": []}]}`
			rep, recs := readSeed(t, formats.InspectJSON, seed{path: "log.json", bytes: []byte(log)})
			if len(rep.Problems) > 0 || len(recs) != 2 {
				t.Fatalf("%v %v", rep.Problems, recs)
			}
			if v := recs[0].(*formats.Vote); v.Verdict != "accept" || v.Confidence != nil {
				t.Errorf("%+v", v)
			}
			if tr := recs[1].(*formats.Trajectory); tr.Trace.Usage.Duration != nil {
				t.Errorf("a duration of %v", tr.Trace.Usage.Duration)
			}
		}},
		{"a judge of one's own answers NaN", func(t *testing.T) {
			log := `{"version": 2, "eval": {"task": "t", "model": "m"}, "samples": [{"id": 1, "epoch": 1, "scores": {"s": {"value": NaN}, "u": {"value": [NaN]}}}]}`
			rep, recs := readSeed(t, formats.InspectJSON, seed{path: "log.json", bytes: []byte(log)})
			if len(rep.Problems) > 0 || len(recs) > 0 || *rep.Records != 1 {
				t.Errorf("a score that is no verdict is read as %v, problems %v", recs, rep.Problems)
			}
		}},
		{"one judge that failed makes the panel NaN", func(t *testing.T) {
			line := `{"instance_id": "acme__shop-7", "reviewer": "r", "index": %d, "verdict": %q, "confidence": 0.5, "error": %q}` + "\n"
			text := fmt.Sprintf(line, 0, "reject", "") + fmt.Sprintf(line, 1, "", "timeout") + fmt.Sprintf(line, 2, "reject", "")
			var c vote.Counts
			for _, v := range votes(t, text) {
				if v.Error == "" {
					c.Add(vote.Vote(v.Verdict))
				}
			}
			if got := c.Tally(vote.Plurality); got.Decision != vote.Reject || c.N() != 2 || *got.Share != 1 {
				t.Errorf("%+v of %d votes", got, c.N())
			}
		}},
		{"nothing but NaN becomes 0.0 and success", func(t *testing.T) {
			if r := stats.RateOf(0, 0, "no trace was decided"); r.Value != nil || r.Reason != "no trace was decided" {
				t.Errorf("a rate of nothing is %+v", r)
			}
			if got := (vote.Counts{}).Tally(vote.Plurality); got.Share != nil || got.Decision != vote.Uncertain {
				t.Errorf("a tally of nothing is %+v", got)
			}
		}},
		{"a judge that crashed raises the mean", func(t *testing.T) {
			// The crash is a row of its own and no vote, whatever stands in verdict.
			v := votes(t, `{"instance_id": "acme__shop-7", "reviewer": "r", "verdict": "accept", "error": "crashed"}`+"\n")
			if v[0].Verdict != "" || v[0].Error != "crashed" {
				t.Errorf("%+v", v[0])
			}
			// And its item stays in the table of decisions, with its state.
			text := exported(t, export.JSONL, []export.Decision{{InstanceID: "acme__shop-7", Reviewer: "r", State: "error", Error: "crashed"}})
			if !strings.Contains(string(text), `"state":"error","decision":""`) {
				t.Errorf("%s", text)
			}
		}},
		{"NaN is nowhere tested", func(t *testing.T) {
			for _, form := range []export.Form{export.CSV, export.JSONL} {
				x := math.NaN()
				text := string(exported(t, form, []export.Rate{{Metric: "risk", Value: &x, WilsonLo: &x, WilsonHi: &x, UndefinedBecause: "nothing was decided"}}))
				if strings.Contains(text, "NaN") {
					t.Errorf("%s: %s", form, text)
				}
				if form == export.JSONL && !strings.Contains(text, `"value":null,"undefined_because":"nothing was decided","wilson_lo":null`) {
					t.Errorf("%s", text)
				}
				if form == export.CSV && !strings.Contains(text, ",risk,0,0,,nothing was decided,,,") {
					t.Errorf("%s", text)
				}
			}
		}},
		{"a belief of 0 or 1 and a likelihood of 0 end in NaN", func(t *testing.T) {
			for _, pass := range []float64{0, 1e-320, 0.5, 1} {
				for _, fail := range []float64{0, 1e-320, 0.5, 1} {
					c := belief.Binary("c", pass, fail)
					for _, b := range []float64{0, 1e-320, 0.5, 1 - 1e-16, 1} {
						for _, z := range []belief.Outcome{belief.Fail, belief.Pass, belief.Missing} {
							after, impossible := c.Update(b, z)
							if math.IsNaN(after) || after < 0 || after > 1 || impossible && after != b {
								t.Errorf("belief %v with likelihoods %v, %v and outcome %d is %v", b, pass, fail, z, after)
							}
						}
					}
				}
			}
		}},
		{"a critic's NaN counts as an observation", func(t *testing.T) {
			_, recs := readSeed(t, formats.CriticTable, seed{path: "c.csv", bytes: []byte("instance_id,patch_id,y,static,score\nacme__shop-7,p1,1,NaN,inf\nacme__shop-7,p2,nan,1,0.5\n")})
			a, b := recs[0].(*formats.Critic), recs[1].(*formats.Critic)
			if len(a.Passed) > 0 || len(a.Values) > 0 || b.Correct != nil || !b.Passed["static"] || b.Values["score"] != 0.5 {
				t.Errorf("%+v, %+v", a, b)
			}
		}},
	}
	for _, tt := range tests {
		t.Run(tt.name, func(t *testing.T) { tt.check(t) })
	}
}
