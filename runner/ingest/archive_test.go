package ingest_test

import (
	"archive/tar"
	"archive/zip"
	"bytes"
	"compress/gzip"
	"fmt"
	"io/fs"
	"slices"
	"strings"
	"testing"

	"github.com/google/go-cmp/cmp"
	"github.com/klauspost/compress/zstd"

	"plumbline/models"
	"plumbline/runner/ingest"
)

// member is an entry of an archive made for a test.
type member struct {
	name, text string
	mode       fs.FileMode
}

func zipped(t testing.TB, members ...member) string {
	t.Helper()
	var b bytes.Buffer
	w := zip.NewWriter(&b)
	for _, m := range members {
		h := &zip.FileHeader{Name: m.name, Method: zip.Deflate}
		h.SetMode(m.mode | 0o644)
		e, err := w.CreateHeader(h)
		if err == nil {
			_, err = e.Write([]byte(m.text))
		}
		if err != nil {
			t.Fatal(err)
		}
	}
	if err := w.Close(); err != nil {
		t.Fatal(err)
	}
	return b.String()
}

func tarred(t testing.TB, members ...member) string {
	t.Helper()
	var b bytes.Buffer
	w := tar.NewWriter(&b)
	for _, m := range members {
		h := &tar.Header{Name: m.name, Mode: 0o644, Size: int64(len(m.text)), Typeflag: tar.TypeReg}
		if m.mode&fs.ModeSymlink != 0 {
			h.Typeflag, h.Linkname, h.Size = tar.TypeSymlink, m.text, 0
		}
		err := w.WriteHeader(h)
		if err == nil && h.Size > 0 {
			_, err = w.Write([]byte(m.text))
		}
		if err != nil {
			t.Fatal(err)
		}
	}
	if err := w.Close(); err != nil {
		t.Fatal(err)
	}
	return b.String()
}

func gzipped(t testing.TB, text string) string {
	t.Helper()
	var b bytes.Buffer
	w := gzip.NewWriter(&b)
	if _, err := w.Write([]byte(text)); err != nil {
		t.Fatal(err)
	}
	if err := w.Close(); err != nil {
		t.Fatal(err)
	}
	return b.String()
}

func zstded(t testing.TB, text string) string {
	t.Helper()
	var b bytes.Buffer
	w, err := zstd.NewWriter(&b)
	if err == nil {
		_, err = w.Write([]byte(text))
	}
	if err == nil {
		err = w.Close()
	}
	if err != nil {
		t.Fatal(err)
	}
	return b.String()
}

// A run is read alike as a folder, in any archive, compressed, and in an archive
// inside a folder; reports in it find their attempts.
func TestArchivesAreFolders(t *testing.T) {
	t.Parallel()
	preds := pred(t, "acme__shop-1", "new") + pred(t, "acme__shop-2", "other")
	members := []member{
		{name: "preds.jsonl", text: preds},
		{name: "logs/acme__shop-1/report.json", text: report("acme__shop-1", true)},
		{name: "logs/acme__shop-2/report.json", text: report("acme__shop-2", false)},
	}
	inner := []member{{name: "acme__shop-1/report.json", text: members[1].text}, {name: "acme__shop-2/report.json", text: members[2].text}}
	folder := tree{}
	for _, m := range members {
		folder[m.name] = m.text
	}
	tests := map[string]tree{
		"folder":          folder,
		"zip":             {"run.zip": zipped(t, members...)},
		"tar":             {"run.tar": tarred(t, members...)},
		"tar.gz":          {"run.tar.gz": gzipped(t, tarred(t, members...))},
		"tgz":             {"run.tgz": gzipped(t, tarred(t, members...))},
		"tar.zst":         {"run.tar.zst": zstded(t, tarred(t, members...))},
		"no telling name": {"run": gzipped(t, tarred(t, members...))},
		"beside":          {"preds.jsonl": preds, "logs.zip": zipped(t, inner...)},
		"beside, gz":      {"preds.jsonl.gz": gzipped(t, preds), "logs.tar.gz": gzipped(t, tarred(t, inner...))},
		"beside, zst":     {"preds.jsonl.zst": zstded(t, preds), "logs.tar": tarred(t, inner...)},
		"nested":          {"run.zip": zipped(t, member{name: "preds.jsonl.gz", text: gzipped(t, preds)}, member{name: "logs.tar.gz", text: gzipped(t, tarred(t, inner...))})},
		"zip in a tar":    {"run.tar": tarred(t, member{name: "preds.jsonl", text: preds}, member{name: "logs.zip", text: zipped(t, inner...)})},
		"name is taken":   {"preds.jsonl": preds, "logs/readme.txt": "x", "logs.zip": zipped(t, inner...)},
	}
	all := sqlite(t)
	for name, files := range tests {
		t.Run(name, func(t *testing.T) {
			b := all.into(t, name)
			sum := b.load(t, ingest.Options{}, files.write(t))
			got := []string{}
			for _, r := range b.traces(t) {
				got = append(got, fmt.Sprintf("%s %s %s", r.InstanceID, r.Agent, r.Label))
			}
			slices.Sort(got)
			if d := cmp.Diff([]string{"acme__shop-1 bot acceptable", "acme__shop-2 bot defective"}, got); d != "" {
				t.Error(d)
			}
			if len(problems(sum)) > 0 {
				t.Error(problems(sum))
			}
			b.wholeTexts(t, b.traces(t))
		})
	}
}

