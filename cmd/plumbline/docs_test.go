package main

import (
	"io/fs"
	"os"
	"path/filepath"
	"regexp"
	"strings"
	"testing"
)

// documents reads the project's own pages by their path from the root.
func documents(t *testing.T) map[string]string {
	t.Helper()
	out := map[string]string{}
	add := func(path string) {
		raw, err := os.ReadFile(filepath.Join(root, path))
		if err != nil {
			t.Fatal(err)
		}
		out[path] = string(raw)
	}
	add("README.md")
	add("CONTRIBUTING.md")
	err := filepath.WalkDir(filepath.Join(root, "docs"), func(p string, d fs.DirEntry, err error) error {
		if err == nil && strings.HasSuffix(p, ".md") {
			rel, e := filepath.Rel(root, p)
			if e != nil {
				return e
			}
			add(rel)
		}
		return err
	})
	if err != nil {
		t.Fatal(err)
	}
	return out
}

var link = regexp.MustCompile(`\]\(([^)\s]+)\)`)

// TestDocsLinks: what a page points to is there, pictures and headings included.
func TestDocsLinks(t *testing.T) {
	t.Parallel()
	docs := documents(t)
	for path, text := range docs {
		for _, m := range link.FindAllStringSubmatch(text, -1) {
			target, heading, _ := strings.Cut(m[1], "#")
			if strings.Contains(target, "://") {
				continue
			}
			file := path
			if target != "" {
				file = filepath.Join(filepath.Dir(path), target)
				if _, err := os.Stat(filepath.Join(root, file)); err != nil {
					t.Errorf("%s points to %s: %v", path, m[1], err)
				}
			}
			if heading != "" && !hasHeading(docs[file], heading) {
				t.Errorf("%s points to %s: there is no such heading", path, m[1])
			}
		}
	}
}

func hasHeading(text, anchor string) bool {
	for line := range strings.Lines(text) {
		title, ok := strings.CutPrefix(strings.TrimLeft(strings.TrimSpace(line), "#"), " ")
		if !ok || !strings.HasPrefix(line, "#") {
			continue
		}
		slug := regexp.MustCompile(`[^a-z0-9 _-]`).ReplaceAllString(strings.ToLower(title), "")
		if strings.ReplaceAll(slug, " ", "-") == anchor {
			return true
		}
	}
	return false
}

var fence = regexp.MustCompile("(?s)```[a-z]*\n(.*?)```")

// TestDocsCommands: every command line of a page is one that the program takes.
func TestDocsCommands(t *testing.T) {
	t.Parallel()
	n := 0
	for path, text := range documents(t) {
		for _, block := range fence.FindAllStringSubmatch(text, -1) {
			for line := range strings.Lines(block[1]) {
				line, _, _ = strings.Cut(strings.TrimSpace(line), " #")
				line = strings.TrimPrefix(line, "CGO_ENABLED=0 ")
				args, ok := strings.CutPrefix(line, "plumbline ")
				if !ok {
					args, ok = strings.CutPrefix(line, "go run ./cmd/plumbline ")
				}
				if !ok {
					continue
				}
				args, _, _ = strings.Cut(args, " | ")
				checkArgs(t, path, strings.Fields(args))
				n++
			}
		}
	}
	if n < 5 {
		t.Errorf("only %d command lines were found", n)
	}
}
