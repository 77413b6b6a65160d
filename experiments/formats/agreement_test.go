package formats_test

import (
	"fmt"
	"path/filepath"
	"sort"
	"strings"
	"testing"
)

// Exact agreement with the published reading. What remains is listed here and
// explained in docs/formats.md: three files, and attempts whose base commit stands
// in no published file of theirs.
const (
	filesAgree  = 1703
	tracesAgree = 637
	noBase      = 139
)

var explained = map[string]string{
	"mini-swe-agent-tests/results.json":                        `format "predictions-json-object-by-id", want "json-other"`,
	"swe-smith/pandas-dev__pandas.95280573.pr_53652.json":      `format "dataset-rows", want "json-other"`,
	"predictions-quirks/rust-swe-bench/openhands_claude.jsonl": `record 8: files [`,
}

// TestAgreement reads every published file and compares all that is stated about
// it. Run it with -v for the table by format and every difference.
func TestAgreement(t *testing.T) {
	t.Parallel()
	folder := realFolder(t)
	files, traces := loadExpected(t, folder)
	read, joined := readReal(t, folder, func(string) bool { return true })
	fileTable, traceTable, missing := table{}, table{}, 0
	for _, e := range files {
		got, ok := read[e.Path]
		if !ok {
			fileTable.add(e.Format, false)
			t.Logf("%s: not read", e.Path)
			continue
		}
		diffs := compareFile(e, got)
		fileTable.add(e.Format, len(diffs) == 0)
		for i, d := range diffs {
			if i < 4 {
				t.Logf("%s: %s", e.Path, d)
			}
			if why := explained[e.Path]; why == "" || !strings.HasPrefix(d, why) {
				t.Errorf("%s: %s, which nothing explains", e.Path, d)
			}
		}
	}
	for _, e := range traces {
		diffs := compareTrace(e, findAttempt(e, joined.Attempts))
		traceTable.add(e.Agent, len(diffs) == 0)
		for _, d := range diffs {
			if !strings.HasPrefix(d, "base_commit null, want ") {
				t.Errorf("%s: %s, which nothing explains", e.ID, d)
			}
			missing++
		}
	}
	t.Logf("files that agree in full, by format:\n%s", fileTable)
	t.Logf("attempts that agree in full, by run:\n%s", traceTable)
	if n := fileTable.sum(); n != filesAgree || len(files)-n != len(explained) {
		t.Errorf("%d of %d files agree, want %d", n, len(files), filesAgree)
	}
	if n := traceTable.sum(); n != tracesAgree || len(traces)-n != noBase || missing != noBase {
		t.Errorf("%d of %d attempts agree, want %d and %d without a base commit", n, len(traces), tracesAgree, noBase)
	}
}

// TestFoldersAlone imports every folder by itself, with its paths relative to it,
// as a user would. All attempts must be read as stated, but for base commits,
// whose dataset rows lie in another folder.
func TestFoldersAlone(t *testing.T) {
	t.Parallel()
	folder := realFolder(t)
	_, traces := loadExpected(t, folder)
	byTop := map[string][]expectedTrace{}
	for _, e := range traces {
		top, _, _ := strings.Cut(e.where(), "/")
		if top != "" {
			byTop[top] = append(byTop[top], e)
		}
	}
	n := 0
	for top, list := range byTop {
		_, joined := readReal(t, filepath.Join(folder, top), func(string) bool { return true })
		for _, e := range list {
			for _, p := range []**string{&e.Trajectory, &e.Prediction, &e.PatchFile, &e.ResolvedSource} {
				if *p != nil {
					cut := strings.TrimPrefix(**p, top+"/")
					*p = &cut
				}
			}
			a := findAttempt(e, joined.Attempts)
			if a != nil {
				c := *a
				c.Base, e.Base = "", nil
				a = &c
			}
			n++
			for _, d := range compareTrace(e, a) {
				t.Errorf("%s: %s", e.ID, d)
			}
		}
	}
	if n != 774 {
		t.Errorf("%d attempts compared, want 774", n)
	}
}

// table counts agreement by a name.
type table map[string][2]int

func (t table) add(name string, ok bool) {
	c := t[name]
	c[1]++
	if ok {
		c[0]++
	}
	t[name] = c
}

func (t table) sum() int {
	n := 0
	for _, c := range t {
		n += c[0]
	}
	return n
}

func (t table) String() string {
	names := make([]string, 0, len(t))
	all := 0
	for n, c := range t {
		names = append(names, n)
		all += c[1]
	}
	sort.Strings(names)
	var b strings.Builder
	for _, n := range names {
		fmt.Fprintf(&b, "  %4d of %4d  %s\n", t[n][0], t[n][1], n)
	}
	fmt.Fprintf(&b, "  %4d of %4d  in all", t.sum(), all)
	return b.String()
}
