package formats

import (
	"path"
	"regexp"
	"strings"
)

// Which files belong to the same run is nowhere written down. It is read from
// the paths: a run keeps its trajectories, predictions and reports under one
// folder, in sub-folders with general names. Two files belong together when,
// where their paths part, one of them lies directly in the common folder, or both
// names are general (half of their words are), or one is general altogether
// ("logs", "results"). "runA/x" and "runB/y" do not belong together.

// dirs are the folders of a path, outermost first.
func dirs(p string) []string {
	d := path.Dir(p)
	if d == "." || d == "/" {
		return nil
	}
	return strings.Split(strings.Trim(d, "/"), "/")
}

// common counts the leading folders that both share.
func common(a, b []string) int {
	n := 0
	for n < len(a) && n < len(b) && a[n] == b[n] {
		n++
	}
	return n
}

// sameRun reports whether two files can belong to one run, and how close they
// are: the number of shared folders.
func sameRun(a, b []string) (depth int, ok bool) {
	n := common(a, b)
	if n == len(a) || n == len(b) {
		return n, true
	}
	x, y := generality(a[n]), generality(b[n])
	return n, x >= 0.5 && y >= 0.5 || x == 1 || y == 1
}

// generalWords are the parts of folder names that every run uses.
var generalWords = map[string]bool{
	"log": true, "logs": true, "traj": true, "trajs": true, "trajectory": true, "trajectories": true,
	"result": true, "results": true, "eval": true, "evals": true, "evaluation": true, "evaluations": true,
	"output": true, "outputs": true, "pred": true, "preds": true, "prediction": true, "predictions": true,
	"report": true, "reports": true, "patch": true, "patches": true, "submission": true, "submissions": true,
	"completions": true, "run": true, "artifacts": true, "validation": true, "trace": true, "traces": true, "metrics": true,
}

var wordBreak = regexp.MustCompile(`[^A-Za-z0-9]+`)

// generality is the part of the words of a folder name that every run uses.
func generality(name string) float64 {
	if acrClasses[name] {
		return 1 // folders that sort the attempts of one run by how they ended
	}
	words := wordBreak.Split(strings.ToLower(name), -1)
	n := 0
	for _, w := range words {
		if generalWords[w] {
			n++
		}
	}
	return float64(n) / float64(len(words))
}

// general reports whether a folder name is one that every run uses: at least half
// of its words are. "new_eval_results" is, "swe-agent-results" is a run.
func general(name string) bool { return generality(name) >= 0.5 }

// repoOf derives owner/name from an id of the plain form owner__name-123; other
// forms tell nothing and give an empty text.
func repoOf(id string) string {
	m := plainForm.FindStringSubmatch(id)
	if m == nil {
		return ""
	}
	return m[1] + "/" + m[2]
}

var plainForm = regexp.MustCompile(`^([A-Za-z0-9][A-Za-z0-9-]*(?:_[A-Za-z0-9-]+)*)__([A-Za-z0-9_.-]+)-[0-9]+$`)

// fold makes model and run names comparable: on disk a slash becomes two
// underscores.
func fold(s string) string { return strings.ToLower(strings.ReplaceAll(s, "/", "__")) }
