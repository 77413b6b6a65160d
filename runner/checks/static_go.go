package checks

import (
	"bytes"
	"context"
	"slices"

	"plumbline/experiments/findings"
	"plumbline/runner/sandbox"
	"plumbline/runner/workspace"
)

// goTools are the go command's own checks: build, whose errors decide, and vet,
// whose analysers do not. They look at every package, since a change in one can
// break another. An image has a Go of its own that is not looked for.
func goTools(b sandbox.Backend, s Settings) []StaticTool {
	tool, err := findGo()
	if err != nil || b.Images() {
		return nil
	}
	g := &gotest{settings: s}
	prepare := func(ctx context.Context, b sandbox.Backend, tree *workspace.Tree) ([]sandbox.Mount, error) {
		cache, err := g.warm(ctx, Exec{Box: b, Tree: tree}, tool)
		return append(slices.Clone(tool.mounts), cache...), err
	}
	version := versionWord.FindString(goVersion(tool))
	files := []string{".go", "go.mod"}
	return []StaticTool{
		{
			Name: "go build", Version: version, Suffixes: files, Errors: findings.GoText, Format: findings.GoText,
			path: tool.path, args: []string{"build", "-gcflags=-e", "-o", "/dev/null", "./..."}, whole: true, builds: true, worst: 1, env: goEnv, prepare: prepare,
		},
		{
			Name: "go vet", Version: version, Suffixes: files, Format: findings.GoVetJSON, Errors: findings.GoText,
			path: tool.path, args: []string{"vet", "-json", "./..."}, whole: true, worst: 1, env: goEnv, prepare: prepare,
		},
	}
}

// goVersion is what the go command says of itself.
func goVersion(tool goTool) string {
	var out bytes.Buffer
	if err := sandbox.Trusted(context.Background(), sandbox.TrustedCmd{Path: tool.path, Args: []string{"version"}, Stdout: &out}); err != nil {
		return "" // a version that cannot be told is shown as unknown
	}
	return out.String()
}
