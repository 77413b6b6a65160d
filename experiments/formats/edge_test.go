package formats_test

import (
	"archive/zip"
	"bytes"
	"errors"
	"io"
	"path"
	"strings"
	"testing"

	"plumbline/experiments/formats"
	"plumbline/experiments/trace"
)

// byName are formats whose content is not told from others without the file name:
// one JSON line is JSON and JSON lines alike, analyzers print the same lines, some
// logs have no mark.
var byName = map[formats.Format]bool{
	formats.PredictionsJSONL: true, formats.PredictionSingle: true, formats.PredictionIndented: true,
	formats.PyflakesText: true, formats.Flake8Text: true, formats.HarnessTestOutput: true,
	formats.HumanEvalGz: true, formats.FunctionLevel: true, formats.JudgeJSONL: true, formats.OtherCLI: true,
}

// TestContentDecides sniffs every small file under a name that says nothing.
func TestContentDecides(t *testing.T) {
	t.Parallel()
	for _, s := range seeds(t) {
		if byName[s.format] || s.format == formats.JSONInvalid {
			continue
		}
		got, _ := formats.Sniff("upload/blob", s.bytes[:min(len(s.bytes), formats.SniffLen)])
		if got == formats.ParquetRows {
			// What a Parquet file holds stands at its end, which only reading sees.
			rep, _ := readSeed(t, got, seed{path: "upload/blob", bytes: s.bytes})
			got = rep.Format
		}
		if got != s.format {
			t.Errorf("%s/%s without its name is taken for %q", s.format, path.Base(s.path), got)
		}
	}
}

// TestCutHeads sniffs files whose head ends in the middle: no panic, and a large
// value in front of the telling keys does not hide the ones before it.
func TestCutHeads(t *testing.T) {
	t.Parallel()
	for _, s := range seeds(t) {
		for n := 0; n < len(s.bytes); n += 1 + len(s.bytes)/37 {
			formats.Sniff(s.path, s.bytes[:n])
		}
	}
	big := `{"instance_id": "a__b-1", "model_patch": "` + strings.Repeat("x", formats.SniffLen)
	if f, _ := formats.Sniff("p.jsonl", []byte(big)[:formats.SniffLen]); f != formats.PredictionsJSONL {
		t.Errorf("a cut line is taken for %q", f)
	}
}

func TestErrorsAreNotProblems(t *testing.T) {
	t.Parallel()
	boom := errors.New("disk on fire")
	_, err := formats.Read(formats.PredictionsJSONL, io.MultiReader(strings.NewReader("{}\n"), broken{boom}), formats.Source{Path: "p"}, func(formats.Record) error { return nil })
	if !errors.Is(err, boom) {
		t.Errorf("a failing reader gives %v", err)
	}
	_, err = formats.Read(formats.PredictionsJSONL, strings.NewReader(pred(t, "a__b-1", "m", "x")), formats.Source{Path: "p"}, func(formats.Record) error { return boom })
	if !errors.Is(err, boom) {
		t.Errorf("a failing emit gives %v", err)
	}
	if _, err = formats.Read("no such format", strings.NewReader(""), formats.Source{Path: "p"}, nil); !errors.Is(err, formats.ErrUnknown) {
		t.Errorf("an unknown format gives %v", err)
	}
	for _, s := range seeds(t) {
		stop := errors.New("stop")
		_, err := formats.Read(s.format, bytes.NewReader(s.bytes), formats.Source{Path: s.path, Size: int64(len(s.bytes))}, func(formats.Record) error { return stop })
		if _, recs := readSeed(t, s.format, s); len(recs) > 0 && !errors.Is(err, stop) {
			t.Errorf("%s: the error of emit is lost: %v", s.format, err)
		}
	}
}

type broken struct{ err error }

func (b broken) Read([]byte) (int, error) { return 0, b.err }

