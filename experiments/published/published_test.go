package published_test

import (
	"encoding/json"
	"errors"
	"fmt"
	"io/fs"
	"math"
	"os"
	"path/filepath"
	"regexp"
	"strconv"
	"strings"
	"testing"

	"github.com/google/go-cmp/cmp"

	"plumbline/experiments/published"
	"plumbline/experiments/stats"
)

// folder is a folder beside the repository, or where the variable says.
func folder(t *testing.T, name, fallback string) string {
	t.Helper()
	if dir := os.Getenv(name); dir != "" {
		return dir
	}
	dir, err := os.Getwd()
	if err != nil {
		t.Fatal(err)
	}
	for {
		if _, err := os.Stat(filepath.Join(dir, "go.mod")); err == nil {
			return filepath.Join(dir, fallback)
		}
		if filepath.Dir(dir) == dir {
			t.Fatal("no go.mod above the test")
		}
		dir = filepath.Dir(dir)
	}
}

// Every cell is a number, every row is as long as its columns, every key is one.
func TestTablesAreWhole(t *testing.T) {
	t.Parallel()
	seen := map[string]bool{}
	papers := map[string]int{}
	for _, x := range published.Tables() {
		if seen[x.Key] || x.Key == "" || x.Place == "" || x.Title == "" {
			t.Errorf("table %q: its key is not its own or it has no place or title", x.Key)
		}
		seen[x.Key] = true
		papers[x.Paper.Letter]++
		if got, ok := published.ByKey(x.Key); !ok || got.Title != x.Title {
			t.Errorf("%s is not found by its key", x.Key)
		}
		rows := map[string]bool{}
		for _, r := range x.Rows {
			if len(r.Heads)+len(r.Cells) != len(x.Columns) {
				t.Errorf("%s %v: %d heads and %d cells under %d columns", x.Key, r.Heads, len(r.Heads), len(r.Cells), len(x.Columns))
			}
			if name := strings.Join(r.Heads, "\x00"); rows[name] {
				t.Errorf("%s: two rows %v", x.Key, r.Heads)
			} else {
				rows[name] = true
			}
			for _, c := range r.Cells {
				if c == "" {
					continue
				}
				f, err := published.Parse(c)
				if err != nil {
					t.Errorf("%s %v: %v", x.Key, r.Heads, err)
				}
				if f.Lo != nil && !(*f.Lo <= f.Value && f.Value <= *f.Hi) {
					t.Errorf("%s %v: %q is outside of its interval", x.Key, r.Heads, c)
				}
			}
		}
	}
	for _, p := range published.Papers() {
		if papers[p.Letter] == 0 {
			t.Errorf("paper %s has no table", p.Letter)
		}
	}
	if _, ok := published.ByKey("no such table"); ok {
		t.Error("a table that is not there was found")
	}
}

func TestParse(t *testing.T) {
	t.Parallel()
	for cell, want := range map[string]published.Figure{
		"0.76":              {Value: 0.76},
		"10/11":             {Value: 10.0 / 11, K: 10, N: 11},
		"+0.47":             {Value: 0.47},
		"-2.16 ±0.32":       {Value: -2.16, Error: new(0.32)},
		"−2.16":             {Value: -2.16},
		"56.40%":            {Value: 56.40},
		"33.24% ± 0.48%":    {Value: 33.24, Error: new(0.48)},
		"0.89 [0.84, 0.94]": {Value: 0.89, Lo: new(0.84), Hi: new(0.94)},
		"-6.03 [-8.1,-4.1]": {Value: -6.03, Lo: new(-8.1), Hi: new(-4.1)},
	} {
		got, err := published.Parse(cell)
		want.Printed = cell
		if diff := cmp.Diff(want, got); err != nil || diff != "" {
			t.Errorf("%q: %v %s", cell, err, diff)
		}
	}
	for _, bad := range []string{"", "n/a", "0.5/7", "8/7", "1/0", "0.7 0.8", "NaN", "1e3", "0.1 [0.2]"} {
		if f, err := published.Parse(bad); err == nil {
			t.Errorf("%q is read as %v", bad, f.Value)
		}
	}
}

// decimals is how many a printed number has.
func decimals(printed string) int {
	number, _, _ := strings.Cut(printed, " ")
	_, after, _ := strings.Cut(number, ".") // empty for a whole number
	return len(after)
}

// roundsTo reports whether a value is printed so, rounded at once or in two steps:
// 13/51 = 0.2549 is 0.255 and then 0.26.
func roundsTo(v float64, printed string) bool {
	n := decimals(printed)
	scale := math.Pow10(n)
	twice := math.Round(math.Round(v*scale*10)/10+1e-9) / scale
	return strconv.FormatFloat(v, 'f', n, 64) == printed || strconv.FormatFloat(twice, 'f', n, 64) == printed
}

