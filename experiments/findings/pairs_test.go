package findings_test

import (
	"bytes"
	"encoding/json"
	"io/fs"
	"os"
	"path/filepath"
	"slices"
	"strings"
	"testing"

	"github.com/google/go-cmp/cmp"

	"plumbline/experiments/findings"
	"plumbline/experiments/formats"
	"plumbline/experiments/patch"
	"plumbline/experiments/stats"
)

// realFolder finds the published files that the table is computed from.
func realFolder(t *testing.T) string {
	t.Helper()
	root := os.Getenv("PLUMBLINE_SHARED")
	if root == "" {
		dir, err := os.Getwd()
		if err != nil {
			t.Fatal(err)
		}
		for {
			if _, err := os.Stat(filepath.Join(dir, "go.mod")); err == nil {
				break
			}
			if filepath.Dir(dir) == dir {
				t.Fatal("no go.mod above the test")
			}
			dir = filepath.Dir(dir)
		}
		root = filepath.Join(dir, "..", "shared")
	}
	folder := filepath.Join(root, "data", "real")
	if _, err := os.Stat(filepath.Join(folder, "static-pairs", "index.json")); err != nil {
		why := "published files are missing: " + err.Error()
		if os.Getenv("PLUMBLINE_TEST_REQUIRE") == "all" {
			t.Fatal(why)
		}
		t.Skip(why)
	}
	return folder
}

type pair struct {
	Dir            string   `json:"dir"`
	InstanceID     string   `json:"instance_id"`
	PredictionFile string   `json:"prediction_file"`
	New            []string `json:"pyflakes_new"`
	Gone           []string `json:"pyflakes_gone"`
}

func pairs(t *testing.T, folder string) []pair {
	t.Helper()
	raw, err := os.ReadFile(filepath.Join(folder, "static-pairs", "index.json"))
	if err != nil {
		t.Fatal(err)
	}
	var all []pair
	if err := json.Unmarshal(raw, &all); err != nil {
		t.Fatal(err)
	}
	return all
}

var outputs = []struct {
	suffix, tool string
	format       findings.Format
}{
	{"pyflakes.txt", "pyflakes", findings.Pyflakes}, {"flake8.txt", "flake8", findings.Flake8}, {"pylint.json", "pylint", findings.PylintJSON},
}

func attribute(t *testing.T, dir, suffix, tool string, f findings.Format) findings.Attribution {
	t.Helper()
	side := func(name string) []findings.Finding {
		file, err := os.Open(filepath.Join(dir, name+"."+suffix))
		if err != nil {
			t.Fatal(err)
		}
		defer file.Close()
		list, err := findings.Read(f, file, tool, "")
		if err != nil {
			t.Fatalf("%s %s: %v", dir, name, err)
		}
		return list
	}
	raw, err := os.ReadFile(filepath.Join(dir, "patch.diff"))
	if err != nil {
		t.Fatal(err)
	}
	return findings.Caused(side("base"), side("patched"), patch.Parse(string(raw)))
}

func words(list []findings.Finding) []string {
	var out []string
	for _, f := range list {
		out = append(out, f.File+": "+f.Message)
	}
	slices.Sort(out)
	return out
}

// What is new and gone in pyflakes' output of real patches is what was published
// with the files, which compared messages without line numbers.
func TestRealPairsAttribution(t *testing.T) {
	t.Parallel()
	folder := realFolder(t)
	for _, p := range pairs(t, folder) {
		a := attribute(t, filepath.Join(folder, p.Dir), "pyflakes.txt", "pyflakes", findings.Pyflakes)
		want, gone := slices.Clone(p.New), slices.Clone(p.Gone)
		slices.Sort(want)
		slices.Sort(gone)
		if diff := cmp.Diff(want, words(append(a.Caused, a.Unclear...))); diff != "" && len(want)+len(a.Caused) > 0 {
			t.Errorf("%s: new (-published +got):\n%s", p.Dir, diff)
		}
		if diff := cmp.Diff(gone, words(a.Gone)); diff != "" && len(gone)+len(a.Gone) > 0 {
			t.Errorf("%s: gone (-published +got):\n%s", p.Dir, diff)
		}
	}
}

// judged reads the outcome of every attempt that a published run reports.
func judged(t *testing.T, folder string, top []string) map[[2]string]bool {
	t.Helper()
	j := formats.NewJoiner(formats.Options{})
	for _, dir := range top {
		err := filepath.WalkDir(filepath.Join(folder, dir), func(name string, d fs.DirEntry, err error) error {
			if err != nil || d.IsDir() {
				return err
			}
			raw, err := os.ReadFile(name)
			if err != nil {
				return err
			}
			rel, err := filepath.Rel(folder, name)
			if err != nil {
				return err
			}
			rel = filepath.ToSlash(rel)
			f, _ := formats.Sniff(rel, raw[:min(len(raw), formats.SniffLen)])
			rep, err := formats.Read(f, bytes.NewReader(raw), formats.Source{Path: rel, Size: int64(len(raw))}, j.Add)
			j.File(rep)
			if err != nil && !strings.Contains(err.Error(), "unknown format") {
				return err
			}
			return nil
		})
		if err != nil {
			t.Fatal(err)
		}
	}
	out := map[[2]string]bool{}
	for _, a := range j.Finish().Attempts {
		if a.Trace.Outcome.Resolved != nil {
			at := a.Main.Path
			if a.PatchAt != nil {
				at = a.PatchAt.Path
			}
			out[[2]string{at, a.Trace.InstanceID}] = *a.Trace.Outcome.Resolved
		}
	}
	return out
}

// The table of decisive findings against outcomes, from the stored output of three
// tools: no patch that causes a decisive finding was resolved. The same fault
// reported by several tools counts once.
func TestRealPairsTable(t *testing.T) {
	t.Parallel()
	folder := realFolder(t)
	all := pairs(t, folder)
	var top []string
	for _, p := range all {
		dir, _, _ := strings.Cut(p.PredictionFile, "/")
		if !slices.Contains(top, dir) {
			top = append(top, dir)
		}
	}
	outcome := judged(t, folder, top)
	count := func(tools ...int) (findings.Table, int) {
		var list []findings.Judged
		unknown := 0
		for _, p := range all {
			resolved, ok := outcome[[2]string{p.PredictionFile, p.InstanceID}]
			if !ok {
				unknown++
				continue
			}
			var runs []findings.Attribution
			for _, i := range tools {
				runs = append(runs, attribute(t, filepath.Join(folder, p.Dir), outputs[i].suffix, outputs[i].tool, outputs[i].format))
			}
			list = append(list, findings.Judged{Static: findings.Outcome(runs), Resolved: resolved})
		}
		return findings.Tabulate(list), unknown
	}
	want := findings.Table{
		Decisive: stats.RateOf(0, 7, ""), Other: stats.RateOf(2, 11, ""), None: stats.RateOf(1, 9, ""),
	}
	for _, tools := range [][]int{{0}, {0, 1}} {
		got, unknown := count(tools...)
		if diff := cmp.Diff(want, got); diff != "" || unknown != 4 {
			t.Errorf("tools %v: %d unknown, table (-want +got):\n%s", tools, unknown, diff)
		}
	}
	// pylint sees the unbound names too, and the file that does not parse.
	if got, _ := count(2); got.Decisive.K != 0 || got.Decisive.N != want.Decisive.N {
		t.Errorf("pylint: decisive %d of %d resolved, want 0 of %d", got.Decisive.K, got.Decisive.N, want.Decisive.N)
	}
}
