package main

import (
	"context"
	"errors"
	"fmt"
	"io"
	"os"
	"path/filepath"
	"runtime/debug"
	"slices"
	"strings"

	"plumbline/experiments/cascade"
	"plumbline/models"
	"plumbline/runner"
	"plumbline/runner/workspace"
)

type reviewCmd struct {
	Repo     string `help:"Git repository that the patch is for." default:"." type:"path" placeholder:"DIR"`
	Base     string `help:"Revision that the patch is applied to. With --head: the branch that it is meant for; the patch is what head changed since it left it." placeholder:"REV"`
	Patch    string `help:"File with the patch, a unified diff; - for standard input." placeholder:"FILE" xor:"what"`
	Head     string `help:"Revision with the patch in it." placeholder:"REV" xor:"what"`
	Issue    string `help:"File with what the patch is to do, in Markdown; - for standard input." placeholder:"FILE"`
	Summary  string `help:"File with what the author says of the patch, for evidence forms that show it." placeholder:"FILE"`
	Policy   string `help:"Frozen policy: a file of plumbline policy, a manifest of a freeze, or the id of a freeze or of a cascade experiment. Default: static checks only." placeholder:"FROZEN"`
	Arm      int    `help:"Arm of the freeze or experiment, from 0." default:"0"`
	Format   string `help:"What is printed: text, json, sarif or markdown." enum:"text,json,sarif,markdown" default:"text"`
	Output   string `help:"File that it is written to instead of standard output." type:"path" placeholder:"FILE"`
	Title    string `help:"Title of the review. Default: the first line of the issue." placeholder:"TEXT"`
	Language string `help:"Language of the repository: python, go, javascript or typescript. Default: by the files of the patch." placeholder:"NAME"`
	Project  string `help:"Project that keeps the review, by its short name." default:"default"`
	Site     string `help:"Address of a server on the same database; the review links to its page there." placeholder:"URL"`
}

// Exit codes of plumbline review. They are a documented interface, see
// docs/review.md.
const (
	exitAccept    = 0
	exitReject    = 1
	exitUncertain = 2
	exitNoVerdict = 3
)

// usageCode is the exit code of a command line that cannot be read: that of a review
// must not be taken for a verdict. Values of flags cannot be told from the command,
// so that any word may be it.
func usageCode(args []string) int {
	if slices.Contains(args, "review") {
		return exitNoVerdict
	}
	return 2
}

// Run judges one patch. Whatever keeps it from a verdict is exit code 3.
func (c *reviewCmd) Run(ctx context.Context, g *Globals, std streams) (err error) {
	defer func() {
		// The exit code of a crash is that of an uncertain verdict.
		if p := recover(); p != nil {
			fmt.Fprintf(std.err, "plumbline: %v\n%s", p, debug.Stack())
			err = &exitError{code: exitNoVerdict}
		}
	}()
	doc, err := c.review(ctx, g, std)
	if err == nil {
		err = c.print(doc, std)
	}
	if err != nil {
		if ctx.Err() != nil {
			err = errors.New("broken off before there was a verdict") // and no success
		}
		return &exitError{code: exitNoVerdict, cause: err}
	}
	return exitOf(doc)
}

func exitOf(doc runner.ReviewDocument) error {
	code, known := map[string]int{"accept": exitAccept, "reject": exitReject, "uncertain": exitUncertain}[doc.Verdict]
	switch {
	case !known:
		return &exitError{code: exitNoVerdict}
	case code != exitAccept:
		return &exitError{code: code}
	}
	return nil
}

func (c *reviewCmd) review(ctx context.Context, g *Globals, std streams) (doc runner.ReviewDocument, err error) {
	q, err := c.request(std)
	if err != nil {
		return doc, err
	}
	a, err := newApp(ctx, g, std)
	if err != nil {
		return doc, err
	}
	defer func() { err = errors.Join(err, a.close()) }()
	v := models.LocalAdmin()
	p, err := a.store.EnsureProject(ctx, c.Project, c.Project)
	if err != nil {
		return doc, err
	}
	if q.Policy, err = readPolicy(ctx, a, v, c.Policy, c.Arm); err != nil {
		return doc, err
	}
	host, err := runner.NewCheckHost(filepath.Join(g.Data, "checks"), "")
	if err != nil {
		return doc, err
	}
	if err := c.fromGit(ctx, host, &q); err != nil {
		return doc, err
	}
	if doc, err = a.runner.ReviewOne(ctx, host, q); err != nil {
		return doc, err
	}
	return doc, a.runner.SaveReview(ctx, v, p.ID, &doc)
}