// The derived counts give every printed rate of Table 3 and S4.1 to its decimals,
// and no other counts of the same classes do.
func TestCountsBehindTableThree(t *testing.T) {
	t.Parallel()
	o, ok := published.OverlayByKey("g-table-3")
	if !ok {
		t.Fatal("no overlay of Table 3")
	}
	decided, _ := published.ByKey("g-s4-1")
	abstained := map[string]int{"held-out (121)": 13, "Gemini (59)": 8}
	for _, p := range o.Points {
		var row published.Row
		for _, r := range decided.Rows {
			if r.Heads[0] == p.Set {
				row = r
			}
		}
		fits := func(c stats.ReviewCounts) bool {
			for _, x := range []struct {
				metric  stats.Metric
				printed string
			}{
				{stats.Coverage, p.Coverage.Printed}, {stats.Risk, p.Risk.Printed}, {stats.Catch, p.Catch.Printed}, {stats.OverRejection, p.OverRejection.Printed},
				{stats.CatchDecided, row.Cells[3]}, {stats.OverRejectionDecided, row.Cells[4]},
			} {
				number, _, _ := strings.Cut(x.printed, " ")
				if r := c.Rate(x.metric); r.Value == nil || !roundsTo(*r.Value, number) {
					return false
				}
			}
			return true
		}
		if p.Counts == nil || !fits(*p.Counts) {
			t.Errorf("%s: the counts %+v do not give the printed rates", p.Key, p.Counts)
			continue
		}
		if p.Counts.Defect.N() != p.Defects || p.Counts.Acceptable.N() != p.Acceptable || p.Counts.N() != p.Traces {
			t.Errorf("%s: the counts are of other classes", p.Key)
		}
		found := 0
		for du := 0; du <= abstained[p.Set]; du++ {
			au := abstained[p.Set] - du
			for dr := 0; dr <= p.Defects-du; dr++ {
				for ar := 0; ar <= p.Acceptable-au; ar++ {
					c := stats.ReviewCounts{Defect: stats.Class{Accept: p.Defects - du - dr, Reject: dr, Uncertain: du},
						Acceptable: stats.Class{Accept: p.Acceptable - au - ar, Reject: ar, Uncertain: au}}
					if fits(c) {
						found++
						if c != *p.Counts {
							t.Errorf("%s: %+v fits as well", p.Key, c)
						}
					}
				}
			}
		}
		if found != 1 {
			t.Errorf("%s: %d solutions", p.Key, found)
		}
	}
}

// The counts are those of the reference cases, whose rates come out of them.
func TestReferencePublishedCounts(t *testing.T) {
	t.Parallel()
	raw, err := os.ReadFile(filepath.Join(folder(t, "PLUMBLINE_REFERENCE", "../shared/reference"), "review_metrics.json"))
	if err != nil {
		t.Fatal(err)
	}
	type class struct{ Accept, Reject, Uncertain, Unparseable int }
	var ref struct {
		Cases []struct {
			ID    string
			Input struct {
				Counts struct{ Defect, Acceptable class }
			}
			Expected map[string]json.RawMessage
		}
	}
	if err := json.Unmarshal(raw, &ref); err != nil {
		t.Fatal(err)
	}
	o, _ := published.OverlayByKey("g-table-3")
	points := map[string]published.Point{"paper_heldout_121": o.Points[0], "paper_gemini_59": o.Points[1]}
	seen := 0
	for _, c := range ref.Cases {
		p, ok := points[c.ID]
		if !ok {
			if strings.HasPrefix(c.ID, "paper_") {
				t.Errorf("the case %s has no published point", c.ID)
			}
			continue
		}
		seen++
		want := stats.ReviewCounts{Defect: stats.Class(c.Input.Counts.Defect), Acceptable: stats.Class(c.Input.Counts.Acceptable)}
		if diff := cmp.Diff(&want, p.Counts); diff != "" {
			t.Errorf("%s: %s", c.ID, diff)
		}
		for name, m := range map[string]stats.Metric{"catch": stats.Catch, "over_rejection": stats.OverRejection, "coverage": stats.Coverage, "selective_risk": stats.Risk,
			"catch_decided": stats.CatchDecided, "over_rejection_decided": stats.OverRejectionDecided, "reject_precision": stats.RejectPrecision, "accept_precision": stats.AcceptPrecision} {
			var value float64
			if err := json.Unmarshal(c.Expected[name], &value); err != nil {
				t.Fatal(err)
			}
			if r := p.Counts.Rate(m); r.Value == nil || math.Abs(*r.Value-value) > 1e-9 {
				t.Errorf("%s: %s is not %v", c.ID, name, value)
			}
		}
	}
	if seen != len(points) {
		t.Errorf("%d of %d published cases are in the reference", seen, len(points))
	}
}

