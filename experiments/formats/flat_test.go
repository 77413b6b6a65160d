package formats_test

import (
	"bytes"
	"errors"
	"fmt"
	"io"
	"runtime"
	"strings"
	"testing"

	"plumbline/experiments/formats"
)

// manyLines is an endless-looking predictions file: n lines, each with a patch of
// about size bytes, made while it is read.
type manyLines struct {
	n, at  int
	filler string
	line   *bytes.Reader
}

func newManyLines(n, size int) *manyLines {
	var b strings.Builder
	for b.Len() < size {
		b.WriteString(`+    value = compute(\"x\", 1)\n`)
	}
	return &manyLines{n: n, filler: b.String(), line: bytes.NewReader(nil)}
}

func (m *manyLines) Read(p []byte) (int, error) {
	if m.line.Len() == 0 {
		if m.at == m.n {
			return 0, io.EOF
		}
		m.at++
		m.line = bytes.NewReader(fmt.Appendf(nil, `{"instance_id": "a__b-%d", "model_name_or_path": "m", "model_patch": "diff --git a/x.py b/x.py\n--- a/x.py\n+++ b/x.py\n@@ -1,0 +1,9 @@\n%s"}`+"\n", m.at, m.filler))
	}
	return m.line.Read(p)
}

// TestMemoryStaysFlat reads 200 MB of predictions and wants the heap to stay far
// below that, with everything joined.
func TestMemoryStaysFlat(t *testing.T) {
	if testing.Short() {
		t.Skip("reads 200 MB")
	}
	const lines, size = 2000, 100 << 10
	j := formats.NewJoiner(formats.Options{})
	var peak uint64
	n := 0
	rep, err := formats.Read(formats.PredictionsJSONL, newManyLines(lines, size), formats.Source{Path: "preds.jsonl"}, func(r formats.Record) error {
		if n++; n%200 == 0 {
			var ms runtime.MemStats
			runtime.ReadMemStats(&ms)
			peak = max(peak, ms.HeapAlloc)
		}
		return j.Add(r)
	})
	if err != nil {
		t.Fatal(err)
	}
	if *rep.Records != lines || len(j.Finish().Attempts) != lines {
		t.Errorf("%d records", *rep.Records)
	}
	if peak > 64<<20 {
		t.Errorf("the heap reached %d MB", peak>>20)
	}
}

// TestLongLine reads one line of 100 MB between two short ones.
func TestLongLine(t *testing.T) {
	if testing.Short() {
		t.Skip("reads 100 MB")
	}
	short := `{"instance_id": "a__b-1", "model_patch": ""}` + "\n"
	in := io.MultiReader(strings.NewReader(short), newManyLines(1, 100<<20), strings.NewReader(short))
	sizes := []int{}
	_, err := formats.Read(formats.PredictionsJSONL, in, formats.Source{Path: "preds.jsonl"}, func(r formats.Record) error {
		p, ok := r.(*formats.Prediction)
		if !ok {
			return errors.New("a problem")
		}
		sizes = append(sizes, len(p.Patch)>>20)
		return nil
	})
	if err != nil || len(sizes) != 3 || sizes[1] < 90 {
		t.Errorf("%v %v", sizes, err)
	}
}

func BenchmarkReadPredictions(b *testing.B) {
	const lines, size = 1000, 100 << 10
	b.SetBytes(lines * size)
	b.ReportAllocs()
	for b.Loop() {
		j := formats.NewJoiner(formats.Options{})
		if _, err := formats.Read(formats.PredictionsJSONL, newManyLines(lines, size), formats.Source{Path: "preds.jsonl"}, j.Add); err != nil {
			b.Fatal(err)
		}
	}
}

// manySteps is a trajectory of n steps with an observation of size bytes each.
func manySteps(n, size int) string {
	var b strings.Builder
	b.WriteString(`{"info": {"submission": "", "mini_version": "2.2.7"}, "trajectory_format": "mini-swe-agent-1.1", "instance_id": "a__b-1", "messages": [`)
	obs := strings.Repeat(`line of output\n`, size/16)
	for i := range n {
		if i > 0 {
			b.WriteByte(',')
		}
		fmt.Fprintf(&b, `{"role": "assistant", "content": "step %d", "extra": {"actions": [{"command": "ls"}]}}, {"role": "tool", "content": "%s"}`, i, obs)
	}
	b.WriteString(`]}`)
	return b.String()
}

func BenchmarkReadTrajectory(b *testing.B) {
	in := manySteps(33000, 3<<10)
	b.SetBytes(int64(len(in)))
	b.ReportAllocs()
	for b.Loop() {
		n := 0
		if _, err := formats.Read(formats.MiniSWEAgent11, strings.NewReader(in), formats.Source{Path: "a__b-1.traj.json"}, func(formats.Record) error { n++; return nil }); err != nil || n != 33001 {
			b.Fatal(n, err)
		}
	}
}
