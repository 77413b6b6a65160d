package formats_test

import (
	"bytes"
	"fmt"
	"regexp"
	"strings"
	"testing"

	"github.com/google/go-cmp/cmp"

	"plumbline/experiments/export"
	"plumbline/experiments/formats"
)

// read is what a reader made of a text: the records as lines, problems included.
func read(t *testing.T, name string, b []byte) (formats.Format, []string) {
	t.Helper()
	f, _ := formats.Sniff(name, b[:min(len(b), formats.SniffLen)])
	rep, recs := readSeed(t, f, seed{format: f, path: name, bytes: b})
	var out []string
	for _, r := range recs {
		out = append(out, strings.TrimPrefix(fmt.Sprintf("%T ", r), "*formats.")+line(t, r))
	}
	return rep.Format, out
}

const onePrediction = `{"instance_id": "acme__shop-7", "model_name_or_path": "m", "model_patch": "--- a/x\n+++ b/x\n"}`

// What people complain about when they bring files: each row is one complaint about
// other tools, and what happens here. Compressed files, files of 100 MB in one line
// and broken archives are in TestBadFiles, TestMemory and the tests of archives.
func TestComplaintsK(t *testing.T) {
	t.Parallel()
	big := strings.Repeat("a long cell, ", 200_000)
	twice := strings.Replace(onePrediction, "+++ b/x", "+++ b/y", 1)
	tests := []struct {
		name, file, text string
		format           formats.Format
		want             []string // the beginning of each record's line, in order
	}{
		{
			"a cell of megabytes fails with a message that helps nobody", "votes.csv",
			"instance_id,reviewer,verdict,rationale\nacme__shop-7,r,accept,\"" + big + "\"\n", formats.VotesCSV, []string{`Vote {"InstanceID":"acme__shop-7"`},
		},
		{
			"a table with semicolons is called invalid", "votes.csv",
			"instance_id;reviewer;verdict\nacme__shop-7;r, the first;reject\n", formats.VotesCSV, []string{`Vote {"InstanceID":"acme__shop-7","Line":2,"Reviewer":"r, the first"`},
		},
		{
			"a table with tabs is called invalid", "preds.csv",
			"instance_id\tmodel_patch\tresolved\nacme__shop-7\t\ttrue\n", formats.PredictionsCSV, []string{`Prediction {"InstanceID":"acme__shop-7","Line":2,"Resolved":true,"State":"empty"`},
		},
		{
			"a ragged row is dropped in silence, or stops everything", "votes.csv",
			"instance_id,reviewer,verdict\nacme__shop-7,r\nacme__shop-8,r,accept\nacme__shop-9,r,accept,x,y\n", formats.VotesCSV,
			[]string{`Problem {"line":2,"message":"2 cells, the first line names 3"}`, `Vote {"InstanceID":"acme__shop-8"`, `Problem {"line":4,"message":"5 cells, the first line names 3"}`},
		},
		{
			"a table cut off inside a cell counts as whole", "votes.csv",
			"instance_id,reviewer,verdict,rationale\nacme__shop-7,r,accept,ok\nacme__shop-8,r,reject,\"cut off", formats.VotesCSV,
			[]string{`Vote {"InstanceID":"acme__shop-7"`, `Problem {"line":3,"message":"a quoted cell does not end: the file is cut off"}`},
		},
		{
			"blank lines are records, or the end", "preds.jsonl",
			"\n" + onePrediction + "\n\n  \n" + strings.Replace(onePrediction, "-7", "-8", 1) + "\n\n", formats.PredictionsJSONL,
			[]string{`Prediction {"InstanceID":"acme__shop-7","Line":2`, `Prediction {"InstanceID":"acme__shop-8","Line":5`},
		},
		{
			"blank lines above the head of a table hide it", "votes.csv",
			"\ninstance_id,reviewer,verdict\n\nacme__shop-7,r,accept\n", formats.VotesCSV, []string{`Vote {"InstanceID":"acme__shop-7","Line":4`},
		},
		{
			"a comma too many refuses the whole file", "report.json",
			`{"total_instances": 1, "submitted_instances": 1, "resolved_ids": ["acme__shop-7",], "unresolved_ids": []}`, formats.JSONInvalid,
			[]string{`Problem {"line":1,"message":"not strict JSON at column`, `RunReport `},
		},
		{
			"the last line is lost when no line feed ends it", "preds.jsonl", onePrediction, formats.PredictionsJSONL, []string{`Prediction {"InstanceID":"acme__shop-7"`},
		},
		{
			"lines over 64 kB stop the reader", "preds.jsonl",
			strings.Replace(onePrediction, "+++ b/x", strings.Repeat("x", 1<<17), 1) + "\n" + onePrediction + "\n", formats.PredictionsJSONL,
			[]string{`Prediction {"InstanceID":"acme__shop-7"`, `Prediction {"InstanceID":"acme__shop-7","Line":2`},
		},
		{
			"an id that stands twice is refused, or one of the two vanishes", "preds.jsonl", onePrediction + "\n" + twice + "\n", formats.PredictionsJSONL,
			[]string{`Prediction {"InstanceID":"acme__shop-7","Line":1`, `Prediction {"InstanceID":"acme__shop-7","Line":2`},
		},
		{
			"two models in one file are refused", "preds.jsonl", onePrediction + "\n" + strings.Replace(onePrediction, `"m"`, `"other"`, 1) + "\n", formats.PredictionsJSONL,
			[]string{`Prediction {"InstanceID":"acme__shop-7","Line":1,"Model":"m"`, `Prediction {"InstanceID":"acme__shop-7","Line":2,"Model":"other"`},
		},
		{
			"a keyed object needs the id again inside", "preds.json", `{"acme__shop-7": {"model_patch": ""}}`, formats.PredictionsKeyed,
			[]string{`Prediction {"InstanceID":"acme__shop-7"`},
		},
		{
			"a key and the id inside differ and one is taken in silence", "preds.json", `{"acme__shop-7": {"instance_id": "acme__shop-8", "model_patch": ""}}`, formats.PredictionsKeyed,
			[]string{`Problem {"field":"acme__shop-7.instance_id","line":1,"message":"is \"acme__shop-8\", but the key is another; the record is not used"`},
		},
		{
			"a message names no place", "preds.jsonl", onePrediction + "\n" + `{"model_name_or_path": "m", "model_patch": ""}` + "\n{\"instance_id\"\n", formats.PredictionsJSONL,
			[]string{`Prediction `, `Problem {"field":"instance_id","line":2,"message":"is missing"}`, `Problem {"line":3,"message":"not valid JSON at column`},
		},
		{
			"only tables are taken, not JSON lines", "rows.jsonl", `{"instance_id": "acme__shop-7", "repo": "acme/shop", "base_commit": "abc", "problem_statement": "p"}` + "\n", formats.DatasetRows,
			[]string{`Row {"Instance":{`},
		},
	}
	for _, tt := range tests {
		t.Run(tt.name, func(t *testing.T) {
			t.Parallel()
			f, got := read(t, tt.file, []byte(tt.text))
			if f != tt.format {
				t.Errorf("read as %s, want %s", f, tt.format)
			}
			if len(got) != len(tt.want) {
				t.Fatalf("%d records, want %d: %.2000q", len(got), len(tt.want), got)
			}
			for i, w := range tt.want {
				if !strings.HasPrefix(got[i], w) && !strings.Contains(got[i], strings.TrimPrefix(w, "Vote {")) {
					t.Errorf("record %d is %.300s, want %s", i, got[i], w)
				}
			}
		})
	}
}

