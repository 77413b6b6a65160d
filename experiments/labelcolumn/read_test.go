package labelcolumn_test

import (
	"bytes"
	"fmt"
	"strings"
	"testing"

	"github.com/google/go-cmp/cmp"
	"github.com/parquet-go/parquet-go"

	"plumbline/experiments/labelcolumn"
	"plumbline/experiments/trace"
)

func TestParse(t *testing.T) {
	t.Parallel()
	tests := []struct {
		in     string
		label  trace.Label
		bucket trace.Bucket
		ok     bool
	}{
		{"", "", trace.NoBucket, false}, {" NaN ", "", trace.NoBucket, false}, {"null", "", trace.NoBucket, false},
		{"True", trace.Acceptable, trace.NoBucket, true}, {"1", trace.Acceptable, trace.NoBucket, true}, {"Resolved", trace.Acceptable, trace.NoBucket, true},
		{"0.0", trace.Defective, trace.NoBucket, true}, {"not resolved", trace.Defective, trace.NoBucket, true}, {"FAIL", trace.Defective, trace.NoBucket, true},
		{"omission", trace.Defective, trace.Omission, true}, {"Regression", trace.Defective, trace.Regression, true}, {"no-change", trace.Defective, trace.NoChange, true},
		{"infra", trace.Unknown, trace.NoBucket, true},
	}
	for _, tt := range tests {
		label, bucket, ok, err := labelcolumn.Parse(tt.in)
		if label != tt.label || bucket != tt.bucket || ok != tt.ok || err != nil {
			t.Errorf("%q is %q %q %t, %v", tt.in, label, bucket, ok, err)
		}
	}
	for _, odd := range []string{"maybe", "0.5", "2", strings.Repeat("x", 1000)} {
		if label, _, ok, err := labelcolumn.Parse(odd); err == nil || ok || label != "" || len(err.Error()) > 200 {
			t.Errorf("%.10q: %q %t %v", odd, label, ok, err)
		}
	}
}

// read gives rows and faults as lines.
func read(t *testing.T, text, column string) []string {
	t.Helper()
	var out []string
	err := labelcolumn.Read(strings.NewReader(text), column, func(r labelcolumn.Row) error {
		out = append(out, fmt.Sprintf("%d %s/%s/%s #%d %.6s = %s", r.Line, r.InstanceID, r.Model, r.Agent, r.Attempt, r.PatchSHA256, r.Value))
		return nil
	}, func(line int, message string) { out = append(out, fmt.Sprintf("%d fault: %s", line, message)) })
	if err != nil {
		t.Fatal(err)
	}
	return out
}

func TestRead(t *testing.T) {
	t.Parallel()
	const fix = `--- a/x\n+++ b/x\n@@ -1 +1 @@\n-a\n+b\n`
	tests := []struct {
		name, text, column string
		want               []string
	}{
		{"lines", `{"instance_id": "a", "model_name_or_path": "m", "attempt": 2, "y": true}` + "\n" + `{"instance_id": "b"}` + "\n\n" + `{"instance_id": "c", "agent": "g", "y": 0}`, "y", []string{"1 a/m/ #2  = true", "4 c//g #0  = 0"}},
		{"one line", `{"instance_id": "a", "y": null}`, "y", []string{"1 a// #0  = "}},
		{"a broken line", `{"instance_id": "a", "y": 1}` + "\n" + `{"instance_id": "b", "y": }` + "\n" + `{"instance_id": "c", "y": 1}`, "y", []string{"1 a// #0  = 1", "2 fault: not valid JSON at column 26: unexpected '}'", "3 c// #0  = 1"}},
		{"array", `[{"instance_id": "a", "y": "x"},` + "\n" + ` {"instance_id": "b", "y": [1]}]`, "y", []string{"1 a// #0  = x", "2 b// #0  = a list or an object"}},
		{"keyed", "{\n\"a\": {\"y\": 1},\n\"b\": {\"z\": 1}\n}", "y", []string{"2 a// #0  = 1"}},
		{"one record", "{\n\"instance_id\": \"a\",\n\"info\": {\"resolved\": false}\n}", "info.resolved", []string{"1 a// #0  = false"}},
		{"a patch in the record", `{"instance_id": "a", "model_patch": "` + fix + `", "y": 1}`, "y", []string{"1 a// #0 814a62 = 1"}},
		{"csv", "\ufeffInstance_ID;Model;Y\na;m;1\n\"b\nb\";m;\"x;y\"\nc;m\n", "y", []string{"2 a/m/ #0  = 1", "3 b\nb/m/ #0  = x;y", "5 fault: 2 cells, the first line names 3"}},
		{"another table", "instance_id,z\na,1\n", "y", nil},
		{"no table", "Hello there", "y", nil},
		{"empty", " \n", "y", nil},
		{"cut off", `[{"instance_id": "a", "y": 1}, {"instance_id": "b", "y"`, "y", []string{"1 a// #0  = 1", "1 fault"}},
	}
	for _, tt := range tests {
		t.Run(tt.name, func(t *testing.T) {
			t.Parallel()
			got := read(t, tt.text, tt.column)
			if len(got) == len(tt.want) { // the words of a fault may be the reader's
				for i := range got {
					if strings.HasSuffix(tt.want[i], "fault") || strings.Contains(tt.want[i], "fault: not valid JSON") {
						got[i] = strings.SplitAfter(got[i], "fault")[0]
						tt.want[i] = strings.SplitAfter(tt.want[i], "fault")[0]
					}
				}
			}
			if diff := cmp.Diff(tt.want, got); diff != "" {
				t.Error(diff)
			}
		})
	}
}