// What an archive may not hold is refused with a reason; the rest is read.
func TestRefusedMembers(t *testing.T) {
	t.Parallel()
	good := member{name: "preds.jsonl", text: pred(t, "acme__shop-1", "new")}
	evil := pred(t, "acme__shop-666", "new")
	pack := map[string]func(testing.TB, ...member) string{"a.zip": zipped, "a.tar": tarred}
	tests := []struct {
		name string
		bad  member
		want string
	}{
		{"leads out", member{name: "../../evil.jsonl", text: evil}, "leads out"},
		{"leads out inside", member{name: "x/../../evil.jsonl", text: evil}, "leads out"},
		{"absolute", member{name: "/etc/evil.jsonl", text: evil}, "absolute"},
		{"drive", member{name: `C:\evil.jsonl`, text: evil}, "absolute"},
		{"backslashes", member{name: `..\evil.jsonl`, text: evil}, "leads out"},
		{"link", member{name: "evil.jsonl", text: "/etc/passwd", mode: fs.ModeSymlink}, "link"},
		{"case", member{name: "Preds.jsonl", text: evil}, "upper and lower case"},
		{"twice", member{name: "preds.jsonl", text: evil}, "twice"},
	}
	all := sqlite(t)
	for _, tt := range tests {
		for file, pack := range pack {
			t.Run(tt.name+" "+file, func(t *testing.T) {
				b := all.into(t, tt.name+file)
				// The good one comes first in a tar and in a zip, where names are sorted, except for capitals.
				members := []member{good, tt.bad}
				sum := b.load(t, ingest.Options{}, tree{file: pack(t, members...), "other.jsonl": pred(t, "acme__shop-2", "new")}.write(t))
				rows := b.traces(t)
				if tt.name == "case" && file == "a.zip" {
					if len(rows) != 2 {
						t.Errorf("%d traces, want the first of the two names and the other file", len(rows))
					}
				} else if len(rows) != 2 || slices.ContainsFunc(rows, func(r models.TraceRow) bool { return strings.HasSuffix(r.InstanceID, "666") }) {
					t.Errorf("stored: %+v", rows)
				}
				all := fmt.Sprint(problems(sum))
				if sum.Read.Problems != 1 || !strings.Contains(all, tt.want) {
					t.Errorf("problems %s, want one with %q", all, tt.want)
				}
			})
		}
	}
}

// Something that grows without end is refused; the files beside it are read.
func TestCompressionBombs(t *testing.T) {
	t.Parallel()
	zeros := strings.Repeat("\x00", 80<<20)
	nested := zipped(t, member{name: "in.zip", text: zipped(t, member{name: "in.zip", text: zipped(t, member{name: "preds.jsonl", text: pred(t, "acme__shop-666", "x")})})})
	tests := []struct{ name, file, content, want string }{
		{"gzip", "bomb.jsonl.gz", gzipped(t, zeros), "compression bomb"},
		{"zip", "bomb.zip", zipped(t, member{name: "a.jsonl", text: zeros}), "compression bomb"},
		{"zip of many", "bomb.zip", zipped(t, member{name: "a.txt", text: zeros[:40<<20]}, member{name: "b.txt", text: zeros[:40<<20]}), "compression bomb"},
		{"tar.gz", "bomb.tar.gz", gzipped(t, tarred(t, member{name: "a.jsonl", text: zeros})), "compression bomb"},
		{"zst", "bomb.jsonl.zst", zstded(t, zeros), "compression bomb"},
		{"three deep", "bomb.zip", nested, "archive in an archive in an archive"},
		{"gzip in gzip in gzip", "bomb.gz", gzipped(t, gzipped(t, gzipped(t, "x"))), "times over"},
	}
	all := sqlite(t)
	for _, tt := range tests {
		t.Run(tt.name, func(t *testing.T) {
			b := all.into(t, tt.name)
			sum := b.load(t, ingest.Options{}, tree{tt.file: tt.content, "preds.jsonl": pred(t, "acme__shop-1", "new")}.write(t))
			if rows := b.traces(t); len(rows) != 1 || rows[0].InstanceID != "acme__shop-1" {
				t.Errorf("stored: %+v", rows)
			}
			if all := fmt.Sprint(problems(sum)); !strings.Contains(all, tt.want) {
				t.Errorf("problems %s, want one with %q", all, tt.want)
			}
		})
	}
}