// One loader takes a byte order mark and its sibling refuses it: here every reader
// of text takes it, under every name, and reads the same.
func TestComplaintsKMark(t *testing.T) {
	t.Parallel()
	for _, s := range seeds(t) {
		if bytes.HasPrefix(s.bytes, []byte("PK")) || bytes.HasPrefix(s.bytes, []byte("PAR1")) || bytes.HasPrefix(s.bytes, []byte{0x1f, 0x8b}) || s.format == formats.JSONInvalid {
			continue
		}
		if bytes.HasPrefix(s.bytes, []byte("\ufeff")) {
			continue // has one already
		}
		f, want := read(t, s.path, s.bytes)
		g, got := read(t, s.path, append([]byte("\ufeff"), s.bytes...))
		if f != g {
			t.Errorf("%s/%s with a mark is taken for %s", s.format, s.path, g)
		}
		// A text file's own hash and length change with a byte more; what is read does not.
		if d := cmp.Diff(want, got); d != "" && s.format != formats.PatchFile {
			t.Errorf("%s/%s with a mark: %.1500s", s.format, s.path, d)
		}
	}
}

// Lines that end in CRLF are the lines they were, but for line breaks inside the
// cells of a table and for the columns of messages.
func TestComplaintsKLineEnds(t *testing.T) {
	t.Parallel()
	for _, s := range seeds(t) {
		trimmed := bytes.TrimLeft(s.bytes, " \t\r\n")
		table := strings.HasSuffix(string(s.format), "-csv") && s.format != formats.PredictionsCSV
		if s.format == formats.JSONInvalid || s.format == formats.InspectZip || len(trimmed) == 0 || !table && trimmed[0] != '{' && trimmed[0] != '[' {
			continue
		}
		_, want := read(t, s.path, s.bytes)
		_, got := read(t, s.path, bytes.ReplaceAll(s.bytes, []byte("\n"), []byte("\r\n")))
		for _, all := range [][]string{want, got} {
			for i := range all {
				all[i] = strings.ReplaceAll(column.ReplaceAllString(all[i], "column"), `\r\n`, `\n`)
			}
		}
		if d := cmp.Diff(want, got); d != "" {
			t.Errorf("%s/%s with CRLF: %.1500s", s.format, s.path, d)
		}
	}
}

