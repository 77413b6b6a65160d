package bundled

import (
	"crypto/sha256"
	"encoding/hex"
	"fmt"
	"io"
	"slices"
	"strings"

	"plumbline/experiments/trace"
)

// Parse reads one archive in the format of the package comment. The result is
// validated: records are complete, the label follows from the counts, hidden
// paths do not exist in base, and a patch is empty exactly when the bucket says
// no change. That the counts are true is for a test that can run the cases.
func Parse(name string, data []byte) (Case, error) {
	files, err := unpack(data)
	if err != nil {
		return Case{}, fmt.Errorf("bundled case %s: %w", name, err)
	}
	c, err := parseCase(name, files)
	if err != nil {
		return Case{}, fmt.Errorf("bundled case %s: %w", name, err)
	}
	return c, nil
}

func parseCase(name string, files map[string]string) (Case, error) {
	var rec caseRecord
	if err := decode(files["case.json"], &rec); err != nil {
		return Case{}, fmt.Errorf("case.json: %w", err)
	}
	c := Case{
		File: name, Title: rec.Title, Split: rec.Split, Runner: rec.Runner,
		Base: folder(files, "base"), Hidden: folder(files, "hidden"),
	}
	c.Instance = trace.Instance{
		ID: rec.ID, Repo: rec.Repo, BaseCommit: treeDigest(c.Base), Language: rec.Language,
		Issue: files["issue.md"], CreatedAt: rec.Created.UTC(),
		Oracle: trace.Oracle{
			GoldPatch: files["gold.patch"], TestPatch: additions(c.Hidden),
			FailToPass: rec.FailToPass, PassToPass: rec.PassToPass,
		},
	}
	if err := c.check(); err != nil {
		return Case{}, err
	}
	attempts, err := parseAttempts(c, folder(files, "attempts"))
	if err != nil {
		return Case{}, err
	}
	c.Attempts = attempts
	for name := range files {
		if !known(name) {
			return Case{}, fmt.Errorf("%s has no place in the format", name)
		}
	}
	return c, nil
}

func known(name string) bool {
	if slices.Contains([]string{"case.json", "issue.md", "gold.patch"}, name) {
		return true
	}
	if rest, ok := strings.CutPrefix(name, "attempts/"); ok {
		_, file, _ := strings.Cut(rest, "/")
		return slices.Contains([]string{"attempt.json", "patch.diff", "steps.jsonl", "summary.md"}, file)
	}
	return strings.HasPrefix(name, "base/") || strings.HasPrefix(name, "hidden/")
}

// check refuses a case without one of its required parts.
func (c Case) check() error {
	o := c.Instance.Oracle
	pairs := map[string]Runner{"python": Unittest, "go": GoTest}
	switch {
	case c.Instance.ID == "" || c.Instance.Repo == "" || c.Title == "" || c.Instance.CreatedAt.IsZero():
		return fmt.Errorf("case.json: id, repo, title and created are required")
	case pairs[c.Instance.Language] == "" || pairs[c.Instance.Language] != c.Runner:
		return fmt.Errorf("case.json: language %q does not go with runner %q", c.Instance.Language, c.Runner)
	case c.Split != trace.SplitDesign && c.Split != trace.SplitHeldOut:
		return fmt.Errorf("case.json: split %q is neither design nor held-out", c.Split)
	case len(o.FailToPass) == 0 || len(o.PassToPass) == 0:
		return fmt.Errorf("case.json: fail_to_pass and pass_to_pass must not be empty")
	case strings.TrimSpace(c.Instance.Issue) == "":
		return fmt.Errorf("issue.md is missing or empty")
	case !strings.HasPrefix(o.GoldPatch, "diff --git "):
		return fmt.Errorf("gold.patch is missing or not a git diff")
	case len(c.Base) == 0 || len(c.Hidden) == 0:
		return fmt.Errorf("base and hidden must not be empty")
	}
	ids := slices.Sorted(slices.Values(slices.Concat(o.FailToPass, o.PassToPass)))
	if len(slices.Compact(ids)) != len(o.FailToPass)+len(o.PassToPass) {
		return fmt.Errorf("case.json: a test is named twice")
	}
	for p := range c.Hidden {
		if _, ok := c.Base[p]; ok {
			return fmt.Errorf("hidden/%s exists in base", p)
		}
	}
	return nil
}

// treeDigest names a tree by its content, in the place of a commit: the first 40
// hex digits of the SHA-256 over each path and text, in order of the paths.
func treeDigest(tree map[string]string) string {
	h := sha256.New()
	for _, p := range paths(tree) {
		fmt.Fprintf(h, "%s\x00%d\x00", p, len(tree[p]))
		io.WriteString(h, tree[p])
	}
	return hex.EncodeToString(h.Sum(nil))[:40]
}

// additions writes the diff that adds every file of a tree, which is what a test
// patch is for these cases. An empty file has a header and no hunk.
func additions(tree map[string]string) string {
	var b strings.Builder
	for _, p := range paths(tree) {
		fmt.Fprintf(&b, "diff --git a/%s b/%s\nnew file mode 100644\n", p, p)
		if tree[p] == "" {
			continue
		}
		lines := strings.Split(strings.TrimSuffix(tree[p], "\n"), "\n")
		fmt.Fprintf(&b, "--- /dev/null\n+++ b/%s\n@@ -0,0 +1,%d @@\n", p, len(lines))
		for _, l := range lines {
			b.WriteString("+" + l + "\n")
		}
	}
	return b.String()
}
