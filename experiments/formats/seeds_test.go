package formats_test

import (
	"bytes"
	"encoding/json"
	"flag"
	"fmt"
	"os"
	"path/filepath"
	"strings"
	"testing"

	"github.com/google/go-cmp/cmp"

	"plumbline/experiments/formats"
)

var update = flag.Bool("update", false, "write golden files")

// seed is one of the small files under testdata/seeds/<format>/.
type seed struct {
	format formats.Format
	path   string // inside the folder of the format
	bytes  []byte
}

func seeds(t testing.TB) []seed {
	t.Helper()
	var out []seed
	root := filepath.Join("testdata", "seeds")
	err := filepath.WalkDir(root, func(p string, e os.DirEntry, err error) error {
		if err != nil || e.IsDir() {
			return err
		}
		b, err := os.ReadFile(p)
		if err != nil {
			return err
		}
		rel := filepath.ToSlash(strings.TrimPrefix(p, root+string(filepath.Separator)))
		format, path, _ := strings.Cut(rel, "/")
		out = append(out, seed{formats.Format(format), path, b})
		return nil
	})
	if err != nil {
		t.Fatal(err)
	}
	return append(out, builtSeeds(t)...)
}

// TestSeeds sniffs and reads every small file and compares all records with the
// golden file.
func TestSeeds(t *testing.T) {
	t.Parallel()
	var b strings.Builder
	covered := map[formats.Format]bool{}
	for _, s := range seeds(t) {
		got, sure := formats.Sniff(s.path, s.bytes[:min(len(s.bytes), formats.SniffLen)])
		rep, recs := readSeed(t, got, s)
		if rep.Format != s.format {
			t.Errorf("%s/%s is taken for %q", s.format, s.path, rep.Format)
		}
		covered[s.format] = true
		fmt.Fprintf(&b, "== %s/%s (confidence %d) records %v\n", s.format, s.path, sure, deref(rep.Records))
		for _, r := range recs {
			fmt.Fprintf(&b, "%s %s\n", strings.TrimPrefix(fmt.Sprintf("%T", r), "*formats."), line(t, r))
		}
	}
	for _, f := range formats.Formats() {
		if !covered[f] {
			t.Errorf("no small file for %q", f)
		}
	}
	golden := filepath.Join("testdata", "seeds.golden")
	if *update {
		if err := os.WriteFile(golden, []byte(b.String()), 0o644); err != nil {
			t.Fatal(err)
		}
	}
	want, err := os.ReadFile(golden)
	if err != nil {
		t.Fatal(err)
	}
	if d := cmp.Diff(string(want), b.String()); d != "" {
		t.Errorf("run with -update after looking at this:\n%s", d)
	}
}

func readSeed(t testing.TB, f formats.Format, s seed) (formats.FileReport, []formats.Record) {
	t.Helper()
	var recs []formats.Record
	rep, err := formats.Read(f, bytes.NewReader(s.bytes), formats.Source{Path: s.path, Size: int64(len(s.bytes))}, func(r formats.Record) error {
		recs = append(recs, r)
		return nil
	})
	if err != nil {
		t.Errorf("%s/%s: %v", s.format, s.path, err)
	}
	return rep, recs
}

// line is a record as one line of JSON without empty fields.
func line(t *testing.T, r formats.Record) string {
	t.Helper()
	b, err := json.Marshal(r)
	if err != nil {
		t.Fatal(err)
	}
	var v any
	if err := json.Unmarshal(b, &v); err != nil {
		t.Fatal(err)
	}
	b, err = json.Marshal(prune(v))
	if err != nil {
		t.Fatal(err)
	}
	return string(b)
}

// quiet are marks that say nothing when they are not set.
var quiet = map[string]bool{"Demo": true, "Derived": true, "Shared": true, "Weak": true, "FromFile": true, "Keyless": true, "Suppressed": true, "Embedded": true, "HasTestPatch": true, "Error": true,
	"Cached": true, "Simulated": true, "NotDeployable": true}

// prune drops nulls, empty values, marks that are not set and zero times.
func prune(v any) any {
	switch t := v.(type) {
	case map[string]any:
		out := map[string]any{}
		for k, e := range t {
			if p := prune(e); p != nil && p != "" && (p != false || !quiet[k]) && p != "0001-01-01T00:00:00Z" && k != "Path" {
				out[k] = p
			}
		}
		if len(out) == 0 {
			return nil
		}
		return out
	case []any:
		if len(t) == 0 {
			return nil
		}
		for i, e := range t {
			t[i] = prune(e)
		}
	case float64:
		if t == 0 {
			return nil
		}
	case bool:
		return t
	}
	return v
}