var column = regexp.MustCompile(`column \d+`)

// A carriage return inside a cell is part of it: a patch with CRLF that came as a
// table is the patch that was submitted.
func TestComplaintsKCells(t *testing.T) {
	t.Parallel()
	patch := "diff --git a/x b/x\r\n--- a/x\r\n+++ b/x\r\n@@ -1 +1 @@\r\n-a\r\n+\"b\"\r\n"
	text := "instance_id,model_patch\r\nacme__shop-7,\"" + strings.ReplaceAll(patch, `"`, `""`) + "\"\r\n"
	_, recs := readSeed(t, formats.PredictionsCSV, seed{path: "p.csv", bytes: []byte(text)})
	if p, ok := recs[0].(*formats.Prediction); !ok || p.Patch != patch {
		t.Errorf("read %q", recs[0])
	}
	// A sloppy quote inside a cell is text.
	_, recs = readSeed(t, formats.VotesCSV, seed{path: "v.csv", bytes: []byte("instance_id,reviewer,verdict,rationale\na__b-1,r,accept,\"he said \"no\" twice\"\na__b-2,r,accept,5\" screen\n")})
	for i, want := range []string{`he said "no" twice`, `5" screen`} {
		if v, ok := recs[i].(*formats.Vote); !ok || v.Rationale != want {
			t.Errorf("read %+v, want %s", recs[i], want)
		}
	}
}

// FuzzCSV compares the reader of tables with what the writer of tables wrote.
func FuzzCSV(f *testing.F) {
	for _, s := range hostile {
		f.Add(s, "x")
	}
	f.Fuzz(func(t *testing.T, a, b string) {
		in := []export.Vote{{InstanceID: "i", Reviewer: "r", Verdict: "accept", Rationale: a, Raw: b}, {InstanceID: "i", Reviewer: "r", Verdict: "reject", Rationale: b, Problem: a}}
		b2 := exported(t, export.CSV, in)
		rep, recs := readSeed(t, formats.VotesCSV, seed{path: "votes.csv", bytes: b2})
		if len(rep.Problems) > 0 || len(recs) != 2 {
			t.Fatalf("%d records, problems %v", len(recs), rep.Problems)
		}
		va, vb := recs[0].(*formats.Vote), recs[1].(*formats.Vote)
		valid := func(s string) string { return strings.ToValidUTF8(s, "\ufffd") }
		if va.Rationale != valid(a) || va.Raw != valid(b) || vb.Rationale != valid(b) || vb.Problem != valid(a) {
			t.Errorf("%q, %q come back as %q, %q", a, b, va.Rationale, va.Raw)
		}
	})
}
