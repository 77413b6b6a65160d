package rewrite

import (
	"cmp"
	"embed"
	"fmt"
	"path"
	"slices"
	"strings"
	"unicode/utf8"

	"plumbline/experiments/evidence"
	"plumbline/experiments/patch"
	"plumbline/experiments/review"
)

// Current is the prompt version of new experiments.
const Current = "v1"

//go:embed prompts/*.txt
var prompts embed.FS

// File is a text file of the base tree.
type File struct {
	Path string // from the root, with slashes
	Text string
}

// Input is all that a generator sees.
type Input struct {
	Language string
	Issue    string
	Files    []File // as Choose gives them
	Left     int    // files of the tree that are not shown
}

// maxIssue bounds the issue in bytes; the rest is cut off.
const maxIssue = 30_000

// Prompt writes the messages of a version. Texts are put in as they are and never
// expanded. The error names a version that does not exist.
func Prompt(in Input, version string) (review.Messages, error) {
	system, err := prompts.ReadFile("prompts/" + version + ".system.txt")
	if err != nil {
		return review.Messages{}, fmt.Errorf("write the generator's prompt: there is no version %q", version)
	}
	user, err := prompts.ReadFile("prompts/" + version + ".user.txt")
	if err != nil {
		return review.Messages{}, fmt.Errorf("write the generator's prompt: version %q is not whole", version)
	}
	issue := in.Issue
	if len(issue) > maxIssue {
		issue = strings.ToValidUTF8(issue[:maxIssue], "") + "\n[… cut …]"
	}
	var files strings.Builder
	for _, f := range in.Files {
		fmt.Fprintf(&files, "%s %s\n%s\n%s\n\n", open, f.Path, strings.TrimSuffix(f.Text, "\n"), shut)
	}
	left := ""
	if in.Left > 0 {
		left = fmt.Sprintf(" (%d more are not shown)", in.Left)
	}
	text := strings.NewReplacer("{{language}}", cmp.Or(in.Language, "unknown"), "{{issue}}", issue, "{{files}}", files.String(), "{{left}}", left).Replace(string(user))
	return review.Messages{System: strings.TrimSpace(string(system)), User: strings.TrimSpace(text)}, nil
}

// DefaultBudget is how many tokens of files are shown.
const DefaultBudget = 24_000

// Choose picks the files that are shown, within a budget of tokens, and counts those
// left out. First come files that the issue names and those of touched (paths that
// recorded attempts at the task changed, which is no oracle), then code before other
// texts, files near the root and small ones first. Tests, binary files and what is
// no text are never shown.
func Choose(all []File, issue string, touched []string, budget int) (chosen []File, left int) {
	files := slices.Clone(all)
	rank := func(f File) int {
		switch base := path.Base(f.Path); {
		case slices.Contains(touched, f.Path):
			return 0
		case strings.Contains(issue, f.Path) || (len(base) > 4 && strings.Contains(issue, base)):
			return 1
		case isCode(f.Path):
			return 2
		}
		return 3
	}
	slices.SortStableFunc(files, func(a, b File) int {
		return cmp.Or(cmp.Compare(rank(a), rank(b)), cmp.Compare(strings.Count(a.Path, "/"), strings.Count(b.Path, "/")),
			cmp.Compare(len(a.Text), len(b.Text)), cmp.Compare(a.Path, b.Path))
	})
	for _, f := range files {
		if patch.IsTestPath(f.Path) || !utf8.ValidString(f.Text) || strings.ContainsRune(f.Text, 0) || strings.Contains(f.Text, shut) {
			left++
			continue
		}
		cost := evidence.Tokens(f.Path + "\n" + f.Text)
		if cost > budget {
			left++
			continue
		}
		budget -= cost
		chosen = append(chosen, f)
	}
	return chosen, left
}

func isCode(name string) bool {
	switch path.Ext(name) {
	case ".py", ".go", ".js", ".ts", ".mjs", ".cjs", ".jsx", ".tsx", ".java", ".kt", ".rs", ".c", ".h", ".cc", ".cpp", ".rb", ".php", ".cs":
		return true
	}
	return false
}
