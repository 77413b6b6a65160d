package bundled_test

import (
	"bytes"
	"maps"
	"strings"
	"testing"

	"github.com/bluekeyes/go-gitdiff/gitdiff"
	"github.com/google/go-cmp/cmp"

	"plumbline/experiments/bundled"
	"plumbline/experiments/trace"
)

func load(t *testing.T) []bundled.Case {
	t.Helper()
	cases, err := bundled.Cases()
	if err != nil {
		t.Fatal(err)
	}
	return cases
}

// The size and the mix are part of what the project promises.
func TestComposition(t *testing.T) {
	t.Parallel()
	languages, splits := map[string]int{}, map[string]int{}
	buckets := map[trace.Bucket]int{}
	traces := 0
	for _, c := range load(t) {
		languages[c.Instance.Language]++
		splits[c.Split]++
		acceptable := 0
		for _, a := range c.Attempts {
			traces++
			buckets[a.Trace.Outcome.Bucket]++
			if a.Trace.Outcome.Label == trace.Acceptable {
				acceptable++
			}
			if n := len(a.Trace.Steps); n < 4 || n > 15 {
				t.Errorf("%s %s: %d steps, want 4 to 15", c.File, a.Name, n)
			}
		}
		if acceptable < 2 || acceptable == len(c.Attempts) {
			t.Errorf("%s: %d of %d attempts are acceptable, want at least 2 and not all", c.File, acceptable, len(c.Attempts))
		}
	}
	if languages["python"] < 8 || languages["go"] < 4 || languages["python"]+languages["go"] < 12 {
		t.Errorf("cases by language: %v, want at least 8 python, 4 go and 12 in all", languages)
	}
	if traces <= 60 {
		t.Errorf("%d traces, want over 60", traces)
	}
	if splits[trace.SplitDesign] < 3 || splits[trace.SplitHeldOut] < 3 {
		t.Errorf("splits: %v, want both used", splits)
	}
	for _, b := range []trace.Bucket{trace.Omission, trace.Regression, trace.NoChange} {
		if buckets[b] < 3 {
			t.Errorf("bucket %s: %d traces, want at least 3", b, buckets[b])
		}
	}
}

// Every diff of a case applies to its base, in memory, and the test patch is
// exactly the overlay.
func TestPatchesApply(t *testing.T) {
	t.Parallel()
	for _, c := range load(t) {
		t.Run(c.File, func(t *testing.T) {
			t.Parallel()
			gold := apply(t, c.Base, c.Instance.Oracle.GoldPatch)
			if cmp.Equal(gold, c.Base) {
				t.Error("the gold patch changes nothing")
			}
			for p := range gold {
				if _, hidden := c.Hidden[p]; hidden {
					t.Errorf("the gold patch touches hidden file %s", p)
				}
			}
			if diff := cmp.Diff(c.Overlaid(c.Base), apply(t, c.Base, c.Instance.Oracle.TestPatch)); diff != "" {
				t.Errorf("test patch against overlay (-want +got):\n%s", diff)
			}
			seen := map[string]string{}
			for _, a := range c.Attempts {
				if a.Trace.PatchState == trace.PatchEmpty {
					continue
				}
				apply(t, c.Base, a.Trace.Patch)
				if other, ok := seen[a.Trace.Patch]; ok {
					t.Errorf("%s and %s have the same patch", other, a.Name)
				}
				seen[a.Trace.Patch] = a.Name
			}
		})
	}
}

// Nothing of the oracle may be in what a reviewer could be shown.
func TestRecordsDoNotLeak(t *testing.T) {
	t.Parallel()
	for _, c := range load(t) {
		for _, a := range c.Attempts {
			var shown strings.Builder
			shown.WriteString(c.Instance.Issue + a.Trace.Patch + a.Trace.Summary)
			for _, s := range a.Trace.Steps {
				shown.WriteString(s.Thought + s.Action + s.Observation)
			}
			for _, word := range []string{"tests_hidden", "hidden test", "/root/", "fail_to_pass", "gold patch", "gold.patch"} {
				if strings.Contains(strings.ToLower(shown.String()), word) {
					t.Errorf("%s %s: the record mentions %q", c.File, a.Name, word)
				}
			}
			for p := range c.Hidden {
				if strings.Contains(shown.String(), p) {
					t.Errorf("%s %s: the record names hidden file %s", c.File, a.Name, p)
				}
			}
		}
	}
}

func apply(t *testing.T, base map[string]string, patch string) map[string]string {
	t.Helper()
	files, _, err := gitdiff.Parse(strings.NewReader(patch))
	if err != nil {
		t.Fatalf("parse: %v", err)
	}
	if len(files) == 0 {
		t.Fatal("the patch has no files")
	}
	out := maps.Clone(base)
	for _, f := range files {
		var b bytes.Buffer
		if err := gitdiff.Apply(&b, strings.NewReader(base[f.OldName]), f); err != nil {
			t.Fatalf("apply to %s: %v", f.OldName+f.NewName, err)
		}
		delete(out, f.OldName)
		if !f.IsDelete {
			out[f.NewName] = b.String()
		}
	}
	return out
}
