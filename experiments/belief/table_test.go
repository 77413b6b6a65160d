package belief_test

import (
	"math"
	"strings"
	"testing"

	"github.com/google/go-cmp/cmp"
	"github.com/google/go-cmp/cmp/cmpopts"
	"plumbline/experiments/belief"
)

var plain = belief.Columns{
	Task: "task", Candidate: "n", Label: "y",
	Critics: []belief.CriticColumn{{Column: "tests"}, {Column: "votes", Outcomes: 4}},
	Scores:  []string{"score"},
}

func TestReadTable(t *testing.T) {
	t.Parallel()
	const file = "\ufefftask,n,y,tests,votes,score\n" +
		"a,1,1,pass,3,0.5\n" +
		"a,0,FALSE,,1,\n" + // order by n, not by row
		"b,0,,missing,0,-2e3\n"
	got, err := belief.ReadTable(strings.NewReader(file), plain)
	if err != nil {
		t.Fatal(err)
	}
	want := belief.Reading{Rows: 3, Table: belief.Table{
		Critics: []belief.Column{{Name: "tests", Outcomes: 2}, {Name: "votes", Outcomes: 4}},
		Scores:  []string{"score"},
		Tasks: []belief.Task{
			{ID: "a", Candidates: []belief.Candidate{
				{ID: "0", Outcomes: []belief.Outcome{belief.Unrecorded, 1}, Scores: []float64{math.NaN()}, Y: belief.Defective},
				{ID: "1", Outcomes: []belief.Outcome{belief.Pass, 3}, Scores: []float64{0.5}, Y: belief.Correct},
			}},
			{ID: "b", Candidates: []belief.Candidate{
				{ID: "0", Outcomes: []belief.Outcome{belief.Missing, 0}, Scores: []float64{-2000}, Y: belief.Unknown},
			}},
		},
	}}
	if d := cmp.Diff(want, got, cmpopts.EquateNaNs()); d != "" {
		t.Error(d)
	}
}

func TestReadTableRowErrors(t *testing.T) {
	t.Parallel()
	const file = "task,n,y,tests,votes,score\n" +
		"a,0,1,1,3,1\n" +
		"b,0,maybe,1,3,1\n" +
		"c,0,1,2,9,inf\n" +
		"c,1,1,1,1,1\n" + // good, but the chain of c has a hole
		"a,0,1,1,3,1\n" + // twice
		",0,1,1,3,1\n" +
		"d,x,1,1,3,1\n" +
		"e,0,1\n" +
		"f,0,1,\"1\"x,3,1\n" +
		"g,0,0,0,0,0\n"
	got, err := belief.ReadTable(strings.NewReader(file), plain)
	if err != nil {
		t.Fatal(err)
	}
	var lines []string
	for _, e := range got.Errors {
		lines = append(lines, e.Error())
	}
	want := []string{
		`line 3, column y: "maybe" is no label; use 1, 0 or nothing`,
		`line 4, column tests: "2" is no outcome; use 1, 0, missing or nothing`,
		`line 4, column votes: "9" is no outcome; use a whole number from 0 to 3`,
		`line 4, column score: "inf" is not a finite number`,
		`line 6, column n: "0" was already read for task a`,
		`line 7, column task: "" names no task`,
		`line 8, column n: "x" is not a whole number`,
		`line 9: 3 cells, 6 needed`,
		`line 10: extraneous or missing " in quoted-field`,
	}
	if d := cmp.Diff(want, lines); d != "" {
		t.Error(d)
	}
	if d := cmp.Diff([]string{"a", "b", "c", "d", "e"}, got.Dropped); d != "" {
		t.Error(d)
	}
	if len(got.Table.Tasks) != 1 || got.Table.Tasks[0].ID != "g" || got.Rows != 10 {
		t.Errorf("kept %+v of %d rows", got.Table.Tasks, got.Rows)
	}
}

func TestReadTableUnusable(t *testing.T) {
	t.Parallel()
	for name, c := range map[string]struct {
		file string
		want belief.Columns
		err  string
	}{
		"empty":      {"", plain, "the file is empty"},
		"no column":  {"task,y\n", belief.Columns{Task: "id", Label: "y"}, `there is no column "id" for the task; the columns are task, y`},
		"twice":      {"task,y,y\n", belief.Columns{Task: "task", Label: "y"}, `column "y" for the label appears twice`},
		"undeclared": {"task,y\n", belief.Columns{Task: "task"}, "declare the column of the label"},
		"one outcome": {"task,y,v\n", belief.Columns{Task: "task", Label: "y", Critics: []belief.CriticColumn{{Column: "v", Outcomes: 1}}},
			"a critic has at least two"},
		"same critic": {"task,y,v\n", belief.Columns{Task: "task", Label: "y", Critics: []belief.CriticColumn{{Column: "v"}, {Column: "v"}}},
			`critic "v" is declared twice`},
	} {
		if _, err := belief.ReadTable(strings.NewReader(c.file), c.want); err == nil || !strings.Contains(err.Error(), c.err) {
			t.Errorf("%s: error %v, want %q", name, err, c.err)
		}
	}
}

func FuzzReadTable(f *testing.F) {
	f.Add("task,n,y,tests,votes,score\na,0,1,1,3,1\na,1,0,0,2,0.5\n")
	f.Add("task,n,y,tests,votes,score\n\"a\n,0,1,1,3,1\nb,0\n")
	f.Add("\ufefftask,n,y,tests,votes,score\r\na,-1,,na,,nan\r\n")
	f.Fuzz(func(t *testing.T, file string) {
		got, err := belief.ReadTable(strings.NewReader(file), plain)
		if err != nil {
			return
		}
		if err := got.Table.Validate(); err != nil {
			t.Fatalf("read an invalid table: %v", err)
		}
		if got.Table.Candidates() > got.Rows {
			t.Fatalf("%d candidates from %d rows", got.Table.Candidates(), got.Rows)
		}
		if len(got.Table.Tasks) == 0 {
			return
		}
		est, err := belief.Fit(got.Table, belief.Options{Scope: belief.AllCandidates})
		if err != nil {
			t.Fatal(err)
		}
		for _, c := range est.Model() {
			if err := c.Validate(); err != nil {
				t.Fatal(err)
			}
		}
	})
}