// TestHostileText keeps what it can of text that breaks others.
func TestHostileText(t *testing.T) {
	t.Parallel()
	in := "{\"instance_id\":\"a__b-1\",\"model_patch\":\"nul \\u0000 lone \\ud800 bidi \u202e bad \xff end\"}\r\n\u2028{\"x\":1}\n{\"instance_id\":\"a__b-2\",\"model_patch\":\"sep \u2028 in a string\"}"
	var got []string
	problems := 0
	_, err := formats.Read(formats.PredictionsJSONL, strings.NewReader(in), formats.Source{Path: "p.jsonl"}, func(r formats.Record) error {
		switch v := r.(type) {
		case *formats.Prediction:
			got = append(got, v.Patch)
		case *formats.Problem:
			problems++
		}
		return nil
	})
	if err != nil || problems != 1 || len(got) != 2 {
		t.Fatal(err, problems, got)
	}
	if got[0] != "nul \x00 lone \uFFFD bidi \u202e bad \uFFFD end" || got[1] != "sep \u2028 in a string" {
		t.Errorf("%q", got)
	}
}

// TestBombRefused opens a log whose entry grows a thousandfold.
func TestBombRefused(t *testing.T) {
	t.Parallel()
	var b bytes.Buffer
	z := zip.NewWriter(&b)
	w, err := z.Create("samples/acme__shop-7_epoch_1.json")
	if err != nil {
		t.Fatal(err)
	}
	if _, err := w.Write([]byte(`{"id": "acme__shop-7", "x": "` + strings.Repeat("0", 64<<20) + `"}`)); err != nil {
		t.Fatal(err)
	}
	if err := z.Close(); err != nil {
		t.Fatal(err)
	}
	refused := false
	_, err = formats.Read(formats.InspectZip, bytes.NewReader(b.Bytes()), formats.Source{Path: "l.eval", Size: int64(b.Len())}, func(r formats.Record) error {
		if p, ok := r.(*formats.Problem); ok && strings.Contains(p.Message, "refused") {
			refused = true
		}
		if _, ok := r.(*formats.Trajectory); ok {
			t.Error("the bomb was read")
		}
		return nil
	})
	if err != nil || !refused {
		t.Error(err, refused)
	}
}

// TestCutTrajectory reads what a broken file still shows and guesses nothing
// about the submission it does not show.
func TestCutTrajectory(t *testing.T) {
	t.Parallel()
	whole := traj(t, "acme__shop-7", fix)
	cut := `{"trajectory": [{"action": "ls", "observation": "x", "thought": "Look."}, {"action": "cat`
	for _, in := range []string{cut, whole[:len(whole)/3]} {
		var got *formats.Trajectory
		steps, problems := 0, 0
		_, err := formats.Read(formats.SWEAgent0, strings.NewReader(in), formats.Source{Path: "acme__shop-7.traj"}, func(r formats.Record) error {
			switch v := r.(type) {
			case *formats.Step:
				steps++
			case *formats.Trajectory:
				got = v
			case *formats.Problem:
				problems++
			}
			return nil
		})
		if err != nil || problems != 1 {
			t.Fatal(err, problems)
		}
		if in == cut && (got == nil || steps != 1 || got.Trace.PatchState != trace.PatchAbsent) {
			t.Errorf("%d steps, %+v", steps, got)
		}
	}
}

func TestProblemsAreBounded(t *testing.T) {
	t.Parallel()
	rep, err := formats.Read(formats.PredictionsJSONL, strings.NewReader(strings.Repeat("x\n", 1000)), formats.Source{Path: "p"}, func(formats.Record) error { return nil })
	if err != nil || len(rep.Problems) != 200 || rep.Dropped != 800 || *rep.Records != 0 {
		t.Errorf("%v: %d problems, %d dropped", err, len(rep.Problems), rep.Dropped)
	}
	if msg := rep.Problems[0].Error(); msg != `p line 1: not valid JSON at column 1: unexpected 'x'` {
		t.Error(msg)
	}
}
