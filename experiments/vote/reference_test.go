package vote

import (
	"bytes"
	"encoding/json"
	"os"
	"path/filepath"
	"testing"

	"github.com/google/go-cmp/cmp"
	"github.com/google/go-cmp/cmp/cmpopts"
)

// referencePath finds a fixture in $PLUMBLINE_REFERENCE, by default in
// ../shared/reference next to the module root.
func referencePath(t *testing.T, name string) string {
	t.Helper()
	if dir := os.Getenv("PLUMBLINE_REFERENCE"); dir != "" {
		return filepath.Join(dir, name)
	}
	dir, err := os.Getwd()
	if err != nil {
		t.Fatal(err)
	}
	for {
		if _, err := os.Stat(filepath.Join(dir, "go.mod")); err == nil {
			return filepath.Join(dir, "..", "shared", "reference", name)
		}
		if filepath.Dir(dir) == dir {
			t.Fatal("no go.mod above the test")
		}
		dir = filepath.Dir(dir)
	}
}

func TestReferenceVotes(t *testing.T) {
	t.Parallel()
	data, err := os.ReadFile(referencePath(t, "votes.json"))
	if err != nil {
		t.Fatalf("reading the fixture: %v", err)
	}
	type counts struct {
		Accept      int `json:"accept"`
		Reject      int `json:"reject"`
		Uncertain   int `json:"uncertain"`
		Unparseable int `json:"unparseable"`
	}
	type tally struct {
		Decision Vote     `json:"decision"`
		Tie      bool     `json:"tie"`
		Counts   counts   `json:"counts"`
		Top      int      `json:"top"`
		Share    *float64 `json:"share"`
	}
	var file struct {
		Name      string   `json:"name"`
		Source    string   `json:"source"`
		Notes     []string `json:"notes"`
		Tolerance float64  `json:"tolerance"`
		Cases     []struct {
			ID    string `json:"id"`
			Input struct {
				Votes []Vote `json:"votes"`
			} `json:"input"`
			Expected map[Rule]tally `json:"expected"`
		} `json:"cases"`
	}
	dec := json.NewDecoder(bytes.NewReader(data))
	dec.DisallowUnknownFields()
	if err := dec.Decode(&file); err != nil {
		t.Fatalf("decoding the fixture: %v", err)
	}
	if len(file.Cases) == 0 {
		t.Fatal("the fixture has no cases")
	}
	for _, c := range file.Cases {
		if len(c.Expected) != 2 {
			t.Fatalf("%s: %d rules, want 2", c.ID, len(c.Expected))
		}
		for rule, want := range c.Expected {
			if rule != Plurality && rule != Strict {
				t.Fatalf("%s: unknown rule %q", c.ID, rule)
			}
			got := CountOf(c.Input.Votes...).Tally(rule)
			flat := tally{got.Decision, got.Tie, counts(got.Counts), got.Top, got.Share}
			if diff := cmp.Diff(want, flat, cmpopts.EquateApprox(file.Tolerance, file.Tolerance)); diff != "" {
				t.Errorf("%s, %s (-want +got):\n%s", c.ID, rule, diff)
			}
			if d := CountOf(c.Input.Votes...).Decide(rule); d != want.Decision {
				t.Errorf("%s, %s: Decide = %s, want %s", c.ID, rule, d, want.Decision)
			}
			if p := Prefix(c.Input.Votes, len(c.Input.Votes), rule); p.Decision != want.Decision {
				t.Errorf("%s, %s: Prefix of all = %s, want %s", c.ID, rule, p.Decision, want.Decision)
			}
		}
	}
}