// The papers as text, if they lie beside the repository: every row's numbers stand
// in one line or passage of its paper, in their order.
func TestTranscription(t *testing.T) {
	t.Parallel()
	dir := folder(t, "PLUMBLINE_PAPERS", "../shared/seeds")
	files, err := filepath.Glob(filepath.Join(dir, "*.txt"))
	if err != nil {
		t.Fatal(err)
	}
	if len(files) == 0 {
		why := "the texts of the papers are missing: " + dir
		if os.Getenv("PLUMBLINE_TEST_REQUIRE") == "all" {
			t.Fatal(why)
		}
		t.Skip(why)
	}
	texts := map[string]string{}
	for _, f := range files {
		raw, err := os.ReadFile(f)
		if err != nil {
			t.Fatal(err)
		}
		for letter, title := range map[string]string{"G": "Groundability, Not Scale Alone", "T": "MaxPass Soft (ours)"} {
			if strings.Contains(string(raw), title) {
				texts[letter] = plain(string(raw))
			}
		}
	}
	number := regexp.MustCompile(`\d+(?:\.\d+)?`)
	rows := 0
	for _, x := range published.Tables() {
		text, ok := texts[x.Paper.Letter]
		if x.Paper.Letter == published.B.Letter {
			continue // its numbers are checked against the records
		}
		if !ok {
			t.Fatalf("the text of paper %s is not in %s", x.Paper.Letter, dir)
		}
		passages := strings.Split(text, "\n")
		for _, r := range x.Rows {
			want := number.FindAllString(strings.Join(r.Cells, " "), -1)
			for i, n := range want {
				want[i] = strings.TrimPrefix(n, "+")
			}
			wide := 2
			if !strings.HasPrefix(x.Place, "Table") {
				wide = 6
			}
			if !anyPassage(passages, want, wide) {
				t.Errorf("%s %v: %v is not in the paper", x.Key, r.Heads, want)
			}
			rows++
		}
	}
	if rows < 90 {
		t.Errorf("only %d rows were looked up", rows)
	}
}

var markup = regexp.MustCompile(`\\scriptscriptstyle|\\textbf|\\mathbf|\\underline|\\pm|[$^{}\\]`)

func plain(s string) string { return markup.ReplaceAllString(s, "") }

// anyPassage finds the numbers in their order in up to three lines after one
// another, or in any order in as many as wide says: a table prints intervals on a
// line of their own, and a passage gives the figures of two sets together.
func anyPassage(lines []string, want []string, wide int) bool {
	for width := 1; width <= max(wide, 3); width++ {
		for i := 0; i+width <= len(lines); i++ {
			text := strings.Join(lines[i:i+width], "\n")
			if width <= 3 && inOrder(text, want) || width <= wide && holds(text, want) {
				return true
			}
		}
	}
	return false
}

func holds(text string, want []string) bool {
	for _, n := range want {
		if indexNumber(text, n) < 0 {
			return false
		}
	}
	return true
}

func inOrder(s string, want []string) bool {
	for _, n := range want {
		at := indexNumber(s, n)
		if at < 0 {
			return false
		}
		s = s[at+len(n):]
	}
	return true
}

// indexNumber is the place of a number that is not part of a longer one.
func indexNumber(s, n string) int {
	for from := 0; ; {
		at := strings.Index(s[from:], n)
		if at < 0 {
			return -1
		}
		at += from
		end := at + len(n)
		before := at == 0 || !strings.ContainsAny(s[at-1:at], "0123456789.")
		after := end >= len(s) || !(s[end] >= '0' && s[end] <= '9') && !(s[end] == '.' && end+1 < len(s) && s[end+1] >= '0' && s[end+1] <= '9')
		if before && after {
			return at
		}
		from = at + 1
	}
}

