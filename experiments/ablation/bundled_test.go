package ablation_test

import (
	"bytes"
	"go/parser"
	"go/token"
	"maps"
	"strings"
	"testing"

	"github.com/bluekeyes/go-gitdiff/gitdiff"

	"plumbline/experiments/ablation"
	"plumbline/experiments/bundled"
)

func apply(t *testing.T, base map[string]string, diff string) map[string]string {
	t.Helper()
	files, _, err := gitdiff.Parse(strings.NewReader(diff))
	if err != nil {
		t.Fatalf("parse: %v\n%s", err, diff)
	}
	out := maps.Clone(base)
	for _, f := range files {
		var b bytes.Buffer
		if err := gitdiff.Apply(&b, strings.NewReader(base[f.OldName]), f); err != nil {
			t.Fatalf("apply to %s: %v\n%s", f.NewName, err, diff)
		}
		out[f.NewName] = b.String()
	}
	return out
}

// Every proposal for a bundled case applies to the base, differs from the reference
// and from every other proposal, only takes lines away but for a stub, and names its
// item.
func TestBundledProposals(t *testing.T) {
	t.Parallel()
	cases, err := bundled.Cases()
	if err != nil {
		t.Fatal(err)
	}
	total := map[string]int{}
	for _, c := range cases {
		t.Run(c.File, func(t *testing.T) {
			all, err := ablation.Propose(c.Instance.Language, c.Base, c.Instance.Oracle.GoldPatch)
			if err != nil {
				t.Fatal(err)
			}
			gold := apply(t, c.Base, c.Instance.Oracle.GoldPatch)
			names, patches := map[string]bool{}, map[string]bool{}
			for _, a := range all {
				total[c.Instance.Language+" "+string(a.Kind)]++
				tree := apply(t, c.Base, a.Patch)
				if names[a.Name] || patches[a.Patch] || a.Item == "" || !strings.Contains(a.Missing, a.File) {
					t.Errorf("%s: name or patch is there twice, or the item is not named: %q", a.Name, a.Missing)
				}
				names[a.Name], patches[a.Patch] = true, true
				n, all := differing(gold, tree)
				if n != 1 {
					t.Errorf("%s: %d files differ from the reference, want 1: %v", a.Name, n, all)
				}
				if len(tree[a.File]) > len(gold[a.File])+40 && a.Kind != ablation.Surface {
					t.Errorf("%s: the file grew from %d to %d bytes", a.Name, len(gold[a.File]), len(tree[a.File]))
				}
				if c.Instance.Language == "go" && a.Kind != ablation.Import {
					if _, err := parser.ParseFile(token.NewFileSet(), a.File, tree[a.File], 0); err != nil {
						t.Errorf("%s: does not parse: %v\n%s", a.Name, err, tree[a.File])
					}
				}
			}
			if len(all) < 3 {
				t.Errorf("%d proposals, want at least 3", len(all))
			}
		})
	}
	for _, want := range []string{"python import", "python surface", "python branch", "go import", "go surface", "go branch"} {
		if total[want] < 5 {
			t.Errorf("%s: %d proposals over all cases, want at least 5", want, total[want])
		}
	}
	t.Log(total)
}

func differing(a, b map[string]string) (int, []string) {
	var out []string
	for f := range a {
		if a[f] != b[f] {
			out = append(out, f)
		}
	}
	for f := range b {
		if _, ok := a[f]; !ok {
			out = append(out, f)
		}
	}
	return len(out), out
}
