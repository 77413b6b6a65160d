package ingest_test

import (
	"bufio"
	"context"
	"fmt"
	"io"
	"math/rand/v2"
	"os"
	"os/exec"
	"path/filepath"
	"runtime/debug"
	"strconv"
	"strings"
	"testing"

	"plumbline/models/modelstest"
	"plumbline/runner/ingest"
)

// Variables of the re-executed test binary: what it imports, and into which
// database; a new one if none is named.
const (
	childEnv    = "PLUMBLINE_INGEST_CHILD"
	childInto   = "PLUMBLINE_INGEST_INTO"
	childMemory = 220 << 20 // as the import command sets it
)

// child is this test binary about to import a path.
func child(t testing.TB, path, into string) *exec.Cmd {
	t.Helper()
	self, err := os.Executable()
	if err != nil {
		t.Fatal(err)
	}
	cmd := exec.Command(self, "-test.run", "^TestImportChild$", "-test.v")
	cmd.Env = append(os.Environ(), childEnv+"="+path, childInto+"="+into)
	return cmd
}

// writePredictions writes lines of predictions until they are bytes long.
func writePredictions(t testing.TB, path string, bytes, line int64) {
	t.Helper()
	f, err := os.Create(path)
	if err != nil {
		t.Fatal(err)
	}
	w := bufio.NewWriterSize(f, 1<<20)
	rng := rand.New(rand.NewPCG(1, uint64(line)))
	for n, at := int64(0), 0; n < bytes; at++ {
		k, err := fmt.Fprintf(w, `{"instance_id": "org__repo-%d", "model_name_or_path": "agent", "model_patch": "diff --git a/x.py b/x.py\n--- a/x.py\n+++ b/x.py\n@@ -1,0 +1,99 @@\n`, at)
		for n += int64(k); err == nil && int64(k) < line; {
			var j int
			j, err = fmt.Fprintf(w, `+    value_%d = compute(\"%x\", %d)\n`, rng.IntN(1000), rng.Uint64(), rng.IntN(100))
			k += j
			n += int64(j)
		}
		if err == nil {
			k, err = io.WriteString(w, "\"}\n")
			n += int64(k)
		}
		if err != nil {
			t.Fatal(err)
		}
	}
	if err := w.Flush(); err != nil {
		t.Fatal(err)
	}
	if err := f.Close(); err != nil {
		t.Fatal(err)
	}
}

// peakOf imports a file in a process of its own and returns its peak memory in MiB
// and what it printed.
func peakOf(t testing.TB, path string) (int, string) {
	t.Helper()
	out, err := child(t, path, "").CombinedOutput()
	if err != nil {
		t.Fatalf("%v: %s", err, out)
	}
	_, rest, ok := strings.Cut(string(out), "peak kB: ")
	if !ok {
		modelstest.Need(t, "this system does not tell the peak memory of a process")
	}
	kb, err := strconv.Atoi(strings.Fields(rest)[0])
	if err != nil {
		t.Fatal(err)
	}
	return kb >> 10, string(out)
}

// TestImportChild is the process of its own.
func TestImportChild(t *testing.T) {
	path := os.Getenv(childEnv)
	if path == "" {
		t.Skip("runs as the child of another test")
	}
	debug.SetMemoryLimit(childMemory)
	into := os.Getenv(childInto)
	if into == "" {
		into = filepath.Join(t.TempDir(), "plumbline.db")
	}
	b := newBench(t, modelstest.Open(t, into))
	rep, _, err := b.ingest.Import(context.Background(), admin, b.dataset.ID, []string{path}, ingest.Options{Progress: func(p ingest.Progress) {
		fmt.Println(p.Phase, p.Bytes)
	}})
	if err != nil {
		t.Fatal(err)
	}
	fmt.Println(rep.Message)
	status, err := os.ReadFile("/proc/self/status")
	if err != nil {
		return
	}
	for line := range strings.Lines(string(status)) {
		if rest, ok := strings.CutPrefix(line, "VmHWM:"); ok {
			fmt.Println("peak kB:", strings.Fields(rest)[0])
		}
	}
}

// An import needs little memory, whatever the size of the file and of its lines: here
// of 50,000 short ones, of 10,000 usual ones, and of one of 100 MB.
func TestMemory(t *testing.T) {
	if testing.Short() {
		t.Skip("imports files of 100 MB")
	}
	tests := []struct {
		name        string
		bytes, line int64
		mib         int
	}{
		{"lines of 1 kB", 50 << 20, 1 << 10, 128},
		{"lines of 10 kB", 100 << 20, 10 << 10, 128},
		{"a line of 100 MB", 1, 100 << 20, 450},
	}
	for _, tt := range tests {
		t.Run(tt.name, func(t *testing.T) {
			path := filepath.Join(t.TempDir(), "preds.jsonl")
			writePredictions(t, path, tt.bytes, tt.line)
			peak, out := peakOf(t, path)
			t.Logf("peak %d MiB", peak)
			if peak > tt.mib {
				t.Errorf("the import took %d MiB, want at most %d: %s", peak, tt.mib, out)
			}
		})
	}
}