// The numbers of paper B are those of its authors' records, to four decimals.
func TestRecordsOfPaperB(t *testing.T) {
	t.Parallel()
	path := filepath.Join(folder(t, "PLUMBLINE_SHARED", "../shared"), "data/real/bayes-critics/published.json")
	raw, err := os.ReadFile(path)
	if errors.Is(err, fs.ErrNotExist) {
		why := "the published records are missing: " + path
		if os.Getenv("PLUMBLINE_TEST_REQUIRE") == "all" {
			t.Fatal(why)
		}
		t.Skip(why)
	}
	if err != nil {
		t.Fatal(err)
	}
	type critic struct {
		Correct float64 `json:"P_pass_given_Y1"`
		Defect  float64 `json:"P_pass_given_Y0"`
		TP, FN  int
		FP, TN  int
	}
	var records struct {
		Cells map[string]struct {
			Likelihoods struct {
				Critics map[string]critic `json:"critic_likelihoods"`
			} `json:"likelihood_tables"`
			Policies struct {
				Policies map[string]struct {
					Utility float64 `json:"mean_utility"`
					Rate    float64 `json:"pass_rate"`
					Diff    float64 `json:"diff_vs_always_verify"`
					Lo      float64 `json:"ci95_lo"`
					Hi      float64 `json:"ci95_hi"`
				}
			} `json:"policy_comparison"`
			Kernels map[string]struct {
				Counts map[string]int `json:"raw_counts"`
				Fix    float64        `json:"P_fix_given_broken"`
				Break  float64        `json:"P_break_given_correct"`
			}
		}
	}
	if err := json.Unmarshal(raw, &records); err != nil {
		t.Fatal(err)
	}
	cells := map[string]string{"lcb_hard/gpt5_mini": "LiveCodeBench hard, gpt-5-mini", "lcb_hard/haiku45": "LiveCodeBench hard, claude-haiku-4.5", "lcb_medium/haiku45": "LiveCodeBench medium, claude-haiku-4.5"}
	critics := map[string]string{"L0_syntax": "syntax", "L1_lint": "lint", "L2_public_tests": "tests", "L3_llm_review": "llm"}
	want := map[string][]string{}
	four := func(v float64) string { return fmt.Sprintf("%.4f", v) }
	for key, c := range records.Cells {
		for name, x := range c.Likelihoods.Critics {
			want["b-likelihoods\x00"+cells[key]+"\x00"+critics[name]] = []string{
				fmt.Sprintf("%d/%d", x.TP, x.TP+x.FN), fmt.Sprintf("%d/%d", x.FP, x.FP+x.TN), four(x.Correct), four(x.Defect)}
		}
		for name, x := range c.Policies.Policies {
			want["b-policies\x00"+cells[key]+"\x00"+name] = []string{four(x.Utility), four(x.Rate), fmt.Sprintf("%s [%s, %s]", four(x.Diff), four(x.Lo), four(x.Hi))}
		}
		for name, x := range c.Kernels {
			n := x.Counts
			want["b-kernels\x00"+cells[key]+"\x00"+name] = []string{fmt.Sprintf("%d/%d", n["0->1"], n["0->0"]+n["0->1"]), fmt.Sprintf("%d/%d", n["1->0"], n["1->0"]+n["1->1"]), four(x.Fix), four(x.Break)}
		}
	}
	got := map[string][]string{}
	for _, x := range published.Tables() {
		if x.Paper.Letter != published.B.Letter {
			continue
		}
		if x.Source == "" {
			t.Errorf("%s does not say where its numbers are", x.Key)
		}
		for _, r := range x.Rows {
			got[x.Key+"\x00"+strings.Join(r.Heads, "\x00")] = r.Cells
		}
	}
	if diff := cmp.Diff(want, got); diff != "" {
		t.Error(diff)
	}
}

// Overlays stand on printed numbers, and every arrow starts at a point.
func TestOverlays(t *testing.T) {
	t.Parallel()
	keys := map[string]bool{}
	n := 0
	for _, o := range published.Overlays() {
		for _, p := range o.Points {
			if keys[p.Key] || p.Table.Key != o.Key || p.Name == "" || p.Traces == 0 {
				t.Errorf("point %q is not whole", p.Key)
			}
			keys[p.Key] = true
			n++
			for _, f := range []*published.Figure{p.Coverage, p.Risk, p.Catch, p.OverRejection} {
				if f != nil && !(f.Value >= 0 && f.Value <= 1) {
					t.Errorf("%s: %q is no rate", p.Key, f.Printed)
				}
			}
			if p.Counts != nil && p.Counts.N() != p.Traces {
				t.Errorf("%s: derived counts of %d traces, printed %d", p.Key, p.Counts.N(), p.Traces)
			}
		}
		for _, p := range o.Points {
			if p.From != "" && !keys[p.From] {
				t.Errorf("%s starts at %q, which is no point", p.Key, p.From)
			}
		}
	}
	if n != 2+12+1+2 {
		t.Errorf("%d points", n)
	}
	if _, votes := published.MoreVotes(); len(votes) != 3 || votes[1].K != 5 || votes[1].Correct.Value != 0.978 {
		t.Errorf("vote scaling %+v", votes)
	}
}
