package main

import (
	"encoding/json"
	"fmt"
	"os"
	"path"
	"path/filepath"
	"slices"
	"strings"
	"testing"

	"github.com/alecthomas/kong"
	"gopkg.in/yaml.v3"
)

// No container engine is needed here: the files are read as an engine would read
// them, and what they name must exist.

const root = "../.."

// instruction is one line of a Dockerfile, continuation lines joined.
type instruction struct {
	word string // upper case
	rest string
}

func parseDockerfile(t *testing.T, text string) []instruction {
	t.Helper()
	known := []string{"FROM", "RUN", "CMD", "LABEL", "EXPOSE", "ENV", "ADD", "COPY", "ENTRYPOINT", "VOLUME", "USER", "WORKDIR", "ARG", "ONBUILD", "STOPSIGNAL", "HEALTHCHECK", "SHELL"}
	var out []instruction
	joined := ""
	for n, line := range strings.Split(text, "\n") {
		line = strings.TrimSpace(line)
		if line == "" || strings.HasPrefix(line, "#") {
			continue
		}
		if part, more := strings.CutSuffix(line, `\`); more {
			joined += part
			continue
		}
		word, rest, _ := strings.Cut(joined+line, " ")
		joined = ""
		if !slices.Contains(known, strings.ToUpper(word)) {
			t.Fatalf("Dockerfile line %d: %q is no instruction", n+1, word)
		}
		out = append(out, instruction{strings.ToUpper(word), strings.TrimSpace(rest)})
	}
	if joined != "" || len(out) == 0 || out[0].word != "FROM" && out[0].word != "ARG" {
		t.Fatalf("Dockerfile begins or ends amid an instruction")
	}
	return out
}

// words of the exec form, or of a plain list of paths.
func (i instruction) words(t *testing.T) []string {
	t.Helper()
	if strings.HasPrefix(i.rest, "[") {
		var out []string
		if err := json.Unmarshal([]byte(i.rest), &out); err != nil {
			t.Fatalf("%s %s: %v", i.word, i.rest, err)
		}
		return out
	}
	return strings.Fields(i.rest)
}

// ignored reports whether .dockerignore keeps a path out of the build.
func ignored(t *testing.T, name string) bool {
	t.Helper()
	raw, err := os.ReadFile(filepath.Join(root, ".dockerignore"))
	if err != nil {
		t.Fatal(err)
	}
	for line := range strings.Lines(string(raw)) {
		pattern := strings.Trim(strings.TrimSpace(line), "/")
		if pattern == "" || strings.HasPrefix(pattern, "#") {
			continue
		}
		for p := name; p != "."; p = path.Dir(p) {
			matched, err := path.Match(pattern, p)
			if err != nil {
				t.Fatalf(".dockerignore: %q: %v", pattern, err)
			}
			if deep, ok := strings.CutPrefix(pattern, "**/"); ok && !matched {
				matched, err = path.Match(deep, path.Base(p))
				if err != nil {
					t.Fatalf(".dockerignore: %q: %v", pattern, err)
				}
			}
			if matched {
				return true
			}
		}
	}
	return false
}

func cliModel(t *testing.T) *kong.Application {
	t.Helper()
	var c cli
	p, err := kong.New(&c, kong.Name("plumbline"), kong.DefaultEnvars("PLUMBLINE"), kong.Vars{"version": "v", "data": "d"})
	if err != nil {
		t.Fatal(err)
	}
	return p.Model
}

// checkArgs fails if a command line of the program names what it does not have.
func checkArgs(t *testing.T, where string, args []string) {
	t.Helper()
	node := cliModel(t).Node
	flags := map[string]bool{}
	add := func(n *kong.Node) {
		for _, f := range n.Flags {
			flags[f.Name] = true
		}
	}
	add(node)
	for _, arg := range args {
		if name, ok := strings.CutPrefix(arg, "--"); ok {
			name, _, _ = strings.Cut(name, "=")
			if !flags[name] {
				t.Errorf("%s: %v: there is no flag --%s", where, args, name)
			}
			continue
		}
		if len(node.Children) == 0 {
			continue // an argument, or the value of a flag
		}
		i := slices.IndexFunc(node.Children, func(n *kong.Node) bool { return n.Name == arg })
		if i < 0 {
			t.Errorf("%s: %v: there is no command %q", where, args, arg)
			return
		}
		node = node.Children[i]
		add(node)
	}
}

// checkVariable fails if a variable fills no flag.
func checkVariable(t *testing.T, where, name string) {
	t.Helper()
	if strings.HasPrefix(name, "PLUMBLINE_") && !slices.ContainsFunc(allFlags(cliModel(t).Node), func(f *kong.Flag) bool { return slices.Contains(f.Envs, name) }) {
		t.Errorf("%s: no flag is filled by %s", where, name)
	}
}

func allFlags(n *kong.Node) []*kong.Flag {
	out := slices.Clone(n.Flags)
	for _, c := range n.Children {
		out = append(out, allFlags(c)...)
	}
	return out
}

func TestDockerfile(t *testing.T) {
	t.Parallel()
	raw, err := os.ReadFile(filepath.Join(root, "Dockerfile"))
	if err != nil {
		t.Fatal(err)
	}
	stages, user, health, entry := []string{}, "", false, false
	for _, in := range parseDockerfile(t, string(raw)) {
		switch in.word {
		case "FROM":
			f := in.words(t)
			if len(f) != 1 && (len(f) != 3 || !strings.EqualFold(f[1], "as")) {
				t.Errorf("FROM %s", in.rest)
			}
			stages = append(stages, f[len(f)-1])
			user, health, entry = "", false, false // of the last stage
		case "COPY", "ADD":
			checkCopy(t, in, stages)
		case "USER":
			user = in.rest
		case "ENV":
			name, _, _ := strings.Cut(in.rest, "=")
			checkVariable(t, "Dockerfile", name)
		case "HEALTHCHECK":
			_, cmd, ok := strings.Cut(in.rest, "CMD ")
			args := instruction{in.word, cmd}.words(t)
			if !ok || len(args) == 0 || args[0] != "plumbline" {
				t.Fatalf("HEALTHCHECK %s", in.rest)
			}
			checkArgs(t, "HEALTHCHECK", args[1:])
			health = true
		case "ENTRYPOINT":
			entry = slices.Equal(in.words(t), []string{"plumbline"})
		case "CMD":
			checkArgs(t, "CMD", in.words(t))
		}
	}
	if len(stages) < 2 {
		t.Error("the image is built in one stage: it would hold the compiler")
	}
	if user == "" || user == "root" || strings.HasPrefix(user, "0") {
		t.Errorf("the program runs as %q", user)
	}
	if !health || !entry {
		t.Errorf("health check: %v, entry point: %v", health, entry)
	}
}

func checkCopy(t *testing.T, in instruction, stages []string) {
	t.Helper()
	args := in.words(t)
	if from, ok := strings.CutPrefix(args[0], "--from="); ok {
		if !slices.Contains(stages, from) {
			t.Errorf("%s %s: there is no stage %s", in.word, in.rest, from)
		}
		return
	}
	for _, src := range args[:len(args)-1] {
		if _, err := os.Stat(filepath.Join(root, src)); err != nil {
			t.Errorf("%s %s: %v", in.word, in.rest, err)
		}
		if clean := path.Clean(src); clean != "." && ignored(t, clean) {
			t.Errorf("%s %s: .dockerignore keeps %s out", in.word, in.rest, src)
		}
	}
}

// What the build needs must not be ignored, and what must not leave the machine
// must be.
func TestDockerignore(t *testing.T) {
	t.Parallel()
	for name, want := range map[string]bool{
		"go.mod": false, "go.sum": false, "cmd/plumbline/main.go": false, "models/migrate/sql/00001_init.sql": false,
		"static/css/10-tokens.css": false, "experiments/bundled/cases/go-stash.txtar": false, "web/pages/home_templ.go": false,
		".git/config": true, "secrets/admin_password": true, "data/plumbline.db": true, "cmd/plumbline/run_test.go": true,
	} {
		if got := ignored(t, name); got != want {
			t.Errorf("%s ignored: %v", name, got)
		}
	}
}

type composeFile struct {
	Services map[string]struct {
		Image       string
		Build       any
		Command     []string
		Environment map[string]string
		Secrets     []string
		Ports       []string
		Volumes     []string
		DependsOn   map[string]struct{ Condition string } `yaml:"depends_on"`
		Healthcheck struct {
			Test    []string
			Disable bool
		}
	}
	Volumes map[string]any
	Secrets map[string]struct{ File string }
}

func TestCompose(t *testing.T) {
	t.Parallel()
	raw, err := os.ReadFile(filepath.Join(root, "compose.yaml"))
	if err != nil {
		t.Fatal(err)
	}
	var c composeFile
	if err := yaml.Unmarshal(raw, &c); err != nil {
		t.Fatal(err)
	}
	if db := c.Services["db"]; db.Image != "postgres:16" || len(db.Healthcheck.Test) == 0 || len(db.Volumes) == 0 {
		t.Errorf("db: %+v", db)
	}
	if c.Services["app"].Build == nil {
		t.Error("there is no app that is built here")
	}
	for name, s := range c.Services {
		if s.Build != nil {
			checkArgs(t, "compose.yaml, "+name, s.Command)
		}
		for v := range s.Environment {
			checkVariable(t, "compose.yaml, "+name, v)
		}
		for v, value := range s.Environment {
			if strings.Contains(v, "PASSWORD") && !strings.HasPrefix(value, "/run/secrets/") {
				t.Errorf("%s: %s is not given by a file", name, v)
			}
		}
		for _, secret := range s.Secrets {
			file := c.Secrets[secret].File
			if file == "" || !ignored(t, path.Clean(file)) {
				t.Errorf("%s: secret %s is in %q, which is not there or would be copied into the image", name, secret, file)
			}
		}
		for _, v := range s.Volumes {
			if named, _, _ := strings.Cut(v, ":"); !strings.HasPrefix(named, ".") && !strings.HasPrefix(named, "/") {
				if _, ok := c.Volumes[named]; !ok {
					t.Errorf("%s: volume %s is not declared", name, named)
				}
			}
		}
		for other, on := range s.DependsOn {
			if _, ok := c.Services[other]; !ok {
				t.Errorf("%s depends on %s, which is not there", name, other)
			}
			if h := c.Services[other]; on.Condition == "service_healthy" && (h.Healthcheck.Disable || h.Build == nil && len(h.Healthcheck.Test) == 0) {
				t.Errorf("%s waits for the health of %s, which has no health check", name, other)
			}
		}
		for _, p := range s.Ports {
			if !strings.HasPrefix(p, "127.0.0.1:") {
				t.Errorf("%s: port %s is open to everybody by default", name, p)
			}
		}
	}
}

func TestParseDockerfileJoinsLines(t *testing.T) {
	t.Parallel()
	got := fmt.Sprint(parseDockerfile(t, "# c\nFROM a AS b\nrun x \\\n  && y\nCMD [\"z\"]\n"))
	if want := `[{FROM a AS b} {RUN x && y} {CMD ["z"]}]`; got != want {
		t.Errorf("%s, want %s", got, want)
	}
}
