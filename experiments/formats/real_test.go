package formats_test

import (
	"bytes"
	"compress/gzip"
	"encoding/json"
	"io"
	"os"
	"path/filepath"
	"slices"
	"strings"
	"testing"

	"plumbline/experiments/formats"
	"plumbline/runner/published"
)

// realFolder finds the published files that the readers are measured on.
func realFolder(t *testing.T) string { return published.Folder(t) }

type expectedFile struct {
	Path     string           `json:"path"`
	Format   string           `json:"format"`
	Records  *int             `json:"records"`
	BadLines [][]any          `json:"bad_lines"`
	Facts    json.RawMessage  `json:"facts"`
	Per      []expectedRecord `json:"-"`
	RawPer   json.RawMessage  `json:"per_record"`
	Resolved []string         `json:"resolved_ids"`
}

type expectedPatch struct {
	State   *string  `json:"patch_state"`
	Chars   int      `json:"patch_chars"`
	SHA256  string   `json:"patch_sha256"`
	Files   []string `json:"patch_files"`
	Added   *int     `json:"patch_added"`
	Removed *int     `json:"patch_removed"`
	Kinds   []string `json:"patch_kinds"`
}

type expectedRecord struct {
	expectedPatch
	At         any     `json:"at"`
	InstanceID *string `json:"instance_id"`
	Model      *string `json:"model"`
}

type expectedTrace struct {
	expectedPatch
	ID             string   `json:"id"`
	Agent          string   `json:"agent"`
	Model          *string  `json:"model"`
	InstanceID     string   `json:"instance_id"`
	Repo           *string  `json:"repo"`
	Base           *string  `json:"base_commit"`
	Trajectory     *string  `json:"trajectory"`
	Prediction     *string  `json:"prediction"`
	PatchFile      *string  `json:"patch_file"`
	Resolved       *bool    `json:"resolved"`
	ResolvedSource *string  `json:"resolved_source"`
	Steps          *int     `json:"steps"`
	Cost           *float64 `json:"cost_usd"`
	InputTokens    *int64   `json:"input_tokens"`
	OutputTokens   *int64   `json:"output_tokens"`
	Status         *string  `json:"status"`
	ExitStatus     *string  `json:"exit_status"`
}

type readFile struct {
	report  formats.FileReport
	records []formats.Record
}

// readReal reads every file below folder that keep accepts.
func readReal(t *testing.T, folder string, keep func(string) bool) (map[string]readFile, formats.Joined) {
	t.Helper()
	out := map[string]readFile{}
	j := formats.NewJoiner(formats.Options{KeepSummaries: true})
	err := filepath.WalkDir(folder, func(p string, e os.DirEntry, err error) error {
		if err != nil || e.IsDir() {
			return err
		}
		rel, err := filepath.Rel(folder, p)
		switch filepath.Base(p) {
		case "SOURCE.md", "README.md", "expected.json":
			return nil
		}
		if err != nil || !keep(rel) {
			return err
		}
		rf, err := readOne(p, filepath.ToSlash(rel), j)
		if err != nil {
			t.Errorf("%s: %v", rel, err)
		}
		out[filepath.ToSlash(rel)] = rf
		return nil
	})
	if err != nil {
		t.Fatal(err)
	}
	return out, j.Finish()
}

func readOne(p, rel string, j *formats.Joiner) (readFile, error) {
	f, err := os.Open(p)
	if err != nil {
		return readFile{}, err
	}
	defer f.Close()
	info, err := f.Stat()
	if err != nil {
		return readFile{}, err
	}
	var in io.ReadSeeker = f
	src := formats.Source{Path: rel, Size: info.Size()}
	if strings.HasSuffix(p, ".gz") {
		z, err := gzip.NewReader(f)
		if err != nil {
			return readFile{}, err
		}
		b, err := io.ReadAll(z)
		if err != nil {
			return readFile{}, err
		}
		in, src.Size = bytes.NewReader(b), int64(len(b))
	}
	head := make([]byte, formats.SniffLen)
	n, _ := io.ReadFull(in, head) // a short file ends early
	if _, err := in.Seek(0, io.SeekStart); err != nil {
		return readFile{}, err
	}
	format, _ := formats.Sniff(rel, head[:n])
	var rf readFile
	rf.report, err = formats.Read(format, in, src, func(r formats.Record) error {
		if _, ok := r.(*formats.Step); !ok {
			rf.records = append(rf.records, r)
		}
		return j.Add(r)
	})
	j.File(rf.report)
	return rf, err
}

func loadExpected(t *testing.T, folder string) (files []expectedFile, traces []expectedTrace) {
	t.Helper()
	b, err := os.ReadFile(filepath.Join(folder, "expected.json"))
	if err != nil {
		t.Fatal(err)
	}
	var e struct {
		Files  []expectedFile  `json:"files"`
		Traces []expectedTrace `json:"traces"`
	}
	if err := json.Unmarshal(b, &e); err != nil {
		t.Fatal(err)
	}
	for i, f := range e.Files {
		if f.RawPer == nil || f.Format == "dataset-rows" || f.Format == "patch-candidates" {
			continue
		}
		if err := json.Unmarshal(f.RawPer, &e.Files[i].Per); err != nil {
			t.Fatal(f.Path, err)
		}
	}
	return e.Files, e.Traces
}

// mainPath are the folders of the main path, read without a difference.
var mainPath = []string{"sweagent-2024-verified/", "claude-code-vexp/", "mini-swe-agent-1x/", "datasets/"}

// TestMainPathFolders wants every stated fact of the main folders.
func TestMainPathFolders(t *testing.T) {
	t.Parallel()
	folder := realFolder(t)
	files, traces := loadExpected(t, folder)
	in := func(p string) bool {
		return slices.ContainsFunc(mainPath, func(m string) bool { return strings.HasPrefix(p, m) })
	}
	read, joined := readReal(t, folder, in)
	for _, e := range files {
		if in(e.Path) {
			for _, d := range compareFile(e, read[e.Path]) {
				t.Errorf("%s: %s", e.Path, d)
			}
		}
	}
	n := 0
	for _, e := range traces {
		if in(e.where()) {
			n++
			for _, d := range compareTrace(e, findAttempt(e, joined.Attempts)) {
				t.Errorf("%s: %s", e.ID, d)
			}
		}
	}
	if n != 155 {
		t.Errorf("%d attempts compared, want 155", n)
	}
}
