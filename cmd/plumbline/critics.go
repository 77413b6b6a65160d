package main

import (
	"context"
	"errors"
	"fmt"
	"io"
	"os"
	"path/filepath"
	"strings"

	"plumbline/models"
	"plumbline/runner"
)

type criticsCmd struct {
	Import criticsImportCmd `cmd:"" help:"Read a CSV table of recorded critics: a task, a truth and one column for each critic. See docs/belief.md."`
}

type criticsImportCmd struct {
	File      string   `arg:"" help:"CSV file; - for standard input." type:"path"`
	Name      string   `help:"Name of the table." required:"" placeholder:"NAME"`
	Task      string   `help:"Column of the task's id." required:"" placeholder:"COLUMN"`
	Label     string   `help:"Column of the truth." required:"" placeholder:"COLUMN"`
	Critic    []string `help:"Column of a critic; name=COLUMN gives it another name, COLUMN:6 the outcomes 0 to 5. May be repeated." placeholder:"COLUMN"`
	Score     []string `help:"Column of a score, higher for correct. May be repeated." placeholder:"COLUMN"`
	Candidate string   `help:"Column of whole numbers that orders the candidates of a task; otherwise the rows do." placeholder:"COLUMN"`
	Group     []string `help:"Column that tells runs of the same task apart, such as the generator. May be repeated." placeholder:"COLUMN"`
	Comma     string   `help:"Character between cells." default:","`
	Chains    bool     `help:"Each candidate was made with feedback on the one before; otherwise they are independent attempts."`
	Project   string   `help:"Project, by its short name." default:"default"`
	JSON      bool     `help:"Print what was read as JSON." name:"json"`
}

// criticsReport is what an import says with --json.
type criticsReport struct {
	ID         string        `json:"id"`
	Name       string        `json:"name"`
	SHA256     string        `json:"sha256"`
	Rows       int           `json:"rows"`
	Tasks      int           `json:"tasks"`
	Candidates int           `json:"candidates"`
	Dropped    []string      `json:"dropped_tasks,omitempty"`
	Errors     []criticError `json:"errors,omitempty"`
}

type criticError struct {
	Line   int    `json:"line"`
	Column string `json:"column,omitempty"`
	Value  string `json:"value,omitempty"`
	Why    string `json:"why"`
}

// Run imports a table and says what was read and what was not. Values that cannot
// be used end in exit code 3.
func (c *criticsImportCmd) Run(ctx context.Context, g *Globals, std streams) (err error) {
	content, origin, err := c.read(std)
	if err != nil {
		return err
	}
	a, err := newApp(ctx, g, std)
	if err != nil {
		return err
	}
	defer func() { err = errors.Join(err, a.close()) }()
	v := models.LocalAdmin()
	p, err := a.store.EnsureProject(ctx, c.Project, c.Project)
	if err != nil {
		return err
	}
	d := runner.CriticDeclaration{Task: c.Task, Label: c.Label, Candidate: c.Candidate, Group: c.Group, Scores: c.Score, Chains: c.Chains}
	if c.Comma != "," {
		d.Comma = strings.NewReplacer(`\t`, "\t").Replace(c.Comma)
	}
	for _, s := range c.Critic {
		d.Critics = append(d.Critics, runner.ParseCriticSource(s))
	}
	t, read, err := a.runner.ImportCritics(ctx, v, p.ID, c.Name, origin, content, d)
	if err != nil {
		return err
	}
	out := criticsReport{ID: t.ID, Name: t.Name, SHA256: t.SHA256, Rows: read.Rows, Tasks: t.TaskCount, Candidates: t.Candidates, Dropped: read.Dropped}
	for _, e := range read.Errors {
		out.Errors = append(out.Errors, criticError{e.Line, e.Field, e.Value, e.Why})
	}
	if c.JSON {
		err = writeJSON(std.out, out)
	} else {
		writeCritics(std.out, out)
	}
	if err == nil && len(out.Errors) > 0 {
		err = &exitError{code: 3}
	}
	return err
}

func (c *criticsImportCmd) read(std streams) ([]byte, string, error) {
	if c.File == "-" {
		raw, err := readAllLimited(std.in, runner.MaxCriticBytes)
		if err != nil {
			return nil, "", fmt.Errorf("read standard input: %w", err)
		}
		return raw, "standard input", nil
	}
	f, err := os.Open(c.File)
	if err != nil {
		return nil, "", fmt.Errorf("open the table: %w", err)
	}
	defer f.Close()
	raw, err := readAllLimited(f, runner.MaxCriticBytes)
	if err != nil {
		return nil, "", fmt.Errorf("read %s: %w", c.File, err)
	}
	return raw, filepath.Base(c.File), nil
}

// shownErrors is how many errors are listed on a terminal.
const shownErrors = 20

func writeCritics(w io.Writer, r criticsReport) {
	fmt.Fprintf(w, "Table %s (%s): %d rows, %d tasks, %d candidates.\n", r.Name, r.ID, r.Rows, r.Tasks, r.Candidates)
	if len(r.Errors) == 0 {
		return
	}
	fmt.Fprintf(w, "%d values could not be used; %d tasks are left out.\n", len(r.Errors), len(r.Dropped))
	for _, e := range r.Errors[:min(len(r.Errors), shownErrors)] {
		where := fmt.Sprintf("line %d", e.Line)
		if e.Column != "" {
			where += ", column " + e.Column
		}
		fmt.Fprintf(w, "  %s: %q %s\n", where, e.Value, e.Why)
	}
	if more := len(r.Errors) - shownErrors; more > 0 {
		fmt.Fprintf(w, "  and %d more; --json lists all.\n", more)
	}
}