// Limits of what is read.
const (
	maxPatch = 64 << 20
	maxText  = 4 << 20
)

// request reads the files that the flags name.
func (c *reviewCmd) request(std streams) (q runner.ReviewRequest, err error) {
	switch {
	case c.Base == "":
		return q, errors.New("name the revision that the patch is for: --base REV")
	case c.Issue == "":
		return q, errors.New("give the issue: --issue FILE")
	case c.Patch == "" && c.Head == "":
		return q, errors.New("give the patch: --patch FILE, or the revision that has it: --head REV")
	case c.Patch == "-" && c.Issue == "-":
		return q, errors.New("standard input cannot be both patch and issue")
	}
	q = runner.ReviewRequest{Title: c.Title, Repo: c.Repo, Base: c.Base, Head: c.Head, Language: c.Language}
	if q.Issue, err = readText(c.Issue, "issue", maxText, std); err != nil {
		return q, err
	}
	if strings.TrimSpace(q.Issue) == "" {
		return q, fmt.Errorf("the issue %s is empty", c.Issue)
	}
	if c.Summary != "" {
		if q.Summary, err = readText(c.Summary, "summary", maxText, std); err != nil {
			return q, err
		}
	}
	if c.Patch != "" {
		if q.Patch, err = readText(c.Patch, "patch", maxPatch, std); err != nil {
			return q, err
		}
	}
	if q.Title == "" {
		q.Title = firstTitle(q.Issue)
	}
	return q, nil
}

// firstTitle is the first line of an issue that says something.
func firstTitle(issue string) string {
	for line := range strings.Lines(issue) {
		if line = strings.TrimSpace(strings.TrimLeft(strings.TrimSpace(line), "#")); line != "" {
			if r := []rune(line); len(r) > 120 {
				line = string(r[:119]) + "…"
			}
			return line
		}
	}
	return "a patch"
}

func readText(path, what string, limit int64, std streams) (string, error) {
	in := std.in
	if path != "-" {
		f, err := os.Open(path)
		if err != nil {
			return "", fmt.Errorf("read the %s: %w", what, err)
		}
		defer f.Close()
		in = f
	}
	raw, err := io.ReadAll(io.LimitReader(in, limit+1))
	switch {
	case err != nil:
		return "", fmt.Errorf("read the %s: %w", what, err)
	case int64(len(raw)) > limit:
		return "", fmt.Errorf("read the %s: it is larger than %d MB", what, limit>>20)
	}
	return string(raw), nil
}

// fromGit finds the base, and the patch where a revision has it. What the
// repository lacks is trouble of the review.
func (c *reviewCmd) fromGit(ctx context.Context, host *runner.CheckHost, q *runner.ReviewRequest) error {
	missing := func(err error) error {
		if ctx.Err() != nil {
			return err
		}
		q.Trouble = &cascade.Failed{Trouble: cascade.BaseMissing, Detail: err.Error()}
		return nil
	}
	git, err := runner.OpenGit(ctx, c.Repo)
	if err != nil {
		return missing(err)
	}
	base, err := git.Commit(ctx, c.Base)
	if err != nil {
		return missing(err)
	}
	if c.Head != "" {
		head, err := git.Commit(ctx, c.Head)
		if err != nil {
			return missing(err)
		}
		if base, err = git.Fork(ctx, base, head); err != nil {
			return missing(err)
		}
		if q.Patch, err = git.Diff(ctx, base, head); err != nil {
			return missing(err)
		}
		q.Head = head
	}
	q.Base = base
	q.Tree = func(ctx context.Context) (*workspace.Base, error) { return host.Tree(ctx, git, base) }
	return nil
}

// print writes the document in the chosen format.
func (c *reviewCmd) print(doc runner.ReviewDocument, std streams) (err error) {
	out := std.out
	if c.Output != "" {
		f, err := os.Create(c.Output)
		if err != nil {
			return fmt.Errorf("write the review: %w", err)
		}
		defer func() { err = errors.Join(err, f.Close()) }()
		out = f
	}
	page := ""
	if c.Site != "" {
		page = strings.TrimRight(c.Site, "/") + "/reviews/" + doc.ID
	}
	text := map[string]func(runner.ReviewDocument, string) (string, error){
		"text": reviewText, "json": reviewJSON, "sarif": reviewSARIF, "markdown": reviewMarkdown,
	}[c.Format]
	s, err := text(doc, page)
	if err != nil {
		return err
	}
	if _, err := io.WriteString(out, s); err != nil {
		return fmt.Errorf("write the review: %w", err)
	}
	return nil
}
