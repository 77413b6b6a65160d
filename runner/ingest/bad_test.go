package ingest_test

import (
	"encoding/json"
	"fmt"
	"math/rand/v2"
	"os"
	"os/exec"
	"path/filepath"
	"slices"
	"strings"
	"syscall"
	"testing"

	"github.com/google/go-cmp/cmp"

	"plumbline/models"
	"plumbline/models/modelstest"
	"plumbline/runner/ingest"
)

// A bad file is a line of the report with file, line and field; what is good in it,
// and beside it, is imported.
func TestBadFiles(t *testing.T) {
	t.Parallel()
	one, two := pred(t, "acme__shop-1", "new"), pred(t, "acme__shop-2", "new")
	long := strings.Repeat("x", 5<<20)
	whole := gzipped(t, one+two+pred(t, "acme__shop-3", noise(100_000)))
	tests := []struct {
		name     string
		files    tree
		want     []string // instances with a trace, beside the one in good.jsonl
		problems []string // parts of the messages, in order; with file, line and field
		check    func(t *testing.T, b bench, rows []models.TraceRow)
	}{
		{name: "unknown", files: tree{"notes.txt": "To whom it may concern", "image.png": "\x89PNG\r\n\x1a\n\x00\x00"}},
		{name: "empty", files: tree{"preds.jsonl": ""}},
		{
			name: "broken in the middle", files: tree{"preds.jsonl": one + `{"instance_id": "acme__shop-9", "model_patch": "diff` + "\n" + two},
			want: []string{"acme__shop-1", "acme__shop-2"}, problems: []string{"preds.jsonl line 2: not valid JSON at column"},
		},
		{
			name: "broken array", files: tree{"preds.json": "[" + strings.TrimSpace(one) + "," + `{"instance_id": }` + "]"},
			want: []string{"acme__shop-1"}, problems: []string{"preds.json line 1: not valid JSON at column"},
		},
		{
			name: "a field is missing", files: tree{"preds.jsonl": one + line(t, obj{"model_name_or_path": "bot", "model_patch": ""})},
			want: []string{"acme__shop-1"}, problems: []string{"preds.jsonl line 2, instance_id: is missing"},
		},
		{name: "byte order mark", files: tree{"preds.jsonl": "\ufeff" + one + two}, want: []string{"acme__shop-1", "acme__shop-2"}},
		{
			name: "CRLF and blank lines", files: tree{"preds.jsonl": strings.ReplaceAll(one+"\n"+two, "\n", "\r\n")},
			want: []string{"acme__shop-1", "acme__shop-2"},
		},
		{name: "no last line break", files: tree{"preds.jsonl": strings.TrimSpace(one + two)}, want: []string{"acme__shop-1", "acme__shop-2"}},
		{
			name: "truncated gzip", files: tree{"preds.jsonl.gz": whole[:len(whole)/2]},
			want: []string{"acme__shop-1", "acme__shop-2"}, problems: []string{"preds.jsonl.gz: the compressed data ends early"},
		},
		{name: "no gzip", files: tree{"preds.jsonl.gz": "\x1f\x8b garbage"}, problems: []string{"preds.jsonl.gz: not readable as gzip"}},
		{name: "no zip", files: tree{"preds.zip": "PK\x03\x04 garbage"}, problems: []string{"preds.zip: not readable as zip"}},
		{name: "other compression", files: tree{"preds.tar.xz": "\xfd7zXZ\x00 and so on"}, problems: []string{"preds.tar.xz: this compression is not read"}},
		{
			name:     "LFS pointer",
			files:    tree{"acme__shop-1.traj.json": "version https://git-lfs.github.com/spec/v1\noid sha256:4d7a214614ab2935c943f9e0ff69d22eadbb8f32b1258daaa5e2ca24d17e2393\nsize 12345\n"},
			problems: []string{"acme__shop-1.traj.json line 1: a Git LFS pointer, not the file itself; fetch the file with git lfs pull"},
		},
		{
			name: "a patch line of 5 MB", files: tree{"preds.jsonl": pred(t, "acme__shop-1", long)}, want: []string{"acme__shop-1"},
			check: func(t *testing.T, b bench, rows []models.TraceRow) {
				if got := b.patch(t, rows[0]); !strings.Contains(got, long) || rows[0].PatchBytes < 5<<20 {
					t.Errorf("%d bytes are stored, %d said", len(got), rows[0].PatchBytes)
				}
			},
		},
		{
			name: "NUL", files: tree{"preds.jsonl": pred(t, "acme__shop-1", "a\x00b")}, want: []string{"acme__shop-1"},
			check: func(t *testing.T, b bench, rows []models.TraceRow) {
				if got := b.patch(t, rows[0]); !strings.Contains(got, "+a\ufffdb") {
					t.Errorf("stored as %q", got)
				}
			},
		},
		{
			name: "invalid UTF-8", files: tree{"preds.jsonl": strings.ReplaceAll(pred(t, "acme__shop-1", "aXXb"), "XX", "\xff\xfe")}, want: []string{"acme__shop-1"},
			check: func(t *testing.T, b bench, rows []models.TraceRow) {
				if got := b.patch(t, rows[0]); !strings.Contains(got, "+a\ufffd") || !strings.Contains(got, "b\n") {
					t.Errorf("stored as %q", got)
				}
			},
		},
		{
			name: "lone surrogate", files: tree{"preds.jsonl": strings.ReplaceAll(pred(t, "acme__shop-1", "aXXb"), "XX", `\ud800`)}, want: []string{"acme__shop-1"},
			check: func(t *testing.T, b bench, rows []models.TraceRow) {
				if got := b.patch(t, rows[0]); !strings.Contains(got, "+a\ufffdb") {
					t.Errorf("stored as %q", got)
				}
			},
		},
	}
	modelstest.Each(t, func(t *testing.T, s *models.Store) {
		all := newBench(t, s)
		for _, tt := range tests {
			t.Run(tt.name, func(t *testing.T) {
				b := all.into(t, tt.name)
				tt.files["good.jsonl"] = pred(t, "acme__shop-0", "new")
				sum := b.load(t, ingest.Options{}, tt.files.write(t))
				rows := b.traces(t)
				var got []string
				for _, r := range rows {
					if r.InstanceID != "acme__shop-0" {
						got = append(got, r.InstanceID)
					}
				}
				slices.Sort(got)
				if d := cmp.Diff(tt.want, got); d != "" {
					t.Error(d)
				}
				if len(rows) != len(got)+1 {
					t.Error("the good file beside it was not imported")
				}
				said := messages(sum)
				if len(said) != len(tt.problems) || sum.Read.Problems != len(tt.problems) {
					t.Fatalf("problems %q, want %q", said, tt.problems)
				}
				for i, want := range tt.problems {
					if !strings.Contains(said[i], want) {
						t.Errorf("problem %q, want %q", said[i], want)
					}
				}
				if tt.check != nil {
					tt.check(t, b, slices.DeleteFunc(rows, func(r models.TraceRow) bool { return r.InstanceID == "acme__shop-0" }))
				}
			})
		}
	})
}