// The error of emit and of the reader come back.
func TestReadStops(t *testing.T) {
	t.Parallel()
	stop := fmt.Errorf("stop")
	for _, text := range []string{`{"instance_id": "a", "y": 1}` + "\n" + `{"instance_id": "b", "y": 1}`, `[{"y": 1}, {"y": 2}]`, "instance_id,y\na,1\nb,1\n"} {
		n := 0
		err := labelcolumn.Read(strings.NewReader(text), "y", func(labelcolumn.Row) error { n++; return stop }, func(int, string) { t.Error("a fault") })
		if err != stop || n != 1 {
			t.Errorf("%q: %v after %d rows", text, err, n)
		}
	}
}

func TestReadParquet(t *testing.T) {
	t.Parallel()
	type row struct {
		InstanceID string `parquet:"instance_id"`
		Model      string `parquet:"model"`
		Resolved   bool   `parquet:"resolved"`
		Score      int64  `parquet:"score"`
	}
	var file bytes.Buffer
	w := parquet.NewGenericWriter[row](&file)
	if _, err := w.Write([]row{{"a", "m", true, 1}, {"b", "m", false, 0}}); err != nil {
		t.Fatal(err)
	}
	if err := w.Close(); err != nil {
		t.Fatal(err)
	}
	for column, want := range map[string][]string{"resolved": {"1 a m true", "2 b m false"}, "score": {"1 a m 1", "2 b m 0"}, "none": nil} {
		var got []string
		err := labelcolumn.ReadParquet(bytes.NewReader(file.Bytes()), int64(file.Len()), column, func(r labelcolumn.Row) error {
			got = append(got, fmt.Sprintf("%d %s %s %s", r.Line, r.InstanceID, r.Model, r.Value))
			return nil
		}, func(line int, message string) { t.Errorf("line %d: %s", line, message) })
		if diff := cmp.Diff(want, got); diff != "" || err != nil {
			t.Errorf("%s: %s %v", column, diff, err)
		}
	}
	half := file.Bytes()[:file.Len()/2]
	claims := bytes.Clone(file.Bytes()) // a footer of 2 GB, which nothing may reserve
	copy(claims[len(claims)-8:], "\xff\xff\xff\x7f")
	for name, broken := range map[string][]byte{"half a file": half, "a footer that is not there": claims} {
		faults := 0
		err := labelcolumn.ReadParquet(bytes.NewReader(broken), int64(len(broken)), "score", func(labelcolumn.Row) error { return nil }, func(_ int, message string) {
			faults++
			if !strings.Contains(message, "the footer: ") || !strings.Contains(message, "fetch the file again") {
				t.Errorf("%s: %s", name, message)
			}
		})
		if err != nil || faults != 1 {
			t.Errorf("%s: %d faults, %v", name, faults, err)
		}
	}
}

func FuzzRead(f *testing.F) {
	for _, s := range []string{`{"instance_id": "a", "y": true}`, "instance_id,y\na,1\n", `[{"y": 1}]`, "{\n\"a\": {\"y\": \"omission\"}}", "\xff\xfe", "\ufeff\"", ""} {
		f.Add([]byte(s), "y")
	}
	f.Fuzz(func(t *testing.T, text []byte, column string) {
		err := labelcolumn.Read(bytes.NewReader(text), column, func(r labelcolumn.Row) error {
			if _, _, ok, err := r.Label(); ok && err != nil {
				t.Error("a label and an error")
			}
			return nil
		}, func(line int, message string) {
			if message == "" {
				t.Error("a fault without a reason")
			}
		})
		if err != nil {
			t.Errorf("an error of no reader: %v", err)
		}
	})
}
