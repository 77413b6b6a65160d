package formats_test

import (
	"archive/zip"
	"bytes"
	"io"
	"testing"

	"github.com/klauspost/compress/zstd"
	"github.com/parquet-go/parquet-go"

	"plumbline/experiments/export"
)

// builtSeeds are the binary files, made here so that their content can be read.
func builtSeeds(t testing.TB) []seed {
	return []seed{
		{"inspect-eval-zip", "deflate.eval", inspectZip(t, zip.Deflate)},
		{"inspect-eval-zip", "zstd.eval", inspectZip(t, zstd.ZipMethodWinZip)},
		{"dataset-rows-parquet", "rows.parquet", parquetFile(t)},
		{"votes-parquet", "votes.parquet", exported(t, export.Parquet, sampleVotes())},
		{"decisions-parquet", "decisions.parquet", exported(t, export.Parquet, sampleDecisions())},
	}
}

// inspectZip is a log with a whole sample, a chunked sample and a broken one, of a
// run that was killed before the header.
func inspectZip(t testing.TB, method uint16) []byte {
	t.Helper()
	var b bytes.Buffer
	z := zip.NewWriter(&b)
	z.RegisterCompressor(zstd.ZipMethodWinZip, func(w io.Writer) (io.WriteCloser, error) { return zstd.NewWriter(w) })
	for _, f := range []struct{ name, text string }{
		{"_journal/start.json", `{"version": 2, "eval": {"task": "review", "model": "m"}}`},
		{"samples/acme__shop-7_epoch_1.json", `{"id": "acme__shop-7", "epoch": 1, "messages": [{"role": "assistant", "content": "Done."}], "scores": {"verdict": {"value": "accept"}}, "total_time": NaN}`},
		{"samples/acme__shop-8_epoch_2/sample.json", `{"id": "acme__shop-8", "epoch": 2, "output": {"completion": "attachment://ab12"}}`},
		{"samples/acme__shop-8_epoch_2/messages/10.json", `[{"role": "tool", "tool_call_id": "c", "content": "a.py"}]`},
		{"samples/acme__shop-8_epoch_2/messages/0.json", `[{"role": "user", "content": "u"}, {"role": "assistant", "content": "", "tool_calls": [{"id": "c", "function": "bash", "arguments": {"command": "ls"}}]}]`},
		{"samples/acme__shop-8_epoch_2/attachments/ab12.json", `"The end."`},
		{"samples/acme__shop-9_epoch_1.json", `{"id": "acme__shop-9", "ep`},
	} {
		w, err := z.CreateHeader(&zip.FileHeader{Name: f.name, Method: method})
		if err != nil {
			t.Fatal(err)
		}
		if _, err := io.WriteString(w, f.text); err != nil {
			t.Fatal(err)
		}
	}
	if err := z.Close(); err != nil {
		t.Fatal(err)
	}
	return b.Bytes()
}

// parquetRow has FAIL_TO_PASS as text and PASS_TO_PASS as a list, as the sets do.
type parquetRow struct {
	ID     string   `parquet:"instance_id"`
	Repo   string   `parquet:"repo"`
	Base   string   `parquet:"base_commit"`
	Issue  *string  `parquet:"problem_statement,optional"`
	F2P    string   `parquet:"FAIL_TO_PASS"`
	P2P    []string `parquet:"PASS_TO_PASS,list"`
	Number int64    `parquet:"number"`
}

func parquetFile(t testing.TB, options ...parquet.WriterOption) []byte {
	t.Helper()
	var b bytes.Buffer
	issue := "Total of nothing fails"
	w := parquet.NewGenericWriter[parquetRow](&b, options...)
	if _, err := w.Write([]parquetRow{
		{"acme__shop-7", "acme/shop", "abc", &issue, `["t.py::test_a[x, y]"]`, []string{"t.py::b", "t.py::c"}, 7},
		{"acme__shop-8", "acme/shop", "def", nil, `[]`, nil, 8},
		{"", "acme/shop", "def", nil, ``, nil, 9},
	}); err != nil {
		t.Fatal(err)
	}
	if err := w.Close(); err != nil {
		t.Fatal(err)
	}
	return b.Bytes()
}
