package review

import (
	"encoding/json"
	"math"
	"os"
	"path/filepath"
	"slices"
	"strings"
	"testing"

	"github.com/google/go-cmp/cmp"

	"plumbline/experiments/vote"
)

// judgeData is the folder of real judge replies, or the test is skipped; with
// PLUMBLINE_TEST_REQUIRE=all a missing folder fails.
func judgeData(t *testing.T) string {
	t.Helper()
	dir := os.Getenv("PLUMBLINE_SHARED")
	if dir == "" {
		at, err := os.Getwd()
		if err != nil {
			t.Fatal(err)
		}
		for at != filepath.Dir(at) {
			if _, err := os.Stat(filepath.Join(at, "go.mod")); err == nil {
				break
			}
			at = filepath.Dir(at)
		}
		dir = filepath.Join(at, "..", "shared")
	}
	dir = filepath.Join(dir, "data", "real", "llm-judge")
	if _, err := os.Stat(dir); err != nil {
		why := "real judge replies not found at " + dir + "; set PLUMBLINE_SHARED"
		if os.Getenv("PLUMBLINE_TEST_REQUIRE") == "all" {
			t.Fatal(why)
		}
		t.Skip(why)
	}
	return dir
}

func readFile(t *testing.T, parts ...string) []byte {
	t.Helper()
	raw, err := os.ReadFile(filepath.Join(parts...))
	if err != nil {
		t.Fatal(err)
	}
	return raw
}

func TestParseShapesFromPublicThreads(t *testing.T) {
	var shapes struct {
		Cases []struct {
			ID       string `json:"id"`
			Sample   string `json:"sample"`
			Expected struct {
				Parse      string   `json:"parse"`
				Verdict    *string  `json:"verdict"`
				Confidence *float64 `json:"confidence"`
			} `json:"expected"`
		} `json:"cases"`
	}
	if err := json.Unmarshal(readFile(t, judgeData(t), "vote-shapes", "vote_shapes.json"), &shapes); err != nil {
		t.Fatal(err)
	}
	if len(shapes.Cases) < 24 {
		t.Fatalf("%d shapes, want at least 24", len(shapes.Cases))
	}
	for _, c := range shapes.Cases {
		t.Run(c.ID, func(t *testing.T) {
			got := Parse(c.Sample)
			want := vote.Unparseable
			if c.Expected.Parse == "ok" {
				want = vote.Vote(*c.Expected.Verdict)
			}
			if got.Vote != want {
				t.Errorf("%s (%s), want %s", got.Vote, got.Problem, want)
			}
			if diff := cmp.Diff(c.Expected.Confidence, got.Confidence); diff != "" {
				t.Error(diff)
			}
			if got.Vote == vote.Unparseable && got.Problem == "" {
				t.Error("no reason is given")
			}
		})
	}
}

// Judges of other schemas never give a vote here: their words are none of ours.
func TestParseGivesNoVoteForForeignSchemas(t *testing.T) {
	dir := judgeData(t)
	var raws []string
	audit, _ := filepath.Glob(filepath.Join(dir, "swebench-pro-audit", "*"))
	for _, p := range audit {
		raws = append(raws, string(readFile(t, p)))
	}
	for row := range strings.Lines(string(readFile(t, dir, "alpaca-eval", "raw_votes.jsonl"))) {
		var r struct {
			Raw json.RawMessage `json:"raw_completion"`
		}
		if err := json.Unmarshal([]byte(row), &r); err != nil {
			t.Fatal(err)
		}
		var s string
		if json.Unmarshal(r.Raw, &s) != nil {
			s = string(r.Raw)
		}
		raws = append(raws, s)
	}
	for row := range strings.Lines(string(readFile(t, dir, "judgebench", "arena_hard.claude-3-haiku.jsonl"))) {
		raws = append(raws, judgments(t, row)...)
	}
	if len(raws) < 130 {
		t.Fatalf("%d replies, want at least 130", len(raws))
	}
	for _, raw := range raws {
		if r := Parse(raw); r.Vote != vote.Unparseable || r.Problem == "" {
			t.Errorf("%.80q gives %s %q", raw, r.Vote, r.Problem)
		}
	}
}

// judgments collects the judge's texts of a row, which hold a [[A>B]] verdict.
func judgments(t *testing.T, row string) []string {
	t.Helper()
	var v any
	if err := json.Unmarshal([]byte(row), &v); err != nil {
		t.Fatal(err)
	}
	var out []string
	var walk func(any)
	walk = func(v any) {
		switch v := v.(type) {
		case string:
			if strings.Contains(v, "[[") && strings.Contains(v, "]]") {
				out = append(out, v)
			}
		case []any:
			for _, x := range v {
				walk(x)
			}
		case map[string]any:
			for _, x := range v {
				walk(x)
			}
		}
	}
	walk(v)
	return out
}

// The loose reader reads what a strict reader reads of real replies, and the one
// reply with raw tab characters that a strict reader refuses.
func TestLooseReaderOnRealReplies(t *testing.T) {
	files, _ := filepath.Glob(filepath.Join(judgeData(t), "swebench-pro-audit", "*"))
	strictly, loosely := 0, 0
	for _, p := range files {
		raw := strings.TrimSpace(string(readFile(t, p)))
		work := workFor(raw)
		v, n, cut, ok := readValue(raw, &work)
		if !ok || cut || n != len(raw) {
			t.Errorf("%s: read %d of %d bytes, cut %v, ok %v", filepath.Base(p), n, len(raw), cut, ok)
			continue
		}
		var want any
		if err := json.Unmarshal([]byte(raw), &want); err != nil {
			loosely++
			continue
		}
		strictly++
		if diff := cmp.Diff(want, strict(v)); diff != "" {
			t.Errorf("%s: %s", filepath.Base(p), diff)
		}
	}
	if strictly < 90 || loosely != 1 {
		t.Errorf("%d replies are valid JSON and %d are not, want 1 of the latter", strictly, loosely)
	}
}

// Four raw rankings of alpaca_eval are Python literals with single quotes.
func TestLooseReaderOnPythonLiterals(t *testing.T) {
	read := 0
	for row := range strings.Lines(string(readFile(t, judgeData(t), "alpaca-eval", "raw_votes.jsonl"))) {
		var r struct {
			Raw json.RawMessage `json:"raw_completion"`
		}
		if err := json.Unmarshal([]byte(row), &r); err != nil {
			t.Fatal(err)
		}
		var s string
		if json.Unmarshal(r.Raw, &s) != nil || !strings.Contains(s, "'model'") {
			continue
		}
		work := workFor(s)
		v, _, cut, ok := readValue(s, &work)
		l, is := v.(list)
		if !ok || cut || !is {
			t.Errorf("%.60q is not read as a list", s)
			continue
		}
		var ranks []float64
		for _, x := range l {
			o, is := x.(object)
			if !is || len(o) != 2 || o[0].key != "model" || o[1].key != "rank" {
				t.Errorf("%.60q: %+v is no ranking", s, x)
				continue
			}
			ranks = append(ranks, strict(o[1].value).(float64))
		}
		if slices.Sort(ranks); len(ranks) != 2 || math.Abs(ranks[0]-1) > 1e-12 || ranks[1] < 1 || ranks[1] > 2 {
			t.Errorf("%.60q: ranks %v", s, ranks)
		}
		read++
	}
	if read != 4 {
		t.Errorf("%d Python literals read, want 4", read)
	}
}
