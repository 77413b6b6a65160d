package main

import (
	"flag"
	"fmt"
	"os"
	"path/filepath"
	"strings"
	"testing"

	"github.com/alecthomas/kong"
	"github.com/google/go-cmp/cmp"
)

var update = flag.Bool("update", false, "write docs/settings.md anew")

const settingsHead = `# Settings

Every setting is a flag, and the variable beside it fills the flag; a flag on the command line wins. A flag or variable that
ends in -file or _FILE names a file that holds the value, which is how a secret is given. Exit codes: 0 done, 1 it did not
work, 2 the command line is wrong, 3 an experiment that was waited for has items missing, blocked or in error.

Beside these, keys of model endpoints come from where the reviewers' settings say (` + "`env:NAME` or `file:/path`" + `), and HTTP_PROXY,
HTTPS_PROXY and NO_PROXY are kept to. This page is written from the program by ` + "`go test ./cmd/plumbline -run TestSettings -update`" + `.
`

// settingsDoc is docs/settings.md as the program has it.
func settingsDoc(app *kong.Application) string {
	var b strings.Builder
	b.WriteString(settingsHead)
	b.WriteString("\n## All commands\n\n")
	writeFlags(&b, app.Node)
	for _, c := range app.Leaves(true) {
		fmt.Fprintf(&b, "\n## %s\n\n%s\n", strings.TrimPrefix(c.Path(), app.Name+" "), c.Help)
		for _, a := range c.Positional {
			fmt.Fprintf(&b, "\n`%s`: %s\n", a.Summary(), a.Help)
		}
		if len(c.Flags) > 0 {
			b.WriteString("\n")
			writeFlags(&b, c)
		}
	}
	return b.String()
}

func writeFlags(b *strings.Builder, n *kong.Node) {
	b.WriteString("| flag | variable | default | meaning |\n| --- | --- | --- | --- |\n")
	for _, f := range n.Flags {
		if f.Name == "help" || f.Name == "version" {
			continue
		}
		name := "--" + f.Name
		if f.Short != 0 {
			name += fmt.Sprintf(", -%c", f.Short)
		}
		def := f.Default
		switch {
		case f.Required:
			def = "needed"
		case def != "":
			def = "`" + def + "`"
		}
		fmt.Fprintf(b, "| `%s` | `%s` | %s | %s |\n", name, strings.Join(f.Envs, "`, `"), def, strings.ReplaceAll(f.Help, "|", `\|`))
	}
}

// TestSettings keeps docs/settings.md equal to the flags that the program has.
func TestSettings(t *testing.T) {
	var c cli
	p, err := kong.New(&c, kong.Name("plumbline"), kong.DefaultEnvars("PLUMBLINE"), kong.Vars{"version": "", "data": "~/.local/share/plumbline"})
	if err != nil {
		t.Fatal(err)
	}
	want := settingsDoc(p.Model)
	path := filepath.Join(root, "docs", "settings.md")
	if *update {
		if err := os.WriteFile(path, []byte(want), 0o644); err != nil {
			t.Fatal(err)
		}
	}
	got, err := os.ReadFile(path)
	if err != nil {
		t.Fatal(err)
	}
	if d := cmp.Diff(want, string(got)); d != "" {
		t.Errorf("docs/settings.md is stale; run this test with -update:\n%s", d)
	}
}