// noise is text that does not compress much.
func noise(n int) string {
	rng := rand.New(rand.NewPCG(1, 2))
	var b strings.Builder
	for b.Len() < n {
		fmt.Fprintf(&b, "%x", rng.Uint64())
	}
	return b.String()
}

// messages are the problems as they are shown: file, line, field, reason.
func messages(sum ingest.Summary) []string {
	var out []string
	for _, f := range sum.Files {
		for _, p := range f.Problems {
			p.Path = f.Path
			out = append(out, p.Error())
		}
	}
	return out
}

// A file, a folder and an archive that may not be opened are problems of
// themselves. Permissions mean nothing to root, so root tries as nobody.
func TestMissingPermission(t *testing.T) {
	const childDir = "PLUMBLINE_INGEST_LOCKED"
	if dir := os.Getenv(childDir); dir != "" {
		res, err := ingest.New(ingest.Config{}).DryRun(t.Context(), []string{dir}, ingest.Options{})
		if err != nil {
			t.Fatal(err)
		}
		out, err := json.Marshal(res)
		if err != nil {
			t.Fatal(err)
		}
		fmt.Printf("read: %s\n", out)
		return
	}
	dir := tree{"good.jsonl": pred(t, "acme__shop-0", "new"), "locked.jsonl": "x", "closed/preds.jsonl": "x"}.write(t)
	for p := dir; p != filepath.Dir(os.TempDir()) && len(p) > 1; p = filepath.Dir(p) {
		if info, err := os.Stat(p); err == nil && info.Mode().Perm()&0o001 == 0 {
			if err := os.Chmod(p, 0o755); err != nil {
				t.Fatal(err)
			}
		}
	}
	for _, name := range []string{"locked.jsonl", "closed"} {
		full := filepath.Join(dir, name)
		if err := os.Chmod(full, 0); err != nil {
			t.Fatal(err)
		}
		t.Cleanup(func() { _ = os.Chmod(full, 0o700) }) // so that the folder can be removed
	}
	self, err := os.Executable()
	if err != nil {
		t.Fatal(err)
	}
	cmd := exec.Command(self, "-test.run", "^TestMissingPermission$")
	cmd.Env, cmd.Dir = append(os.Environ(), childDir+"="+dir), dir
	if os.Getuid() == 0 {
		raw, err := os.ReadFile(self) // nobody may not enter the folder it lies in
		if cmd.Path = filepath.Join(dir, "..", "child.test"); err == nil {
			err = os.WriteFile(cmd.Path, raw, 0o755)
		}
		if err != nil {
			t.Fatal(err)
		}
		cmd.SysProcAttr = &syscall.SysProcAttr{Credential: &syscall.Credential{Uid: 65534, Gid: 65534}}
	}
	out, err := cmd.CombinedOutput()
	if err != nil {
		t.Fatalf("%v: %s", err, out)
	}
	for _, want := range []string{
		`"path":"closed","format":"","records":null,"problems":[{"line":null,"field":null,"message":"may not be read: the permission is missing"}]`,
		`"path":"locked.jsonl","format":"","records":null,"problems":[{"line":null,"field":null,"message":"may not be read: the permission is missing"}]`,
		`"instance_id":"acme__shop-0"`,
	} {
		if !strings.Contains(string(out), want) {
			t.Errorf("%s\nholds no %s", out, want)
		}
	}
}

// A link is named and not followed.
func TestLinksAreNotFollowed(t *testing.T) {
	t.Parallel()
	outside := tree{"secret.jsonl": pred(t, "acme__shop-666", "x")}.write(t)
	dir := tree{"good.jsonl": pred(t, "acme__shop-0", "new")}.write(t)
	if err := os.Symlink(filepath.Join(outside, "secret.jsonl"), filepath.Join(dir, "link.jsonl")); err != nil {
		t.Fatal(err)
	}
	b := sqlite(t)
	sum := b.load(t, ingest.Options{}, dir)
	if rows := b.traces(t); len(rows) != 1 {
		t.Errorf("%d traces, want 1", len(rows))
	}
	if said := messages(sum); len(said) != 1 || !strings.Contains(said[0], "link.jsonl: is a link") {
		t.Errorf("problems %q", said)
	}
	// What the user names is read, by whatever name.
	if sum := b.load(t, ingest.Options{}, filepath.Join(dir, "link.jsonl")); len(sum.Read.ProblemsInRecord) > 0 || len(b.traces(t)) != 2 {
		t.Errorf("a link that was named: %+v", sum.Read)
	}
}
