package staticpairs

import (
	"bytes"
	"encoding/json"
	"errors"
	"fmt"
	"io/fs"
	"os"
	"path"
	"path/filepath"
	"slices"
	"strings"

	"plumbline/experiments/findings"
)

// Listed is a patch of a published run.
type Listed struct {
	InstanceID     string `json:"instance_id"`
	PredictionFile string `json:"prediction_file"`
}

// Set is a folder of pairs.
type Set struct {
	Pairs []findings.Pair
	From  []Listed // by pair: where its patch is from
	// Listed are the patches that the pairs were chosen from; nil when nothing lists
	// them.
	Listed []Listed
}

// byFile are the formats of tools whose output is known, by the name of its file.
var byFile = map[string]findings.Format{
	"pyflakes.txt": findings.Pyflakes, "flake8.txt": findings.Flake8, "pylint.json": findings.PylintJSON, "ruff.json": findings.RuffJSON,
	"go.txt": findings.GoText, "govet.json": findings.GoVetJSON, "pyright.json": findings.PyrightJSON, "mypy.txt": findings.StaticText,
	"tsc.txt": findings.TscText, "eslint.json": findings.EslintJSON,
}

func formatOf(file string) (findings.Format, bool) {
	if strings.HasSuffix(file, ".sarif") {
		return findings.SARIF, true
	}
	f, ok := byFile[file]
	return f, ok
}

// Read reads a folder of pairs. A file that cannot be read or compared is said in its
// pair; the error is of the folder itself or of its index.
func Read(dir string) (Set, error) {
	var index []struct {
		Listed
		Dir string `json:"dir"`
	}
	if err := readJSON(filepath.Join(dir, "index.json"), &index); err != nil {
		return Set{}, fmt.Errorf("read the index of the pairs: %w", err)
	}
	var s Set
	for i, x := range index {
		name := path.Base(x.Dir)
		if x.Dir == "" || !filepath.IsLocal(name) {
			return Set{}, fmt.Errorf("read the index of the pairs: entry %d names no folder", i+1)
		}
		p, err := readPair(filepath.Join(dir, name))
		if err != nil {
			return Set{}, fmt.Errorf("read the pair %s: %w", name, err)
		}
		p.Name, p.Instance = name, x.InstanceID
		s.Pairs, s.From = append(s.Pairs, p), append(s.From, x.Listed)
	}
	err := readJSON(filepath.Join(dir, "apply_status.json"), &s.Listed)
	if err != nil && !errors.Is(err, fs.ErrNotExist) {
		return Set{}, fmt.Errorf("read the list of the patches: %w", err)
	}
	return s, nil
}

func readJSON(name string, into any) error {
	raw, err := os.ReadFile(name)
	if err != nil {
		return err
	}
	return json.Unmarshal(raw, into)
}

func readPair(dir string) (findings.Pair, error) {
	raw, err := os.ReadFile(filepath.Join(dir, "patch.diff"))
	if err != nil {
		return findings.Pair{}, err
	}
	p := findings.Pair{Patch: string(raw)}
	entries, err := os.ReadDir(dir)
	if err != nil {
		return p, err
	}
	var names []string
	for _, e := range entries {
		for _, side := range []string{"base.", "patched."} {
			if name, ok := strings.CutPrefix(e.Name(), side); ok && !slices.Contains(names, name) {
				names = append(names, name)
			}
		}
	}
	slices.Sort(names)
	for _, name := range names {
		p.Tools = append(p.Tools, readTool(dir, name))
	}
	return p, nil
}

// readTool reads both outputs of a tool.
func readTool(dir, name string) findings.PairTool {
	tool, _, _ := strings.Cut(name, ".")
	t := findings.PairTool{Tool: tool}
	format, ok := formatOf(name)
	if !ok {
		t.Why = "nothing reads the format of " + name
		return t
	}
	for side, into := range map[string]*[]findings.Finding{"base": &t.Base, "patched": &t.Patched} {
		raw, err := os.ReadFile(filepath.Join(dir, side+"."+name))
		if errors.Is(err, fs.ErrNotExist) {
			t.Why = "there is no output on the " + side + " tree"
			return t
		}
		if err == nil {
			*into, err = findings.Read(format, bytes.NewReader(raw), tool, "")
		}
		if err != nil {
			t.Why = err.Error()
			return t
		}
	}
	return t
}
